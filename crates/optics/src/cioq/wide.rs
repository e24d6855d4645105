//! A fabric for as many ports as a switch has: masks of one word up to 64, of more beyond.

use random::Stream;
use units::Time;

use super::{Cioq, Done, Fabric};

/// The maximum number of inputs, or outputs, of a switch.
pub const MOST_PORTS: usize = 1_024;

/// A fabric of the narrowest width that holds its ports.
#[derive(Debug, Clone)]
pub enum CioqSwitch<P> {
    /// Up to 64 ports.
    Narrow(Box<Cioq<1, P>>),
    /// Up to 256.
    Wide(Box<Cioq<4, P>>),
    /// Up to 1,024.
    Widest(Box<Cioq<16, P>>),
}

/// Does the same for any width.
macro_rules! each {
    ($switch:expr, $fabric:ident => $does:expr) => {
        match $switch {
            CioqSwitch::Narrow($fabric) => $does,
            CioqSwitch::Wide($fabric) => $does,
            CioqSwitch::Widest($fabric) => $does,
        }
    };
}

impl<P: Copy> CioqSwitch<P> {
    /// An empty fabric; its scheduler draws from `stream`.
    pub fn new(fabric: &Fabric, stream: Stream) -> Self {
        match fabric.queue_of.len().max(fabric.inputs as usize) {
            0..=64 => Self::Narrow(Box::new(Cioq::new(fabric, stream))),
            65..=256 => Self::Wide(Box::new(Cioq::new(fabric, stream))),
            _ => Self::Widest(Box::new(Cioq::new(fabric, stream))),
        }
    }

    /// See [`Cioq::advance`].
    #[inline]
    pub fn advance(&mut self, now: Time, take: impl FnMut(&Done<P>)) {
        each!(self, fabric => fabric.advance(now, take));
    }

    /// See [`Cioq::bytes_at`] and [`Cioq::waits_behind`], which are asked together.
    #[inline]
    pub fn meets(&self, now: Time, (input, output): (u32, u32)) -> (u64, bool) {
        each!(self, fabric => (fabric.bytes_at(input), fabric.waits_behind(now, input, output)))
    }

    /// See [`Cioq::offer`].
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        ports: (u32, u32),
        packet: P,
        bytes: u32,
    ) -> (u64, Option<Time>) {
        each!(self, fabric => fabric.offer(now, ports, packet, bytes))
    }

    /// See [`Cioq::due`].
    #[inline]
    pub fn due(&self, busy: impl Fn(u32) -> Time) -> Option<Time> {
        each!(self, fabric => fabric.due(busy))
    }

    /// See [`Cioq::bytes_in_queue`].
    #[inline]
    pub fn bytes_in_queue(&self, input: u32, output: u32) -> u64 {
        each!(self, fabric => fabric.bytes_in_queue(input, output))
    }

    /// See [`Cioq::bytes_at`].
    #[inline]
    pub fn bytes_at(&self, input: u32) -> u64 {
        each!(self, fabric => fabric.bytes_at(input))
    }

    /// Packets inside.
    pub fn len(&self) -> usize {
        each!(self, fabric => fabric.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
