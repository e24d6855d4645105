//! The context that is passed to devices: the clock, the agenda, links, packets and routes, and the
//! counts of each flow.
//!
//! A device reads the clock, sends on links, sets its alarms, drops packets and records what happened. It
//! cannot reach another device: what concerns one goes to the `Network` of the engine, which
//! passes it on.

mod across;
mod bursts;
mod express;
mod flows;
mod frontier;
mod lightpath_transit;
mod shortcuts;
mod traced;

use std::collections::VecDeque;

pub use express::Hop;
pub use flows::NewFlow;
use frontier::Frontier;
pub use frontier::{Note, Parcel, Part};
use kernel::{Agenda, Arena, Order};
use plan::Plan;
use plan::partition::far_links;
use plan::routing::Routing;
use plan::spec::{Change, NodeKind};
use plan::topology::OneWayLink;
use random::Seed;
use random::mix;
use shortcuts::Passing;
use transport::Fault;
use transport::tcp::SackBlocks;
use units::{FlowId, LinkId, NodeId, Rate, Span, Time};

use crate::event::{Event, Life, Packed};
use crate::link::{Drop, Link, Offered};
use crate::optical::Optical;
use crate::packet::{Marks, Packet, PacketId, Packets, Transit};
use crate::record::{FlowCounts, Losses, Synchronization};
use crate::spread::Spread;
use crate::trace::{Cause, Loss, Offer, Trace};

/// What devices share.
#[derive(Debug, Clone)]
pub struct Context {
    /// The clock.
    now: Time,
    /// When measuring begins.
    measured_from: Time,
    /// The pending events.
    agenda: Agenda<Packed>,
    /// All links, by id.
    links: Vec<Link>,
    /// All packets in the network.
    packets: Packets,
    /// SACK blocks of the few packets with any.
    sacks: Arena<SackBlocks>,
    /// Where routers send.
    routing: Routing,
    /// For each flow id: the hash that chooses among equal-cost paths.
    hashes: Vec<u16>,
    /// How the packets of a flow are spread over equal-cost paths.
    spread: Spread,
    /// For each flow id: which of the flows that have used it.
    lives: Vec<Life>,
    /// For each flow id: what was sent, delivered and lost.
    counts: Vec<FlowCounts>,
    /// For each flow id: the congestion window in octets when it last sent, if hosts report it.
    windows: Vec<u64>,
    /// For each flow id: how many octets it has to send in all, if cores are to know: the maximum of the
    /// type until that is known.
    sizes: Option<Vec<u64>>,
    /// Whether hosts report their windows to edge routers, for an assembly policy that needs them
    /// (an oracle).
    reports_windows: bool,
    /// Fibres, and the bursts on them.
    optical: Optical,
    /// What flows share, if it is recorded.
    synchronization: Option<Box<Synchronization>>,
    /// Whether packets are recorded, or there are other parts of the network.
    is_watched: bool,
    /// Packets recorded one by one, if they are.
    trace: Option<Box<Trace>>,
    /// What was lost of each flow, for the record.
    losses: Losses,
    /// Files to be delivered until the run ends early; zero if it does not end early.
    files_awaited: u64,
    /// Why the run cannot go on, if so.
    failure: Option<Box<Failure>>,
    /// What is exchanged with other parts of the network, if there are any.
    frontier: Option<Box<Frontier>>,
    /// A link whose first packet another part enters into the agenda.
    held: Option<LinkId>,
    /// Until then nothing looks at the network between events.
    unseen_until: Time,
    /// Packets whose first bit is on its way to a switch without a queue, but that are on the link behind it already, in
    /// the order in which they will be there.
    passing: VecDeque<Passing>,
    /// When the first of them is there, or [`Time::NEVER`].
    passing_at: Time,
    /// Alarms of this instant that come before all events in the agenda.
    prompt: VecDeque<u32>,
    /// Events of devices that have happened without their own entry in the agenda.
    beside: u64,
}

/// A program of the scenario that cannot go on, and with it the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it controls.
    pub of: Controlled,
    /// When it has failed.
    pub at: Time,
    /// Why.
    pub fault: Fault,
}

/// What a program of the scenario controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controlled {
    /// The window of a flow, by its number in the order of creation and its entry of traffic.
    Window {
        /// The flow.
        flow: u64,
        /// Its entry of traffic.
        traffic: u32,
    },
    /// The assembly queues of a forwarding equivalence class, by its ingress and its egress edge.
    Queues(NodeId, NodeId),
    /// The lightpaths that packets take at a switch.
    Lightpaths(NodeId),
}

