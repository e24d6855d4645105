//! The end of slow start before a loss ends it.
//!
//! A kind receives each acknowledgment that advances (`on_delivered`) and says how much of a step of slow
//! start is taken (`step`). To add one, write its file and its line below; `limited` is the shortest.

use units::Span;

use super::delivered::Delivered;
use crate::mistake::Mistakes;

kinds::kinds! {
    /// How slow start ends where no loss ends it: a name, or a table with options.
    "SlowStart";
    mod standard; use Standard as "standard";
    mod limited; use Limited as "limited";
    mod hystart; use HyStart as "hystart";
    mod hystart_plus_plus; use HyStartPlusPlus as "hystart++";
}

impl Options {
    /// Notes what is wrong with the options, beyond what the schema says.
    pub(crate) fn check(&self, found: &mut Mistakes) {
        with_options!(self, Kind, options => Kind::check(options, found));
    }
}

/// The window as slow start sees it, in octets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Present {
    /// The congestion window.
    pub(super) cwnd: f64,
    /// The slow start threshold, infinite without a limit.
    pub(super) ssthresh: f64,
    /// A full segment.
    pub(super) segment: f64,
}

/// Measurements of a round before both kinds of `HyStart` look at it.
const SAMPLES: u32 = 8;

/// By how much a round-trip time has to grow for both to act: an eighth, between 4 and 16 ms.
fn threshold(rtt: Span) -> Span {
    Span(rtt.0 / 8).clamp(Span::from_ms(4), Span::from_ms(16))
}

/// A kind of slow start. Windows are octets.
pub(super) trait Kind: Clone {
    /// Its options in a scenario. Their doc comment is the text on the kind in the reference.
    type Options: Clone + Default + PartialEq;

    /// A connection's, at its start; whether it is paced.
    fn new(options: &Self::Options, paced: bool) -> Self;

    /// Notes what is wrong with options, beyond what the schema says.
    fn check(_: &Self::Options, _: &mut Mistakes) {}

    /// The most segments for which an acknowledgment counts where the window grows with the octets: two
    /// (RFC 3465 section 2.2).
    fn most_segments(&self, _: &Present) -> f64 {
        2.0
    }

    /// How much of a step of slow start is taken, for an acknowledgment that counts for `octets`.
    fn step(&self, _: &Present, octets: f64) -> f64 {
        octets
    }

    /// An acknowledgment advanced; whether slow start ends here.
    fn on_delivered(&mut self, _: &Present, _: &Delivered) -> bool {
        false
    }

    /// The retransmission timer expired.
    fn on_timeout(&mut self) {}
}

/// The slow start of a connection.
#[derive(Clone, Debug)]
pub(super) struct SlowStart(Any);

impl SlowStart {
    /// That of a connection which may be paced; nothing for the standard one, which needs no state.
    pub(super) fn new(options: &Options, paced: bool) -> Option<Box<Self>> {
        let is_standard = matches!(options, Options::Standard(_));
        (!is_standard).then(|| {
            let any = with_options!(options, Kind, options => Kind::new(options, paced).into());
            Box::new(Self(any))
        })
    }

    pub(super) fn most_segments(&self, window: &Present) -> f64 {
        with!(&self.0, kind => kind.most_segments(window))
    }

    pub(super) fn step(&self, window: &Present, octets: f64) -> f64 {
        with!(&self.0, kind => kind.step(window, octets))
    }

    pub(super) fn on_delivered(&mut self, window: &Present, delivered: &Delivered) -> bool {
        with!(&mut self.0, kind => kind.on_delivered(window, delivered))
    }

    pub(super) fn on_timeout(&mut self) {
        with!(&mut self.0, kind => kind.on_timeout());
    }
}

#[cfg(test)]
mod tests;
