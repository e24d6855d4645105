//! What devices share: the agenda, the links, the packets, the routes, the counts of each flow.
//!
//! A device is handed the fabric as its context: it may read the clock, send, wake itself and
//! release packets; it cannot reach another device.

mod traced;

use kernel::{Agenda, Arena, Order};
use optics::AssemblyPolicy;
use transport::tcp::SackBlocks;
use units::{FlowId, LinkId, NodeId, Rate, Span, Time};

use crate::anycast::{AnycastSwitches, Picked};
use crate::device::{edge, hybrid};
use crate::event::{Event, Life, Packed};
use crate::hybrid::Hybrids;
use crate::link::{Drop, Link, Offered};
use crate::optical::{BurstId, Lost, Optical};
use crate::packet::{Marks, NO_PACKET, Packet, PacketId, Packets, data_of};
use crate::record::trace::{Cause, Loss, Trace};
use crate::record::{FlowCounts, Losses, Synchronization};
use crate::routing::Routing;
use crate::spec::Change;
use crate::spread::Spread;

/// The shared part of a world.
#[derive(Debug)]
pub struct Fabric {
    /// The clock.
    pub now: Time,
    /// When measuring begins.
    pub measured_from: Time,
    /// What is to happen.
    pub agenda: Agenda<Packed>,
    /// All links, by id.
    pub links: Vec<Link>,
    /// All packets that are somewhere.
    pub packets: Packets,
    /// SACK blocks of the few packets that carry them.
    sacks: Arena<SackBlocks>,
    /// Where routers send.
    pub routing: Routing,
    /// For each flow id: the hash that chooses among equal paths.
    pub hashes: Vec<u16>,
    /// How the packets of a flow are spread over equal paths.
    pub spread: Spread,
    /// For each flow id: which of the flows that had it.
    pub lives: Vec<Life>,
    /// For each flow id: what was sent, delivered and lost.
    pub counts: Vec<FlowCounts>,
    /// For each flow id: the congestion window in octets when it last sent, where hosts tell it.
    pub windows: Vec<u64>,
    /// Whether hosts tell the edge routers their windows: an assembly policy asks for them, which
    /// is an oracle.
    pub tells_windows: bool,
    /// The optical part.
    pub optical: Optical,
    /// The hybrid switches.
    pub hybrids: Hybrids,
    /// The switches that choose among lightpaths.
    pub anycast: AnycastSwitches,
    /// What flows share, where it is recorded.
    pub synchronization: Option<Box<Synchronization>>,
    /// Packets recorded one by one, where they are.
    pub trace: Option<Box<Trace>>,
    /// What was lost of each flow, for the record.
    pub losses: Losses,
    /// Files to be delivered until the run ends before its duration; zero where it does not.
    pub files_awaited: u64,
    /// A link whose first packet the agenda is shown by somebody else.
    held: Option<LinkId>,
}

/// Where the end of a flow hands its packets over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// A host's link.
    Link(LinkId),
    /// An edge router that ends the flow itself, by its number.
    Edge(u32),
}

impl Fabric {
    /// A fabric at rest.
    pub fn new(links: Vec<Link>, routing: Routing, optical: Optical, hybrids: Hybrids) -> Self {
        let spec = optical.rules.as_ref().map(|rules| rules.assembly);
        Self {
            tells_windows: spec.is_some_and(|spec| spec.policy == AssemblyPolicy::WindowAware),
            optical,
            hybrids,
            anycast: AnycastSwitches::default(),
            now: Time::ZERO,
            measured_from: Time::ZERO,
            agenda: Agenda::new(),
            links,
            packets: Packets::default(),
            sacks: Arena::default(),
            routing,
            hashes: Vec::new(),
            spread: Spread::Flow,
            lives: Vec::new(),
            counts: Vec::new(),
            windows: Vec::new(),
            synchronization: None,
            trace: None,
            losses: Losses::default(),
            files_awaited: 0,
            held: None,
        }
    }

    /// Enters an event at `time`, or now when that has passed.
    #[inline]
    pub fn wake(&mut self, time: Time, event: Event) {
        self.agenda.enter(time.max(self.now), event.into());
    }

    /// A file of a flow that is there from the start is delivered.
    pub fn file_delivered(&mut self) {
        if self.files_awaited > 0 {
            self.files_awaited -= 1;
            if self.files_awaited == 0 {
                self.wake(self.now, Event::Stop);
            }
        }
    }

    /// Where a node hands over the packets of the flows that it ends.
    pub fn port(&self, node: NodeId) -> Port {
        match self.optical.edge_of(node) {
            Some(edge) => Port::Edge(edge),
            None => Port::Link(self.routing.first_link(node)),
        }
    }

