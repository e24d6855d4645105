//! What a choice among lightpaths requires of a scenario.

use optics::AnycastPolicy;
use plan::check::{Findings, Flaw};
use plan::topology::Graph;
use units::Span;

/// A policy that the switch cannot follow.
pub fn policy(found: &str, problem: &str, accepted: &str, to: &mut dyn Findings) {
    let flaw = Flaw::new("core.anycast", problem).found(format!("\"{found}\""));
    to.mistake(flaw.accepted(accepted), "core.anycast");
}

/// A program that the switch cannot follow.
pub fn program(problem: &str, accepted: &str, to: &mut dyn Findings) {
    let key = "core.program.source";
    to.mistake(Flaw::new(key, problem).accepted(accepted), key);
}

/// A gap is required with flowlets, and only then.
pub fn flowlets(policy: AnycastPolicy, gap: Option<Span>, to: &mut dyn Findings) {
    let flowlets = policy == AnycastPolicy::Flowlet;
    to.flowlet_gap(("core", "anycast", "lightpath"), flowlets, gap);
}

/// A choice among lightpaths although no link has any.
pub fn effects(policy: AnycastPolicy, graph: &Graph, to: &mut dyn Findings) {
    let single = graph.links.iter().all(|link| link.lightpath.is_none());
    if single && policy != AnycastPolicy::default() {
        to.no_effect("core.anycast", "no link has lightpaths");
    }
}
