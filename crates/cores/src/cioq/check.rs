//! What CIOQ switches require of a scenario.

use optics::cioq::MOST_PORTS;
use optics::program::Hooks;
use optics::{AnycastPolicy, CioqCoreSpec};
use plan::check::{Findings, Flaw};
use plan::spec::NodeKind;
use plan::topology::Graph;
use units::Bytes;

use crate::bundle_selection::check::{self, flowlets, policy, program};
use crate::check::Around;
use crate::seam::Rules;

impl Rules for CioqCoreSpec {
    fn section(&self, around: &Around<'_>, to: &mut dyn Findings) {
        section(self, around.packet, to);
    }

    fn network(&self, _: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        ports(graph, to);
    }

    fn effects(&self, _: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        check::effects(self.anycast, graph, to);
    }
}

/// Cells with a payload, a buffer that holds a packet, a policy that uses only information of a line
/// card.
fn section(core: &CioqCoreSpec, packet: Bytes, to: &mut dyn Findings) {
    if core.cell_payload > core.cell {
        let key = "core.cell-payload";
        let flaw = Flaw::new(key, "more than the cell").found(core.cell_payload.to_string());
        to.mistake(flaw.accepted(format!("at most {}", core.cell)), key);
    }
    if core.input_buffer < packet {
        let key = "core.input-buffer";
        let flaw = Flaw::new(key, "less than a packet").found(core.input_buffer.to_string());
        to.mistake(flaw.accepted(format!("at least {packet}")), key);
    }
    match core.anycast {
        AnycastPolicy::IdealJsq => {
            let problem = "looks at output queues, which a line card does not see";
            policy("ideal-jsq", problem, "another policy, or kind = \"output-queued\"", to);
        }
        AnycastPolicy::Program => {
            if core.anycast_rule().compiled().is_some_and(Hooks::looks_at_outputs) {
                let problem =
                    "looks at output queues (lightpaths.wait), which a line card does not see";
                program(problem, "lightpaths.queued, or kind = \"output-queued\"", to);
            }
        }
        AnycastPolicy::Ecmp
        | AnycastPolicy::Destination
        | AnycastPolicy::Random
        | AnycastPolicy::RoundRobin
        | AnycastPolicy::Jsvoq
        | AnycastPolicy::EJsq
        | AnycastPolicy::Flowlet => {}
    }
    flowlets(core.anycast, core.flowlet_gap, to);
}

/// The maximum number of ports in a scheduler's masks.
fn ports(graph: &Graph, to: &mut dyn Findings) {
    let mut degrees = vec![0; graph.nodes.len()];
    graph.links.iter().for_each(|link| degrees[link.from.index()] += 1);
    let cores = graph.nodes.iter().zip(degrees).filter(|(node, _)| node.kind == NodeKind::Core);
    if let Some((node, ports)) = cores.max_by_key(|(_, ports)| *ports)
        && ports > MOST_PORTS
    {
        let problem = format!("the CIOQ switch \"{}\" has too many ports", node.name);
        let flaw = Flaw::new("topology", problem).found(ports.to_string());
        to.mistake(flaw.accepted(format!("at most {MOST_PORTS}")), "topology");
    }
}