    /// Bits a second at which a node sends the packets of the flows that it ends, as its link is now;
    /// an edge router of an optical network on a data channel of its first fibre, or without any on its
    /// first link.
    pub fn rate(&self, node: NodeId) -> Rate {
        let fibre = self.optical.edge_of(node);
        let fibre = fibre.and_then(|_| self.optical.fibres.iter().find(|fibre| fibre.from == node));
        match fibre {
            Some(fibre) => fibre.rate,
            None => self.links[self.routing.first_link(node).index()].rate(),
        }
    }

    /// How long a packet that is handed over now waits for the wire.
    #[inline]
    pub fn wait(&self, port: Port) -> Span {
        match port {
            Port::Link(link) => self.links[link.index()].wait_ahead(self.now),
            Port::Edge(_) => Span::ZERO,
        }
    }

    /// Puts a packet into the world and on its first link, or into its assembly queue.
    #[inline]
    pub fn launch(&mut self, port: Port, mut packet: Packet, sack: SackBlocks) {
        self.counts[packet.body.flow.index()].sent(&packet, self.measured_from);
        let (flow, marks) = (packet.body.flow, packet.transit.marks);
        packet.transit.hash = self.spread.hash(flow, self.hashes[flow.index()], marks, self.now);
        packet.body.waited = u32::try_from(self.wait(port).0 / 1_000).unwrap_or(u32::MAX);
        if !sack.is_empty() {
            packet.transit.marks.0 |= Marks::SACK;
            packet.body.len_or_sack = self.sacks.insert(sack);
        }
        let id = self.packets.insert(&packet);
        if self.trace.is_some() {
            self.trace_sending(id);
        }
        match port {
            Port::Link(link) => self.send(link, id),
            Port::Edge(edge) => edge::accept(self, edge, id),
        }
    }

    /// Offers a packet to a link: it enters the queue or is dropped there.
    #[inline]
    pub fn send(&mut self, link: LinkId, id: PacketId) {
        let order = self.agenda.reserve();
        self.offer(link, self.now, order, id);
    }

    /// A packet joins the queue of a link at an instant that may be over, if the link has been busy since.
    /// Its place among others that arrive when it does hangs on the link alone, and so not on how late
    /// it joins.
    #[inline]
    pub fn join(&mut self, link: LinkId, at: Time, id: PacketId) {
        if self.links[link.index()].is_quiet() {
            let bytes = self.packets.transit(id).bytes;
            self.links[link.index()].forget_arrived(self.now, bytes, &self.packets);
        }
        self.offer(link, at, Order(u64::from(link.0)), id);
    }

    /// Offers a packet to a link at an instant, under a place among others that arrive when it does.
    #[inline]
    fn offer(&mut self, link: LinkId, at: Time, order: Order, id: PacketId) {
        match self.links[link.index()].offer(at, &mut self.packets, id, order) {
            Offered::In { first } => {
                if self.trace.is_some() {
                    self.trace_taken_in(link, at, id);
                }
                if first {
                    self.arm(link);
                }
            }
            Offered::Dropped(cause) => self.refuse(id, (link, at), Cause::Link(cause)),
        }
    }

    /// Takes the packet that arrives now at the far end of a link, if one does and it is not lost.
    #[inline(always)]
    pub fn arrive(&mut self, link: LinkId) -> Option<PacketId> {
        let (packet, lost) = self.links[link.index()].arrive(self.now, &self.packets)?;
        self.arm(link);
        if lost {
            let cause = Cause::Link(Drop::Loss);
            self.lose(packet, Loss { link: Some(link), at: self.now, cause, taken_in: true });
            return None;
        }
        Some(packet)
    }

    /// The agenda is not shown the first packet of a link until it is [let go](Self::let_go).
    #[inline]
    pub fn hold(&mut self, link: LinkId) {
        self.held = Some(link);
    }

    /// The first packet of the link that was held is to be shown to the agenda.
    #[inline]
    pub fn let_go(&mut self) {
        self.held = None;
    }

    /// Shows the agenda the first packet of a link.
    #[inline]
    pub fn arm(&mut self, link: LinkId) {
        if self.held == Some(link) {
            return;
        }
        if let Some(first) = self.links[link.index()].first() {
            self.packets.prefetch_body(first);
            let first = self.packets.transit(first);
            // The packet behind is needed when this one arrives: half the time of a hop when many
            // packets are in flight.
            self.packets.prefetch_transit(first.next);
            self.agenda.enter_as(first.arrives, first.order, Event::Arrival(link).into());
        }
    }

    /// Takes a packet out of the world at its destination.
    #[inline(always)]
    pub fn deliver(&mut self, id: PacketId) -> (Packet, SackBlocks) {
        let packet = self.packets.take(id);
        self.counts[packet.body.flow.index()].delivered(&packet, self.measured_from);
        (packet, self.take_sack(&packet))
    }

