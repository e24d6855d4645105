//! The hooks of a window rule, with what a rule does that says nothing else: RFC 5681's.

use super::window::{Acked, Congested, Delivered, Ecn, Window};
use crate::mistake::Mistakes;

/// A window rule: it is told what happened, and keeps its [`Window`]. It knows neither segments nor timers.
///
/// The window and how it begins are a rule's own; every other hook has a default, which is what Reno does.
pub(crate) trait Rule: Clone {
    /// What a scenario can tell it. Their doc comment is what users read of the rule, their `Default` has
    /// its values, each with its source.
    type Options: Clone + Default + PartialEq;

    /// The rule with its initial window.
    fn new(window: Window, options: &Self::Options) -> Self;

    /// The window.
    fn window(&self) -> &Window;

    /// The same, to be changed.
    fn window_mut(&mut self) -> &mut Window;

    /// Notes what is wrong with options, beyond what the schema says.
    fn check(_: &Self::Options, _: &mut Mistakes) {}

    /// What it asks of explicit notification.
    fn ecn() -> Ecn {
        Ecn::Optional
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

    /// An acknowledgment advanced, whatever state the connection is in, before anything else is told of it:
    /// for rules that count marks or look at delays.
    #[inline]
    fn on_delivered(&mut self, _: &Delivered) {}

    /// The rate of a paced connection, as a multiple of cwnd/SRTT: 2 while cwnd is below half of ssthresh,
    /// 1.2 otherwise (Linux, `tcp_update_pacing_rate`).
    #[inline]
    fn pacing(&self) -> f64 {
        if self.window().whole_cwnd() < self.window().whole_ssthresh() / 2 { 2.0 } else { 1.2 }
    }

    /// The SYN was lost: the initial window is one segment (RFC 5681 section 3.1).
    fn on_lost_syn(&mut self) {
        self.on_restart();
        let window = self.window_mut();
        window.cwnd = window.segment;
    }

    /// The window is set anew below ssthresh: slow start goes on from there.
    fn on_restart(&mut self) {}

    /// A reduction proves to have been for nothing: all is as it was before. The caller keeps the window
    /// from getting smaller by it.
    fn on_undo(&mut self, before: Self) {
        *self = before;
    }

    /// The most octets by which an acknowledgment may let the window grow outside of slow start: what the
    /// conformance tests hold the rule to. `counted` is what the acknowledgment counts for in octets.
    #[cfg(test)]
    fn most_growth(&self, counted: f64) -> f64 {
        counted * self.window().segment / self.window().cwnd
    }

    /// Whether the window also grows by that much in slow start.
    #[cfg(test)]
    fn grows_beside_slow_start() -> bool {
        false
    }

    /// Whether a timeout is worse than another loss, and leaves one segment.
    #[cfg(test)]
    fn is_cautious() -> bool {
        true
    }
}
