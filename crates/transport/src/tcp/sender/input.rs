//! What arrives at a sender: acknowledgments.

use units::{Span, Time};

use super::{Phase, Rest, Sender};
use crate::segment::{Flags, Segment, UNLIMITED_WINDOW};
use crate::tcp::config::{EcnFeedback, RtoLaw, WindowValidation};
use crate::tcp::congestion::{Acked, Delivered, Signal};
use crate::tcp::recovery::{Arrived, Before, Detector, Progress};
use crate::tcp::rtt::Sample;

impl Sender {
    /// A segment has arrived from the receiver.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if self.is_expected(segment) {
            return self.on_expected(now, segment);
        }
        self.on_any(now, *segment);
        self.normal = self.is_normal();
    }

    /// The same, for any segment in any state. The order of the steps matters: each reads what those before it noted.
    #[inline(never)]
    fn on_any(&mut self, now: Time, segment: Segment) {
        let segment = &segment;
        // 1. RFC 9293 section 3.10.7: the ACK bit, SYN-ACK, FIN.
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
        // 2. RFC 9293 section 3.10.7.4: SND.UNA <= SEG.ACK <= SND.NXT. One from before may still report a duplicate (RFC
        // 2883).
        let una = self.board.una();
        if self.phase != Phase::Established || segment.ack > self.board.high() {
            return;
        }
        if segment.ack < una {
            return self.note_late_report(now, segment);
        }
        let advances = segment.ack > una;
        // 3. The send window (RFC 9293 section 3.10.7.4), and the scoreboard: Update() of RFC 6675 section 4, or step 2 of
        // RFC 8985 section 6.2.
        self.check_app_limited();
        self.recovery.on_next_ack();
        let updates_window = self.note_window(segment);
        let repairs = self.is_repairing();
        let news = self.note_arrivals(now, segment);
        if !repairs {
            self.uncounted += news;
        }
        // 4. Marks that the receiver reports: RFC 3168 section 6.1.2, RFC 8257 section 3.3, RFC 9768.
        let congested = self.config.ecn && self.note_marks(segment, news);
        if congested {
            self.recovery.forget();
        }
        // 5. The round trip that is measured (RFC 6298 section 3, RFC 7323 section 4); the window rule learns what arrived.
        let sent = if advances { self.take_timed(now, segment) } else { Time::NEVER };
        if advances {
            let octets = segment.ack - una;
            let marked = match self.config.ecn_feedback {
                EcnFeedback::Accurate => self.marks.take(octets),
                EcnFeedback::Classic | EcnFeedback::Dctcp => u64::from(congested) * octets,
            };
            self.on_delivered(now, segment.ack, sent, marked);
        }
        // 6. A reduction for marks, once a window of data: RFC 3168 section 6.1.2.
        let is_new = congested && segment.ack > self.reduced_below && !self.recovery.is_active();
        if is_new && self.congestion.heeds(now) {
            self.counters.ecn_reductions += 1;
            self.reduce(now, Signal::Notification, self.flight_size());
            self.recovery.reduce_in_proportion(&self.board);
        }
        // 7. An acknowledgment of new data (RFC 5681 section 3.1, RFC 6582 section 3.2 step 3, RFC 6675 section 5), or a
        // duplicate (RFC 5681 section 2 and section 3.2).
        let mut acked = 0;
        if advances {
            acked = self.on_progress(now, segment.ack, sent, congested);
        } else if self.is_duplicate(segment, news, updates_window) {
            self.on_duplicate(now);
        }
        // 8. A reduction that was spurious: F-RTO (RFC 5682 section 2), Eifel (RFC 3522 section 3).
        if self.recovery.may_be_spurious() {
            self.undo_spurious(advances, segment.ts_ecr);
        }
        // 9. Losses by time, and the timer of a probe: RFC 8985 sections 6.2 and 7.2.
        self.after_arrivals(now, advances, repairs);
        // 10. The window approaches its target in proportion: RFC 9937 section 6.
        if self.recovery.reduces() {
            let target = self.congestion.cwnd();
            let arrived = Arrived { acked, sacked: news, advances, target };
            self.recovery.on_arrived(&self.board, &arrived);
        }
        // 11. A sample of the delivery rate, for rules that model the path.
        self.take_sample(now);
    }

    /// An acknowledgment advances to `ack`, before anything follows from that: the window rule learns of it, of the octets
    /// that were marked, and of the round-trip time of what was `sent` then.
    #[inline]
    pub(super) fn on_delivered(&mut self, now: Time, ack: u64, sent: Time, marked: u64) {
        let (octets, next) = (ack - self.board.una(), self.board.high());
        let rtt = (sent != Time::NEVER).then(|| now.since(sent));
        self.congestion.on_delivered(&Delivered { now, octets, marked, ack, next, rtt });
    }

    /// Whether an acknowledgment tells of marks; `news` are the octets that it says to have arrived out of order.
    fn note_marks(&mut self, segment: &Segment, news: u64) -> bool {
        match self.config.ecn_feedback {
            EcnFeedback::Classic | EcnFeedback::Dctcp => segment.flags.has(Flags::ECE),
            EcnFeedback::Accurate => {
                let una = self.board.una();
                let known = self.board.sacked_between(una, segment.ack);
                let octets = segment.ack - una - known + news;
                self.marks.on_ack(segment.flags, octets, self.config.segment.0)
            }
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
        } else if self.lost_syns == 0 {
            self.sample(now, self.timed_at);
        }
        if self.lost_syns > 0 {
            self.congestion.on_lost_syn(self.lost_syns);
            if !self.config.timestamps {
                self.rtt.after_lost_syn(&self.config);
            }
        }
    }

    /// Notes the receiver's window; whether its end moves.
    pub(super) fn note_window(&mut self, segment: &Segment) -> bool {
        let window = match segment.window {
            UNLIMITED_WINDOW => u64::MAX,
            octets => u64::from(octets),
        };
        let end = segment.ack.saturating_add(window);
        let moves = end > self.window_end;
        self.window_end = self.window_end.max(end);
        moves
    }

    /// Notes what an acknowledgment says to have arrived, and a duplicate that it reports; returns the
    /// octets that are new and out of order.
    fn note_arrivals(&mut self, now: Time, segment: &Segment) -> u64 {
        let noted = self.recovery.on_arrivals(&mut self.board, now, segment);
        if let Some(start) = noted.duplicate {
            self.on_report(start);
        }
        if let Some(end) = noted.repaired {
            self.on_repaired(now, end);
        }
        noted.news
    }

    /// An acknowledgment has come behind later ones: what it says of a duplicate is new nevertheless.
    fn note_late_report(&mut self, now: Time, segment: &Segment) {
        if let Some((start, _)) = segment.sack.duplicate() {
            let repairs = self.is_repairing();
            self.on_report(segment.ack.saturating_add_signed(start));
            self.after_arrivals(now, false, repairs);
        }
    }

    /// The receiver has got the segment that begins with `start` again: a reduction may be taken back.
    fn on_report(&mut self, start: u64) {
        if let Some(before) = self.recovery.on_report(&self.board, start) {
            self.undo(before);
        }
    }

    /// An acknowledgment is booked, which may have advanced and echoes this instant: a reduction of the window may
    /// prove to be spurious.
    fn undo_spurious(&mut self, advances: bool, echo: Time) {
        if let Some(before) = self.recovery.detect_spurious_timeout(&mut self.board, advances) {
            self.undo(before);
        }
        if advances
            && let Some(before) = self.recovery.detect_spurious_resend(&mut self.board, echo)
        {
            self.undo(before);
        }
    }

    /// The last reduction of the window is taken back.
    fn undo(&mut self, before: Before) {
        self.counters.undone += 1;
        self.congestion.restore(before.congestion);
        self.reduced_below = before.reduced_below;
    }

    /// A probe made up for a loss of data below `end`: congestion as any other, once a window of data.
    fn on_repaired(&mut self, now: Time, end: u64) {
        if !(self.config.ecn && end <= self.reduced_below) {
            self.reduce(now, Signal::Loss, self.flight_size());
        }
        self.recovery.forget();
    }

    /// What follows from an acknowledgment once it is booked; `recovered` says whether a recovery was in
    /// progress before.
    fn after_arrivals(&mut self, now: Time, advanced: bool, recovered: bool) {
        let is_over = recovered && !self.is_repairing();
        let Some(time) = self.recovery.by_time_mut() else { return };
        if is_over {
            time.on_exit();
        }
        self.find_lost(now);
        if advanced || self.board.flight() == 0 {
            self.await_answer(now);
        }
    }

    fn on_duplicate(&mut self, now: Time) {
        if self.recovery.on_duplicate(&self.board) {
            self.fast_retransmit(now);
        } else if self.recovery.is_active() {
            self.permit(Rest::Alone);
        }
    }

    /// What becomes of the rest of the window after an acknowledgment, where silly windows are not avoided.
    fn permit(&mut self, rest: Rest) {
        if !self.config.silly_window_avoidance {
            self.rest = rest;
        }
    }

    /// RFC 5681 section 2: data are outstanding, and the segment has neither data nor a FIN nor another
    /// window. With selective acknowledgments it must bring news instead (RFC 6675 section 2), for any
    /// window.
    fn is_duplicate(&self, segment: &Segment, news: u64, updates_window: bool) -> bool {
        let shows = if self.recovery.has_sack() { news > 0 } else { !updates_window };
        self.board.flight() > 0 && !segment.flags.has(Flags::FIN) && shows
    }

    /// When the segment with data was sent that an acknowledgment which advances measures the round-trip
    /// time of, [`Time::NEVER`] where it measures none.
    pub(super) fn take_timed(&mut self, now: Time, segment: &Segment) -> Time {
        if self.config.timestamps {
            segment.ts_ecr
        } else if self.config.rto_law == RtoLaw::Linux
            && let Some(rtt) = self.recovery.by_time().and_then(Detector::last_rtt)
        {
            // Linux knows when each segment was sent (`tcp_ack_update_rtt`).
            Time(now.0 - rtt.0)
        } else if self.timed_end != 0 && segment.ack >= self.timed_end {
            self.timed_end = 0;
            self.timed_at
        } else {
            Time::NEVER
        }
    }

    /// The acknowledgment advances to `ack`, and measures the round-trip time of what was `sent` then; returns
    /// how many octets of it were not sacked before.
    pub(super) fn on_progress(&mut self, now: Time, ack: u64, sent: Time, congested: bool) -> u64 {
        let octets = ack - self.board.una();
        let after_timeout = self.recovery.goes_back(&self.board);
        // What was sacked before is not counted again.
        let acked = self.board.advance(ack);
        let fresh = self.counted(acked);
        self.limited_transmitted = 0;
        self.timer_resent = false;
        self.sample(now, sent);
        let progress = self.recovery.on_acked(octets, &self.board);
        let partial = matches!(progress, Progress::Partial { .. });
        self.permit(if partial { Rest::Used } else { Rest::Alone });
        // A scalable rule grows with what was not marked.
        let may_count = !congested || self.config.is_l4s();
        if progress == Progress::None && may_count && !self.recovery.reduces() {
            let may_grow = self.may_grow();
            let srtt = self.rtt.srtt().unwrap_or(Span::ZERO);
            let acked = Acked { now, octets: fresh, srtt, after_timeout, may_grow };
            self.grow(&acked);
        } else if progress == Progress::Over
            && let Some(most) = self.recovery.most_at_exit(&self.board)
        {
            self.congestion.on_exit(most);
        }
        if self.board.flight() == 0 {
            self.timer = Time::NEVER;
        } else if progress != (Progress::Partial { restart_timer: false }) {
            self.timer = now.saturating_add(self.rto());
        }
        let (una, high, flight) = (self.board.una(), self.board.high(), self.board.flight());
        if self.usage.on_acked(una, high, flight) {
            self.shrink_unused_window(now);
        }
        acked
    }

    /// What the growth of the window counts of `acked` octets, which an acknowledgment that advances brings.
    /// Linux counts what was reported out of order at no time, and a duplicate without selective
    /// acknowledgments for a segment (`tcp_remove_reno_sacks`).
    fn counted(&mut self, acked: u64) -> u64 {
        let earlier = std::mem::take(&mut self.uncounted);
        if self.config.window_validation != WindowValidation::Linux {
            return acked + earlier;
        }
        if self.recovery.has_sack() {
            return acked;
        }
        let segment = self.config.segment.0;
        let duplicates = u64::from(self.recovery.duplicates()) * segment;
        acked.saturating_sub(duplicates).max(segment.min(acked))
    }

    fn may_grow(&self) -> bool {
        self.usage.permits_growth(self.congestion.cwnd(), || self.congestion.ssthresh())
    }

    /// Three duplicate acknowledgments, what RFC 6675 deems equal to them, or a segment that is overdue
    /// (RFC 8985).
    pub(super) fn fast_retransmit(&mut self, now: Time) {
        self.counters.fast_retransmits += 1;
        // One reduction a window of data, whatever shows the congestion (RFC 3168 section 6.1.2).
        // A reduction in proportion to few marks is none for a loss.
        let notified =
            self.config.ecn && !self.config.is_l4s() && self.board.una() < self.reduced_below;
        let signal = self.recovery.signal();
        self.keep_window(false);
        if !notified || signal == Signal::LossRestart {
            self.reduce(now, signal, self.flight_size());
        }
        self.uncounted = 0;
        self.recovery.enter(&mut self.board);
        self.permit(Rest::Alone);
        self.timed_end = 0;
        self.timer = now.saturating_add(self.rto());
    }

    /// Measures the round-trip time of what was sent at `sent`.
    pub(super) fn sample(&mut self, now: Time, sent: Time) {
        if sent == Time::NEVER || self.has_changed_since(sent) {
            return;
        }
        self.counters.rtt_samples += 1;
        if let Some(time) = self.recovery.by_time_mut() {
            time.on_measured(now.since(sent));
        }
        self.counters.rtt_sum += u128::from(now.since(sent).0);
        let in_round_log2 = if self.config.timestamps {
            let octets = self.config.segment.0 * u64::from(self.config.ack_every);
            self.board.flight().max(1).ilog2().saturating_sub(octets.ilog2())
        } else {
            0
        };
        let (una, high) = (self.board.una(), self.board.high());
        self.rtt.sample(&Sample { sent, now, in_round_log2, una, high }, &self.config);
    }
}