    /// Takes a lost burst out of the world with all of its packets.
    #[cold]
    pub fn lose_burst(&mut self, id: BurstId, cause: Lost) {
        let optical = &mut self.optical;
        let burst = *optical.bursts.get(id.0);
        let fec = &mut optical.fecs[burst.fec as usize];
        fec.counters_of(&burst).lose(cause, burst.packets);
        // Chance strikes before a burst asks for its first channel.
        if cause != Lost::Random {
            match optical.fibres.get_mut(burst.fibre as usize) {
                Some(fibre) => fibre.lose(&burst),
                None => optical.beside.leave(&burst),
            }
            if let Some(row) = optical.log.reservation(burst.number) {
                row.lost = Some(cause);
            }
        }
        if let Some(row) = optical.log.burst(burst.number) {
            row.lost = Some(cause);
        }
        optical.bursts.release(id.0);
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.lost(burst.fec, burst.number, &self.packets, burst.first);
        }
        let policy = &mut self.optical.fecs[burst.fec as usize].policy;
        if policy.wants_losses() {
            data_of(&self.packets, burst.first).for_each(|flow| policy.on_loss(flow.0));
        }
        let loss = self.loss_of_burst(&burst, Cause::Burst(cause));
        let mut next = burst.first;
        while next != NO_PACKET {
            let packet = next;
            next = self.packets.transit(packet).next;
            self.lose(packet, loss);
        }
    }

    /// Takes a packet out of the world that a link, or a switch on the way to it, would not have.
    #[cold]
    pub fn refuse(&mut self, id: PacketId, (link, at): (LinkId, Time), cause: Cause) {
        self.lose(id, Loss { link: Some(link), at, cause, taken_in: false });
    }

    /// Takes a lost packet out of the world.
    pub fn lose(&mut self, id: PacketId, loss: Loss) {
        if self.trace.is_some() {
            self.trace_loss(id, loss);
        }
        let packet = self.packets.take(id);
        self.counts[packet.body.flow.index()].lost(&packet, self.measured_from);
        if let Some((start, end)) = packet.stream() {
            self.losses.lost(packet.body.flow, start, end);
        }
        self.take_sack(&packet);
    }

    #[inline]
    fn take_sack(&mut self, packet: &Packet) -> SackBlocks {
        if packet.transit.marks.has(Marks::SACK) {
            let sack = *self.sacks.get(packet.body.len_or_sack);
            self.sacks.release(packet.body.len_or_sack);
            return sack;
        }
        SackBlocks::default()
    }

    /// The next link of a packet at a router.
    #[inline(always)]
    pub fn next_link(&self, router: NodeId, id: PacketId) -> LinkId {
        let transit = self.packets.transit(id);
        self.routing.next_link(router, transit.to, self.spread.key(transit))
    }

    /// What a switch that chooses among lightpaths knows of a packet that has come by a link.
    #[inline(always)]
    pub fn picked(&self, node: NodeId, came_by: LinkId, id: PacketId) -> Picked {
        let link = self.next_link(node, id);
        Picked {
            now: self.now,
            input: self.anycast.input_of[came_by.index()],
            output: self.anycast.output_of[link.index()],
            rank: self.routing.rank(node, self.packets.transit(id).to),
        }
    }

    /// Applies a change to a link.
    pub fn change(&mut self, link: LinkId, change: Change) {
        if let Some(fibre) = self.optical.fibre_of(link) {
            return self.optical.change(fibre, self.now, change);
        }
        let (now, agenda, packets) = (self.now, &mut self.agenda, &mut self.packets);
        let target = &mut self.links[link.index()];
        let order = |first: PacketId, packets: &Packets| packets.transit(first).order;
        let before = target.first().map(|first| order(first, packets));
        let lost = match change {
            Change::Down => target.go_down(now, packets),
            Change::Up => {
                target.go_up(now, packets, || agenda.reserve());
                Vec::new()
            }
            Change::Rate { rate } => {
                target.set_rate(now, rate, packets, || agenda.reserve());
                Vec::new()
            }
        };
        if target.is_up() && target.first().map(|first| order(first, packets)) != before {
            self.arm(link);
        }
        let how =
            Loss { link: Some(link), at: now, cause: Cause::Link(Drop::Down), taken_in: true };
        for packet in lost {
            self.lose(packet, how);
        }
        self.trace_change(link);
        // What waits at a hybrid switch for a link that is up again may go.
        if let Some(number) = self.hybrids.number_of(link).filter(|_| change == Change::Up) {
            hybrid::serve(self, number);
        }
    }

    /// The count of a flow.
    pub fn count(&self, flow: FlowId) -> &FlowCounts {
        &self.counts[flow.index()]
    }
}
