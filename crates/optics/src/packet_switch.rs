//! A node of a packet-switched core: out of which port an optical packet leaves, and when.
//!
//! Remedies are nested, and the first one named varies fastest: `["convert", "deflect"]` exhausts the wavelengths of a
//! port before the next port. A deflected packet forgets the path of its class and requests the port with the shortest
//! path from where it is, over optical links alone. Edges switch, too: a packet that passes one stays light, and an edge
//! with one optical link is never a detour.

use units::{Span, Time};

use crate::fibre_delay::{Delay, DelayLines};
use crate::pool::Pool;
use crate::reservation::end_of;
use crate::spec::{Deflection, PacketCoreSpec, Remedy};
use crate::{Candidates, Channels};

/// An optical packet whose first bit is at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// When its first bit leaves if it is not delayed.
    pub start: Time,
    /// How long it lasts on a channel.
    pub length: Span,
    /// The channel on which it comes; none at its ingress edge, whose transmitters are tunable: it
    /// leaves on any.
    pub channel: Option<u16>,
    /// Whether it was deflected before.
    pub deflected: bool,
}

/// How an optical packet leaves.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Which of the ports that were offered.
    pub port: usize,
    /// The channel on which it leaves.
    pub channel: u16,
    /// When its first bit leaves, the fibre delay included.
    pub start: Time,
    /// How long it is delayed.
    pub fibre_delay: Span,
    /// Whether it leaves on another wavelength than it came on.
    pub converted: bool,
    converter: Option<usize>,
    delay: Delay,
}

/// A core node's remedies for contention in the order in which they are tried: wavelength
/// converters, fibre delay lines, other ports.
///
/// The caller manages the channels of the ports and determines the port that a packet prefers.
/// Nothing is reserved ahead, except by a packet in a delay line, which reserves its output for the
/// time when it leaves the line.
#[derive(Debug, Clone)]
pub struct PacketSwitch {
    remedies: Vec<Remedy>,
    /// Each channel has its own where there is no pool.
    converters: Option<Pool>,
    lines: DelayLines,
    guard: Span,
    /// The channels of a port that deflected packets leave free.
    reserve: u32,
}

impl PacketSwitch {
    /// A node where nothing is held.
    pub fn new(spec: &PacketCoreSpec) -> Self {
        let reserve = match spec.deflection {
            Some(Deflection::Ports { reserve, .. }) => reserve.unwrap_or(0),
            Some(Deflection::Abstract { .. }) | None => 0,
        };
        Self {
            reserve,
            remedies: spec.remedies.clone(),
            converters: spec.converters.map(Pool::new),
            lines: DelayLines::new(&spec.fibre_delays, spec.fibre_loop),
            guard: spec.guard,
        }
    }

    /// The way by the preferred port without any remedy, if its channels are free: the packet's own
    /// wavelength, or any at its ingress edge. Holds nothing.
    #[inline]
    pub fn direct(&self, packet: Arrival, channels: &Channels) -> Option<Way> {
        self.attempt(packet, (false, 0, 0), channels)
    }

    /// The first way that is free, over `ports` ports of which number 0 is the preferred one;
    /// `channels` gives those of a port, none where it is down. Holds nothing.
    ///
    /// All combinations of the remedies are tried, none at all first; the remedy that is named first
    /// varies fastest. With the remedies `convert, deflect` and two ports: own wavelength of port 0,
    /// any of port 0, own of port 1, any of port 1.
    pub fn find<'a>(
        &self,
        packet: Arrival,
        ports: usize,
        channels: impl Fn(usize) -> Option<&'a Channels>,
    ) -> Option<Way> {
        let choices = |remedy: &Remedy| match remedy {
            // Any wavelength was tried at once where the packet is not bound to one.
            Remedy::Convert => 1 + usize::from(packet.channel.is_some()),
            Remedy::Delay => 1 + self.lines.count(),
            Remedy::Deflect => ports,
        };
        let combinations: usize = self.remedies.iter().map(choices).product();
        (0..combinations).find_map(|number| {
            let (mut rest, mut convert, mut delay, mut port) = (number, 0, 0, 0);
            for remedy in &self.remedies {
                let choice = rest % choices(remedy);
                rest /= choices(remedy);
                match remedy {
                    Remedy::Convert => convert = choice,
                    Remedy::Delay => delay = choice,
                    Remedy::Deflect => port = choice,
                }
            }
            self.attempt(packet, (convert == 1, delay, port), channels(port)?)
        })
    }

    #[inline]
    fn attempt(
        &self,
        packet: Arrival,
        (convert, delayed, port): (bool, usize, usize),
        channels: &Channels,
    ) -> Option<Way> {
        let Arrival { start, length, channel: own, deflected } = packet;
        let delay = self.lines.get(delayed, start, length)?;
        let start = start + delay.shift;
        let candidates = match own {
            Some(own) if !convert => Candidates::Only(own),
            _ => Candidates::Any,
        };
        let channel = channels.find(candidates, start, length + self.guard)?;
        let is_deflected = deflected || port > 0;
        if self.reserve > 0
            && is_deflected
            && channels.free(start, length + self.guard) <= self.reserve
        {
            return None;
        }
        let changes = own.is_some_and(|own| own != channel);
        let converter = match &self.converters {
            Some(pool) if changes => Some(pool.find(start, end_of(start, length))?),
            _ => None,
        };
        let fibre_delay = delay.shift;
        Some(Way { port, channel, start, fibre_delay, converted: changes, converter, delay })
    }

    /// The packet goes this way: its channel is booked, its converter and its delay line are held.
    /// A converter is held while the packet passes, without the guard.
    pub fn take(&mut self, packet: Arrival, way: &Way, channels: &mut Channels) {
        channels.book(way.channel, way.start, packet.length + self.guard);
        if let (Some(pool), Some(converter)) = (&mut self.converters, way.converter) {
            pool.hold(converter, way.start, end_of(way.start, packet.length));
        }
        self.lines.hold(way.delay, packet.start, packet.length);
    }

    /// Forgets what was held until `now` at the latest, which changes no decision. The channels are
    /// notified separately.
    pub fn forget(&mut self, now: Time) {
        if let Some(pool) = &mut self.converters {
            pool.forget(now);
        }
        self.lines.forget(now);
    }
}
