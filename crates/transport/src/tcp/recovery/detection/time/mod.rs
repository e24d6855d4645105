//! Detection of lost segments by time (RFC 8985 sections 6 and 7). The names in brackets are those of the RFC.

mod networks;
mod probe;
mod segments;

use units::{Span, Time};

use networks::Other;
use probe::{Answer, Probe};
use segments::{Segments, Sent};

use crate::segment::{SackBlocks, Segment};
use crate::tcp::recovery::state::{News, Noted, Quiet, State};
use crate::tcp::scoreboard::Scoreboard;

/// Recoveries without a duplicate after which the reordering window is a quarter of a round trip again
/// (`RACK.reo_wnd_persist`).
const PERSIST: u32 = 16;

/// What an acknowledgment brings.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// Now.
    now: Time,
    /// The instant echoed; [`Time::NEVER`] without timestamps.
    echo: Time,
}

/// What is known of the segments in flight, and of those that have arrived.
#[derive(Clone, Debug)]
pub(crate) struct Detector {
    segments: Segments,
    arrived: Arrived,
    /// What is known of another network, with which the present one takes turns.
    other: Option<Box<Other>>,
    /// The reordering window in quarters of the shortest round trip (`RACK.reo_wnd_mult`).
    mult: u32,
    persist: u32,
    /// Until this is acknowledged no more duplicates count (`RACK.dsack_round`); zero for none.
    dsack_round: u64,
    /// When what is missing now is looked at again, [`Time::NEVER`] for not.
    timer: Time,
    /// The last transmission before the window was reduced last.
    reduced: u64,
    /// How often losses were found.
    losses: u64,
    probe: Probe,
}

/// What is known from the segments that have arrived.
#[derive(Clone, Debug, Default)]
struct Arrived {
    /// The last transmission of those that have arrived (for `RACK.xmit_ts` and `RACK.end_seq`).
    newest: u64,
    /// The round-trip time of the segment sent last of those that the last acknowledgment brought
    /// (`RACK.rtt`).
    rtt: Span,
    /// That transmission; zero where there was none.
    rtt_of: u64,
    /// The same of those that were sent once (Karn's algorithm).
    sure: Option<Span>,
    /// The shortest round-trip time (`RACK.min_RTT`).
    min_rtt: Option<Span>,
    /// The highest octet that has arrived (`RACK.fack`).
    fack: u64,
    reordering_seen: bool,
}

impl Detector {
    pub(crate) fn new() -> Self {
        Self {
            segments: Segments::new(),
            arrived: Arrived::default(),
            other: None,
            mult: 1,
            persist: PERSIST,
            dsack_round: 0,
            timer: Time::NEVER,
            losses: 0,
            reduced: 0,
            probe: Probe::new(),
        }
    }

    /// What has become of segments is noted from now on.
    pub(crate) fn keep_news(&mut self) {
        self.segments.news = Some(Box::default());
    }

    /// What has become of segments, where it is noted.
    pub(crate) fn news(&mut self) -> Option<&mut News> {
        self.segments.news.as_deref_mut()
    }

    /// Octets deemed to be in the network, of `flight` that are not acknowledged.
    pub(crate) fn pipe(&self, flight: u64) -> u64 {
        flight - self.segments.gone() - self.segments.elsewhere()
    }

    /// The first segment that is lost and was not sent again.
    pub(crate) fn first_lost(&mut self) -> Option<(u64, u64)> {
        self.segments.first_lost()
    }

    /// The last segment in flight.
    fn last(&self) -> Option<(u64, u64)> {
        self.segments.last().map(|segment| (segment.start, segment.end))
    }

    /// Segments in flight.
    fn in_flight(&self) -> usize {
        self.segments.len()
    }

    /// Whether some segments are sacked.
    fn has_sacked(&self) -> bool {
        self.segments.sacked_segments() > 0
    }

    /// New octets are sent.
    pub(crate) fn send(&mut self, start: u64, end: u64, now: Time) {
        self.segments.send(start, end, now);
    }

    /// The segment that begins with this octet is sent again.
    pub(crate) fn resend(&mut self, start: u64, now: Time) {
        self.segments.resend(start, now);
    }

