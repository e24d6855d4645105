//! How a sender finds losses by time (RFC 8985).

use units::{Span, Time};

use super::Sender;
use crate::tcp::congestion::Signal;
use crate::tcp::rack::Arrival;
use crate::tcp::rack::probe::{Answer, Quiet};
use crate::tcp::recovery::Choice;
use crate::tcp::segment::{SackBlocks, Segment};

impl Sender {
    /// Notes what an acknowledgment says to have arrived, and a duplicate that it reports; returns the
    /// octets that are news out of order.
    pub(super) fn note_arrivals(&mut self, now: Time, segment: &Segment) -> u64 {
        let Some(rack) = &mut self.rack else { return 0 };
        let echo = if self.config.timestamps { segment.ts_ecr } else { Time::NEVER };
        let arrival = Arrival { now, echo };
        rack.acknowledge(segment.ack, arrival);
        let blocks = segment.sack.ahead();
        let mut ascending = [(0, 0); SackBlocks::MAX];
        let ascending = &mut ascending[..blocks.len()];
        ascending.copy_from_slice(blocks);
        ascending.sort_unstable();
        let mut news = 0;
        for &mut (start, end) in ascending {
            let (start, end) = (segment.ack + u64::from(start), segment.ack + u64::from(end));
            news += self.board.sack_parts(start, end, |start, end| rack.sack(start, end, arrival));
        }
        let octet = |offset| segment.ack.saturating_add_signed(offset);
        let duplicate = segment.sack.duplicate().map(|(start, end)| (octet(start), octet(end)));
        if let Some((start, end)) = duplicate {
            self.on_reported(start, end);
        }
        let duplicate_end = duplicate.map_or(0, |(_, end)| end);
        let answer = Answer {
            ack: segment.ack,
            advances: segment.ack > self.board.una(),
            duplicate_end,
            has_sack: !blocks.is_empty(),
        };
        if self.rack.as_mut().is_some_and(|rack| rack.probe.on_ack(&answer)) {
            // What the probe made up for was lost to congestion as anything else.
            self.reduce(now, Signal::Loss, self.flight_size());
        }
        news
    }

    /// The receiver has got octets again.
    fn on_reported(&mut self, start: u64, end: u64) {
        let (una, high) = (self.board.una(), self.board.high());
        let Some(rack) = &mut self.rack else { return };
        rack.on_duplicate(una, high);
        if let Some(before) = rack.undo.on_duplicate(start, end)
            && self.config.undo
        {
            self.counters.undone += 1;
            self.congestion.restore(before);
            self.recovery.stop();
        }
    }

    /// What follows from an acknowledgment once it is booked; `recovered` says whether a recovery was under
    /// way before.
    pub(super) fn after_arrivals(&mut self, now: Time, advanced: bool, recovered: bool) {
        if recovered
            && !self.is_repairing()
            && let Some(rack) = &mut self.rack
        {
            rack.on_exit();
        }
        self.find_lost(now);
        if advanced || self.board.flight() == 0 {
            self.arm_probe(now);
        }
    }

    /// Whether a recovery is under way, or what a timeout began.
    pub(super) fn is_repairing(&self) -> bool {
        self.recovery.is_active() || self.recovery.goes_back(&self.board)
    }

    /// Looks for what is lost, and begins a recovery if there is something and none is under way.
    fn find_lost(&mut self, now: Time) {
        let (repairs, window) = (self.is_repairing(), self.reordering_window());
        let Some(rack) = &mut self.rack else { return };
        let found = rack.find_lost(now, window);
        if repairs {
            let again = found.resent.is_some_and(|at| rack.reduces_again(now, at));
            if again && self.recovery.is_active() {
                self.reduce(now, Signal::Loss, self.flight_size().min(self.congestion.cwnd()));
            }
        } else if found.any && self.recovery.allows(&self.board) {
            self.fast_retransmit(now);
        }
    }

    fn reordering_window(&self) -> Span {
        let srtt = self.rtt.srtt().unwrap_or(Span::ZERO);
        self.rack.as_ref().map_or(Span::ZERO, |rack| {
            rack.reordering_window(self.is_repairing(), self.config.dup_acks, srtt)
        })
    }

    /// A deadline may have come.
    pub(super) fn on_rack_deadline(&mut self, now: Time) {
        if self.rack.as_ref().is_some_and(|rack| rack.is_due(now)) {
            self.find_lost(now);
        }
        if self.rack.as_mut().is_some_and(|rack| rack.probe.expires(now)) {
            self.timer = now.saturating_add(self.rto());
        }
    }

    /// The retransmission timer has expired.
    pub(super) fn on_rack_timeout(&mut self, now: Time) {
        let window = self.reordering_window();
        if let Some(rack) = &mut self.rack {
            rack.on_timeout(now, window);
        }
    }

    /// Remembers the window before it is reduced.
    pub(super) fn keep_window(&mut self) {
        let octets = (self.board.una(), self.board.high());
        if let Some(rack) = &mut self.rack {
            rack.undo.begin(&self.congestion, octets);
        }
    }

    /// Starts the timer of the probe, or stops it where none is needed (section 7.2).
    pub(super) fn arm_probe(&mut self, now: Time) {
        let (repairs, srtt, rto_at) = (self.is_repairing(), self.rtt.srtt(), self.timer);
        let Some(rack) = &mut self.rack else { return };
        if repairs || rack.in_flight() == 0 || rack.has_sacked() {
            return rack.probe.disarm();
        }
        let delayed = self.config.ack_every > 1 && rack.in_flight() == 1;
        let ack_delay = if delayed { self.config.ack_delay } else { Span::ZERO };
        rack.probe.arm(&Quiet { now, srtt, ack_delay, rto_at });
    }

    /// The probe, if one is to be sent now: new data if there are any, else the last segment again.
    pub(super) fn probe(&mut self, now: Time) -> Option<Segment> {
        if !self.rack.as_mut()?.probe.take_due() {
            return None;
        }
        let has_new = self.end() > self.board.high() && self.fits_receiver();
        let (start, end) = self.rack.as_ref()?.last()?;
        let choice = if has_new { Choice::New } else { Choice::ResendAside(start, end) };
        let segment = self.send(now, choice);
        let end = self.board.high();
        let rack = self.rack.as_mut()?;
        rack.probe.on_sent(end, !has_new);
        rack.probe.disarm();
        Some(segment)
    }
}
