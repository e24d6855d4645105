//! The hooks of a window rule, with their defaults from RFC 5681.

use extension::Fault;
use random::Stream;
use units::Time;

use super::bbr::Pace;
use super::delivered::Delivered;
use super::sample::{Lost, RateSample, Start};
use super::window::{Acked, Congested, Ecn, Window};
use crate::mistake::Mistakes;

/// A window rule: it receives events and keeps its [`Window`]. It knows neither segments nor timers.
///
/// A rule defines its window and the initial state; every other hook has a default, which is Reno's.
pub(crate) trait Rule: Clone {
    /// Its options in a scenario. Their doc comment is the text on the rule in the reference; their `Default`
    /// has the values, each with its source.
    type Options: Clone + Default + PartialEq;

    /// The rule with its initial window.
    fn new(window: Window, options: &Self::Options) -> Self;

    /// The window.
    fn window(&self) -> &Window;

    /// The window, mutable.
    fn window_mut(&mut self) -> &mut Window;

    /// The options, with those of the profile where they are left out.
    fn complete(given: &Self::Options, _profile: &Self::Options) -> Self::Options {
        given.clone()
    }

    /// Notes what is wrong with options, beyond what the schema says.
    fn check(_: &Self::Options, _: &mut Mistakes) {}

    /// What it requires of explicit notification.
    fn ecn(_: &Self::Options) -> Ecn {
        Ecn::Optional
    }

    /// Whether it models the path by delivery-rate samples: then the hooks of samples are called, and it paces by
    /// a rate of its own.
    fn models_path() -> bool {
        false
    }

    /// What it draws by chance comes from here.
    fn draw_from(&mut self, _: Stream) {}

    /// Why it cannot go on, if so: only a program fails.
    #[inline]
    fn fault(&self) -> Option<&Fault> {
        None
    }

    /// New data were acknowledged: the window may grow.
    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        self.window_mut().grow(acked, 1.0);
    }

    /// The network showed congestion: the window shrinks.
    fn on_loss(&mut self, congested: &Congested) {
        self.window_mut().reduce(congested, 0.5);
    }

    /// Whether a notification at this instant is heeded: one that is not belongs to the last reduction.
    fn heeds(&self, _: Time) -> bool {
        true
    }

    /// An acknowledgment advanced, in any state of the connection; called before the other hooks. For rules
    /// that count marks or measure delays.
    #[inline]
    fn on_delivered(&mut self, _: &Delivered) {}

    /// The rate of a paced connection, as a multiple of cwnd/SRTT: 2 while cwnd is below half of ssthresh,
    /// 1.2 otherwise (Linux, `tcp_update_pacing_rate`).
    #[inline]
    fn pacing(&mut self) -> f64 {
        self.window().pacing()
    }

    /// An acknowledgment is processed that delivers data. This hook and the four below are for rules that model
    /// the path.
    fn on_sample(&mut self, _: &RateSample) {}

    /// A packet is deemed lost.
    fn on_lost(&mut self, _: &Lost) {}

    /// Data are about to be sent.
    fn on_start(&mut self, _: &Start) {}

    /// The retransmission timer has expired, what is lost is marked, and so many octets are in flight.
    fn on_timed_out(&mut self, _in_flight: u64) {}

    /// Its rate, in place of a multiple of cwnd/SRTT.
    #[inline]
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// Whether it sends little on purpose, so that samples say nothing about the path.
    fn holds_back(&self) -> bool {
        false
    }

    /// `lost` SYNs were lost: the initial window is one segment (RFC 5681 section 3.1). One that is larger than four
    /// stays as it is if it was one SYN, since a slow SYN-ACK is taken for a loss (RFC 6928 section 2).
    fn on_lost_syn(&mut self, lost: u8) {
        self.begin_anew(lost);
    }

    /// What a lost SYN does to a window that has no rule of its own for it.
    fn begin_anew(&mut self, lost: u8) {
        if lost > 1 || !self.window().is_of_rfc_6928() {
            self.on_restart();
            let window = self.window_mut();
            window.cwnd = window.segment;
        }
    }

    /// The window is set below ssthresh: slow start continues from there.
    fn on_restart(&mut self) {}

    /// A reduction proves to be spurious: the earlier state is restored. The caller ensures that the window
    /// does not shrink.
    fn on_undo(&mut self, before: &Self) {
        self.clone_from(before);
    }

    /// The maximum growth of the window by one acknowledgment outside slow start, in octets, which the
    /// conformance tests check. `counted` is the octets that the acknowledgment counts for.
    #[cfg(test)]
    fn most_growth(&self, counted: f64) -> f64 {
        counted * self.window().segment / self.window().cwnd
    }

    /// Whether the window also grows by that much in slow start.
    #[cfg(test)]
    fn grows_beside_slow_start() -> bool {
        false
    }

    /// Whether a timeout, unlike another loss, reduces the window to one segment.
    #[cfg(test)]
    fn is_cautious() -> bool {
        true
    }
}
