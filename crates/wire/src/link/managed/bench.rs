//! A link of 8 Mb/s, over which 1000 B take a millisecond, with each kind of queue in front of it.

use kernel::Order;
use plan::spec::QueueSpec;
use transport::tcp::{Flags, Segment};
use units::{FlowId, NodeId, Rate, Span, Time};

use crate::link::tests::link_at;
use crate::link::{Drop, Link, Offered};
use crate::packet::{Marks, Packet, PacketId, Packets};

const RATE: Rate = Rate(8_000_000);
pub(in crate::link) const US: u64 = 1_000_000;
pub(in crate::link) const MS: u64 = 1000 * US;

/// What has happened: packets sent and dropped, each with its instant in microseconds and its flow.
pub(in crate::link) struct Bench {
    pub(in crate::link) link: Link,
    pub(in crate::link) packets: Packets,
    wakes: Vec<u64>,
    pub(in crate::link) sent: Vec<(u64, u16)>,
    pub(in crate::link) marked: Vec<u16>,
    pub(in crate::link) dropped: Vec<(u64, u16)>,
    pub(in crate::link) refused: u64,
    pub(in crate::link) trimmed: u64,
    offered: u64,
}

impl Bench {
    pub(in crate::link) fn new(queue: QueueSpec) -> Self {
        Self {
            link: link_at(RATE, Span::ZERO, (queue, None)),
            packets: Packets::default(),
            wakes: Vec::new(),
            sent: Vec::new(),
            marked: Vec::new(),
            dropped: Vec::new(),
            refused: 0,
            trimmed: 0,
            offered: 0,
        }
    }

    /// A packet of a flow comes.
    pub(in crate::link) fn offer(&mut self, at: u64, packet: (u16, u32, u8)) {
        self.offer_as(at, packet, packet.0);
    }

    /// The same with a hash that differs from the number of its flow.
    pub(in crate::link) fn offer_as(
        &mut self,
        at: u64,
        (flow, bytes, marks): (u16, u32, u8),
        hash: u16,
    ) {
        self.run_to(at);
        let segment = Segment::empty(Time(at), Flags::NONE);
        let mut packet = Packet::of_segment(&segment, FlowId(flow.into()), NodeId(1), bytes);
        packet.transit.marks = Marks(marks);
        packet.transit.hash = hash;
        let id = self.packets.insert(packet);
        self.offered += 1;
        let cause = if self.link.is_managed() {
            match self.link.put(Time(at), &mut self.packets, id) {
                Ok(cut) => {
                    self.trimmed += u64::from(cut.is_some());
                    return self.serve(at);
                }
                Err(cause) => cause,
            }
        } else {
            match self.link.offer(Time(at), &mut self.packets, id, Order(self.offered)) {
                Offered::In { .. } => return self.note(at, id),
                Offered::Dropped(cause) => cause,
            }
        };
        assert!(matches!(cause, Drop::Full | Drop::Early), "{cause:?}");
        self.packets.take(id);
        self.refused += 1;
    }

    fn note(&mut self, at: u64, id: PacketId) {
        let transit = self.packets.transit(id);
        self.sent.push((at / US, transit.hash));
        if transit.marks.has(Marks::CONGESTION_EXPERIENCED) {
            self.marked.push(transit.hash);
        }
    }

    fn serve(&mut self, at: u64) {
        let served = self.link.serve(Time(at), &mut self.packets, Order(self.offered));
        while let Some((id, _)) = self.link.take_discarded(Time(at), &self.packets) {
            self.dropped.push((at / US, self.packets.transit(id).hash));
            self.packets.take(id);
        }
        if let Some((id, _)) = served.sent {
            self.note(at, id);
        }
        self.wakes.extend(served.wake.map(|wake| wake.0));
        while let Some(id) =
            self.link.first().filter(|&id| self.packets.transit(id).arrives.0 <= at)
        {
            let arrives = self.packets.transit(id).arrives;
            let (id, _) = self.link.arrive(arrives, &self.packets).expect("it is due");
            self.packets.take(id);
        }
        self.conserves(at);
    }

    pub(in crate::link) fn run_to(&mut self, end: u64) {
        loop {
            self.wakes.sort_unstable();
            match self.wakes.first().copied().filter(|&wake| wake <= end) {
                Some(wake) => {
                    self.wakes.remove(0);
                    self.serve(wake);
                }
                None => return,
            }
        }
    }

    fn conserves(&self, at: u64) {
        let counted = self.link.counters(Time(at), &self.packets);
        let accepted = i128::from(counted.packets_in - counted.refused);
        assert!(counted.wait_sum <= accepted * i128::from(counted.wait_max), "{counted:?}");
        let (packets, bytes) = self.link.inside(&self.packets);
        assert_eq!(counted.packets_in, counted.packets_out + counted.dropped() + packets);
        assert_eq!(counted.bytes_in, counted.bytes_out + counted.bytes_dropped + bytes);
        assert_eq!(packets, self.packets.len() as u64);
    }

    /// Packets of a flow, one each `gap` for a span, all in microseconds.
    pub(in crate::link) fn stream(
        &mut self,
        (from, to): (u64, u64),
        gap: u64,
        packet: (u16, u32, u8),
    ) {
        (from..to)
            .step_by(usize::try_from(gap).unwrap())
            .for_each(|at| self.offer(at * US, packet));
    }

    /// The bytes sent by a flow of small packets beside one of large ones, relative to its; each sends twice what the
    /// link carries.
    pub(in crate::link) fn small_beside_large(queue: QueueSpec) -> f64 {
        let mut bench = Self::new(queue);
        for at in (0..2_000_000).step_by(1000) {
            (0..4).for_each(|_| bench.offer(at * US, (1, 500, 0)));
            (0..3).for_each(|_| bench.offer(at * US, (2, 1000, 0)));
        }
        let bytes =
            |flow: u16, size: usize| bench.sent.iter().filter(|s| s.1 == flow).count() * size;
        bytes(1, 500) as f64 / bytes(2, 1000) as f64
    }
}
