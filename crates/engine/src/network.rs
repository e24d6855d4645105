//! The network: the devices at the nodes, and the only place that passes packets and bursts from
//! device to device.
//!
//! A device acts on the [`Context`]. What concerns another device is passed back to here: an
//! [edge](cores::edge) passes back each burst that it releases, and the [cores](Cores) launch it.

use std::ops::{Deref, DerefMut};

use cores::edge::Edges;
use cores::{BurstCore, BurstCores, Core, Cores, Device, Place, Signal};
use plan::Plan;
use plan::partition::Partition;
use plan::spec::Change;
use random::Seed;
use transport::tcp::SackBlocks;
use units::{FlowId, LinkId, NodeId, Span};
use wire::context::{Context, Part, Port};
use wire::event::{BurstInstant, Event, Life};
use wire::optical::BurstId;
use wire::packet::{Packet, PacketId};

use crate::credit_scheduler::Turns;

/// Why there is something that switches bursts.
const EDGES: &str = "bursts come from edges, and with them there are cores for them";

/// The devices at the nodes, with the context that they share.
#[derive(Debug, Clone)]
pub struct Network {
    context: Context,
    /// The device at each node, if that is not in another part of the network.
    devices: Vec<Option<Device>>,
    edges: Option<Edges>,
    cores: Cores,
    /// What switches bursts, in a network with edges.
    bursts: Option<BurstCores>,
    /// The turns of receivers that grant credit.
    turns: Turns,
}

impl Deref for Network {
    type Target = Context;

    #[inline]
    fn deref(&self) -> &Context {
        &self.context
    }
}

impl DerefMut for Network {
    #[inline]
    fn deref_mut(&mut self) -> &mut Context {
        &mut self.context
    }
}

impl Network {
    /// The network of a plan, or a part of it, at rest.
    pub fn new(plan: &Plan, seed: Seed, part: Option<Part>) -> Self {
        let mut context = Context::new(plan, seed, part);
        let edges = Edges::new(plan, seed);
        if let Some(edges) = &edges {
            edges.ask_oracles(&mut context);
        }
        let devices = Device::all(&plan.graph).into_iter().enumerate();
        let here = |at: usize| context.is_here(NodeId::at(at));
        let devices = devices.map(|(at, device)| here(at).then_some(device)).collect();
        let (cores, bursts) = cores::build(plan, seed);
        Self { context, devices, edges, cores, bursts, turns: Turns::default() }
    }

    /// The device at a node; none if that is in another part of the network.
    #[inline]
    pub fn device(&self, node: NodeId) -> Option<Device> {
        self.devices[node.index()]
    }

    /// From now on packets may take the shortest way through routers.
    pub fn take_shortest_way(&mut self) {
        let devices = &self.devices;
        self.context.take_shortest_way(|node| devices[node.index()] == Some(Device::Router));
    }

    /// The core nodes that switch packets one by one.
    pub fn cores(&self) -> &Cores {
        &self.cores
    }

    /// The core nodes of a network with edges.
    pub fn burst_cores(&self) -> Option<&BurstCores> {
        self.bursts.as_ref()
    }

    /// The edge routers, if there are any.
    pub fn edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// Creates a packet on its first link or in its assembly queue.
    #[inline(always)]
    pub fn launch(&mut self, port: Port, packet: Packet, sack: SackBlocks) {
        let id = self.context.enter(port, packet, sack);
        match port {
            Port::Link(link) => self.context.send(link, id),
            Port::Edge(edge) => self.accept(edge, id),
        }
    }

    /// A packet is at an edge router, to be forwarded.
    #[inline(never)]
    pub fn accept(&mut self, edge: u32, packet: PacketId) {
        let edges = self.edges.as_mut().expect("an edge router is among the edges");
        let cores = self.bursts.as_mut().expect(EDGES);
        edges
            .accept(&mut self.context, edge, packet, |context, burst| cores.launch(context, burst));
    }

    /// What the core signals now to the sender of a flow, which sends from a port.
    pub fn signal(&self, port: Port, ends: (NodeId, NodeId)) -> Option<Signal> {
        let Port::Link(link) = port else { return None };
        self.cores.signal(self.context.now(), ends, self.context.link(link).delay())
    }

    /// The receiver of a flow at a host wants credit.
    pub fn want_credit(&mut self, at: NodeId, flow: (FlowId, Life)) {
        if let Some(time) = self.turns.enter(at, flow) {
            self.context.wake(time, Event::Credit(at));
        }
    }

    /// The flow whose receiver at a host is granted credit now.
    pub fn take_turn(&mut self, at: NodeId) -> Option<(FlowId, Life)> {
        self.turns.take(at)
    }

    /// The packet for which a receiver at a host was granted credit takes so long to come.
    pub fn end_turn(&mut self, at: NodeId, took: Span) {
        if let Some(time) = self.turns.end(at, self.context.now(), took) {
            self.context.wake(time, Event::Credit(at));
        }
    }

    /// The timer of an assembly queue of a class may be due.
    pub fn on_timer(&mut self, class: u32, queue: u32) {
        let edges = self.edges.as_mut().expect("an edge router has asked for it");
        if let Some(burst) = edges.on_timer(&mut self.context, class, queue) {
            self.bursts.as_mut().expect(EDGES).launch(&mut self.context, burst);
        }
    }

    /// A packet is at a core.
    #[inline(always)]
    pub fn at_core(&mut self, at: Place, packet: PacketId) {
        self.cores.on_packet(&mut self.context, at, packet);
    }

    /// A burst, or its header, is at a node that switches it.
    #[inline]
    pub fn on_burst(&mut self, id: BurstId, instant: BurstInstant) {
        if instant != BurstInstant::HeaderDue && self.context.leaves(id) {
            return self.context.forget_burst(id);
        }
        self.bursts.as_mut().expect(EDGES).on_burst(&mut self.context, id, instant);
    }

    /// The alarm of a core is due.
    #[inline]
    pub fn on_alarm(&mut self, number: u32) {
        self.cores.on_alarm(&mut self.context, number);
    }

    /// Applies a change to a link.
    pub fn change(&mut self, link: LinkId, change: Change) {
        self.context.change(link, change);
        match change {
            Change::Up => self.cores.on_link_up(&mut self.context, link),
            Change::Down | Change::Rate { .. } => {}
        }
    }

    /// Does deferred work of cores before an observation.
    pub fn catch_up(&mut self) {
        self.cores.catch_up(&mut self.context);
    }

    /// The measured counters start here.
    pub fn begin_measuring(&mut self) {
        self.context.begin_measuring();
        self.cores.begin_measuring();
    }

    /// Takes what another part of the network, by its number, has counted.
    pub fn absorb(&mut self, other: &mut Self, partition: &Partition, number: u32) {
        self.context.absorb(&other.context);
        let is_there = |node| partition.part(node) == number;
        self.context.optical_mut().absorb(other.context.optical_mut(), is_there);
        if let (Some(edges), Some(more)) = (&mut self.edges, &mut other.edges) {
            edges.absorb(more);
        }
    }

    /// Packets that are not on a link.
    pub fn inside(&self) -> u64 {
        let waiting = self.edges.as_ref().map_or(0, Edges::inside);
        self.context.optical().inside() + waiting + self.cores.inside()
    }
}
