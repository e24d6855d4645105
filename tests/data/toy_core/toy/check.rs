//! What toy switches ask of a scenario.

use optics::ToyCoreSpec;

use plan::check::{Findings, Flaw};
use plan::spec::NodeKind;
use plan::topology::Graph;

/// No switch has more links than ports.
pub fn ports(core: ToyCoreSpec, graph: &Graph, to: &mut dyn Findings) {
    let mut degrees = vec![0; graph.nodes.len()];
    graph.links.iter().for_each(|link| degrees[link.from.index()] += 1);
    let cores = graph.nodes.iter().zip(degrees).filter(|(node, _)| node.kind == NodeKind::Core);
    for (node, degree) in cores.filter(|&(_, degree)| degree > core.ports) {
        let problem = format!("too few for the switch \"{}\"", node.name);
        let flaw = Flaw::new("core.ports", problem).found(core.ports.to_string());
        to.mistake(flaw.accepted(format!("at least {degree}")), "core.ports");
    }
}
