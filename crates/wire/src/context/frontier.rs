//! The frontier of a part of the network: what it exchanges with the other parts.
//!
//! A packet on a link to another part is in both: here it takes its place in the queue and on the wire until it arrives,
//! there a copy is on the same link from the next exchange on. The arrival is an event in both, counted there. So it is
//! with a burst and its packets on a fibre, until its header has been processed or its first or last bit arrives.

use std::sync::Arc;

use kernel::Arena;
use plan::partition::Partition;
use plan::topology::Graph;
use transport::tcp::SackBlocks;
use units::{FlowId, LinkId, NodeId, Time};

use super::Context;
use super::bursts::{Flight, event};
use crate::link::Link;
use crate::optical::{Burst, BurstId, Fec, Optical};
use crate::packet::{Marks, NO_PACKET, Packet, PacketId, Packets};
use crate::record::{Resent, Spurious};

/// One part of a partition.
#[derive(Debug, Clone)]
pub struct Part {
    /// The partition.
    pub partition: Arc<Partition>,
    /// The number of the part.
    pub number: u32,
}

/// What a part passes to another one after a lookahead.
#[derive(Debug, Clone, Default)]
pub struct Parcel {
    /// Packets on links between the two.
    packets: Vec<Crossing>,
    /// Bursts on fibres between the two.
    bursts: Vec<(Burst, Flight)>,
    /// The packets of these bursts, one burst after the other.
    cargo: Vec<(Packet, SackBlocks)>,
    /// The classes of bursts that come for the first time, with their numbers here.
    classes: Vec<(u32, Fec)>,
    /// What was lost here of flows whose sources are there.
    lost: Vec<(Time, Note)>,
    /// The sizes of flows whose sinks are there, once they are known.
    pub sizes: Vec<(FlowId, u64)>,
    /// When segments of such flows were sent, by their first octets, if that is observed.
    pub first_sent: Vec<(FlowId, u64, Time)>,
}

/// A packet on a link between two parts.
#[derive(Debug, Clone)]
struct Crossing {
    link: LinkId,
    packet: Packet,
    sack: SackBlocks,
}

/// What decides whether fast retransmits were spurious; it depends on losses in all parts, and is decided late.
#[derive(Debug, Clone, Copy)]
pub enum Note {
    /// Octets of a flow were lost.
    Lost(FlowId, (u64, u64)),
    /// Octets of a flow are sent again.
    Resent(FlowId, Resent),
}

impl Note {
    /// The flow.
    pub fn flow(self) -> FlowId {
        let (Self::Lost(flow, _) | Self::Resent(flow, _)) = self;
        flow
    }
}

/// What is exchanged with the other parts.
#[derive(Debug, Clone)]
pub(super) struct Frontier {
    part: Part,
    /// For each part, what is passed to it next.
    parcels: Vec<Parcel>,
    /// For each flow, the part of its source.
    homes: Vec<u32>,
    /// What happened to flows whose sources are here since the last exchange, in order of time.
    notes: Vec<(Time, Note)>,
    /// When the first of the packets that are passed next arrives.
    earliest: Time,
    /// Packets and bursts that have left, and other events here that count elsewhere.
    crossed: u64,
    /// Bursts that are on fibres to other parts, and their packets.
    leaving: (u64, u64),
    /// By part: the numbers of classes of which it knows.
    told: Vec<Vec<u32>>,
    /// By part: the classes of which it has told, with their numbers there and here.
    learnt: Vec<Vec<(u32, u32)>>,
}

