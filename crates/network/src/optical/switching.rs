//! The nodes of a packet-switched network, and which fibres an optical packet may take at them.

use optics::{Deflection, Loops, PacketCoreSpec, PacketSwitch};
use random::{Seed, Stream};
use units::{NodeId, Span};

use super::ports::Ports;
use super::trails::Trails;
use super::{BurstId, Fibre, NONE, Optical};
use crate::plan::Plan;
use crate::spec::NodeKind;

/// A node of a packet-switched network.
#[derive(Debug)]
pub struct PacketNode {
    /// Its means against contention.
    pub switch: PacketSwitch,
    /// Draws in which order ports are tried.
    pub order: Stream,
}

/// What a packet-switched network has beside edges and fibres.
#[derive(Debug, Default)]
pub struct Switching {
    /// The nodes that switch: core and edge routers.
    nodes: Vec<PacketNode>,
    /// For each node of the graph: its number in `nodes`, or [`NONE`].
    node_of: Vec<u32>,
    /// Where deflected optical packets may go.
    pub ports: Ports,
    /// Where optical packets have been, if that matters.
    pub trails: Option<Trails>,
    /// Whether no optical packet goes back over the link on which it came.
    no_return: bool,
    /// Ports that are looked at, kept for their memory.
    pub scratch: Vec<u32>,
}

impl Switching {
    /// The nodes of a plan, with nothing on its way.
    pub fn new(core: &PacketCoreSpec, plan: &Plan, edges: usize, seed: Seed) -> Self {
        let loops = match core.deflection {
            Some(Deflection::Ports { loops, .. }) => loops,
            _ => Loops::default(),
        };
        let count = plan.graph.nodes.len();
        let mut switching = Self {
            node_of: vec![NONE; count],
            ports: Ports::new(plan.metric, loops == Loops::Allowed, count, edges),
            trails: (loops == Loops::Loopless).then(Trails::default),
            no_return: loops == Loops::NoReturn,
            ..Self::default()
        };
        for (at, node) in plan.graph.nodes.iter().enumerate() {
            if matches!(node.kind, NodeKind::Edge | NodeKind::Core) {
                switching.node_of[at] = super::number(switching.nodes.len());
                let order = seed.stream(&format!("ports/{}", node.name));
                switching.nodes.push(PacketNode { switch: PacketSwitch::new(core), order });
            }
        }
        switching
    }

    /// The node that stands at a node of the graph.
    pub fn at(&self, node: NodeId) -> &PacketNode {
        &self.nodes[self.node_of[node.index()] as usize]
    }

    /// The same, to be changed.
    pub fn at_mut(&mut self, node: NodeId) -> &mut PacketNode {
        &mut self.nodes[self.node_of[node.index()] as usize]
    }

    /// Whether an optical packet that came from `before` would come again to where it has been, in a
    /// way that is excluded.
    fn loops(&self, id: BurstId, before: Option<NodeId>, fibre: &Fibre) -> bool {
        let returns = self.no_return && before == Some(fibre.to);
        returns || self.trails.as_ref().is_some_and(|trails| trails.has(id, fibre.to))
    }
}

impl Optical {
    /// The fibre that an optical packet asks for first at a node to which it came from `before`: that
    /// of its class's path, or once it was deflected the one over which its egress is nearest, of
    /// those that it may take.
    pub fn shortest_way(&mut self, node: NodeId, before: Option<NodeId>, id: BurstId) -> u32 {
        let burst = self.bursts.get(id.0);
        if burst.deflections == 0 {
            return self.fecs[burst.fec as usize].path[usize::from(burst.hop)];
        }
        let egress = self.egress_of(id);
        self.switching.ports.know(&self.fibres, egress);
        let Self { switching, fibres, .. } = self;
        let ports = switching.ports.of(node, egress.0);
        let may = |&&port: &&u32| !switching.loops(id, before, &fibres[port as usize]);
        *ports.iter().find(may).unwrap_or(&ports[0])
    }

    /// Whether an optical packet that came from `before` may take a fibre: light passes, and it does
    /// not come again to where it has been, if that matters.
    pub fn is_open(&self, id: BurstId, before: Option<NodeId>, fibre: &Fibre) -> bool {
        fibre.up && !self.switching.loops(id, before, fibre)
    }

    /// The delay of some fibres that follow each other in a packet-switched network, with the input
    /// delays of the nodes between them.
    pub fn delay(&self, path: &[u32]) -> Span {
        let between = path.len().saturating_sub(1) as u64;
        let inputs = self.rules().packet_core().input_delay.0 * between;
        let fibres = path.iter().map(|&fibre| self.fibres[fibre as usize].delay.0);
        Span(inputs + fibres.sum::<u64>())
    }

    /// The egress edge of a burst: its number and its node.
    pub fn egress_of(&self, id: BurstId) -> (u32, NodeId) {
        let egress = self.fecs[self.bursts.get(id.0).fec as usize].egress;
        (self.edge_of[egress.index()], egress)
    }
}
