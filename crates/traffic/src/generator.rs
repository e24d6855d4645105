//! A source at work.

use random::Stream;
use units::{Bytes, Span};

use crate::on_off::OnOff;
use crate::pacer::Pacer;
use crate::{Size, Source};

/// Data that an application hands over at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The time since the previous offer, or since the start for the first.
    pub after: Span,
    /// How many bytes; [`Offer::ENDLESS`] for data without end, [`Offer::NOTHING_YET`] for none.
    pub bytes: u64,
}

impl Offer {
    /// The `bytes` of an offer that never ends.
    pub const ENDLESS: u64 = u64::MAX;

    /// The `bytes` of an offer without data: what comes after it is not known yet, and is to be asked
    /// for at its instant.
    pub const NOTHING_YET: u64 = 0;
}

/// One source at work, from its start.
///
/// With the same source and stream it makes the same offers; how often the world looks at it does
/// not matter. Gaps are saturated at the longest span, which lies past the end of any run.
#[derive(Debug, Clone)]
pub struct Generator(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// One offer at the start, or nothing once it is made.
    Once { bytes: Option<u64> },
    /// A constant bit rate. `gap` is the time from the previous offer to the next.
    Paced { pacer: Pacer, size: Size, gap: Span },
    /// A Poisson process, `left` offers to go.
    Poisson { mean_gap_s: f64, size: Size, left: u64 },
    /// Alternating components.
    OnOff(Box<OnOff>),
}

impl Generator {
    /// The source from its start. `default_write` is the size of a write where the source leaves it
    /// open: one segment's data. Panics on what [`Source::check`] reports, and on a closed loop.
    pub fn new(source: &Source, default_write: Bytes) -> Self {
        let problems = source.check();
        assert!(problems.is_empty(), "a source with mistakes: {problems:?}");
        Self(match *source {
            Source::Bulk { size } => {
                Kind::Once { bytes: Some(size.map_or(Offer::ENDLESS, |size| size.0)) }
            }
            Source::Cbr { rate, ref packet } => {
                Kind::Paced { pacer: Pacer::new(rate), size: packet.clone(), gap: Span::ZERO }
            }
            Source::PoissonPackets { rate, ref packet } => {
                let mean_gap_s = packet.mean() * 8.0 / rate.as_f64();
                Kind::Poisson { mean_gap_s, size: packet.clone(), left: u64::MAX }
            }
            Source::OnOff { rate, peak, components, ref on, ref packet } => {
                Kind::OnOff(Box::new(OnOff::new(rate, (peak, components), on, packet)))
            }
            Source::PoissonWrites { rate, write } => {
                let write = write.unwrap_or(default_write);
                let mean_gap_s = write.as_f64() * 8.0 / rate.as_f64();
                Kind::Poisson { mean_gap_s, size: Size::Plain(write), left: u64::MAX }
            }
            Source::Shuffle { .. } | Source::Incast { .. } => {
                panic!("what a closed loop offers is not known beforehand")
            }
            Source::Transfers { per_second, ref size, limit, .. } => {
                let left = limit.unwrap_or(u64::MAX);
                Kind::Poisson { mean_gap_s: 1.0 / per_second, size: size.clone(), left }
            }
        })
    }

    /// The next offer, or `None` when the source has ended.
    ///
    /// A Poisson process takes two draws an offer, first the gap, then the size; a constant bit rate
    /// takes one; a bulk source takes none. An on-off source takes one a packet, and some where an ON
    /// period begins or ends.
    pub fn next(&mut self, stream: &mut Stream) -> Option<Offer> {
        match &mut self.0 {
            Kind::Once { bytes } => bytes.take().map(|bytes| Offer { after: Span::ZERO, bytes }),
            Kind::Paced { pacer, size, gap } => {
                let after = *gap;
                let bytes = size.draw(stream);
                *gap = pacer.gap_after(bytes);
                Some(Offer { after, bytes })
            }
            Kind::Poisson { mean_gap_s, size, left } => {
                *left = left.checked_sub(1)?;
                let after = Span::from_secs_f64(stream.exponential(*mean_gap_s));
                Some(Offer { after, bytes: size.draw(stream) })
            }
            Kind::OnOff(components) => Some(components.next(stream)),
        }
    }
}