impl Frontier {
    /// Nothing has crossed yet the links of a graph, of which those between two parts are marked.
    pub(super) fn new(
        part: Part,
        graph: &Graph,
        links: &mut [Link],
        optical: &mut Optical,
    ) -> Self {
        let (count, of) = (part.partition.count(), |node| part.partition.part(node));
        for (spec, link) in graph.links.iter().zip(links) {
            if of(spec.from) != of(spec.to) {
                link.cut();
            }
        }
        for fibre in &mut optical.fibres {
            fibre.cut = of(fibre.from) == part.number && of(fibre.to) != part.number;
        }
        let parcels = (0..count).map(|_| Parcel::default()).collect();
        let (homes, notes) = (Vec::new(), Vec::new());
        Self {
            part,
            parcels,
            homes,
            notes,
            earliest: Time::NEVER,
            crossed: 0,
            leaving: (0, 0),
            told: vec![Vec::new(); count],
            learnt: vec![Vec::new(); count],
        }
    }

    /// A flow takes an id.
    pub(super) fn begin(&mut self, id: FlowId, from: NodeId) {
        if self.homes.len() <= id.index() {
            self.homes.resize(id.index() + 1, 0);
        }
        self.homes[id.index()] = self.part.partition.part(from);
    }

    /// Whether another part does not know of a class yet; from now on it does.
    fn is_news(&mut self, to: NodeId, class: u32) -> bool {
        let told = &mut self.told[self.part.partition.part(to) as usize];
        told.binary_search(&class).map_err(|at| told.insert(at, class)).is_err()
    }

    /// What is passed to the part of a node next.
    fn parcel_to(&mut self, node: NodeId) -> &mut Parcel {
        &mut self.parcels[self.part.partition.part(node) as usize]
    }
}

impl Context {
    /// The part of the network that is simulated here; none if it is all.
    pub fn part(&self) -> Option<&Part> {
        self.frontier.as_ref().map(|frontier| &frontier.part)
    }

    /// Whether a node is simulated here.
    #[inline]
    pub fn is_here(&self, node: NodeId) -> bool {
        self.part().is_none_or(|part| part.partition.part(node) == part.number)
    }

    /// Whether a link starts here.
    pub fn has(&self, link: LinkId) -> bool {
        self.part().is_none_or(|part| part.partition.part_of(link) == part.number)
    }

    /// Whether the sink of a flow is here and its source is not.
    pub fn is_cut_off(&self, from: NodeId, to: NodeId) -> bool {
        self.is_here(to) && !self.is_here(from)
    }

    /// A packet is on a link; if that leads to another part, a copy is passed to it.
    #[cold]
    pub(super) fn cross(&mut self, link: LinkId, id: PacketId) {
        let target = &self.links[link.index()];
        let Some(frontier) = self.frontier.as_mut().filter(|_| target.is_cut()) else { return };
        let (packet, sack) = copy_of(&self.packets, &self.sacks, id);
        frontier.earliest = frontier.earliest.min(packet.transit.arrives);
        frontier.parcel_to(target.to).packets.push(Crossing { link, packet, sack });
    }

    /// A burst is on a fibre that leads to another part: a copy is passed to it.
    #[cold]
    pub(super) fn cross_in_burst(&mut self, id: BurstId, flight: Flight) {
        let Some(frontier) = &mut self.frontier else { return };
        let burst = *self.optical.bursts.get(id.0);
        let to = self.optical.fibres[burst.fibre as usize].to;
        if frontier.is_news(to, burst.fec) {
            let fec = self.optical.fecs[burst.fec].abroad();
            frontier.parcel_to(to).classes.push((burst.fec, fec));
        }
        frontier.leaving.0 += 1;
        frontier.leaving.1 += u64::from(burst.packets);
        let parcel = frontier.parcel_to(to);
        parcel.bursts.push((burst, flight));
        let mut next = burst.first;
        while next != NO_PACKET {
            let packet = copy_of(&self.packets, &self.sacks, next);
            next = packet.0.transit.next;
            parcel.cargo.push(packet);
        }
    }

    /// Whether what happens next to a burst happens in another part.
    #[inline]
    pub fn leaves(&self, id: BurstId) -> bool {
        self.frontier.is_some() && {
            let fibre = self.optical.bursts.get(id.0).fibre;
            self.optical.fibres.get(fibre as usize).is_some_and(|fibre| fibre.cut)
        }
    }