    /// Notes what an acknowledgment says to have arrived, in its number and in its blocks.
    pub(crate) fn on_arrivals(
        &mut self,
        state: &State,
        board: &mut Scoreboard,
        now: Time,
        segment: &Segment,
    ) -> Noted {
        let echo = if state.terms.timestamps { segment.ts_ecr } else { Time::NEVER };
        let arrival = Arrival { now, echo };
        self.acknowledge(segment.ack, arrival);
        let blocks = segment.sack.ahead();
        let mut ascending = [(0, 0); SackBlocks::MAX];
        let ascending = &mut ascending[..blocks.len()];
        ascending.copy_from_slice(blocks);
        ascending.sort_unstable();
        let mut news = 0;
        for &mut (start, end) in ascending {
            let (start, end) = (segment.ack + u64::from(start), segment.ack + u64::from(end));
            news += board.sack_parts(start, end, |start, end| self.sack(start, end, arrival));
        }
        let octet = |offset| segment.ack.saturating_add_signed(offset);
        let duplicate = segment.sack.duplicate().map(|(start, end)| (octet(start), octet(end)));
        let repaired = self.probe.on_ack(&Answer {
            ack: segment.ack,
            advances: segment.ack > board.una(),
            duplicate_end: duplicate.map_or(0, |(_, end)| end),
            has_sack: !segment.sack.is_empty(),
        });
        Noted { news, duplicate: duplicate.map(|(start, _)| start), repaired }
    }

    /// An acknowledgment has come: everything below `ack` has arrived.
    fn acknowledge(&mut self, ack: u64, arrival: Arrival) {
        self.arrived.rtt_of = 0;
        self.arrived.sure = None;
        let (arrived, other) = (&mut self.arrived, &mut self.other);
        self.segments
            .acknowledge(ack, |segment| networks::note((arrived, other), segment, arrival));
    }

    /// `start .. end` has arrived out of order, which was not known before. To be told in ascending order,
    /// after what is acknowledged.
    fn sack(&mut self, start: u64, end: u64, arrival: Arrival) {
        let (arrived, other) = (&mut self.arrived, &mut self.other);
        self.segments
            .sack(start, end, |segment| networks::note((arrived, other), segment, arrival));
    }

    /// A duplicate was reported (step 4): once a round trip the window grows. `next` is the next new octet.
    pub(crate) fn on_duplicate(&mut self, una: u64, next: u64) {
        if una >= self.dsack_round {
            self.dsack_round = next;
            self.mult = self.mult.saturating_add(1);
            self.persist = PERSIST;
        }
    }

