//! What arrives at a sender: acknowledgments.

use units::{Span, Time};

use super::{Phase, Sender};
use crate::config::{RecoveryKind, WindowValidation};
use crate::tcp::congestion::{Acked, Echo, Signal};
use crate::tcp::recovery::Progress;
use crate::tcp::segment::{Flags, Segment, UNLIMITED_WINDOW};

impl Sender {
    /// A segment has arrived from the receiver.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        self.echo = segment.ts_val;
        if segment.flags.has(Flags::SYN) {
            self.on_syn_ack(now, segment);
            return;
        }
        if segment.flags.has(Flags::FIN) {
            self.peer_closed = true;
            self.ack_due = true;
        }
        let una = self.board.una();
        if self.phase != Phase::Established || segment.ack > self.board.high() {
            return;
        }
        if segment.ack < una {
            return self.note_late_report(now, segment);
        }
        let updates_window = self.note_window(segment);
        let repairs = self.is_repairing();
        let news = self.note_sack(now, segment);
        if !repairs {
            self.uncounted += news;
        }
        let congested = self.config.ecn && segment.flags.has(Flags::ECE);
        if congested {
            self.keep_nothing();
        }
        if self.config.ecn && segment.ack > una {
            let (octets, ack, next) = (segment.ack - una, segment.ack, self.board.high());
            self.congestion.on_echo(&Echo { octets, marked: congested, ack, next });
        }
        if congested && segment.ack > self.reduced_below && !self.recovery.is_active() {
            self.counters.ecn_reductions += 1;
            self.reduce(now, Signal::Notification, self.flight_size());
        }
        if segment.ack > una {
            self.on_progress(now, segment, congested);
        } else if self.is_duplicate(segment, news, updates_window)
            && self.recovery.on_duplicate(&self.board, &self.config)
        {
            self.fast_retransmit(now);
        }
        if self.rack.is_some() {
            self.after_arrivals(now, segment.ack > una, repairs);
        }
    }

    fn on_syn_ack(&mut self, now: Time, segment: &Segment) {
        if self.phase == Phase::Established {
            // The acknowledgment of an earlier copy was lost or is on its way.
            self.ack_due = true;
            return;
        }
        self.phase = Phase::Established;
        self.ack_due = true;
        self.timer = Time::NEVER;
        self.note_window(segment);
        if self.config.timestamps {
            self.sample(now, segment.ts_ecr);
        } else if !self.syn_resent {
            self.sample(now, self.timed_at);
        }
        if self.syn_resent {
            self.congestion.on_lost_syn();
            if !self.config.timestamps {
                self.rtt.after_lost_syn(&self.config);
            }
        }
    }

    /// Notes the receiver's window; whether its end moves.
    fn note_window(&mut self, segment: &Segment) -> bool {
        let window = match segment.window {
            UNLIMITED_WINDOW => u64::MAX,
            octets => u64::from(octets),
        };
        let end = segment.ack.saturating_add(window);
        let moves = end > self.window_end;
        self.window_end = self.window_end.max(end);
        moves
    }

    /// Notes the blocks of a selective acknowledgment; returns the octets that are news.
    fn note_sack(&mut self, now: Time, segment: &Segment) -> u64 {
        if self.rack.is_some() {
            return self.note_arrivals(now, segment);
        }
        if segment.sack.is_empty() || self.config.recovery != RecoveryKind::Sack {
            return 0;
        }
        let mut news = 0;
        for &(start, end) in segment.sack.as_slice() {
            news += self.board.sack(segment.ack + u64::from(start), segment.ack + u64::from(end));
        }
        if news > 0 {
            let dup_acks = self.config.dup_acks;
            let octets = u64::from(dup_acks - 1) * self.config.segment.0;
            self.board.find_lost(dup_acks, octets);
        }
        news
    }

    /// RFC 5681 section 2: data are outstanding, and the segment has neither data nor a FIN nor another
    /// window. With selective acknowledgments it must bring news instead (RFC 6675 section 2), whatever its
    /// window.
    fn is_duplicate(&self, segment: &Segment, news: u64, updates_window: bool) -> bool {
        let shows = if self.config.recovery.has_sack() { news > 0 } else { !updates_window };
        self.board.flight() > 0 && !segment.flags.has(Flags::FIN) && shows
    }

    /// The acknowledgment advances.
    fn on_progress(&mut self, now: Time, segment: &Segment, congested: bool) {
        let octets = segment.ack - self.board.una();
        let after_timeout = self.recovery.goes_back(&self.board);
        // What was sacked before is not counted again.
        let fresh = self.board.advance(segment.ack) + std::mem::take(&mut self.uncounted);
        self.limited_transmitted = 0;
        self.timer_resent = false;
        let sent = if self.config.timestamps {
            segment.ts_ecr
        } else if self.timed_end != 0 && segment.ack >= self.timed_end {
            self.timed_end = 0;
            self.timed_at
        } else {
            Time::NEVER
        };
        if sent != Time::NEVER {
            self.sample(now, sent);
            self.congestion.on_rtt(now.since(sent));
        }
        let progress = self.recovery.on_acked(octets, &self.board, &self.config);
        if progress == Progress::None && !congested {
            let may_grow = self.config.window_validation == WindowValidation::None
                || self.validation.is_valid(self.congestion.cwnd());
            let srtt = self.rtt.srtt().unwrap_or(Span::ZERO);
            self.congestion.on_acked(&Acked { now, octets: fresh, srtt, after_timeout, may_grow });
        } else if progress == Progress::Over
            && let Some(most) = self.recovery.most_at_exit(&self.board, &self.config)
        {
            self.congestion.on_exit(most);
        }
        if self.board.flight() == 0 {
            self.timer = Time::NEVER;
        } else if progress != (Progress::Partial { restart_timer: false }) {
            self.timer = now.saturating_add(self.rto());
        }
        let (una, high, flight) = (self.board.una(), self.board.high(), self.board.flight());
        if self.validation.on_acked(una, high, flight) {
            self.shrink_unused_window(now);
        }
    }

    /// Three duplicate acknowledgments, what RFC 6675 deems equal to them, or a segment that is overdue
    /// (RFC 8985).
    pub(super) fn fast_retransmit(&mut self, now: Time) {
        self.counters.fast_retransmits += 1;
        // One reduction a window of data, whatever shows the congestion (RFC 3168 section 6.1.2).
        let notified = self.config.ecn && self.board.una() < self.reduced_below;
        let signal = self.recovery.signal();
        self.keep_window();
        if !notified || signal == Signal::LossRestart {
            self.reduce(now, signal, self.flight_size());
        }
        self.uncounted = 0;
        self.recovery.enter(&mut self.board, &self.config);
        if let Some(rack) = &mut self.rack {
            rack.on_recovery();
        }
        self.timed_end = 0;
        self.timer = now.saturating_add(self.rto());
    }

    /// Measures the round-trip time of what was sent at `sent`.
    fn sample(&mut self, now: Time, sent: Time) {
        if sent == Time::NEVER {
            return;
        }
        self.counters.rtt_samples += 1;
        if let Some(rack) = &mut self.rack {
            rack.on_measured(now.since(sent));
        }
        self.counters.rtt_sum += u128::from(now.since(sent).0);
        let samples_log2 = if self.config.timestamps {
            let octets = self.config.segment.0 * u64::from(self.config.ack_every);
            self.board.flight().max(1).ilog2().saturating_sub(octets.ilog2())
        } else {
            0
        };
        self.rtt.sample(sent, now, samples_log2, &self.config);
    }
}
