//! The packet: what travels.

use kernel::{Arena, Order, prefetch};
use transport::tcp::{Flags, SackBlocks, Segment};
use units::{FlowId, NodeId, Time};

/// An index into the arena of packets. A device that holds an id owns the packet: it passes the id
/// on or releases it, and the conservation check finds leaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// No packet.
pub const NO_PACKET: PacketId = PacketId(u32::MAX);

/// What links and devices on the path read: two packets in a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Transit {
    /// When it reaches the far end of the link that it is on: with its last bit, at a hybrid switch with
    /// its first.
    pub arrives: Time,
    /// Its place among events of that instant.
    pub order: Order,
    /// The next packet on its link.
    pub next: PacketId,
    /// Its size on the wire, headers included.
    pub bytes: u32,
    /// Its destination host.
    pub to: NodeId,
    /// The hash of its flow, which chooses among equal-cost paths; before it is sent, its entropy.
    pub hash: u16,
    /// ECN, direction and flags for the record.
    pub marks: Marks,
    /// TCP's flags.
    pub flags: Flags,
}

const _: () = assert!(size_of::<Transit>() == 32);

impl Transit {
    /// What a slot has before it is used.
    const NONE: Self = Self {
        arrives: Time::NEVER,
        order: Order(0),
        next: NO_PACKET,
        bytes: 0,
        to: NodeId(0),
        hash: 0,
        marks: Marks(0),
        flags: Flags::NONE,
    };
}

/// What only the ends read: the fields of a segment or datagram.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// The first octet of a segment; the number of a datagram.
    pub seq: u64,
    /// The octet acknowledged.
    pub ack: u64,
    /// When it was sent.
    pub sent: Time,
    /// The timestamp echoed.
    pub echo: Time,
    /// Octets of data; for a segment with SACK blocks, which has no data, their index.
    pub len_or_sack: u32,
    /// The window offered, in octets.
    pub window: u32,
    /// The flow it belongs to.
    pub flow: FlowId,
    /// How long it waits in its host's interface, in nanoseconds, at most 4.29 s: as computed when it
    /// was queued, regardless of later changes of the link.
    pub waited: u32,
}

const _: () = assert!(size_of::<Body>() <= 48);

impl Body {
    /// What a slot has before it is used.
    const NONE: Self = Self {
        seq: 0,
        ack: 0,
        sent: Time::NEVER,
        echo: Time::NEVER,
        len_or_sack: 0,
        window: 0,
        flow: FlowId(0),
        waited: 0,
    };
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    /// What links and devices on the path read.
    pub transit: Transit,
    /// What only the ends read.
    pub body: Body,
}

/// Bits that a packet carries in addition to its header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks(pub u8);

impl Marks {
    /// It goes from the sink to the source.
    pub const BACKWARD: u8 = 1;
    /// Its transport understands ECN (RFC 3168, ECT).
    pub const ECN_CAPABLE: u8 = 2;
    /// A queue met congestion (RFC 3168, CE).
    pub const CONGESTION_EXPERIENCED: u8 = 4;
    /// It repeats data sent before.
    pub const RESENT: u8 = 8;
    /// `len_or_sack` is an index of SACK blocks.
    pub const SACK: u8 = 16;
    /// Its transport is L4S (RFC 9331, ECT(1)), besides `ECN_CAPABLE`.
    pub const L4S: u8 = 32;
    /// Its sender has chosen its hash, by an entropy.
    pub const SPRAYED: u8 = 64;
    /// It goes before others where a queue trims packets: it has no data of a message transport, or lost them.
    pub const URGENT: u8 = 128;

    /// Whether a bit is set.
    #[inline]
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

impl Packet {
    /// A segment as a packet of this number of bytes; the caller stores SACK blocks separately.
    #[inline]
    pub fn of_segment(segment: &Segment, flow: FlowId, to: NodeId, bytes: u32) -> Self {
        let marks = Marks(if segment.resent { Marks::RESENT } else { 0 });
        Self {
            transit: Transit { bytes, to, marks, flags: segment.flags, ..Transit::NONE },
            body: Body {
                seq: segment.seq,
                ack: segment.ack,
                len_or_sack: segment.len,
                window: segment.window,
                sent: segment.ts_val,
                echo: segment.ts_ecr,
                flow,
                waited: 0,
            },
        }
    }

    /// The segment in it, with its SACK blocks.
    #[inline]
    pub fn segment(&self, sack: SackBlocks) -> Segment {
        let Body { seq, ack, window, sent, echo, .. } = self.body;
        Segment {
            seq,
            len: self.data(),
            ack,
            window,
            flags: self.transit.flags,
            ts_val: sent,
            ts_ecr: echo,
            resent: self.transit.marks.has(Marks::RESENT),
            sack,
        }
    }

