//! What is switched on its own: a circuit switch, or each channel of one whose links have several.
//!
//! Light stays on its channel, so that a switch for c channels is c switches, each for one channel of all links, as a
//! wavelength-selective switch for each of them has it. Each channel of a link is a link of its own here
//! ([`Graph::add_channels`]), and what other modules call a switch is one of these planes.

use std::collections::BTreeSet;

use plan::spec::NodeKind;
use plan::topology::Graph;
use units::{LinkId, NodeId};
use wire::optical::NONE;

/// A circuit switch, or one channel of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plane {
    /// The switch.
    pub node: NodeId,
    /// The channel, if its links have several.
    pub channel: Option<u32>,
}

impl Plane {
    /// The name of the switch, with the channel as in the name of a link: `"A:1"`.
    pub fn name(&self, graph: &Graph) -> String {
        let name = graph.node_name(self.node);
        self.channel.map_or_else(|| name.to_owned(), |channel| format!("{name}:{channel}"))
    }
}

/// The planes of all circuit switches, in the order of these, and of each in the order of channels.
pub(super) fn planes(graph: &Graph) -> Vec<Plane> {
    let kind = |id: NodeId| graph.nodes[id.index()].kind;
    let is_up = |ends| ends == [NodeKind::Rack, NodeKind::Core];
    let up = graph.links.iter().filter(|link| is_up([kind(link.from), kind(link.to)]));
    let all: BTreeSet<Plane> =
        up.map(|link| Plane { node: link.to, channel: link.lightpath }).collect();
    all.into_iter().collect()
}

/// The links between racks and switches.
pub(super) struct Wiring {
    /// For each rack and each plane: the link to the switch.
    pub uplinks: Vec<Vec<LinkId>>,
    /// For each rack: the links to electronic switches.
    pub beside: Vec<Vec<LinkId>>,
    /// For each plane and each rack: the link to the rack.
    pub outputs: Vec<Vec<LinkId>>,
    /// For each link between a rack and a circuit switch the number of the rack, or [`NONE`].
    pub rack_of: Box<[u32]>,
    /// For each of these links the number of the plane, or [`NONE`].
    pub plane_of: Box<[u32]>,
}

impl Wiring {
    /// The links of a graph whose racks have these numbers.
    pub(super) fn new(graph: &Graph, number_of: &[u32], racks: usize, planes: &[Plane]) -> Self {
        let mut uplinks = vec![vec![LinkId(NONE); planes.len()]; racks];
        let mut outputs = vec![vec![LinkId(NONE); racks]; planes.len()];
        let [mut rack_of, mut plane_of] = [(); 2].map(|()| vec![NONE; graph.links.len()]);
        let mut beside = vec![Vec::new(); racks];
        for (at, link) in graph.links.iter().enumerate() {
            let kinds = [link.from, link.to].map(|node| graph.nodes[node.index()].kind);
            let [from, to] = [link.from, link.to].map(|node| number_of[node.index()]);
            let plane = |node: NodeId| {
                let plane = Plane { node, channel: link.lightpath };
                planes.binary_search(&plane).expect("checked: the same channels both ways")
            };
            if kinds == [NodeKind::Rack, NodeKind::Core] {
                let plane = plane(link.to);
                uplinks[from as usize][plane] = LinkId::at(at);
                (rack_of[at], plane_of[at]) = (from, number(plane));
            } else if kinds == [NodeKind::Core, NodeKind::Rack] {
                let plane = plane(link.from);
                outputs[plane][to as usize] = LinkId::at(at);
                (rack_of[at], plane_of[at]) = (to, number(plane));
            } else if kinds == [NodeKind::Rack, NodeKind::Router] {
                beside[from as usize].push(LinkId::at(at));
            }
        }
        Self { uplinks, beside, outputs, rack_of: rack_of.into(), plane_of: plane_of.into() }
    }
}

/// A number of racks or planes, or of one of them.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than there are links")
}
