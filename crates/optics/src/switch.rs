//! Resolution of contention in a core node.

use units::{Span, Time};

use crate::conversion::Converters;
use crate::fibre_delay::DelayLines;
use crate::{BurstCoreSpec, Channels};

/// A burst that asks for a channel of an output link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// When its first bit leaves if it is not delayed.
    pub start: Time,
    /// How long it lasts on the channel.
    pub length: Span,
    /// The channel on which it comes.
    pub channel: u16,
}

/// What a burst got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The channel on which it leaves.
    pub channel: u16,
    /// When its first bit leaves, the fibre delay included.
    pub start: Time,
    /// How long it is delayed.
    pub fibre_delay: Span,
    /// Whether it leaves on another wavelength than it came on.
    pub converted: bool,
}

/// A core node's remedies for contention, shared by all its output links: wavelength converters,
/// fibre delay lines, and the guard time between bursts.
/// The caller manages the channels of the output links. An ingress edge needs no switch: it uses
/// its channels directly.
#[derive(Debug, Clone)]
pub struct Switch {
    converters: Converters,
    lines: DelayLines,
    guard: Span,
}

impl Switch {
    /// A node where nothing is reserved.
    pub fn new(spec: &BurstCoreSpec) -> Self {
        Self {
            converters: Converters::new(spec),
            lines: DelayLines::new(&spec.fibre_delays, spec.fibre_loop),
            guard: spec.guard,
        }
    }

    /// Reserves a channel of `out` for the burst, and with it the converter and the delay line that
    /// it needs. Nothing where the burst is lost: then nothing is reserved either.
    ///
    /// Delays are tried in ascending order, none first; for each, the channels that
    /// [`Conversion`](crate::Conversion) admits. So a conversion is preferred to a delay (our
    /// assumption). The guard is reserved behind the burst and is no part of the grant.
    pub fn reserve(&mut self, out: &mut Channels, request: Request) -> Option<Grant> {
        let Request { start, length, channel: own } = request;
        let mut tried = 0;
        loop {
            let delay = self.lines.get(tried, start, length)?;
            let leaves = start + delay.shift;
            let way = self.converters.find(out, own, leaves, (length, self.guard));
            if let Some(way) = way {
                out.book(way.channel, leaves, length + self.guard);
                self.converters.hold(way, leaves, length);
                self.lines.hold(delay, start, length);
                return Some(Grant {
                    channel: way.channel,
                    start: leaves,
                    fibre_delay: delay.shift,
                    converted: way.channel != own,
                });
            }
            tried += 1;
        }
    }

    /// Forgets what was held until `now` at the latest, which changes no decision: no later request
    /// starts before `now`. The channels are notified separately.
    pub fn forget(&mut self, now: Time) {
        self.converters.forget(now);
        self.lines.forget(now);
    }
}
