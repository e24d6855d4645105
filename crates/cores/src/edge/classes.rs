//! Which forwarding equivalence class a packet belongs to, determined when the first packet to a
//! destination arrives.

use plan::topology::Graph;
use random::mix;
use units::NodeId;
use wire::context::Context;
use wire::optical::Fec;
use wire::packet::PacketId;

use super::Edges;
use super::class_assembly::Assembling;

/// The path to this destination is electronic from here on.
const LOCAL: u32 = u32::MAX;
/// No packet has been sent there yet.
const UNKNOWN: u32 = LOCAL - 1;

/// The destinations that an edge router has seen.
#[derive(Debug, Clone)]
pub(super) struct Destinations {
    /// The edge's node.
    pub(super) node: NodeId,
    /// Its name.
    name: String,
    /// For each router as a destination's home: the class, [`LOCAL`] or [`UNKNOWN`].
    fec_of: Vec<u32>,
    /// For each edge as an egress: the class, or [`UNKNOWN`].
    fec_to: Vec<u32>,
}

impl Destinations {
    /// The destinations of each edge of a graph: none yet.
    pub(super) fn all(graph: &Graph) -> Vec<Self> {
        let routers = graph.nodes.iter().filter(|node| node.kind.forwards()).count();
        let edges = graph.edges().count();
        let of = |node: NodeId| Self {
            node,
            name: graph.nodes[node.index()].name.clone(),
            fec_of: vec![UNKNOWN; routers],
            fec_to: vec![UNKNOWN; edges],
        };
        graph.edges().map(of).collect()
    }
}

/// The hash by which an edge chooses among equal-cost paths to a router. It is the same for all
/// packets, so that bursts stay in order and all packets of a class take one path.
pub(super) fn hash_of(edge: NodeId, home: usize) -> u64 {
    mix(mix(u64::from(edge.0)) ^ home as u64)
}

impl Edges {
    /// The class of a packet; none if its path is electronic.
    #[inline]
    pub(super) fn class(
        &mut self,
        context: &mut Context,
        edge: u32,
        packet: PacketId,
    ) -> Option<u32> {
        let home = context.routing().home(context.transit(packet).to);
        let mut class = self.destinations[edge as usize].fec_of[home];
        if class == UNKNOWN {
            class = self.classify(context, edge, packet);
        }
        (class != LOCAL).then_some(class)
    }

    /// Finds the class of a packet's destination, created when the first one arrives.
    #[cold]
    fn classify(&mut self, context: &mut Context, edge: u32, packet: PacketId) -> u32 {
        let to = context.transit(packet).to;
        let class = match self.walk(context, edge, to) {
            None => LOCAL,
            Some((egress, fibres)) => self.class_of(context, (edge, packet), egress, fibres),
        };
        self.destinations[edge as usize].fec_of[context.routing().home(to)] = class;
        class
    }

    /// The edge where bursts for a destination are disassembled, and the fibres that lead to it; `None`
    /// if the path is electronic. It is the first edge on the path, or in a network whose edges also
    /// switch, the last one before the path becomes electronic.
    fn walk(&self, context: &Context, edge: u32, to: NodeId) -> Option<(u32, Vec<u32>)> {
        let (optical, routing) = (context.optical(), context.routing());
        let ingress = self.destinations[edge as usize].node;
        let home = routing.home(to);
        let (mut path, mut at, mut end) = (Vec::new(), ingress, None);
        while home != routing.home(at) && (self.bursts_pass || end.is_none()) {
            let link = routing.next_link(at, to, || hash_of(ingress, home));
            let Some(fibre) = optical.fibre_of(link) else { break };
            path.push(fibre);
            at = optical.fibres[fibre as usize].to;
            if let Some(egress) = optical.edge_of(at) {
                end = Some((egress, path.len()));
            }
        }
        let (egress, fibres) = end?;
        path.truncate(fibres);
        Some((egress, path))
    }

    /// The class between two edges. Its path is that to the egress itself, for any destination behind
    /// it; if that one of several equal-cost paths is electronic, it is the one `found`.
    fn class_of(
        &mut self,
        context: &mut Context,
        (ingress, packet): (u32, PacketId),
        egress: u32,
        found: Vec<u32>,
    ) -> u32 {
        let known = self.destinations[ingress as usize].fec_to[egress as usize];
        if known != UNKNOWN {
            return known;
        }
        let node = self.destinations[egress as usize].node;
        let path = match self.walk(context, ingress, node) {
            // This one of the equal-cost paths leads over another edge: bursts end there.
            Some((end, path)) if end != egress => {
                return self.class_of(context, (ingress, packet), end, path);
            }
            Some((_, path)) => path,
            None => found,
        };
        let (from, to) =
            (&self.destinations[ingress as usize], &self.destinations[egress as usize]);
        let stream = |what| self.seed.stream(&format!("fec/{}/{}/{what}", from.name, to.name));
        let assembling = Assembling::new(&self.spec, (stream("loss"), stream("allocation")));
        let delay = context.optical().delay(&path, self.input_delay);
        let first = (context.now(), context.packets().body(packet).flow);
        let fec = Fec::new((from.node, to.node), (path, delay), first, self.span);
        let optical = context.optical_mut();
        self.learns |= assembling.policy.wants_losses();
        optical.tells_losses = self.learns;
        let class = optical.fecs.add(fec);
        self.assembling.push(assembling);
        self.destinations[ingress as usize].fec_to[egress as usize] = class;
        class
    }
}