/// Where an endpoint of a flow sends its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// A host's link.
    Link(LinkId),
    /// An edge router that is itself the endpoint of the flow, by its number.
    Edge(u32),
}

/// What a device does: it reads the clock, sends, sets alarms, drops packets.
impl Context {
    /// The clock.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Enters an event at `time`, or now if that has passed.
    #[inline]
    pub fn wake(&mut self, time: Time, event: Event) {
        self.agenda.enter(time.max(self.now), event.into());
    }

    /// Reserves a place among the events of an instant for an event that is [entered](Self::enter_as) later.
    #[inline]
    pub fn reserve(&mut self) -> Order {
        self.agenda.reserve()
    }

    /// Enters an event under a reserved place.
    #[inline]
    pub fn enter_as(&mut self, time: Time, order: Order, event: Event) {
        self.agenda.enter_as(time, order, event.into());
    }

    /// Gives events another time, where `to` says one, which is not in the past.
    pub fn reschedule(&mut self, mut to: impl FnMut(Event) -> Option<Time>) {
        self.agenda.reschedule(|event| to(event.event()));
    }

    /// Offers a packet to a link: it enters the queue or is dropped there.
    #[inline(always)]
    pub fn send(&mut self, link: LinkId, id: PacketId) {
        if !self.send_shortly(link, id) {
            let order = self.agenda.reserve();
            self.offer(link, self.now, order, id);
        }
    }

    /// A packet joins the queue of a link at an instant that may have passed, if the link has been busy
    /// since. Its place among others that arrive at the same instant depends only on the link, and so not
    /// on how late it joins.
    #[inline(never)]
    pub fn join(&mut self, link: LinkId, at: Time, id: PacketId) {
        let order = place_of(link);
        if self.join_shortly(link, (at, order), id) {
            return;
        }
        if self.links[link.index()].is_quiet() {
            let bytes = self.packets.transit(id).bytes;
            self.links[link.index()].forget_arrived(self.now, bytes, &self.packets);
        }
        self.offer(link, at, order, id);
    }

    /// Offers a packet to a link at an instant, under a place among others that arrive when it does; to a far one, under
    /// that which the link gives it.
    #[inline(never)]
    fn offer(&mut self, link: LinkId, at: Time, mut order: Order, id: PacketId) {
        let target = &mut self.links[link.index()];
        if target.is_special() {
            if target.is_managed() {
                return self.put(link, at, id);
            }
            order = place_of(link);
        }
        match target.offer(at, &mut self.packets, id, order) {
            Offered::In { first } => {
                if self.is_watched {
                    self.note_taken_in(link, at, id);
                }
                if first {
                    self.arm(link);
                }
            }
            Offered::Dropped(cause) => self.refuse(id, (link, at), Cause::Link(cause)),
        }
    }

    /// A packet is on a link or in its queue: it is recorded, or another part of the network gets it.
    #[cold]
    fn note_taken_in(&mut self, link: LinkId, at: Time, id: PacketId) {
        if self.trace.is_some() {
            self.trace_taken_in(link, at, id);
        }
        self.cross(link, id);
    }

    /// Offers a packet to a link whose queue decides when it leaves.
    #[cold]
    fn put(&mut self, link: LinkId, at: Time, id: PacketId) {
        match self.links[link.index()].put(at, &mut self.packets, id) {
            Ok(cut) => {
                if let Some(cut) = cut {
                    self.note_trimmed(id, cut);
                }
                self.serve(link);
            }
            Err(cause) => self.refuse(id, (link, at), Cause::Link(cause)),
        }
    }

    /// A link whose queue decides when a packet leaves sends the next one, if it is free.
    #[cold]
    pub fn serve(&mut self, link: LinkId) {
        let (now, mut order) = (self.now, self.agenda.reserve());
        let target = &mut self.links[link.index()];
        if target.is_far() {
            order = place_of(link);
        }
        let served = target.serve(now, &mut self.packets, order);
        let cause = Cause::Link(Drop::Early);
        while let Some((id, came)) = self.links[link.index()].take_discarded(now, &self.packets) {
            if self.trace.is_some() {
                self.trace_offer(id, &Offer { link, at: came, burst: None });
            }
            self.lose(id, Loss { link: Some(link), at: now, cause, taken_in: true });
        }
        if let Some((id, came)) = served.sent.filter(|_| self.is_watched) {
            self.note_taken_in(link, came, id);
        }
        if served.first {
            self.arm(link);
        }
        if let Some(at) = served.wake {
            self.wake(at, Event::Serve(link));
        }
    }

