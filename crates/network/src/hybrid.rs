//! The hybrid switches of a world and what happened at them.

use optics::{HybridCoreSpec, HybridSwitch};
use units::{LinkId, NodeId, Span, Time};

use crate::optical::NONE;
use crate::packet::PacketId;
use crate::spec::NodeKind;
use crate::topology::Graph;

/// What happened at a hybrid switch, counted always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HybridCounters {
    /// Packets that came.
    pub packets_in: u64,
    /// Packets that passed as light.
    pub packets_through: u64,
    /// Their bytes.
    pub bytes_through: u64,
    /// Packets that entered the buffer.
    pub packets_buffered: u64,
    /// Their bytes.
    pub bytes_buffered: u64,
    /// Packets that left the buffer.
    pub packets_released: u64,
    /// Packets lost since no electronic input was free.
    pub lost_ports: u64,
    /// Packets lost since the buffer was full.
    pub lost_full: u64,
    /// Packets lost since their azimuth was down.
    pub lost_down: u64,
    /// The most packets that were in the buffer.
    pub buffer_max: u32,
    /// The most bytes.
    pub buffer_max_bytes: u64,
    /// The longest stay of a packet that left the buffer, in picoseconds.
    pub wait_max: u64,
    /// The stays of all packets that left it, from first bit in to first bit out, summed.
    pub wait_sum: u128,
}

impl HybridCounters {
    /// What was counted since `earlier`; the maxima are those of the whole run.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_in: self.packets_in - earlier.packets_in,
            packets_through: self.packets_through - earlier.packets_through,
            bytes_through: self.bytes_through - earlier.bytes_through,
            packets_buffered: self.packets_buffered - earlier.packets_buffered,
            bytes_buffered: self.bytes_buffered - earlier.bytes_buffered,
            packets_released: self.packets_released - earlier.packets_released,
            lost_ports: self.lost_ports - earlier.lost_ports,
            lost_full: self.lost_full - earlier.lost_full,
            lost_down: self.lost_down - earlier.lost_down,
            wait_sum: self.wait_sum - earlier.wait_sum,
            ..*self
        }
    }

    /// A packet leaves the buffer after this stay.
    pub fn release(&mut self, stay: Span) {
        self.packets_released += 1;
        self.wait_max = self.wait_max.max(stay.0);
        self.wait_sum += u128::from(stay.0);
    }

    /// The counters in a fixed order, for a digest.
    pub fn words(&self) -> [u64; 13] {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half; no run fills it")]
        let wait_sum = self.wait_sum as u64;
        [
            self.packets_in,
            self.packets_through,
            self.bytes_through,
            self.packets_buffered,
            self.bytes_buffered,
            self.packets_released,
            self.lost_ports,
            self.lost_full,
            self.lost_down,
            u64::from(self.buffer_max),
            self.buffer_max_bytes,
            self.wait_max,
            wait_sum,
        ]
    }

    /// Packets lost, whatever the cause.
    pub fn lost(&self) -> u64 {
        self.lost_ports + self.lost_full + self.lost_down
    }
}

/// A hybrid switch.
#[derive(Debug)]
pub struct HybridNode {
    /// Its electronic part.
    pub switch: HybridSwitch<PacketId>,
    /// What happened at it.
    pub counters: HybridCounters,
    /// When the agenda wakes it.
    pub armed: Time,
    /// Where it stands.
    pub node: NodeId,
    /// The links that leave it, by azimuth.
    pub azimuths: Box<[LinkId]>,
}

/// All hybrid switches.
#[derive(Debug, Default)]
pub struct Hybrids {
    /// The switches, by their number here.
    pub nodes: Vec<HybridNode>,
    /// For each link: which azimuth of its switch it is; it means nothing for those of other nodes.
    azimuth_of: Vec<u32>,
    /// For each link: the number of the switch that it leaves, or [`NONE`].
    number_of: Vec<u32>,
    /// The counters when measuring began.
    baseline: Vec<HybridCounters>,
}

impl Hybrids {
    /// The hybrid switches of a graph, none where it has none.
    pub fn new(graph: &Graph, spec: Option<&HybridCoreSpec>) -> Self {
        let Some(spec) = spec else { return Self::default() };
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
        Self { nodes, azimuth_of, number_of, baseline: Vec::new() }
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

    /// Counters count from here on.
    pub fn begin_measuring(&mut self) {
        self.baseline = self.nodes.iter().map(|hybrid| hybrid.counters).collect();
    }

    /// What was counted at a switch since measuring began.
    pub fn counters(&self, number: usize) -> HybridCounters {
        let counters = self.nodes[number].counters;
        self.baseline.get(number).map_or(counters, |earlier| counters.since(earlier))
    }

    /// Packets in all buffers.
    pub fn inside(&self) -> u64 {
        self.nodes.iter().map(|hybrid| u64::from(hybrid.switch.len())).sum()
    }

    /// Checks conservation: packets in = through + out of the buffer + lost + in the buffer, for every
    /// switch.
    pub fn check_conservation(&self) -> Result<(), String> {
        for HybridNode { counters: c, switch, node, .. } in &self.nodes {
            let inside = u64::from(switch.len());
            if c.packets_in != c.packets_through + c.packets_released + c.lost() + inside
                || c.packets_buffered != c.packets_released + inside
            {
                return Err(format!("hybrid switch {node:?}: {c:?}, inside {inside}"));
            }
        }
        Ok(())
    }
}
