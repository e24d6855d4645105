//! The CIOQ switches of a world.

use optics::CioqCoreSpec;
use optics::cioq::{CioqSwitch, Fabric};
use plan::topology::Graph;
use random::Seed;
use units::{NodeId, Rate, Span, Time};
use wire::packet::PacketId;

use super::LineCard;
use super::arrears::Arrears;
use crate::bundle_selection::{Outlets, Wired, Wiring, count};

/// A CIOQ switch.
#[derive(Debug, Clone)]
pub(super) struct CioqNode {
    /// Its node.
    pub node: NodeId,
    /// Its virtual output queues and the scheduler that matches them with outputs.
    pub fabric: CioqSwitch<PacketId>,
    /// Its outputs.
    pub outlets: Outlets,
    /// By input: its line card.
    pub cards: Box<[LineCard]>,
    /// The few instants at which the agenda wakes it, the earliest last: an alarm is entered only if it
    /// is earlier than all others.
    pub alarms: Vec<Time>,
    /// Bytes in the queues of a line card.
    pub input_buffer: u64,
    /// How late packets that have crossed the fabric may join busy queues.
    pub arrears: Arrears,
}

/// All CIOQ switches.
#[derive(Debug, Clone)]
pub struct CioqSwitches {
    pub(super) wiring: Wiring,
    /// The switches, by their number.
    pub(super) nodes: Vec<CioqNode>,
}

impl CioqSwitches {
    /// The switches of a graph; `late` says whether packets may join busy outputs in arrears.
    pub fn new(core: &CioqCoreSpec, graph: &Graph, seed: Seed, late: bool) -> Self {
        let (wiring, wired) = Wiring::new(graph, core.anycast_rule(), seed);
        let node = |Wired { node, inputs, fastest, outlets }| {
            let stream = seed.stream(&format!("scheduler/{}", graph.nodes[node.index()].name));
            let fabric = fabric(core, inputs.len(), outlets.queues(), fastest);
            CioqNode {
                node,
                fabric: CioqSwitch::new(&fabric, stream),
                outlets,
                cards: inputs.iter().map(|&link| LineCard::new(node, link)).collect(),
                alarms: Vec::new(),
                input_buffer: core.input_buffer.0,
                arrears: Arrears::new(&fabric, late),
            }
        };
        Self { wiring, nodes: wired.into_iter().map(node).collect() }
    }

    /// Their line cards, by switch and input.
    pub fn cards(&self) -> impl Iterator<Item = &LineCard> {
        self.nodes.iter().flat_map(|switch| &switch.cards)
    }

    /// The fabrics, by the number of their switch.
    pub fn fabrics(&self) -> impl Iterator<Item = &CioqSwitch<PacketId>> {
        self.nodes.iter().map(|switch| &switch.fabric)
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