    /// The octets of a stream that it carries, a FIN counted as one, none if they go from the sink
    /// to the source; datagrams and acknowledgments have none.
    pub fn stream(&self) -> Option<(u64, u64)> {
        let Transit { marks, flags, .. } = self.transit;
        if marks.has(Marks::BACKWARD) || !flags.has(Flags::ACK) {
            return None;
        }
        let octets = u64::from(self.data()) + u64::from(flags.has(Flags::FIN));
        Some((self.body.seq, self.body.seq + octets))
    }

    /// Octets of data.
    #[inline]
    pub fn data(&self) -> u32 {
        if self.transit.marks.has(Marks::SACK) { 0 } else { self.body.len_or_sack }
    }
}

/// All packets in the network; the fields read on the path and those read by the ends are stored
/// separately.
#[derive(Debug, Clone, Default)]
pub struct Packets {
    transits: Arena<Transit>,
    bodies: Vec<Body>,
}

impl Packets {
    /// Adds a packet.
    #[inline(always)]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        let id = self.transits.place(Transit::NONE);
        if id as usize == self.bodies.len() {
            self.grow();
        }
        *self.transits.get_mut(id) = packet.transit;
        self.bodies[id as usize] = packet.body;
        PacketId(id)
    }

    #[cold]
    fn grow(&mut self) {
        self.bodies.push(Body::NONE);
    }

    /// The fields of a packet read on the path.
    #[inline]
    pub fn transit(&self, id: PacketId) -> &Transit {
        self.transits.get(id.0)
    }

    /// The same, mutable.
    #[inline]
    pub fn transit_mut(&mut self, id: PacketId) -> &mut Transit {
        self.transits.get_mut(id.0)
    }

    /// Cuts off the data of a packet, so that so many bytes are left; says how many are gone.
    pub fn trim(&mut self, id: PacketId, left: u32) -> u32 {
        let transit = self.transit_mut(id);
        let cut = transit.bytes - left;
        transit.bytes = left;
        transit.flags |= Flags::TRIMMED;
        transit.marks.0 |= Marks::URGENT;
        cut
    }

    /// The fields of a packet read by the ends, mutable.
    pub fn body_mut(&mut self, id: PacketId) -> &mut Body {
        &mut self.bodies[id.0 as usize]
    }

    /// The fields of a packet read by the ends.
    #[inline]
    pub fn body(&self, id: PacketId) -> &Body {
        &self.bodies[id.0 as usize]
    }

    /// Prefetches the fields of a packet read on the path.
    #[inline]
    pub fn prefetch_transit(&self, id: PacketId) {
        self.transits.prefetch(id.0);
    }

    /// Prefetches the fields of a packet read by the ends.
    #[inline]
    pub fn prefetch_body(&self, id: PacketId) {
        prefetch_body(&self.bodies, id);
    }

    /// The fields of all packets that are read on the path.
    #[inline]
    pub fn transits(&self) -> &[Transit] {
        self.transits.slots()
    }

    /// The same, mutable, and those that the ends read.
    #[inline]
    pub fn split_mut(&mut self) -> (&mut [Transit], &[Body]) {
        (self.transits.slots_mut(), &self.bodies)
    }

    /// A copy of a packet.
    pub fn look(&self, id: PacketId) -> Packet {
        Packet { transit: *self.transit(id), body: *self.body(id) }
    }

    /// Removes a packet.
    #[inline(always)]
    pub fn take(&mut self, id: PacketId) -> Packet {
        let transit = *self.transits.get(id.0);
        self.transits.release(id.0);
        Packet { transit, body: self.bodies[id.0 as usize] }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.transits.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.transits.is_empty()
    }
}

/// Prefetches the fields of a packet read by the ends.
#[inline]
pub fn prefetch_body(bodies: &[Body], id: PacketId) {
    if let Some(body) = bodies.get(id.0 as usize) {
        // Half of the bodies span two cache lines.
        prefetch(body);
        prefetch(&body.waited);
    }
}

/// The flow of each data packet in a list linked by `next`; a flow with several packets appears
/// several times.
pub fn data_of(packets: &Packets, first: PacketId) -> impl Iterator<Item = FlowId> {
    let mut next = first;
    std::iter::from_fn(move || {
        while next != NO_PACKET {
            let (transit, body) = (packets.transit(next), packets.body(next));
            next = transit.next;
            let acknowledges = transit.marks.has(Marks::BACKWARD | Marks::SACK);
            if !acknowledges && body.len_or_sack > 0 {
                return Some(body.flow);
            }
        }
        None
    })
}
