//! The electronic core switches of a world, those that choose among the lightpaths of a bundle: CIOQ
//! and output-queued ones.

mod line_card;
mod outlets;

pub use line_card::{CardCounters, LineCard};
use optics::cioq::{CioqSwitch, Fabric};
use optics::{AnycastPolicy, CioqCoreSpec, CoreSpec};
pub use outlets::{Outlets, Picked};
use random::Seed;
use units::{LinkId, NodeId, Rate, Span, Time};

use crate::bundles::Bundles;
use crate::packet::PacketId;
use crate::spec::NodeKind;
use crate::topology::Graph;

/// A CIOQ switch.
#[derive(Debug)]
pub struct CioqNode {
    /// Its virtual output queues and what matches them with outputs.
    pub fabric: CioqSwitch<PacketId>,
    /// Its outputs.
    pub outlets: Outlets,
    /// By input: its line card.
    pub cards: Box<[LineCard]>,
    /// The instants at which the agenda wakes it, few, the first one last: an alarm is entered only where
    /// it is earlier than all others.
    pub alarms: Vec<Time>,
    /// Bytes that the queues of a line card hold.
    pub input_buffer: u64,
    /// How late packets that are through may join busy queues.
    pub arrears: Arrears,
}

/// How late packets that are through a fabric may join the queues of busy outputs.
#[derive(Debug, Clone, Copy)]
pub struct Arrears {
    /// So much.
    pub span: Span,
    /// In that time no more bytes than this come to an output.
    pub bytes: u64,
    /// And no more packets.
    pub packets: u64,
}

impl Arrears {
    /// Long enough that packets come meanwhile, short enough that queues of usual sizes have the room.
    const SPAN: Span = Span::from_us(20);
    /// No packet is larger, headers included.
    const PACKET: u64 = 1 << 17;

    /// A slot brings a cell to an output at most; packets of each input may lack but one when it begins.
    /// Links that change during the run let nothing join late.
    fn new(fabric: &Fabric, steady: bool) -> Self {
        let span = if steady { Self::SPAN } else { Span::ZERO };
        let slots = span.0.div_ceil(fabric.slot.0) + 1;
        let bytes = slots * u64::from(fabric.payload) + u64::from(fabric.inputs) * Self::PACKET;
        Self { span, bytes, packets: slots }
    }
}

/// An output-queued switch.
#[derive(Debug)]
pub struct OutputQueuedNode {
    /// Its outputs.
    pub outlets: Outlets,
    /// By bundle: when the first bit of the last packet assigned leaves.
    pub last_first_bit: Box<[Time]>,
    /// Packets whose first bit leaves before that of one of their bundle that was assigned earlier.
    pub overtaking: u64,
}

