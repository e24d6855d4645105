//! The common part of switches that choose among the lightpaths of a bundle: how their inputs and
//! outputs are numbered, and the choice itself.

pub mod check;
mod outlets;

use optics::AnycastRule;
pub use outlets::{Outlets, Picked};
use plan::spec::NodeKind;
use plan::topology::{Bundles, Graph};
use random::Seed;
use transport::Fault;
use units::{LinkId, NodeId, Rate};
use wire::context::{Context, Controlled, Failure};
use wire::packet::PacketId;

use super::seam::Place;

/// How the links of a network are numbered at the switches that they lead to and leave.
#[derive(Debug, Clone)]
pub struct Wiring {
    /// By link: its number among the inputs of the switch that it leads to.
    input_of: Vec<u32>,
    /// By link: its number among the outputs of the switch that it leaves.
    output_of: Vec<u32>,
}

/// A switch with its links.
#[derive(Debug)]
pub struct Wired {
    /// Its node.
    pub node: NodeId,
    /// The links that lead to it, by input.
    pub inputs: Vec<LinkId>,
    /// The rate of its fastest link.
    pub fastest: Rate,
    /// Its outputs.
    pub outlets: Outlets,
}

impl Wiring {
    /// The core nodes of a graph as switches that choose by a rule, by their number.
    pub fn new(graph: &Graph, rule: AnycastRule<'_>, seed: Seed) -> (Self, Vec<Wired>) {
        let bundles = Bundles::new(graph);
        let mut wiring =
            Self { input_of: vec![0; graph.links.len()], output_of: vec![0; graph.links.len()] };
        // By node: the links that lead to it, and those that leave it.
        let mut ends = vec![(Vec::new(), Vec::new()); graph.nodes.len()];
        for (at, link) in graph.links.iter().enumerate() {
            let inputs = &mut ends[link.to.index()].0;
            wiring.input_of[at] = count(inputs.len());
            inputs.push(LinkId::at(at));
            let outputs = &mut ends[link.from.index()].1;
            wiring.output_of[at] = count(outputs.len());
            outputs.push(LinkId::at(at));
        }
        let nodes = graph.nodes.iter().zip(ends).enumerate();
        let cores = nodes.filter(|(_, (node, _))| node.kind == NodeKind::Core);
        let wired = cores.map(|(at, (node, (inputs, outputs)))| {
            let stream = seed.stream(&format!("anycast/{}", node.name));
            let rates = inputs.iter().chain(&outputs).map(|link| graph.links[link.index()].rate);
            let fastest = rates.max().unwrap_or(Rate(1));
            let outlets = Outlets::new(rule, inputs.len(), outputs, &bundles, stream);
            Wired { node: NodeId::at(at), inputs, fastest, outlets }
        });
        let wired = wired.collect();
        (wiring, wired)
    }

    /// What a switch knows of a packet that is at it.
    #[inline(always)]
    pub fn picked(&self, context: &Context, at: Place, id: PacketId) -> Picked {
        let Place { node, link: came_by, .. } = at;
        let link = context.next_link(node, id);
        Picked {
            now: context.now(),
            input: self.input_of[came_by.index()],
            output: self.output_of[link.index()],
            rank: context.routing().rank(node, context.transit(id).to),
        }
    }
}

/// The program of a switch cannot go on.
#[cold]
pub fn fail(context: &mut Context, node: NodeId, fault: &Fault) {
    let of = Controlled::Lightpaths(node);
    context.fail(|at| Failure { of, at, fault: fault.clone() });
}

/// A number of ports or bundles of a switch.
pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).expect("ids of links have 32 bits")
}
