//! Detection of lost segments by time (RFC 8985 sections 6 and 7.1).

use units::{Span, Time};

use super::probe::Probe;
use super::segments::{Segments, Sent};
use crate::tcp::recovery::state::News;
use crate::tcp::recovery::undo::Undo;

/// Recoveries without a duplicate after which the reordering window is a quarter of a round trip again
/// (`RACK.reo_wnd_persist`).
const PERSIST: u32 = 16;

/// What an acknowledgment brings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Now.
    pub(super) now: Time,
    /// The instant echoed; [`Time::NEVER`] without timestamps.
    pub(super) echo: Time,
}

/// What is known of the segments in flight, and of those that have arrived.
#[derive(Clone, Debug)]
pub(super) struct Detector {
    segments: Segments,
    arrived: Arrived,
    /// The same of another network, with which the present one takes turns (time-division TCP).
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
    pub(super) probe: Probe,
    pub(super) undo: Undo,
}

/// What is known of the network that is not the present one.
#[derive(Clone, Debug, Default)]
struct Other {
    arrived: Arrived,
    /// See [`Detector::reduced`].
    reduced: u64,
    /// Whether a loss there asks for a reduction of its window.
    asks: bool,
    /// Octets that have arrived of what was sent in it, which the growth of its window has not counted.
    uncounted: u64,
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
    pub(super) fn new() -> Self {
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
            undo: Undo::default(),
        }
    }

    /// From now on two networks take turns.
    pub(super) fn split(&mut self) {
        self.other = Some(Box::default());
    }

    /// The other network is now the present one.
    pub(super) fn change_network(&mut self) {
        let Some(other) = &mut self.other else { return };
        std::mem::swap(&mut self.arrived, &mut other.arrived);
        std::mem::swap(&mut self.reduced, &mut other.reduced);
        (other.asks, other.uncounted) = (false, 0);
        self.segments.change_network();
    }

    /// Whether a loss of the other network asks for a reduction of its window, once.
    pub(super) fn take_elsewhere_lost(&mut self) -> bool {
        self.other.as_mut().is_some_and(|other| std::mem::take(&mut other.asks))
    }

    /// Octets that have arrived of what was sent in the other network, each once.
    pub(super) fn take_elsewhere_arrived(&mut self) -> u64 {
        self.other.as_mut().map_or(0, |other| std::mem::take(&mut other.uncounted))
    }

    /// What has become of segments is noted from now on.
    pub(super) fn keep_news(&mut self) {
        self.segments.news = Some(Box::default());
    }

    /// What has become of segments, where it is noted.
    pub(super) fn news(&mut self) -> Option<&mut News> {
        self.segments.news.as_deref_mut()
    }

    /// Octets deemed to be in the network, of `flight` that are not acknowledged.
    pub(super) fn pipe(&self, flight: u64) -> u64 {
        flight - self.segments.gone() - self.segments.elsewhere()
    }

    /// The first segment that is lost and was not sent again.
    pub(super) fn first_lost(&mut self) -> Option<(u64, u64)> {
        self.segments.first_lost()
    }

    /// The last segment in flight.
    pub(super) fn last(&self) -> Option<(u64, u64)> {
        self.segments.last().map(|segment| (segment.start, segment.end))
    }

    /// Segments in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.segments.len()
    }

    /// Whether some segments are sacked.
    pub(super) fn has_sacked(&self) -> bool {
        self.segments.sacked_segments() > 0
    }

    /// New octets are sent.
    pub(super) fn send(&mut self, start: u64, end: u64, now: Time) {
        self.segments.send(start, end, now);
    }

    /// The segment that begins with this octet is sent again.
    pub(super) fn resend(&mut self, start: u64, now: Time) {
        self.segments.resend(start, now);
    }

    /// An acknowledgment has come: everything below `ack` has arrived.
    pub(super) fn acknowledge(&mut self, ack: u64, arrival: Arrival) {
        self.arrived.rtt_of = 0;
        self.arrived.sure = None;
        let (arrived, other) = (&mut self.arrived, &mut self.other);
        self.segments.acknowledge(ack, |segment| note((arrived, other), segment, arrival));
    }

    /// `start .. end` has arrived out of order, which was not known before. To be told in ascending order,
    /// after what is acknowledged.
    pub(super) fn sack(&mut self, start: u64, end: u64, arrival: Arrival) {
        let (arrived, other) = (&mut self.arrived, &mut self.other);
        self.segments.sack(start, end, |segment| note((arrived, other), segment, arrival));
    }

    /// A duplicate was reported (step 4): once a round trip the window grows. `next` is the next new octet.
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if una >= self.dsack_round {
            self.dsack_round = next;
            self.mult = self.mult.saturating_add(1);
            self.persist = PERSIST;
        }
    }

    /// A recovery is over (step 4).
    pub(super) fn on_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.mult = 1;
        }
    }

    /// The reordering window (step 4, `RACK_update_reo_wnd`).
    pub(super) fn reordering_window(&self, recovers: bool, dup_acks: u32, srtt: Span) -> Span {
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
    pub(super) fn find_lost(&mut self, now: Time, window: Span) -> Option<u64> {
        let Arrived { newest, .. } = self.arrived;
        let patience = self.arrived.patience(window);
        let mut found = None;
        let note = |segment: &Sent| found = Some(segment.transmission);
        let deadline = match &mut self.other {
            None => self.segments.find_lost(newest, now, |_| patience, note),
            Some(other) => find_lost(&mut self.segments, (now, window), &self.arrived, other, note),
        };
        self.timer = deadline;
        if deadline != Time::NEVER {
            self.probe.disarm();
        }
        self.losses += u64::from(found.is_some());
        found
    }

    /// The round-trip time of what the last acknowledgment brought and was sent once.
    pub(super) fn last_rtt(&self) -> Option<Span> {
        self.arrived.sure
    }

    /// What is deemed lost or was, and what of it is sent again.
    pub(super) fn lost_and_resent(&self) -> (u64, u64) {
        self.segments.lost_and_resent()
    }

    /// How often losses were found.
    pub(super) fn losses(&self) -> u64 {
        self.losses
    }

    /// A recovery begins, fast or by the timer, and the window is reduced (section 7.1 for the probe).
    pub(super) fn on_recovery(&mut self) {
        self.reduced = self.segments.transmissions();
        self.probe.stop();
    }

    /// Whether some wait to be sent again.
    pub(super) fn has_lost(&self) -> bool {
        self.segments.has_lost()
    }

    /// A round-trip time was measured (step 1).
    pub(super) fn on_measured(&mut self, rtt: Span) {
        self.arrived.note_rtt(rtt);
        self.probe.on_measured();
    }

    /// Whether a loss during a recovery, the last one of this transmission, asks for another reduction of the
    /// window: it was sent since the last one (section 9.3, where there is no RFC 6937; RFC 5681 section 4.3
    /// for losses in two windows).
    pub(super) fn reduces_again(&mut self, transmission: u64) -> bool {
        let again = transmission > self.reduced;
        if again {
            self.reduced = self.segments.transmissions();
        }
        again
    }

    /// The retransmission timer has expired (section 6.3).
    pub(super) fn on_timeout(&mut self, now: Time, window: Span) {
        self.segments.lose_by_timeout(now, self.arrived.patience(window));
        self.timer = Time::NEVER;
        self.on_recovery();
    }

    /// Nothing that is deemed lost is.
    pub(super) fn lose_nothing(&mut self) {
        self.segments.lose_nothing();
    }

    /// The earliest deadline, [`Time::NEVER`] for none.
    pub(super) fn deadline(&self) -> Time {
        self.timer.min(self.probe.deadline())
    }

    /// Whether it is time to look again for what is lost.
    pub(super) fn is_due(&self, now: Time) -> bool {
        now >= self.timer
    }
}

