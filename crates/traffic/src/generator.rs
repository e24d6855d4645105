//! A running source.

use std::sync::Arc;

use random::Stream;
use units::{Bytes, Span};

use crate::on_off::OnOff;
use crate::pacer::Pacer;
use crate::replay::Replay;
use crate::slotted::Slotted;
use crate::{Offer, Size, Source};

/// One running source, from its start.
///
/// With the same source and stream it makes the same offers, regardless of how often it is polled.
/// Gaps are saturated at the longest span, which lies past the end of any run.
#[derive(Debug, Clone)]
pub struct Generator(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// One offer at the start, or nothing once it is made.
    Once { bytes: Option<u64> },
    /// A constant bit rate. `gap` is the time from the previous offer to the next.
    Paced { pacer: Pacer, size: Size, gap: Span },
    /// The same with a fraction.
    Fractional(Box<Fractional>),
    /// A Poisson process, `left` offers to go.
    Poisson { mean_gap_s: f64, size: Size, left: u64 },
    /// Listed transfers.
    Replay(Replay),
    /// Packets in slots.
    Slotted(Box<Slotted>),
    /// Alternating components.
    OnOff(Box<OnOff>),
    /// Any of these, stopped.
    Stopped(Box<Stopped>),
}

/// A constant bit rate for which bytes count 2^`halvings` times.
#[derive(Debug, Clone)]
struct Fractional {
    pacer: Pacer,
    halvings: u8,
    size: Size,
    gap: Span,
}

/// A source that is stopped.
#[derive(Debug, Clone)]
struct Stopped {
    kind: Kind,
    /// The time from the previous offer to the end of all.
    left: Span,
}

impl Generator {
    /// The source from its start. `default_write` is the size of a write where the source leaves it
    /// open: one segment's data. A list of flows is in the order of their starts. Panics on what
    /// [`Source::check`] reports, and on a closed loop or a graph.
    pub fn new(source: &Source, default_write: Bytes) -> Self {
        let problems = source.check();
        assert!(problems.is_empty(), "a source with mistakes: {problems:?}");
        Self(match *source {
            Source::Bulk { size } => {
                Kind::Once { bytes: Some(size.map_or(Offer::ENDLESS, |size| size.0)) }
            }
            Source::Cbr { rate, ref packet } => {
                let (pacer, halvings) = Pacer::of_mean(rate);
                let (size, gap) = (packet.clone(), Span::ZERO);
                match halvings {
                    0 => Kind::Paced { pacer, size, gap },
                    _ => Kind::Fractional(Box::new(Fractional { pacer, halvings, size, gap })),
                }
            }
            Source::PoissonPackets { rate, ref packet } => {
                let mean_gap_s = packet.mean() * 8.0 / rate.0;
                Kind::Poisson { mean_gap_s, size: packet.clone(), left: u64::MAX }
            }
            Source::Bernoulli { slot, probability, ref packet } => {
                Kind::Slotted(Box::new(Slotted::new(slot, probability, packet.clone())))
            }
            Source::OnOff { rate, peak, components, ref on, ref packet } => {
                Kind::OnOff(Box::new(OnOff::new(rate, (peak, components), on, packet)))
            }
            Source::PoissonWrites { rate, write } => {
                let write = write.unwrap_or(default_write);
                let mean_gap_s = write.as_f64() * 8.0 / rate.0;
                Kind::Poisson { mean_gap_s, size: Size::Plain(write), left: u64::MAX }
            }
            Source::Flows { ref flows, .. } => Kind::Replay(Replay::new(Arc::clone(flows))),
            Source::Shuffle { .. }
            | Source::Incast { .. }
            | Source::Graph { .. }
            | Source::Collective { .. } => {
                panic!("what a closed loop offers is not known beforehand")
            }
            Source::Transfers { per_second, ref size, limit, .. } => {
                let left = if source.starts_more() { limit.unwrap_or(u64::MAX) } else { 0 };
                Kind::Poisson { mean_gap_s: 1.0 / per_second, size: size.clone(), left }
            }
        })
    }

    /// The same, one of `of` flows that share the slots of their sender: number `which`. They need equal
    /// streams. Changes nothing where a source [shares none](Source::is_shared_by_flows), or is to stop.
    #[must_use]
    pub fn sharing(mut self, which: u64, of: u64) -> Self {
        if let Kind::Slotted(slotted) = &mut self.0 {
            slotted.share(which, of);
        }
        self
    }

    /// The same, stopped so long after its start: it offers nothing from then on, and a bulk source
    /// [withdraws](Offer::WITHDRAWN) what has not been sent.
    #[must_use]
    pub fn stopping_after(self, left: Span) -> Self {
        Self(Kind::Stopped(Box::new(Stopped { kind: self.0, left })))
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
            Kind::Poisson { mean_gap_s, size, .. } => {
                let after = Span::from_secs_f64(stream.exponential(*mean_gap_s));
                Some(Offer { after, bytes: size.draw(stream) })
            }
            Kind::Once { .. }
            | Kind::Paced { .. }
            | Kind::Fractional(_)
            | Kind::Replay(_)
            | Kind::Slotted(_)
            | Kind::OnOff(_)
            | Kind::Stopped(_) => None,
        }
    }
}

impl Stopped {
    fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        match self.kind.next(stream) {
            Some(offer) if offer.after < self.left => {
                self.left -= offer.after;
                Some(offer)
            }
            _ => {
                let after = std::mem::take(&mut self.left);
                let bulk = matches!(self.kind, Kind::Once { .. });
                (bulk && after > Span::ZERO).then_some(Offer { after, bytes: Offer::WITHDRAWN })
            }
        }
    }
}

impl Kind {
    fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        match self {
            Self::Once { bytes } => bytes.take().map(|bytes| Offer { after: Span::ZERO, bytes }),
            Self::Paced { pacer, size, gap } => {
                let after = *gap;
                let bytes = size.draw(stream);
                *gap = pacer.gap_after(bytes);
                Some(Offer { after, bytes })
            }
            Self::Fractional(paced) => {
                let (after, bytes) = (paced.gap, paced.size.draw(stream));
                paced.gap = paced.pacer.long_gap_after(u128::from(bytes) << paced.halvings);
                Some(Offer { after, bytes })
            }
            Self::Poisson { mean_gap_s, size, left } => {
                *left = left.checked_sub(1)?;
                let after = Span::from_secs_f64(stream.exponential(*mean_gap_s));
                Some(Offer { after, bytes: size.draw(stream) })
            }
            Self::Replay(replay) => replay.next(),
            Self::Slotted(slotted) => Some(slotted.next(stream)),
            Self::OnOff(components) => Some(components.next(stream)),
            Self::Stopped(stopped) => stopped.next(stream),
        }
    }
}
