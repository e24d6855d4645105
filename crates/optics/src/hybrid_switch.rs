//! A hybrid switch: light where the output is free, a shared electronic buffer where it is not
//! (Samoud, Ware and Lourdiane 2014; Minakhmetov, Ware and Iannone 2018, section 2).
//!
//! It has azimuths (optical inputs and outputs) and some electronic ports into and out of the
//! buffer. Ports are occupied for intervals: a packet occupies an electronic input from its first
//! bit in, and an electronic output from its first bit out, each for its own length. Intervals are
//! half-open.
//!
//! ```text
//! input     [came, came + length)
//! leaves    when the azimuth is free, the packet is ready, an output is free: in the order of arrival
//!           within an azimuth; of several azimuths the one whose head has waited longest
//! ready     came + length (store-and-forward), or came (cut-through)
//! output    [leaves, leaves + length)
//! ```
//! The caller manages the azimuths: they are links, which light uses as well.

use std::collections::VecDeque;

use units::{Span, Time};

use crate::spec::{Buffering, HybridCoreSpec};

/// A packet in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored<P> {
    /// The packet.
    pub packet: P,
    /// The output that it waits for.
    pub azimuth: u32,
    /// When its first bit came.
    pub came: Time,
    /// How long it lasts on a link.
    pub length: Span,
    /// Its size.
    pub bytes: u32,
    /// Its place among packets that came at the same instant.
    number: u64,
}

/// What happens to a packet whose azimuth is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is in the buffer.
    Stored,
    /// It is lost: no electronic input is free.
    NoPort,
    /// It is lost: the buffer is full.
    Full,
}

/// The electronic part of a hybrid switch.
#[derive(Debug, Clone)]
pub struct HybridSwitch<P> {
    /// When each electronic input is free.
    inputs: Box<[Time]>,
    /// When each electronic output is free.
    outputs: Box<[Time]>,
    /// What waits, by azimuth.
    queues: Box<[VecDeque<Stored<P>>]>,
    /// The azimuths for which something waits.
    waiting: Vec<u32>,
    buffering: Buffering,
    limit: u64,
    packets: u32,
    bytes: u64,
    stored: u64,
}

impl<P: Copy> HybridSwitch<P> {
    /// An empty switch with so many azimuths.
    pub fn new(spec: &HybridCoreSpec, azimuths: usize) -> Self {
        let ports = vec![Time::ZERO; spec.electronic_ports as usize].into_boxed_slice();
        Self {
            inputs: ports.clone(),
            outputs: ports,
            queues: (0..azimuths).map(|_| VecDeque::new()).collect(),
            waiting: Vec::new(),
            buffering: spec.buffering,
            limit: spec.buffer_size.map_or(u64::MAX, |size| size.0),
            packets: 0,
            bytes: 0,
            stored: 0,
        }
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// Packets that wait.
    pub fn len(&self) -> u32 {
        self.packets
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many azimuths it has.
    pub fn azimuths(&self) -> usize {
        self.queues.len()
    }

    /// The first bit of a packet has arrived, and its azimuth is busy: stores it in the buffer, if
    /// a port is free.
    pub fn store(
        &mut self,
        now: Time,
        packet: P,
        azimuth: u32,
        (length, bytes): (Span, u32),
    ) -> Fate {
        let Some(input) = self.inputs.iter_mut().find(|free_at| **free_at <= now) else {
            return Fate::NoPort;
        };
        if self.bytes.saturating_add(u64::from(bytes)) > self.limit {
            return Fate::Full;
        }
        *input = now + length;
        let queue = &mut self.queues[azimuth as usize];
        if queue.is_empty() {
            self.waiting.push(azimuth);
        }
        let number = self.stored;
        queue.push_back(Stored { packet, azimuth, came: now, length, bytes, number });
        self.stored += 1;
        self.packets += 1;
        self.bytes += u64::from(bytes);
        Fate::Stored
    }

    /// A packet that leaves the buffer now, if one may; `free_at` says when an azimuth is free, never
    /// where it is down. To be asked until there is none.
    pub fn release(&mut self, now: Time, free_at: impl Fn(u32) -> Time) -> Option<Stored<P>> {
        let output = self.outputs.iter().position(|&free_at| free_at <= now)?;
        let may_leave = |&azimuth: &u32| {
            let head = self.head(azimuth);
            (self.ready(head) <= now && free_at(azimuth) <= now).then_some((head.number, azimuth))
        };
        // Numbers ascend with the instants at which packets came.
        let (_, azimuth) = self.waiting.iter().filter_map(may_leave).min()?;
        let queue = &mut self.queues[azimuth as usize];
        let stored = queue.pop_front().expect("a head");
        if queue.is_empty() {
            self.waiting.retain(|&other| other != azimuth);
        }
        self.outputs[output] = now + stored.length;
        self.packets -= 1;
        self.bytes -= u64::from(stored.bytes);
        Some(stored)
    }

    /// When a packet may leave at the earliest, as things stand; none where nothing waits, or only for
    /// azimuths that are down.
    pub fn due(&self, free_at: impl Fn(u32) -> Time) -> Option<Time> {
        let output = self.outputs.iter().min()?;
        let heads = self.waiting.iter().map(|&azimuth| {
            let ready = self.ready(self.head(azimuth));
            ready.max(free_at(azimuth))
        });
        let first = heads.min().filter(|&due| due != Time::NEVER)?;
        Some(first.max(*output))
    }

    fn head(&self, azimuth: u32) -> &Stored<P> {
        self.queues[azimuth as usize].front().expect("what is listed as waiting has a head")
    }

    /// When a packet's azimuth alone decides.
    fn ready(&self, stored: &Stored<P>) -> Time {
        match self.buffering {
            Buffering::StoreAndForward => stored.came + stored.length,
            Buffering::CutThrough => stored.came,
        }
    }
}