    /// Removes a packet that a link, or a switch on the path to it, rejected.
    #[cold]
    pub fn refuse(&mut self, id: PacketId, (link, at): (LinkId, Time), cause: Cause) {
        self.lose(id, Loss { link: Some(link), at, cause, taken_in: false });
    }

    /// Cuts off the data of a packet, so that so many bytes are left.
    #[cold]
    pub fn trim(&mut self, id: PacketId, left: u32) {
        let cut = self.packets.trim(id, left);
        self.note_trimmed(id, cut);
    }

    /// The data of a packet were cut off.
    #[cold]
    fn note_trimmed(&mut self, id: PacketId, cut: u32) {
        let packet = self.packets.look(id);
        let flow = packet.body.flow;
        if let Some(octets) = packet.stream() {
            self.note_lost(flow, octets);
        }
        self.packets.body_mut(id).len_or_sack = 0;
        self.counts[flow.index()].trimmed(&packet, cut, self.measured_from);
    }

    /// Removes a lost packet.
    pub fn lose(&mut self, id: PacketId, loss: Loss) {
        if self.trace.is_some() {
            self.trace_loss(id, loss);
        }
        let packet = self.packets.take(id);
        self.counts[packet.body.flow.index()].lost(&packet, self.measured_from);
        if let Some(octets) = packet.stream() {
            self.note_lost(packet.body.flow, octets);
        }
        self.take_sack(&packet);
    }
}

/// What a device sees.
impl Context {
    /// A link.
    #[inline]
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// The links, by id.
    #[inline]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Counts a packet for which a switch on the path to a link has no room.
    pub fn turn_away(&mut self, link: LinkId, bytes: u32) {
        self.links[link.index()].turn_away(bytes);
    }

    /// What links and routers read of a packet.
    #[inline]
    pub fn transit(&self, id: PacketId) -> &Transit {
        self.packets.transit(id)
    }

    /// All packets in the network.
    #[inline]
    pub fn packets(&self) -> &Packets {
        &self.packets
    }

    /// The same, to link packets that wait together.
    #[inline]
    pub fn packets_mut(&mut self) -> &mut Packets {
        &mut self.packets
    }

    /// Where routers send.
    #[inline]
    pub fn routing(&self) -> &Routing {
        &self.routing
    }

    /// The next link of a packet at a router.
    #[inline(always)]
    pub fn next_link(&self, router: NodeId, id: PacketId) -> LinkId {
        let transit = self.packets.transit(id);
        self.routing.next_link(router, transit.to, || self.spread.key(transit))
    }

    /// One of the links of equal cost on which a packet may leave a router now, each with the same
    /// probability; none if all are busy.
    pub fn free_link(&self, router: NodeId, id: PacketId) -> Option<LinkId> {
        let transit = self.packets.transit(id);
        self.routing.next_link_if(router, transit.to, self.spread.key(transit), |link| {
            let link = self.link(link);
            link.is_up() && link.free_at() <= self.now()
        })
    }

    /// Fibres, and the bursts on them.
    #[inline]
    pub fn optical(&self) -> &Optical {
        &self.optical
    }

    /// The same, for edge routers and for cores that switch bursts.
    #[inline]
    pub fn optical_mut(&mut self) -> &mut Optical {
        &mut self.optical
    }
}

/// What only the world needs.
impl Context {
    /// Whether there are [far links](far_links).
    pub fn has_far_links(&self) -> bool {
        self.links.iter().any(Link::is_far) || self.optical.fibres.iter().any(|fibre| fibre.far)
    }

    /// The links and routes of a plan, or a part of it, at rest.
    pub fn new(plan: &Plan, seed: Seed, part: Option<Part>) -> Self {
        let graph = &plan.graph;
        let first_bit = plan.facts().acts_on_first_bit;
        let far = far_links(plan);
        let links = (0..graph.links.len()).map(LinkId::at).zip(&graph.links).map(|(id, spec)| {
            let of_host = graph.nodes[spec.from.index()].kind == NodeKind::Host;
            let queue = if of_host { spec.queue.of_interface() } else { spec.queue };
            let spec = OneWayLink { queue, ..spec.clone() };
            let link = Link::new(&spec, &graph.link_name(id), seed);
            let link = if far[id.index()] { link.with_distance() } else { link };
            let to_core = graph.nodes[spec.to.index()].kind == NodeKind::Core;
            if first_bit && to_core { link.with_first_bit() } else { link }
        });
        let mut links: Vec<Link> = links.collect();
        let mut optical = Optical::new(plan).with_distances(&far);
        let frontier =
            part.map(|part| Box::new(Frontier::new(part, graph, &mut links, &mut optical)));
        let salt = seed.stream("routing/salt").next_u64();
        let routing = Routing::new(graph, plan.metric, salt);
        let salt = seed.stream("routing/spread").next_u64();
        let spread = Spread::new(plan.spread, plan.flowlet_gap, salt);
        Self {
            measured_from: Time::ZERO + plan.warmup,
            is_watched: frontier.is_some(),
            sizes: plan.facts().reads_sizes.then(Vec::new),
            frontier,
            spread,
            synchronization: plan.synchronization.map(Synchronization::new).map(Box::new),
            ..Self::at_rest(links, routing, optical)
        }
    }

