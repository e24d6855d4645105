//! What leaves a sender: data, sent for the first time or again, and control segments.

use units::Time;

use super::{Phase, Rest, Sender};
use crate::segment::{Flags, Segment};
use crate::tcp::pacing::Pace;
use crate::tcp::recovery::Choice;
use crate::tcp::validation::Usage;

impl Sender {
    /// The next segment to send at `now`, none if nothing may be sent. Poll until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        match self.phase {
            Phase::Established => {
                let data = if self.normal { self.next_in_order(now) } else { self.next_data(now) };
                if data.is_none() && self.ack_due {
                    self.ack_due = false;
                    return Some(self.stamped(now, Flags::ACK));
                }
                data
            }
            Phase::SynSent => None,
            Phase::Closed => {
                self.phase = Phase::SynSent;
                if self.lost_syns == 0 {
                    self.timer = now.saturating_add(self.rto());
                    self.timed_at = now;
                }
                Some(Segment { resent: self.lost_syns > 0, ..Segment::empty(now, Flags::SYN) })
            }
        }
    }

    /// An empty segment with what every segment carries.
    fn stamped(&self, now: Time, flags: Flags) -> Segment {
        Segment {
            ack: u64::from(self.peer_closed),
            ts_ecr: self.echo,
            ..Segment::empty(now, flags)
        }
    }

    /// The next segment with data or a FIN.
    fn next_data(&mut self, now: Time) -> Option<Segment> {
        if self.is_held() {
            return None;
        }
        if let Some(probe) = self.probe(now) {
            return Some(probe);
        }
        let full = self.config.segment.0;
        if let Some(head) = self.recovery.take_head(&self.board) {
            return Some(self.send(now, head, full));
        }
        let Some((choice, most)) = self.choose() else {
            self.note_full_window();
            self.note_limitation();
            self.rest = Rest::Stays;
            return None;
        };
        if self.pacer.as_mut().is_some_and(|pacer| pacer.holds(now)) {
            return None;
        }
        if most < full || self.rest == Rest::Alone {
            self.rest = Rest::Stays;
        }
        Some(self.send(now, choice, most))
    }

    /// All that may be sent has been.
    fn note_limitation(&mut self) {
        if matches!(self.usage, Usage::Linux(_)) {
            let in_flight = self.recovery.in_flight(&self.board);
            let fills = in_flight + self.config.segment.0 > self.window();
            self.usage.on_all_sent(self.board.una(), self.board.high(), fills);
        }
    }

    /// The window in octets.
    #[inline]
    pub(in crate::tcp) fn window(&self) -> u64 {
        let window = self.recovery.window(self.congestion.cwnd(), &self.board);
        window.min(self.config.max_window.0)
    }

    /// The probe, if one is to be sent now: new data if there are any, else the last segment again.
    fn probe(&mut self, now: Time) -> Option<Segment> {
        let (start, end) = self.recovery.by_time_mut()?.take_probe()?;
        let has_new = self.end() > self.board.high() && self.fits_receiver();
        let choice = if has_new { Choice::New } else { Choice::ResendAside(start, end) };
        let segment = self.send(now, choice, self.config.segment.0);
        if let Some(time) = self.recovery.by_time_mut() {
            time.on_probe(self.board.high(), (!has_new).then_some(start));
        }
        Some(segment)
    }

    /// What to send, if the window allows any, and the most octets of it.
    fn choose(&mut self) -> Option<(Choice, u64)> {
        let full = self.config.segment.0;
        let window = self.window();
        let in_flight = self.recovery.in_flight(&self.board);
        if in_flight >= window {
            return None;
        }
        let room = window - in_flight;
        // Asked for only while a timeout is in question.
        let has_new =
            self.recovery.probes() && self.end() > self.board.high() && self.fits_receiver();
        let choice = self.recovery.choose(&self.board, has_new);
        let wanted = match choice {
            Choice::Resend(start, end) | Choice::ResendAside(start, end) => end - start,
            Choice::New => self.end() - self.board.high(),
        };
        if wanted > 0 && (choice != Choice::New || self.fits_receiver()) {
            let most = if room >= wanted.min(full) { full } else { self.part(room) };
            return (most > 0).then_some((choice, most));
        }
        let part = self.part(room.min(self.window_end.saturating_sub(self.board.high())));
        if wanted > 0 && part > 0 {
            return Some((Choice::New, part));
        }
        if room < full || self.board.flight() == 0 {
            return None;
        }
        self.recovery.choose_without_new(&self.board).map(|choice| (choice, full))
    }

    /// The octets of a part of a segment where there is `room` for no more.
    fn part(&self, room: u64) -> u64 {
        if self.rest == Rest::Stays { 0 } else { room }
    }

    /// Whether the receiver's window has room for the next new segment, in full (no silly windows).
    pub(super) fn fits_receiver(&self) -> bool {
        let high = self.board.high();
        let octets = (self.offered - high.min(self.offered)).min(self.config.segment.0);
        octets <= self.window_end.saturating_sub(high)
    }

    /// Sends what was chosen, up to `most` octets of it.
    #[inline]
    pub(super) fn send(&mut self, now: Time, choice: Choice, most: u64) -> Segment {
        let (start, end) = match choice {
            Choice::Resend(start, end) | Choice::ResendAside(start, end) => (start, end),
            Choice::New => (self.board.high(), self.end()),
        };
        let resent = choice != Choice::New;
        let octets = end.min(self.offered).saturating_sub(start).min(most);
        let mut flags = Flags::ACK;
        let mut end_of_segment = start + octets;
        if end_of_segment == self.offered && end > self.offered {
            flags |= Flags::FIN;
            end_of_segment += 1;
        }
        self.before_sending(now, (start, end_of_segment), resent);
        self.recovery.on_sent(now, (start, end_of_segment), resent);
        match choice {
            Choice::Resend(..) => self.board.resend_up_to(end_of_segment),
            Choice::ResendAside(..) => {}
            Choice::New => self.send_new(now, end_of_segment - start, &mut flags),
        }
        if resent {
            self.counters.retransmissions += 1;
            self.counters.bytes_resent += octets;
            self.timed_end = 0;
        }
        self.counters.segments_sent += 1;
        self.counters.bytes_sent += octets;
        self.after_sending(now, octets);
        if !resent {
            self.await_answer(now);
        }
        Segment {
            seq: start,
            len: u32::try_from(octets).expect("a segment is shorter than 64 KiB"),
            resent,
            ..self.stamped(now, flags)
        }
    }

    /// Bookkeeping of new data.
    fn send_new(&mut self, now: Time, octets: u64, flags: &mut Flags) {
        if self.cwr_due {
            self.cwr_due = false;
            *flags |= Flags::CWR;
        }
        // Where losses are detected by time only what goes beyond the window is limited transmit's.
        let over = self.recovery.by_time().is_none()
            || self.board.flight() + octets > self.congestion.cwnd();
        if over && self.recovery.counts_duplicates() && !self.recovery.goes_back(&self.board) {
            self.limited_transmitted += octets;
        }
        self.board.send(octets);
        if !self.config.timestamps && self.timed_end == 0 {
            self.timed_end = self.board.high();
            self.timed_at = now;
        }
        self.usage.on_sent(self.board.flight());
    }

    /// Bookkeeping of any data.
    fn after_sending(&mut self, now: Time, octets: u64) {
        self.ack_due = false;
        self.sent_at = now;
        if self.timer == Time::NEVER {
            self.timer = now.saturating_add(self.rto());
        }
        let Some(pacer) = &mut self.pacer else { return };
        if let Some(pace) = self.congestion.pace() {
            pacer.on_sent_at(now, octets.max(1), pace.rate, pace.quantum);
        } else if let Some(srtt) = self.rtt.srtt() {
            let (cwnd, gain) = (self.congestion.cwnd(), self.congestion.pacing());
            let wire = octets + self.config.header.0;
            pacer.on_sent(now, wire, &Pace { cwnd, gain, srtt });
        }
    }
}
