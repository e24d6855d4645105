//! The electronic core switches of a world, those that choose among the lightpaths of a bundle: CIOQ
//! and output-queued ones.

mod line_card;
mod outlets;

pub use line_card::{CardCounters, LineCard};
use optics::cioq::{CioqSwitch, Fabric};
use optics::{CioqCoreSpec, CoreSpec, OutputQueuedCoreSpec};
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
    /// The instants at which the agenda wakes it, few.
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
            keeps_order: steady && policy == optics::AnycastPolicy::IdealJsq,
            ..Self::default()
        };
        for at in 0..switches.nodes.len() {
            let node = switches.nodes[at];
            let ends = |end: fn(&crate::topology::OneWayLink) -> NodeId| -> Vec<LinkId> {
                let links = graph.links.iter().enumerate();
                links.filter(|(_, l)| end(l) == node).map(|(at, _)| LinkId::at(at)).collect()
            };
            let (inputs, outputs) = (ends(|link| link.to), ends(|link| link.from));
            (0..).zip(&inputs).for_each(|(n, link)| switches.input_of[link.index()] = n);
            (0..).zip(&outputs).for_each(|(n, link)| switches.output_of[link.index()] = n);
            let stream = seed.stream(&format!("anycast/{}", graph.nodes[node.index()].name));
            let outlets = Outlets::new(core, inputs.len(), outputs, &bundles, stream);
            match core {
                CoreSpec::Cioq(core) => {
                    switches.cioq.push(cioq(graph, core, (node, &inputs), outlets, (seed, steady)));
                }
                CoreSpec::OutputQueued(OutputQueuedCoreSpec { .. }) => {
                    let last_first_bit = vec![Time::ZERO; outlets.bundles()].into_boxed_slice();
                    let node = OutputQueuedNode { outlets, last_first_bit, overtaking: 0 };
                    switches.output_queued.push(node);
                }
                CoreSpec::Burst(_) | CoreSpec::Packet(_) | CoreSpec::Hybrid(_) => {}
            }
        }
        switches
    }

    /// The number of a node among the switches of its kind, if it is one.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        let at = self.nodes.binary_search(&node).ok()?;
        Some(u32::try_from(at).expect("fewer than there are nodes"))
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

/// A CIOQ switch at a node.
fn cioq(
    graph: &Graph,
    core: &CioqCoreSpec,
    (node, inputs): (NodeId, &[LinkId]),
    outlets: Outlets,
    (seed, steady): (Seed, bool),
) -> CioqNode {
    let of_node = graph.links.iter().filter(|link| link.from == node || link.to == node);
    let fastest = of_node.map(|link| link.rate.0).max().unwrap_or(1);
    let rate = Rate(fastest.saturating_mul(u64::from(core.speedup)));
    let fabric = Fabric {
        inputs: u32::try_from(inputs.len()).expect("limited by the check"),
        queue_of: outlets.queues(),
        slot: rate.time_to_send(core.cell).max(Span(1)),
        payload: u32::try_from(core.cell_payload.0).expect("limited by the schema"),
        scheduler: core.scheduler,
    };
    let arrears = Arrears::new(&fabric, steady);
    let stream = seed.stream(&format!("scheduler/{}", graph.nodes[node.index()].name));
    let card = |&link: &LinkId| LineCard::new(node, link);
    CioqNode {
        fabric: CioqSwitch::new(&fabric, stream),
        outlets,
        cards: inputs.iter().map(card).collect(),
        alarms: Vec::new(),
        input_buffer: core.input_buffer.0,
        arrears,
    }
}