    /// A burst has arrived in another part, where that is counted.
    #[cold]
    pub fn forget_burst(&mut self, id: BurstId) {
        let burst = *self.optical.bursts.get(id.0);
        self.optical.fibres[burst.fibre as usize].leave(self.now, &burst);
        self.optical.bursts.release(id.0);
        let mut next = burst.first;
        while next != NO_PACKET {
            let packet = self.packets.take(next);
            next = packet.transit.next;
            self.take_sack(&packet);
        }
        let frontier = self.frontier.as_mut().expect("the node is in another part");
        frontier.crossed += 1;
        frontier.leaving.0 -= 1;
        frontier.leaving.1 -= u64::from(burst.packets);
    }

    /// Bursts that are on fibres to other parts, which have copies of them, and their packets.
    pub fn leaving(&self) -> (u64, u64) {
        self.frontier.as_ref().map_or((0, 0), |frontier| frontier.leaving)
    }

    /// A packet has arrived in another part.
    #[cold]
    pub fn forget(&mut self, id: PacketId) {
        let packet = self.packets.take(id);
        self.take_sack(&packet);
        self.frontier.as_mut().expect("the node is in another part").crossed += 1;
    }

    /// Packets and bursts that have left for other parts, where their arrivals are counted, and what all parts know of.
    pub fn crossed(&self) -> u64 {
        self.frontier.as_ref().map_or(0, |frontier| frontier.crossed)
    }

    /// An event happens in all parts: it counts in the first.
    pub fn note_everywhere(&mut self) {
        if let Some(frontier) = self.frontier.as_mut().filter(|frontier| frontier.part.number > 0) {
            frontier.crossed += 1;
        }
    }

    /// The network has lost octets of a flow.
    pub(super) fn note_lost(&mut self, flow: FlowId, octets: (u64, u64)) {
        let Some(frontier) = &mut self.frontier else {
            return self.losses.lost(flow, octets.0, octets.1);
        };
        let home = frontier.homes[flow.index()];
        let notes = if home == frontier.part.number {
            &mut frontier.notes
        } else {
            &mut frontier.parcels[home as usize].lost
        };
        notes.push((self.now, Note::Lost(flow, octets)));
    }

    /// Octets of a flow are sent again: it is decided whether that was spurious, now or at the next exchange.
    pub fn note_resent(&mut self, flow: FlowId, spurious: &mut Spurious, resent: Resent) {
        match &mut self.frontier {
            None => spurious.resent(&mut self.losses, flow, resent),
            Some(frontier) => frontier.notes.push((self.now, Note::Resent(flow, resent))),
        }
    }

    /// The part that has the sink of a flow learns its size, if it is another one.
    pub(super) fn pass_size(&mut self, flow: FlowId, to: NodeId, bytes: u64) {
        if !self.is_here(to)
            && let Some(frontier) = &mut self.frontier
        {
            frontier.parcel_to(to).sizes.push((flow, bytes));
        }
    }

    /// The other part that has the sink of a flow learns when a segment was sent.
    pub fn pass_first_sent(&mut self, flow: FlowId, to: NodeId, (seq, first_bit): (u64, Time)) {
        if let Some(frontier) = &mut self.frontier {
            frontier.parcel_to(to).first_sent.push((flow, seq, first_bit));
        }
    }

    /// What is passed to another part; its place is taken by an empty parcel.
    pub fn hand_over(&mut self, to: usize, empty: &mut Parcel) {
        if let Some(frontier) = &mut self.frontier {
            std::mem::swap(&mut frontier.parcels[to], empty);
        }
    }

    /// The next event that is known of, in this part or of a packet that it passes; the latter are passed now.
    pub fn horizon(&mut self) -> Time {
        let next = self.agenda.next_time().unwrap_or(Time::NEVER);
        let leaving = self
            .frontier
            .as_mut()
            .map_or(Time::NEVER, |frontier| std::mem::replace(&mut frontier.earliest, Time::NEVER));
        next.min(leaving)
    }