    /// A recovery is over (step 4).
    pub(crate) fn on_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.mult = 1;
        }
    }

    /// The reordering window (step 4, `RACK_update_reo_wnd`).
    pub(crate) fn reordering_window(
        &self,
        recovers: bool,
        dup_acks: u32,
        srtt: Option<Span>,
    ) -> Span {
        let srtt = srtt.unwrap_or(Span(u64::MAX));
        let is_loss = recovers || self.segments.sacked_segments() >= u64::from(dup_acks);
        if !self.arrived.reordering_seen && is_loss {
            return Span::ZERO;
        }
        let Some(Span(least)) = self.arrived.min_rtt else { return srtt };
        let quarters = u128::from(self.mult) * u128::from(least) / 4;
        Span(u64::try_from(quarters).unwrap_or(u64::MAX)).min(srtt)
    }

    /// Step 5 (`RACK_detect_loss_and_arm_timer`): says which transmission was the last of those found lost.
    /// A segment that is waited for is answered by a timer, so that no probe has to ask (section 8).
    pub(crate) fn find_lost(&mut self, now: Time, window: Span) -> Option<u64> {
        let Arrived { newest, .. } = self.arrived;
        let patience = self.arrived.patience(window);
        let mut found = None;
        let note = |segment: &Sent| found = Some(segment.transmission);
        let deadline = match &mut self.other {
            None => self.segments.find_lost(newest, now, |_| patience, note),
            Some(other) => {
                networks::find_lost(&mut self.segments, (now, window), &self.arrived, other, note)
            }
        };
        self.timer = deadline;
        if deadline != Time::NEVER {
            self.probe.disarm();
        }
        self.losses += u64::from(found.is_some());
        found
    }

    /// The round-trip time of what the last acknowledgment brought and was sent once.
    pub(crate) fn last_rtt(&self) -> Option<Span> {
        self.arrived.sure
    }

    /// What is deemed lost or was, and what of it is sent again.
    pub(crate) fn lost_and_resent(&self) -> (u64, u64) {
        self.segments.lost_and_resent()
    }

    /// How often losses were found.
    pub(crate) fn losses(&self) -> u64 {
        self.losses
    }

    /// A recovery begins, fast or by the timer, and the window is reduced (section 7.1 for the probe).
    pub(crate) fn on_recovery(&mut self) {
        self.reduced = self.segments.transmissions();
        self.probe.stop();
    }

    /// Whether some wait to be sent again.
    pub(crate) fn has_lost(&self) -> bool {
        self.segments.has_lost()
    }

    /// A round-trip time was measured (step 1).
    pub(crate) fn on_measured(&mut self, rtt: Span) {
        self.arrived.note_rtt(rtt);
        self.probe.on_measured();
    }

    /// Whether a loss during a recovery, the last one of this transmission, asks for another reduction of the
    /// window: it was sent since the last one (section 9.3, where there is no RFC 6937; RFC 5681 section 4.3
    /// for losses in two windows).
    pub(crate) fn reduces_again(&mut self, transmission: u64) -> bool {
        let again = transmission > self.reduced;
        if again {
            self.reduced = self.segments.transmissions();
        }
        again
    }

    /// The retransmission timer has expired (section 6.3).
    pub(crate) fn on_timeout(&mut self, now: Time, window: Span) {
        self.segments.lose_by_timeout(now, self.arrived.patience(window));
        self.timer = Time::NEVER;
        self.on_recovery();
    }

    /// Nothing that is deemed lost is.
    pub(crate) fn lose_nothing(&mut self) {
        self.segments.lose_nothing();
    }

    /// The earliest deadline, [`Time::NEVER`] for none.
    pub(crate) fn deadline(&self) -> Time {
        self.timer.min(self.probe.deadline())
    }

    /// Whether it is time to look again for what is lost.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        now >= self.timer
    }

    /// Whether the timer of the probe expires now.
    pub(crate) fn probe_expires(&mut self, now: Time) -> bool {
        self.probe.expires(now)
    }

    /// Restarts the timer of the probe, or stops it if no probe is needed (section 7.2).
    pub(crate) fn on_quiet(&mut self, state: &State, board: &Scoreboard, quiet: &Quiet) {
        if state.repairs(board) || self.in_flight() == 0 || self.has_sacked() {
            return self.probe.disarm();
        }
        let single = self.in_flight() == 1;
        let ack_delay = if single { state.terms.ack_delay } else { Span::ZERO };
        self.probe.arm(quiet, ack_delay);
    }

    /// The last segment, where a probe is to be sent now.
    pub(crate) fn take_probe(&mut self) -> Option<(u64, u64)> {
        if self.probe.take_due() { self.last() } else { None }
    }

    /// A probe was sent, so everything below `end` has been sent. `repeats` is the first octet that it
    /// retransmitted, if it had no new data.
    pub(crate) fn on_probe(&mut self, end: u64, repeats: Option<u64>) {
        self.probe.on_sent(end, repeats);
        self.probe.disarm();
    }

    /// The segment that was sent again to probe, by its first octet, until that is settled.
    pub(crate) fn probed(&self) -> Option<u64> {
        self.probe.repeated()
    }
}

impl Arrived {
    /// How long a segment may be on its way: a round trip and the reordering window.
    fn patience(&self, window: Span) -> Span {
        Span(self.rtt.0.saturating_add(window.0))
    }

    fn note_rtt(&mut self, rtt: Span) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// Section 6.2, steps 1 to 3, for a segment of which it was not known that it had arrived.
    fn note(&mut self, segment: &Sent, Arrival { now, echo }: Arrival) {
        let rtt = now.since(segment.at);
        if segment.end > self.fack {
            self.fack = segment.end;
        } else if segment.end < self.fack && !segment.resent {
            self.reordering_seen = true;
        }
        if segment.resent {
            // Which of its copies has arrived is not known.
            let is_short = self.min_rtt.is_some_and(|least| rtt < least);
            if is_short || (echo != Time::NEVER && echo < segment.at) {
                return;
            }
        } else {
            self.note_rtt(rtt);
            self.sure = Some(rtt);
        }
        if segment.transmission > self.rtt_of {
            (self.rtt, self.rtt_of) = (rtt, segment.transmission);
        }
        self.newest = self.newest.max(segment.transmission);
    }
}

#[cfg(test)]
mod tests;
