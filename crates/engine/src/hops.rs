//! The workload `hops`: packets without end in a fat tree, no transport, no statistics of flows.
//!
//! It measures only the engine: agenda, links, routers. A host that receives a packet sends it at
//! once to another host, so the number of packets in flight is constant.

use plan::routing::Routing;
use plan::shapes::FatTree;
use plan::spec::{LinkSpec, Metric, NodeKind, QueueSpec};
use plan::topology::Graph;
use random::Seed;
use random::mix;
use transport::tcp::{Flags, SackBlocks, Segment};
use units::{FlowId, NodeId, Rate, Span, Time};
use wire::context::{Context, Hop, NewFlow, Port};
use wire::event::{Event, Life};
use wire::link::Link;
use wire::optical::Optical;
use wire::packet::Packet;

/// Bytes of each packet.
const BYTES: u32 = 1_500;
/// The flows that they belong to: one for each hash that chooses among equal-cost paths.
const FLOWS: u16 = 1_024;

/// Packets without end in a fat tree of 128 hosts.
#[derive(Debug)]
pub struct Hops {
    context: Context,
    hosts: Vec<NodeId>,
    draws: u64,
    packets: u32,
    started: u32,
    events: u64,
}

impl Hops {
    /// `packets` in flight over 100 Gb/s links of 20 µs (4 km of fibre), unlimited queues.
    pub fn new(packets: u32) -> Self {
        let queue = QueueSpec::packets(u32::MAX);
        let link = LinkSpec {
            rate: Rate(100_000_000_000),
            delay: Some(Span::from_us(20)),
            length: None,
            delay_per_km: None,
            queue: Some(queue),
            loss: None,
            lightpaths: None,
        };
        let mut graph = Graph::new(&FatTree { k: 8, link }, queue, NodeKind::Router);
        for (at, link) in (0u64..).zip(&mut graph.links) {
            // Fibres differ: with equal ones all packets would be synchronized.
            link.delay += Span(mix(at) % 1_000_000);
        }
        let seed = Seed(1);
        let links = graph.links.iter().map(|link| Link::new(link, "hops", seed)).collect();
        let routing = Routing::new(&graph, Metric::Hops, 1);
        let mut context = Context::at_rest(links, routing, Optical::none(&graph));
        let hosts: Vec<NodeId> = graph.hosts().collect();
        for hash in 0..FLOWS {
            let (from, to) = (hosts[0], hosts[1]);
            let flow = NewFlow { number: 0, life: Life::default(), traffic: 0, from, to, hash };
            context.begin_flow(FlowId(u32::from(hash)), flow);
        }
        context.take_shortest_way(|node| graph.nodes[node.index()].kind != NodeKind::Host);
        let mut hops = Self { context, hosts, draws: 0, packets, started: 0, events: 0 };
        for host in 0..u32::try_from(hops.hosts.len()).expect("128 hosts") {
            hops.context.wake(Time::ZERO, Event::Transfer(host));
        }
        hops
    }

    /// A host creates another packet, not synchronized with the others.
    fn start(&mut self, host: u32) {
        if self.started < self.packets {
            self.started += 1;
            self.launch(self.hosts[host as usize]);
            let gap = Span(mix(u64::from(self.started)) % 2_000_000);
            self.context.wake(self.context.now() + gap, Event::Transfer(host));
        }
    }

    /// Sends a packet from a host to another.
    fn launch(&mut self, from: NodeId) {
        self.draws += 1;
        let hash = mix(self.draws);
        let pick = |n: usize| usize::try_from(((hash >> 32) * n as u64) >> 32).expect("below n");
        let mut to = self.hosts[pick(self.hosts.len())];
        if to == from {
            to = self.hosts[(pick(self.hosts.len()) + 1) % self.hosts.len()];
        }
        let flow = FlowId::at(pick(usize::from(FLOWS)));
        let datagram = Segment { len: BYTES, ..Segment::empty(self.context.now(), Flags::NONE) };
        let packet = Packet::of_segment(&datagram, flow, to, BYTES);
        let link = self.context.routing().first_link(from);
        let id = self.context.enter(Port::Link(link), packet, SackBlocks::default());
        self.context.send(link, id);
    }

    /// Executes this number of events.
    pub fn advance(&mut self, events: u64) {
        for _ in 0..events {
            let Some(event) = self.context.take_until(Time::NEVER) else { return };
            self.events += 1;
            let out = event.both_links().map(|(_, out)| out);
            let link = match event.event() {
                Event::Arrival(link) => link,
                Event::Transfer(host) => {
                    self.start(host);
                    continue;
                }
                _ => continue,
            };
            match self.context.hop(link, out, false) {
                Hop::At(node, packet) => {
                    self.context.deliver(packet);
                    self.launch(node);
                }
                Hop::Done => {}
                Hop::All | Hop::Forward(..) => unreachable!("all links are plain, without limits"),
            }
        }
    }

    /// Packets that crossed a link.
    pub fn packet_hops(&self) -> u64 {
        self.context.links().iter().map(Link::packets_out).sum()
    }

    /// Packets that reached a host.
    pub fn delivered(&self) -> u64 {
        self.context.counts().iter().map(|count| count.delivered[0].packets).sum()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.context.now()
    }
}