    /// Nothing has happened on these links yet, and all packets of a flow take one path.
    pub fn at_rest(links: Vec<Link>, routing: Routing, optical: Optical) -> Self {
        Self {
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
            sizes: None,
            reports_windows: false,
            optical,
            synchronization: None,
            is_watched: false,
            trace: None,
            losses: Losses::default(),
            files_awaited: 0,
            failure: None,
            frontier: None,
            held: None,
            unseen_until: Time::ZERO,
            passing: VecDeque::new(),
            passing_at: Time::NEVER,
            prompt: VecDeque::new(),
            beside: 0,
        }
    }

    /// Takes the next event up to an instant, and sets the clock.
    #[inline(always)]
    pub fn take_until(&mut self, limit: Time) -> Option<Packed> {
        if self.agenda.next_due() >= self.passing_at {
            self.settle_passing(limit);
        }
        let (time, event) = self.agenda.take_until(limit)?;
        self.now = time;
        Some(event)
    }

    /// Prefetches the links of the next event if that is an arrival.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        let next = self.agenda.peek();
        if let Some((link, out)) = next.both_links() {
            [link, out].iter().filter_map(|at| self.links.get(at.index())).for_each(Link::prefetch);
        } else if let Some(link) = next.arrival() {
            self.links[link.index()].prefetch();
        }
    }

    /// The flow of the packet that is probably delivered by the next event, if that delivers one.
    #[inline]
    pub fn next_delivered(&self) -> Option<FlowId> {
        let packet = self.agenda.peek().packet()?;
        Some(self.packets.body(packet).flow)
    }

    /// Prefetches the count of a flow.
    #[inline]
    pub fn prefetch_count(&self, flow: FlowId) {
        let count = &self.counts[flow.index()];
        kernel::prefetch_whole(count);
    }

    /// Prefetches the packet of the next event if that is an arrival, and says on which link, for a device with much else
    /// in the cache.
    #[inline]
    pub fn prefetch_packet(&self) -> Option<LinkId> {
        let event = self.agenda.peek();
        let (link, packet) = (event.arrival()?, event.packet()?);
        self.packets.prefetch_transit(packet);
        self.packets.prefetch_body(packet);
        Some(link)
    }

    /// The counters of what devices share start here.
    pub fn begin_measuring(&mut self) {
        self.optical.begin_measuring(self.now);
        self.links.iter_mut().for_each(Link::begin_measuring);
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.begin_measuring();
        }
    }

    /// Sets the clock between events, or to the instant of something that happens without an event.
    #[inline]
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// A link, to be changed between events.
    #[inline]
    pub fn link_mut(&mut self, id: LinkId) -> &mut Link {
        &mut self.links[id.index()]
    }

    /// How full the queue of a link is now, in what its limit is in: packets or bytes that wait.
    pub fn filling(&mut self, id: LinkId) -> u64 {
        self.links[id.index()].filling(self.now, &self.packets)
    }

    /// From now on what links decide by chance is drawn anew.
    pub fn branch_links(&mut self, key: u64) {
        for (link, number) in self.links.iter_mut().zip(key..) {
            link.branch(number);
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

    /// Takes the first packet of a quiet link, which arrives at the clock's instant.
    #[inline]
    pub fn arrive_quietly(&mut self, link: LinkId) {
        self.links[link.index()].arrive_quietly(self.now, self.packets.transits());
    }

    /// The first packet of a link is not entered into the agenda until it is [let
    /// go](Self::let_go).
    #[inline]
    pub fn hold(&mut self, link: LinkId) {
        self.held = Some(link);
    }

    /// The first packet of the held link may be entered into the agenda.
    #[inline]
    pub fn let_go(&mut self) {
        self.held = None;
    }

    /// Enters the first packet of a link into the agenda.
    #[inline]
    pub fn arm(&mut self, link: LinkId) {
        if self.held == Some(link) {
            return;
        }
        let (mut entering, links, transits) = self.entering();
        entering.enter_first(link, &links[link.index()], transits);
    }

    /// Removes a packet at its destination.
    #[inline(always)]
    pub fn deliver(&mut self, id: PacketId) -> (Packet, SackBlocks) {
        let packet = self.packets.take(id);
        self.counts[packet.body.flow.index()].delivered(&packet, self.measured_from);
        (packet, self.take_sack(&packet))
    }

    /// Applies a change to a link.
    pub fn change(&mut self, link: LinkId, change: Change) {
        if let Some(fibre) = self.optical.fibre_of(link) {
            return self.optical.change(fibre, self.now, change);
        }
        let (now, agenda, packets) = (self.now, &mut self.agenda, &mut self.packets);
        let target = &mut self.links[link.index()];
        target.take_general_way();
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
        if !self.link(link).is_up() && self.link(link).is_crossed() {
            self.cut_off(link);
        }
        self.trace_change(link);
        if change == Change::Up {
            self.serve(link);
        }
    }
}

/// What hosts do.
impl Context {
    /// Where a node sends the packets of the flows that it is an endpoint of.
    pub fn port(&self, node: NodeId) -> Port {
        match self.optical.edge_of(node) {
            Some(edge) => Port::Edge(edge),
            None => Port::Link(self.routing.first_link(node)),
        }
    }

    /// The bit rate at which a node currently sends the packets of its own flows; for an edge router of
    /// an optical network, the rate of a data channel of its first fibre, or without fibres that of its
    /// first link.
    pub fn rate(&self, node: NodeId) -> Rate {
        let fibre = self.optical.edge_of(node);
        let fibre = fibre.and_then(|_| self.optical.fibres.iter().find(|fibre| fibre.from == node));
        match fibre {
            Some(fibre) => fibre.rate,
            None => self.links[self.routing.first_link(node).index()].rate(),
        }
    }

    /// The links of the first path from a node to another; none if no path is known.
    pub fn first_path(&self, from: NodeId, to: NodeId) -> Option<Vec<&Link>> {
        let (mut at, mut path) = (from, Vec::new());
        while at != to {
            let link = match self.port(at) {
                Port::Link(link) if path.is_empty() => link,
                _ if !self.routing.reaches(at, to) || path.len() > self.links.len() => return None,
                _ => self.routing.next_link(at, to, || 0),
            };
            let link = self.link(link);
            path.push(link);
            at = link.to;
        }
        Some(path)
    }

    /// How long a packet that is sent now waits for the wire.
    #[inline]
    pub fn wait(&self, port: Port) -> Span {
        match port {
            Port::Link(link) => self.links[link.index()].wait_ahead(self.now),
            Port::Edge(_) => Span::ZERO,
        }
    }

    /// Creates a packet, which is sent at a port right away.
    #[inline(always)]
    pub fn enter(&mut self, port: Port, mut packet: Packet, sack: SackBlocks) -> PacketId {
        self.counts[packet.body.flow.index()].sent(&packet, self.measured_from);
        let (flow, marks) = (packet.body.flow, packet.transit.marks);
        let own = self.hashes[flow.index()];
        packet.transit.hash = if marks.has(Marks::SPRAYED) {
            sprayed(own, packet.transit.hash)
        } else {
            self.spread.hash(flow, own, marks, self.now)
        };
        packet.body.waited = u32::try_from(self.wait(port).0 / 1_000).unwrap_or(u32::MAX);
        if !sack.is_empty() {
            packet.transit.marks.0 |= Marks::SACK;
            packet.body.len_or_sack = self.sacks.insert(sack);
        }
        let id = self.packets.insert(packet);
        if self.trace.is_some() {
            self.trace_sending(id);
        }
        id
    }

    #[inline(always)]
    fn take_sack(&mut self, packet: &Packet) -> SackBlocks {
        if packet.transit.marks.has(Marks::SACK) {
            let sack = *self.sacks.get(packet.body.len_or_sack);
            self.sacks.release(packet.body.len_or_sack);
            return sack;
        }
        SackBlocks::default()
    }
}

/// A place among the events of an instant that depends only on a link, ahead of all that are reserved.
#[inline]
fn place_of(link: LinkId) -> Order {
    Order(u64::from(link.0))
}

/// The hash of a packet whose sender has chosen an entropy; `own` is that of its flow.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "any 16 bits of a hash are a hash")]
fn sprayed(own: u16, entropy: u16) -> u16 {
    mix((u64::from(own) << 16 | u64::from(entropy)).wrapping_add(1)) as u16
}
