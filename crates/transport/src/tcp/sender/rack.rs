//! How a sender finds losses by time (RFC 8985).

use units::{Span, Time};

use super::Sender;
use crate::tcp::congestion::Signal;
use crate::tcp::rack::Arrival;
use crate::tcp::rack::probe::{Answer, Quiet};
use crate::tcp::rack::undo::Before;
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
        if let Some((start, _)) = duplicate {
            self.on_reported(start);
        }
        let duplicate_end = duplicate.map_or(0, |(_, end)| end);
        let answer = Answer {
            ack: segment.ack,
            advances: segment.ack > self.board.una(),
            duplicate_end,
            has_sack: !segment.sack.is_empty(),
        };
        let repaired = self.rack.as_mut().and_then(|rack| rack.probe.on_ack(&answer));
        if let Some(end) = repaired {
            self.on_repaired(now, end);
        }
        news
    }

    /// An acknowledgment has come behind later ones: what it says of a duplicate is news all the same.
    pub(super) fn note_late_report(&mut self, now: Time, segment: &Segment) {
        if let Some((start, _)) = segment.sack.duplicate().filter(|_| self.rack.is_some()) {
            let repairs = self.is_repairing();
            self.on_reported(segment.ack.saturating_add_signed(start));
            self.after_arrivals(now, false, repairs);
        }
    }

    /// A probe made up for a loss of data below `end`: congestion as any other, once a window of data.
    fn on_repaired(&mut self, now: Time, end: u64) {
        if !(self.config.ecn && end <= self.reduced_below) {
            self.reduce(now, Signal::Loss, self.flight_size());
        }
        self.keep_nothing();
    }

    /// The receiver has got the segment that begins with `start` again.
    fn on_reported(&mut self, start: u64) {
        let (una, high) = (self.board.una(), self.board.high());
        let Some(rack) = &mut self.rack else { return };
        rack.on_duplicate(una, high);
        let some_wait = rack.has_lost();
        if let Some(before) = rack.undo.on_duplicate(start, some_wait)
            && self.config.undo
        {
            self.counters.undone += 1;
            self.congestion.restore(before.congestion);
            self.reduced_below = before.reduced_below;
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
    pub(in crate::tcp) fn is_repairing(&self) -> bool {
        self.recovery.is_active() || self.recovery.goes_back(&self.board)
    }

    /// Looks for what is lost, and begins a recovery if there is something and none is under way.
    fn find_lost(&mut self, now: Time) {
        let (repairs, window) = (self.is_repairing(), self.reordering_window());
        let Some(rack) = &mut self.rack else { return };
        let Some(transmission) = rack.find_lost(now, window) else { return };
        if repairs {
            if rack.reduces_again(transmission) {
                self.reduce(now, Signal::Loss, self.flight_size());
            }
        } else if self.recovery.allows(&self.board) {
            self.fast_retransmit(now);
        }
    }

    fn reordering_window(&self) -> Span {
        let srtt = self.rtt.srtt().unwrap_or(Span(u64::MAX));
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
        if let Some(rack) = &mut self.rack {
            let (congestion, reduced_below) = (self.congestion.clone(), self.reduced_below);
            let probe = rack.probe.repeated();
            rack.undo.begin(Before { congestion, reduced_below }, probe);
        }
    }

    /// Congestion was shown by something else than losses: no reduction is taken back.
    pub(super) fn keep_nothing(&mut self) {
        if let Some(rack) = &mut self.rack {
            rack.undo.forget();
        }
    }

    /// Starts the timer of the probe, or stops it where none is needed (section 7.2).
    pub(super) fn arm_probe(&mut self, now: Time) {
        let (repairs, rto_at) = (self.is_repairing(), self.timer);
        let (Some(rack), Some(srtt)) = (&mut self.rack, self.rtt.srtt()) else { return };
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
        rack.probe.on_sent(end, (!has_new).then_some(start));
        rack.probe.disarm();
        Some(segment)
    }
}
