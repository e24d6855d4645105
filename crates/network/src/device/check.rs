//! What each kind of core requires of a scenario: the list of their checks.

use crate::check::{Around, Findings};
use crate::device::{burst, cioq, hybrid, output_queued, packet};
use crate::spec::CoreSpec;
use crate::topology::Graph;

/// The keys of the core's own section, and those of others that do not apply to it.
pub fn section(core: &CoreSpec, around: &Around<'_>, to: &mut dyn Findings) {
    match core {
        CoreSpec::Burst(core) => burst::check::section(core, to),
        CoreSpec::Packet(core) => packet::check::section(core, around, to),
        CoreSpec::Hybrid(_) => {}
        CoreSpec::Cioq(core) => cioq::check::section(core, around.packet, to),
        CoreSpec::OutputQueued(core) => output_queued::check::section(core, to),
    }
}

/// The nodes and links that it is to switch.
pub fn network(core: &CoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    match core {
        CoreSpec::Burst(core) => burst::check::offset(core, around, graph, to),
        CoreSpec::Cioq(_) => cioq::check::ports(graph, to),
        CoreSpec::Packet(_) | CoreSpec::Hybrid(_) | CoreSpec::OutputQueued(_) => {}
    }
}

/// Keys that have no effect with it.
pub fn effects(core: &CoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    match core {
        CoreSpec::Burst(_) | CoreSpec::Packet(_) => {}
        CoreSpec::Hybrid(_) => hybrid::check::effects(around, to),
        CoreSpec::Cioq(core) => cioq::check::effects(core, graph, to),
        CoreSpec::OutputQueued(core) => output_queued::check::effects(core, graph, to),
    }
}