    /// Takes what another part has passed, by its number, apart from what flows are to learn.
    pub fn receive(&mut self, from: usize, parcel: &mut Parcel) {
        self.receive_bursts(from, parcel);
        for Crossing { link, packet, sack } in parcel.packets.drain(..) {
            let id = take_in(&mut self.packets, &mut self.sacks, (packet, sack));
            if self.links[link.index()].bring(&mut self.packets, id) {
                self.arm(link);
            }
        }
        if let Some(frontier) = &mut self.frontier {
            frontier.notes.append(&mut parcel.lost);
        }
    }

    /// Takes the bursts that another part has passed.
    fn receive_bursts(&mut self, from: usize, parcel: &mut Parcel) {
        let Some(frontier) = &mut self.frontier else { return };
        let learnt = &mut frontier.learnt[from];
        for (class, fec) in parcel.classes.drain(..) {
            let at = learnt.partition_point(|&(there, _)| there < class);
            learnt.insert(at, (class, self.optical.fecs.learn(fec)));
        }
        let mut cargo = parcel.cargo.drain(..);
        for (mut burst, Flight { at, order, what }) in parcel.bursts.drain(..) {
            let known = learnt.binary_search_by_key(&burst.fec, |&(there, _)| there);
            burst.fec = learnt[known.expect("its part has told of it")].1;
            burst.first = NO_PACKET;
            let mut last = NO_PACKET;
            for (mut packet, sack) in cargo.by_ref().take(burst.packets as usize) {
                packet.transit.next = NO_PACKET;
                let id = take_in(&mut self.packets, &mut self.sacks, (packet, sack));
                if last == NO_PACKET {
                    burst.first = id;
                } else {
                    self.packets.transit_mut(last).next = id;
                }
                last = id;
            }
            let id = BurstId(self.optical.bursts.insert(burst));
            self.agenda.enter_as(at, order, event(id, what).into());
        }
    }

    /// What has been noted here and in other parts, in order of time.
    pub fn take_notes(&mut self) -> Vec<(Time, Note)> {
        let notes = self.frontier.as_mut().map(|frontier| std::mem::take(&mut frontier.notes));
        let mut notes = notes.unwrap_or_default();
        notes.sort_by_key(|&(time, _)| time);
        notes
    }

    /// Takes account of a note; `spurious` is that of its flow.
    pub fn settle(&mut self, note: Note, spurious: &mut Spurious) {
        match note {
            Note::Lost(flow, (start, end)) => self.losses.lost(flow, start, end),
            Note::Resent(flow, resent) => spurious.resent(&mut self.losses, flow, resent),
        }
    }

    /// Adds what another part has counted.
    pub fn absorb(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.plus(more);
        }
        let failures = [&self.failure, &other.failure].map(|failure| failure.as_ref());
        let first = failures.into_iter().flatten().min_by_key(|failure| failure.at);
        self.failure = first.cloned();
    }
}

/// A packet with its SACK blocks, none if it has none.
fn copy_of(packets: &Packets, sacks: &Arena<SackBlocks>, id: PacketId) -> (Packet, SackBlocks) {
    let packet = packets.look(id);
    let has_sack = packet.transit.marks.has(Marks::SACK);
    (packet, if has_sack { *sacks.get(packet.body.len_or_sack) } else { SackBlocks::NONE })
}

/// Adds a packet from another part with its SACK blocks.
fn take_in(
    packets: &mut Packets,
    sacks: &mut Arena<SackBlocks>,
    (mut packet, sack): (Packet, SackBlocks),
) -> PacketId {
    if packet.transit.marks.has(Marks::SACK) {
        packet.body.len_or_sack = sacks.insert(sack);
    }
    packets.insert(packet)
}