impl OutputQueuedNode {
    /// A packet is assigned to an output, and its first bit leaves at this instant.
    #[inline]
    pub fn assigned(&mut self, output: u32, first_bit: Time) {
        let last = &mut self.last_first_bit[self.outlets.bundle_of(output) as usize];
        self.overtaking += u64::from(first_bit < *last);
        *last = first_bit.max(*last);
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct AnycastSwitches {
    /// CIOQ switches, by their number.
    pub cioq: Vec<CioqNode>,
    /// Output-queued switches, by their number.
    pub output_queued: Vec<OutputQueuedNode>,
    /// By number, of either kind: where it stands.
    pub nodes: Vec<NodeId>,
    /// By link: its number among the inputs of the switch that it leads to.
    pub input_of: Vec<u32>,
    /// By link: its number among the outputs of the switch that it leaves.
    pub output_of: Vec<u32>,
    /// Whether first bits keep the order of assignment on each bundle, which is checked at the end.
    keeps_order: bool,
}

impl AnycastSwitches {
    /// The switches of a graph, none where its core is of another kind. `steady` says that links do not
    /// change during the run.
    pub fn new(graph: &Graph, core: Option<&CoreSpec>, seed: Seed, steady: bool) -> Self {
        let Some((core, (policy, _))) = core.and_then(|core| Some((core, core.anycast()?))) else {
            return Self::default();
        };
        let bundles = Bundles::new(graph);
        let mut switches = Self {
            nodes: (0..graph.nodes.len())
                .map(NodeId::at)
                .filter(|id| graph.nodes[id.index()].kind == NodeKind::Core)
                .collect(),
            input_of: vec![0; graph.links.len()],
            output_of: vec![0; graph.links.len()],
            keeps_order: steady && policy == AnycastPolicy::IdealJsq,
            ..Self::default()
        };
        // By node: the links that lead to it, and those that leave it.
        let mut ends = vec![(Vec::new(), Vec::new()); graph.nodes.len()];
        for (at, link) in graph.links.iter().enumerate() {
            let inputs = &mut ends[link.to.index()].0;
            switches.input_of[at] = count(inputs.len());
            inputs.push(LinkId::at(at));
            let outputs = &mut ends[link.from.index()].1;
            switches.output_of[at] = count(outputs.len());
            outputs.push(LinkId::at(at));
        }
        for &node in &switches.nodes {
            let (inputs, outputs) = std::mem::take(&mut ends[node.index()]);
            let stream = seed.stream(&format!("anycast/{}", graph.nodes[node.index()].name));
            let rates = inputs.iter().chain(&outputs).map(|link| graph.links[link.index()].rate);
            let fastest = rates.max().unwrap_or(Rate(1));
            let outlets = Outlets::new(core, inputs.len(), outputs, &bundles, stream);
            match core {
                CoreSpec::Cioq(core) => {
                    let name = &graph.nodes[node.index()].name;
                    let stream = seed.stream(&format!("scheduler/{name}"));
                    let fabric = fabric(core, inputs.len(), outlets.queues(), fastest);
                    switches.cioq.push(CioqNode {
                        fabric: CioqSwitch::new(&fabric, stream),
                        outlets,
                        cards: inputs.iter().map(|&link| LineCard::new(node, link)).collect(),
                        alarms: Vec::new(),
                        input_buffer: core.input_buffer.0,
                        arrears: Arrears::new(&fabric, steady),
                    });
                }
                CoreSpec::OutputQueued(_) => {
                    let last_first_bit = vec![Time::ZERO; outlets.bundles()].into_boxed_slice();
                    let node = OutputQueuedNode { outlets, last_first_bit, overtaking: 0 };
                    switches.output_queued.push(node);
                }
                CoreSpec::Burst(_) | CoreSpec::Packet(_) | CoreSpec::Hybrid(_) => {}
            }
        }
        switches
    }

    /// Counters count from here on.
    pub fn begin_measuring(&mut self) {
        self.cioq.iter_mut().flat_map(|node| &mut node.cards).for_each(LineCard::begin_measuring);
    }

    /// Packets in all fabrics.
    pub fn inside(&self) -> u64 {
        self.cioq.iter().map(|node| node.fabric.len() as u64).sum()
    }

    /// Checks conservation (packets in = out + lost + inside, for every CIOQ switch) and the order of
    /// first bits under ideal-JSQ.
    pub fn check_conservation(&self) -> Result<(), String> {
        for (node, at) in self.cioq.iter().zip(&self.nodes) {
            let sum = |of: fn(&LineCard) -> u64| node.cards.iter().map(of).sum::<u64>();
            let (came, went, lost) =
                (sum(LineCard::packets_in), sum(LineCard::packets_out), sum(LineCard::lost));
            let inside = node.fabric.len() as u64;
            if came != went + lost + inside {
                return Err(format!(
                    "CIOQ switch {at:?}: {came} in, {went} out, {lost} lost, {inside} inside"
                ));
            }
        }
        let overtaking = self.output_queued.iter().find(|node| node.overtaking > 0);
        match overtaking {
            Some(node) if self.keeps_order => {
                Err(format!("{} first bits overtook others under ideal-JSQ", node.overtaking))
            }
            _ => Ok(()),
        }
    }
}

/// The fabric of a CIOQ switch whose fastest link has this rate.
fn fabric(core: &CioqCoreSpec, inputs: usize, queue_of: Box<[u32]>, fastest: Rate) -> Fabric {
    let rate = Rate(fastest.0.saturating_mul(u64::from(core.speedup)));
    Fabric {
        inputs: count(inputs),
        queue_of,
        slot: rate.time_to_send(core.cell).max(Span(1)),
        payload: u32::try_from(core.cell_payload.0).expect("limited by the schema"),
        scheduler: core.scheduler,
    }
}

/// A number of ports or bundles of a switch.
fn count(n: usize) -> u32 {
    u32::try_from(n).expect("ids of links have 32 bits")
}

#[cfg(test)]
mod tests {
    use optics::OutputQueuedCoreSpec;

    use super::*;
    use crate::spec::{LinkSpec, QueueSpec, Topology};

    /// Two switches with two lightpaths between them, after three packets at the first one.
    fn switches(anycast: AnycastPolicy, steady: bool, first_bits: [u64; 3]) -> AnycastSwitches {
        let access = LinkSpec::plain(Rate(1_000_000), Span::ZERO);
        let link = LinkSpec { lightpaths: Some(2), ..access };
        let queue = QueueSpec::DropTail { packets: Some(10), bytes: None };
        let topology = Topology::Line { routers: 2, link, access: Some(access) };
        let graph = Graph::new(&topology, queue, NodeKind::Core);
        let core = OutputQueuedCoreSpec { anycast, ..OutputQueuedCoreSpec::default() };
        let core = CoreSpec::OutputQueued(core);
        let mut switches = AnycastSwitches::new(&graph, Some(&core), Seed(1), steady);
        let node = &mut switches.output_queued[0];
        let bundle = (0..3).find(|&output| node.outlets.bundle_of(output + 1) == 1);
        let bundle = bundle.expect("a bundle after the host's link") + 1;
        for first_bit in first_bits {
            node.assigned(bundle, Time(first_bit));
        }
        switches
    }

    /// What holds in every run under ideal-JSQ would be noticed if it did not.
    #[test]
    fn a_first_bit_that_overtakes_another_fails_a_run_under_ideal_jsq() {
        let fails = |policy, steady, first_bits| {
            switches(policy, steady, first_bits).check_conservation().is_err()
        };
        assert!(fails(AnycastPolicy::IdealJsq, true, [5, 7, 6]));
        assert!(!fails(AnycastPolicy::IdealJsq, true, [5, 7, 7]));
        // Elsewhere it may happen.
        assert!(!fails(AnycastPolicy::RoundRobin, true, [5, 7, 6]));
        assert!(!fails(AnycastPolicy::IdealJsq, false, [5, 7, 6]));
    }
}
