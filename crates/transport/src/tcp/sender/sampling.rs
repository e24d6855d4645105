//! What a sender does for a window rule that models the path.

use units::Time;

use super::Sender;
use crate::tcp::congestion::Start;
use crate::tcp::delivery::{Present, Transmission};
use crate::tcp::recovery::Detector;

impl Sender {
    /// Marks the samples of a sender that has nothing to send (`CheckIfApplicationLimited`).
    #[inline]
    pub(super) fn check_app_limited(&mut self) {
        if self.delivery.is_some() {
            self.mark_if_app_limited();
        }
    }

    fn mark_if_app_limited(&mut self) {
        let Some(delivery) = &mut self.delivery else { return };
        let in_flight = self.recovery.in_flight(&self.board);
        let has_data = self.board.high() < self.offered || self.recovery.has_lost(&self.board);
        if !has_data && in_flight < self.congestion.cwnd() {
            delivery.mark_app_limited(in_flight);
        }
    }

    /// A packet with data is about to be sent.
    pub(super) fn before_sending(&mut self, now: Time, octets: (u64, u64), resent: bool) {
        let Some(delivery) = &mut self.delivery else { return };
        let in_flight = self.recovery.in_flight(&self.board);
        let after_idle = in_flight == 0 && delivery.is_app_limited();
        self.congestion.on_start(&Start { now, srtt: self.rtt.srtt(), after_idle });
        delivery.on_sent(&Transmission { now, octets, resent, in_flight });
    }

    /// The window permits no segment: it is used in full if there is one to send.
    pub(super) fn note_full_window(&mut self) {
        let Some(delivery) = &mut self.delivery else { return };
        if self.board.high() < self.offered || self.recovery.has_lost(&self.board) {
            delivery.note_full(self.board.high());
        }
    }

    /// Books the segments that have become lost.
    pub(super) fn book_losses(&mut self, now: Time) {
        let Some(delivery) = &mut self.delivery else { return };
        let Some(news) = self.recovery.by_time_mut().and_then(Detector::news) else { return };
        for number in news.lost.drain(..) {
            if let Some(lost) = delivery.on_lost(number, now) {
                self.congestion.on_lost(&lost);
            }
        }
    }

    /// An acknowledgment is processed: what has arrived and what is lost becomes a sample.
    #[inline]
    pub(super) fn take_sample(&mut self, now: Time) {
        if self.delivery.is_some() {
            self.take_sample_of(now);
        }
    }

    fn take_sample_of(&mut self, now: Time) {
        let Some(delivery) = &mut self.delivery else { return };
        let Some(news) = self.recovery.by_time_mut().and_then(Detector::news) else { return };
        for number in news.arrived.drain(..) {
            delivery.on_arrived(number, now);
        }
        self.book_losses(now);
        let present = Present {
            now,
            in_flight: self.recovery.in_flight(&self.board),
            una: self.board.una(),
            recovers: self.recovery.is_active(),
            repairs: self.is_repairing(),
        };
        let Some(delivery) = &mut self.delivery else { return };
        if let Some(sample) = delivery.sample(&present) {
            self.congestion.on_sample(&sample);
        }
        if self.congestion.holds_back() {
            delivery.mark_app_limited(present.in_flight);
        }
    }
}