/// The same with two networks.
fn find_lost(
    segments: &mut Segments,
    (now, window): (Time, Span),
    here: &Arrived,
    other: &mut Other,
    mut found: impl FnMut(&Sent),
) -> Time {
    let there = &other.arrived;
    let measured = |arrived: &Arrived| arrived.min_rtt.map(|_| arrived.patience(window));
    let longest = measured(here).max(measured(there)).unwrap_or(Span(u64::MAX));
    let [patience, patience_there] = [here, there].map(|one| measured(one).unwrap_or(longest));
    let (newest, newest_there) = (here.newest, there.newest);
    let patience = |segment: &Sent| match segment.here {
        true if segment.transmission < newest => patience,
        false if segment.transmission < newest_there => patience_there,
        _ => longest,
    };
    let transmissions = segments.transmissions();
    segments.find_lost(newest.max(newest_there), now, patience, |segment| {
        if segment.here {
            found(segment);
        } else if segment.transmission > other.reduced {
            (other.asks, other.reduced) = (true, transmissions);
        }
    })
}

/// A segment is told of which it was not known that it had arrived. Its round-trip time says nothing if the network
/// has changed since it was sent.
fn note((here, other): (&mut Arrived, &mut Option<Box<Other>>), segment: &Sent, arrival: Arrival) {
    match other {
        Some(other) if !segment.here => {
            other.arrived.newest = other.arrived.newest.max(segment.transmission);
            other.uncounted += segment.end - segment.start;
        }
        _ => here.note(segment, arrival),
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
#[path = "tests.rs"]
mod tests;
