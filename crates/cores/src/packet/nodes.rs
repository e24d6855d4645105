//! The nodes of a packet-switched network, and which fibres an optical packet may take at them.

use optics::{AbstractPath, Deflection, Loops, PacketCoreSpec, PacketSwitch, WhenBusy};
use plan::Plan;
use random::{Seed, Stream};
use units::NodeId;
use wire::optical::{BurstId, Fibre, NONE, Optical};

use super::ports::Ports;
use super::visited_nodes::Trails;

/// A node of a packet-switched network.
#[derive(Debug, Clone)]
pub(super) struct PacketNode {
    /// Its remedies against contention.
    pub(super) switch: PacketSwitch,
    /// Draws in which order ports are tried.
    pub(super) order: Stream,
}

/// The nodes of a packet-switched network: its core routers, and its edge routers for packets that they
/// release and transit packets.
#[derive(Debug, Clone)]
pub struct PacketSwitches {
    pub(super) core: PacketCoreSpec,
    /// What happens to an optical packet for which no channel is free at its ingress edge.
    pub(super) when_busy: WhenBusy,
    nodes: Vec<PacketNode>,
    /// For each node of the graph: its number in `nodes`, or [`NONE`].
    node_of: Vec<u32>,
    /// Where deflected optical packets may go.
    pub(super) ports: Ports,
    /// Where optical packets have been, if that matters.
    pub(super) trails: Option<Trails>,
    /// Whether no optical packet goes back over the link on which it arrived.
    no_return: bool,
    /// The ports being examined, kept to reuse their memory.
    pub(super) scratch: Vec<u32>,
    /// By class: the abstract deflection path, created when the first optical packet is launched.
    beside: Vec<Option<AbstractPath>>,
    /// Names the random streams of these paths.
    seed: Seed,
    /// For each node of the graph: its name, which names them too.
    names: Vec<String>,
}

impl PacketSwitches {
    /// The nodes of a plan, without packets.
    pub fn new(core: &PacketCoreSpec, plan: &Plan, seed: Seed) -> Self {
        let loops = match core.deflection {
            Some(Deflection::Ports { loops, .. }) => loops,
            Some(Deflection::Abstract { .. }) | None => Loops::default(),
        };
        let (graph, count) = (&plan.graph, plan.graph.nodes.len());
        let returns = loops == Loops::Allowed;
        let mut cores = Self {
            core: core.clone(),
            when_busy: plan.optical.as_ref().map(|o| o.assembly.when_busy).unwrap_or_default(),
            nodes: Vec::new(),
            node_of: vec![NONE; count],
            ports: Ports::new(plan.metric, returns, count, graph.edges().count()),
            trails: (loops == Loops::Loopless).then(Trails::default),
            no_return: loops == Loops::NoReturn,
            scratch: Vec::new(),
            beside: Vec::new(),
            seed,
            names: graph.nodes.iter().map(|node| node.name.clone()).collect(),
        };
        for (at, node) in graph.nodes.iter().enumerate() {
            if node.kind.is_optical() {
                cores.node_of[at] = u32::try_from(cores.nodes.len()).expect("ids have 32 bits");
                let order = seed.stream(&format!("ports/{}", node.name));
                cores.nodes.push(PacketNode { switch: PacketSwitch::new(core), order });
            }
        }
        cores
    }

    /// The node at a node of the graph.
    pub(super) fn at(&self, node: NodeId) -> &PacketNode {
        &self.nodes[self.node_of[node.index()] as usize]
    }

    /// The same, mutable.
    pub(super) fn at_mut(&mut self, node: NodeId) -> &mut PacketNode {
        &mut self.nodes[self.node_of[node.index()] as usize]
    }

    /// Whether an optical packet from `before` would return to where it has been, in a way that is
    /// excluded.
    fn loops(&self, id: BurstId, before: Option<NodeId>, fibre: &Fibre) -> bool {
        let returns = self.no_return && before == Some(fibre.to);
        returns || self.trails.as_ref().is_some_and(|trails| trails.has(id, fibre.to))
    }

    /// The fibre that an optical packet requests first at a node, arriving from `before`: that of its
    /// class's path, or once deflected the permitted one over which its egress is nearest.
    pub(super) fn shortest_way(
        &mut self,
        optical: &Optical,
        (node, before): (NodeId, Option<NodeId>),
        id: BurstId,
    ) -> u32 {
        let burst = optical.bursts.get(id.0);
        if burst.deflections == 0 {
            return optical.fecs[burst.fec].path[usize::from(burst.hop)];
        }
        let egress = optical.egress_of(id);
        self.ports.know(&optical.fibres, egress);
        let ports = self.ports.of(node, egress.0);
        let may = |&&port: &&u32| !self.loops(id, before, &optical.fibres[port as usize]);
        *ports.iter().find(may).unwrap_or(&ports[0])
    }

    /// Whether an optical packet from `before` may take a fibre: the fibre is up, and the packet
    /// does not return to where it has been, if that matters.
    pub(super) fn is_open(&self, id: BurstId, before: Option<NodeId>, fibre: &Fibre) -> bool {
        fibre.up && !self.loops(id, before, fibre)
    }

    /// The abstract deflection path of a class, where the core has such paths.
    pub(super) fn beside(&mut self, optical: &Optical, class: u32) -> Option<&mut AbstractPath> {
        let at = class as usize;
        let Some(Deflection::Abstract { mean, deviation, hold, congestion }) = self.core.deflection
        else {
            return None;
        };
        if self.beside.len() <= at {
            self.beside.resize_with(at + 1, || None);
        }
        let (names, seed) = (&self.names, self.seed);
        Some(self.beside[at].get_or_insert_with(|| {
            let fec = &optical.fecs[class];
            let (from, to) = (&names[fec.ingress.index()], &names[fec.egress.index()]);
            let stream = |what| seed.stream(&format!("fec/{from}/{to}/{what}"));
            let streams = (stream("deflection-cost"), stream("congestion"));
            AbstractPath::new((mean, deviation), hold, congestion, streams)
        }))
    }
}
