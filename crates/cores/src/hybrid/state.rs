//! The hybrid switches of a world.

use kinds::Counters;
use optics::{HybridCoreSpec, HybridSwitch, Paths};
use plan::spec::NodeKind;
use plan::topology::Graph;
use units::{LinkId, NodeId, Time};
use wire::optical::NONE;
use wire::packet::PacketId;

use super::HybridCounters;

/// A hybrid switch.
#[derive(Debug, Clone)]
pub(super) struct HybridNode {
    /// Its electronic part.
    pub switch: HybridSwitch<PacketId>,
    /// Its counters.
    pub counters: HybridCounters,
    /// When the agenda wakes it.
    pub armed: Time,
    /// Its node.
    pub node: NodeId,
    /// The links that leave it, by azimuth.
    pub azimuths: Box<[LinkId]>,
}

/// All hybrid switches.
#[derive(Debug, Clone)]
pub struct HybridSwitches {
    /// The switches, by their number.
    pub(super) nodes: Vec<HybridNode>,
    /// Which of several outputs a packet takes.
    pub(super) paths: Paths,
    /// For each link: which azimuth of its switch it is; not meaningful for links of other nodes.
    azimuth_of: Vec<u32>,
    /// For each link: the number of the switch that it leaves, or [`NONE`].
    number_of: Vec<u32>,
    /// The counters when measuring began.
    baseline: Vec<HybridCounters>,
}

impl HybridSwitches {
    /// The hybrid switches of a graph.
    pub fn new(spec: &HybridCoreSpec, graph: &Graph) -> Self {
        let mut links: Vec<Vec<LinkId>> = vec![Vec::new(); graph.nodes.len()];
        let mut azimuth_of = vec![0; graph.links.len()];
        for (at, link) in graph.links.iter().enumerate() {
            let of_node = &mut links[link.from.index()];
            azimuth_of[at] = u32::try_from(of_node.len()).expect("fewer than there are links");
            of_node.push(LinkId::at(at));
        }
        let mut number_of = vec![NONE; graph.links.len()];
        let nodes = graph.nodes.iter().zip(links).enumerate();
        let hybrid = nodes.filter(|(_, (node, _))| node.kind == NodeKind::Core);
        let nodes = hybrid.map(|(at, (_, azimuths))| HybridNode {
            switch: HybridSwitch::new(spec, azimuths.len()),
            counters: HybridCounters::default(),
            armed: Time::NEVER,
            node: NodeId::at(at),
            azimuths: azimuths.into_boxed_slice(),
        });
        let nodes: Vec<HybridNode> = nodes.collect();
        for (number, node) in (0..).zip(&nodes) {
            node.azimuths.iter().for_each(|link| number_of[link.index()] = number);
        }
        Self { nodes, paths: spec.paths, azimuth_of, number_of, baseline: Vec::new() }
    }

    /// The number of a node among the switches, if it is one.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        let at = self.nodes.binary_search_by_key(&node, |hybrid| hybrid.node).ok()?;
        Some(u32::try_from(at).expect("fewer than there are nodes"))
    }

    /// The number of the switch that a link leaves, if it leaves one.
    pub fn number_of(&self, link: LinkId) -> Option<u32> {
        self.number_of.get(link.index()).copied().filter(|&number| number != NONE)
    }

    /// Which azimuth of its switch a link is.
    #[inline]
    pub fn azimuth_of(&self, link: LinkId) -> u32 {
        self.azimuth_of[link.index()]
    }

    /// The measured counters start here.
    pub(super) fn begin(&mut self) {
        self.baseline = self.nodes.iter().map(|hybrid| hybrid.counters).collect();
    }

    /// How many links leave a switch.
    pub fn azimuths(&self, number: u32) -> usize {
        self.nodes[number as usize].azimuths.len()
    }

    /// What was counted at all switches since measuring began, in the order of their numbers.
    pub fn all_counters(&self) -> impl Iterator<Item = HybridCounters> {
        (0..).take(self.nodes.len()).map(|number| self.counters(number))
    }

    /// What was counted at a switch since measuring began.
    pub fn counters(&self, number: u32) -> HybridCounters {
        let counters = self.nodes[number as usize].counters;
        self.baseline.get(number as usize).map_or(counters, |earlier| counters.since(earlier))
    }
}
