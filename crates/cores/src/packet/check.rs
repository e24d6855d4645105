//! What the core of a packet-switched network requires of a scenario: remedies with their keys, and
//! no keys for headers.

use optics::{AssemblySpec, Deflection, PacketCoreSpec, Remedy};
use plan::check::{Findings, Flaw};
use plan::topology::{Graph, OneWayLink};
use wire::optical::check::delay_lines;

use crate::check::Around;
use crate::seam::Rules;

impl Rules for PacketCoreSpec {
    fn section(&self, around: &Around<'_>, to: &mut dyn Findings) {
        section(self, around, to);
    }

    fn network(&self, _: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        network(self, graph, to);
    }

    fn effects(&self, _: &Around<'_>, _: &Graph, _: &mut dyn Findings) {}
}

/// Remedies that have what they need, and what does not apply with them.
fn section(core: &PacketCoreSpec, around: &Around<'_>, to: &mut dyn Findings) {
    for (at, remedy) in core.remedies.iter().enumerate() {
        if core.remedies[..at].contains(remedy) {
            to.note(&format!("core.remedies.{at}"), "named twice");
        }
    }
    let has = |remedy| core.remedies.contains(&remedy);
    let lines = !core.fibre_delays.is_empty() || core.fibre_loop.is_some();
    let deflection = core.deflection.is_some();
    for (remedy, given, key, accepted) in [
        (Remedy::Delay, lines, "core.fibre-delays", "delays, or core.fibre-loop"),
        (
            Remedy::Deflect,
            deflection,
            "core.deflection",
            "a table with kind = \"ports\" or \"abstract\"",
        ),
    ] {
        if has(remedy) && !given {
            to.mistake(Flaw::missing(key, accepted), "core.remedies");
        }
    }
    for (key, remedy, word) in [
        ("core.converters", Remedy::Convert, "convert"),
        ("core.fibre-delays", Remedy::Delay, "delay"),
        ("core.fibre-loop", Remedy::Delay, "delay"),
        ("core.deflection", Remedy::Deflect, "deflect"),
    ] {
        if !has(remedy) && to.is_written(key) {
            to.note(key, format!("applies only if remedies has \"{word}\""));
        }
    }
    delay_lines(&core.fibre_delays, core.fibre_loop, to);
    if let Some(Deflection::Abstract { hold, .. }) = core.deflection {
        if hold.to < hold.from {
            let key = "core.deflection.hold.to";
            let flaw = Flaw::new(key, "less than from").found(hold.to.to_string());
            to.mistake(flaw.accepted(format!("at least {}", hold.from)), key);
        }
        let deflect = core.remedies.iter().position(|&remedy| remedy == Remedy::Deflect);
        if let Some(at) = deflect.filter(|at| at + 1 < core.remedies.len()) {
            let problem = "does not apply: an abstract path is never busy";
            to.note(&format!("core.remedies.{}", at + 1), problem);
        }
    }
    no_headers(around, to);
}

/// Fibres that can take deflected packets, where channels are reserved.
fn network(core: &PacketCoreSpec, graph: &Graph, to: &mut dyn Findings) {
    let Some(Deflection::Ports { reserve: Some(reserve), .. }) = core.deflection else { return };
    let most = graph.links.iter().map(OneWayLink::data_channels).max().unwrap_or(0);
    if reserve >= most {
        let key = "core.deflection.reserve";
        let problem = "no fibre could take a deflected packet";
        let flaw = Flaw::new(key, problem).found(reserve.to_string());
        to.mistake(flaw.accepted(format!("less than the {most} channels of a fibre")), key);
    }
}

/// Keys of headers sent ahead, which do not exist here.
fn no_headers(around: &Around<'_>, to: &mut dyn Findings) {
    let mut keys = vec!["control".to_owned()];
    // The default may be written out: a printed scenario has it.
    if around.assembly.is_some_and(|assembly| assembly.offset != AssemblySpec::DEFAULT_OFFSET) {
        keys.push("assembly.offset".to_owned());
    }
    let below = ["control-channels", "control-rate"];
    if let Some(topology) = around.topology {
        keys.extend(below.map(|key| format!("topology.link.{key}")));
        let listed = topology.facts().listed.map_or(0, |listed| listed.links.len());
        for at in 0..listed {
            keys.extend(below.map(|key| format!("topology.links.{at}.{key}")));
        }
    }
    for key in keys {
        if to.is_written(&key) {
            to.note(&key, "does not apply: core.kind = \"packet\" sends no headers ahead");
        }
    }
}
