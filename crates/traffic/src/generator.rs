//! A running source.

use random::Stream;
use units::{Bytes, Span};

use crate::sources::bernoulli::Slotted;
use crate::sources::cbr::{Fractional, Paced};
use crate::sources::flows::Replay;
use crate::sources::mmpp::Modulated;
use crate::sources::on_off::Components;
use crate::{Offer, Size, Source};

/// One running source, from its start.
///
/// With the same source and stream it makes the same offers, regardless of how often it is polled.
/// Gaps are saturated at the longest span, which lies past the end of any run.
#[derive(Debug, Clone)]
pub struct Generator(Offers);

/// How a source makes its offers, and where it is in this.
#[derive(Debug, Clone)]
pub(crate) enum Offers {
    /// One offer at the start, or nothing once it is made.
    Once { bytes: Option<u64> },
    /// A constant bit rate.
    Paced(Paced),
    /// The same with a fraction.
    Fractional(Box<Fractional>),
    /// A Poisson process, `left` offers to go.
    Poisson { mean_gap_s: f64, size: Size, left: u64 },
    /// Listed transfers.
    Replay(Replay),
    /// Packets in slots.
    Slotted(Box<Slotted>),
    /// Alternating components.
    OnOff(Box<Components>),
    /// A Poisson process with two rates.
    Modulated(Box<Modulated>),
    /// Any of these, stopped.
    Stopped(Box<Stopped>),
}

/// A source that is stopped.
#[derive(Debug, Clone)]
pub(crate) struct Stopped {
    offers: Offers,
    /// The time from the previous offer to the end of all.
    left: Span,
}

impl Generator {
    /// The source from its start. `default_write` is the size of a write where the source leaves it
    /// open: one segment's data. Panics on what [`Source::check`] reports, and on a closed loop or a graph.
    pub fn new(source: &Source, default_write: Bytes) -> Self {
        let problems = source.check();
        assert!(problems.is_empty(), "a source with mistakes: {problems:?}");
        Self(source.offers(default_write).expect("the network runs closed loops and graphs"))
    }

    /// The same, one of `of` flows that share the slots of their sender: number `which`. They need equal
    /// streams. Changes nothing where a source [shares none](Source::is_shared_by_flows), or is to stop.
    #[must_use]
    pub fn sharing(mut self, which: u64, of: u64) -> Self {
        if let Offers::Slotted(slotted) = &mut self.0 {
            slotted.share(which, of);
        }
        self
    }

    /// The same, stopped so long after its start: it offers nothing from then on, and a bulk source
    /// [withdraws](Offer::WITHDRAWN) what has not been sent.
    #[must_use]
    pub fn stopping_after(self, left: Span) -> Self {
        Self(Offers::Stopped(Box::new(Stopped { offers: self.0, left })))
    }

    /// The next offer, or `None` when the source has ended.
    ///
    /// A Poisson process takes two draws an offer, first the gap, then the size; a constant bit rate
    /// takes one; a bulk source and a list of flows take none. A Bernoulli process takes a gap, a choice where several flows
    /// share its slots, and a size for each packet of the sender. An on-off source takes one a packet, and some where an ON
    /// period begins or ends.
    #[inline]
    pub fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        self.0.next(stream)
    }

    /// The offer that is due next, drawn again at an instant after the one before it, as if it had not been drawn yet;
    /// `None` where the time to it depends on how long ago the one before was. Of a Poisson process it does not.
    pub fn again(&mut self, stream: &mut Stream) -> Option<Offer> {
        match &self.0 {
            Offers::Poisson { mean_gap_s, size, .. } => Some(poisson(*mean_gap_s, size, stream)),
            Offers::Once { .. }
            | Offers::Paced(_)
            | Offers::Fractional(_)
            | Offers::Replay(_)
            | Offers::Slotted(_)
            | Offers::OnOff(_)
            | Offers::Modulated(_)
            | Offers::Stopped(_) => None,
        }
    }
}

/// The next offer of a Poisson process: first the gap, then the size.
#[inline]
fn poisson(mean_gap_s: f64, size: &Size, stream: &mut Stream) -> Offer {
    let after = Span::from_secs_f64(stream.exponential(mean_gap_s));
    Offer { after, bytes: size.draw(stream) }
}

impl Stopped {
    fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        match self.offers.next(stream) {
            Some(offer) if offer.after < self.left => {
                self.left -= offer.after;
                Some(offer)
            }
            _ => {
                let after = std::mem::take(&mut self.left);
                let bulk = matches!(self.offers, Offers::Once { .. });
                (bulk && after > Span::ZERO).then_some(Offer { after, bytes: Offer::WITHDRAWN })
            }
        }
    }
}

impl Offers {
    fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        match self {
            Self::Once { bytes } => bytes.take().map(|bytes| Offer { after: Span::ZERO, bytes }),
            Self::Paced(paced) => Some(paced.next(stream)),
            Self::Fractional(paced) => Some(paced.next(stream)),
            Self::Poisson { mean_gap_s, size, left } => {
                *left = left.checked_sub(1)?;
                Some(poisson(*mean_gap_s, size, stream))
            }
            Self::Replay(replay) => replay.next(),
            Self::Slotted(slotted) => Some(slotted.next(stream)),
            Self::OnOff(components) => Some(components.next(stream)),
            Self::Modulated(modulated) => Some(modulated.next(stream)),
            Self::Stopped(stopped) => stopped.next(stream),
        }
    }
}
