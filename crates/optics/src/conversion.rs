//! Wavelength conversion: onto which channels a burst can go.

use units::{Span, Time};

use crate::pool::Pool;
use crate::reservation::end_of;
use crate::{BurstCoreSpec, Candidates, Channels, Conversion};

/// The wavelength converters of a node.
///
/// Channels of all links are numbered alike: equal numbers are equal wavelengths, and a burst from
/// a channel whose number the output link does not have cannot leave without conversion.
#[derive(Debug, Clone)]
pub(crate) enum Converters {
    /// Each channel has its own.
    Full,
    /// A pool for the node.
    Partial(Pool),
    /// There are none.
    None,
}

/// A channel for a burst, and the converter that it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) channel: u16,
    converter: Option<usize>,
}

impl Way {
    fn free(channel: u16) -> Self {
        Self { channel, converter: None }
    }
}

impl Converters {
    pub(crate) fn new(spec: &BurstCoreSpec) -> Self {
        match spec.conversion {
            Conversion::Full => Self::Full,
            Conversion::Partial => Self::Partial(Pool::new(spec.converters.unwrap_or(0))),
            Conversion::None => Self::None,
        }
    }

    /// A channel of `out` for [start, start + length + guard) for a burst on the wavelength `own`;
    /// reserves nothing.
    ///
    /// With a pool the burst's own wavelength goes first, since it needs no converter. A converter
    /// is held while the burst passes, without the guard. Both are our assumptions.
    pub(crate) fn find(
        &self,
        out: &Channels,
        own: u16,
        start: Time,
        (length, guard): (Span, Span),
    ) -> Option<Way> {
        let whole = length + guard;
        match self {
            Self::Full => out.find(Candidates::Any, start, whole).map(Way::free),
            Self::None => out.find(Candidates::Only(own), start, whole).map(Way::free),
            Self::Partial(pool) => {
                let unchanged = out.find(Candidates::Only(own), start, whole).map(Way::free);
                unchanged.or_else(|| {
                    let converter = pool.find(start, end_of(start, length))?;
                    let channel = out.find(Candidates::Any, start, whole)?;
                    Some(Way { channel, converter: Some(converter) })
                })
            }
        }
    }

    /// Holds the converter of a way for [start, start + length).
    pub(crate) fn hold(&mut self, way: Way, start: Time, length: Span) {
        if let (Self::Partial(pool), Some(converter)) = (self, way.converter) {
            pool.hold(converter, start, end_of(start, length));
        }
    }

    pub(crate) fn forget(&mut self, now: Time) {
        if let Self::Partial(pool) = self {
            pool.forget(now);
        }
    }
}
