//! The core of a packet-switched network: remedies with what they need, and nothing for headers.

use network::spec::{ExplicitLink, Topology};
use optics::{Deflection, FibreLoopSpec, PacketCoreSpec, Remedy};
use units::Span;

use super::{Check, Parts};
use crate::mistake::Flaw;

impl Check<'_> {
    pub(super) fn packet_core(&mut self, core: &PacketCoreSpec, parts: &Parts) {
        for (at, remedy) in core.remedies.iter().enumerate() {
            if core.remedies[..at].contains(remedy) {
                self.note(&format!("core.remedies.{at}"), "named twice");
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
                self.say(Flaw::missing(key, accepted), "core.remedies");
            }
        }
        for (key, remedy, word) in [
            ("core.converters", Remedy::Convert, "convert"),
            ("core.fibre-delays", Remedy::Delay, "delay"),
            ("core.fibre-loop", Remedy::Delay, "delay"),
            ("core.deflection", Remedy::Deflect, "deflect"),
        ] {
            if !has(remedy) && self.root.at(key).is_some() {
                self.note(key, format!("has no use unless remedies has \"{word}\""));
            }
        }
        self.delay_lines(&core.fibre_delays, core.fibre_loop);
        if let Some(Deflection::Abstract { hold, .. }) = core.deflection {
            if hold.to < hold.from {
                let key = "core.deflection.hold.to";
                let flaw = Flaw::new(key, "less than from").found(hold.to.to_string());
                self.say(flaw.accepted(format!("at least {}", hold.from)), key);
            }
            let deflect = core.remedies.iter().position(|&remedy| remedy == Remedy::Deflect);
            if let Some(at) = deflect.filter(|at| at + 1 < core.remedies.len()) {
                let problem = "has no use: an abstract path is never busy";
                self.note(&format!("core.remedies.{}", at + 1), problem);
            }
        }
        self.no_headers(parts);
    }

    /// What is said of headers that run ahead, of which there are none.
    fn no_headers(&mut self, parts: &Parts) {
        let mut keys = vec!["control".to_owned(), "assembly.offset".to_owned()];
        match &parts.topology {
            Some(Topology::Nsfnet { .. }) => {
                keys.extend(
                    ["control-channels", "control-rate"].map(|k| format!("topology.link.{k}")),
                );
            }
            Some(Topology::Explicit { links, .. }) => {
                let has = |link: &ExplicitLink| {
                    link.control_channels.is_some() || link.control_rate.is_some()
                };
                for (at, _) in links.iter().enumerate().filter(|(_, link)| has(link)) {
                    let below = ["control-channels", "control-rate"];
                    keys.extend(below.map(|key| format!("topology.links.{at}.{key}")));
                }
            }
            _ => {}
        }
        for key in keys {
            if self.root.at(&key).is_some() {
                self.note(&key, "has no use: core.kind = \"packet\" has no headers that run ahead");
            }
        }
    }

    /// Fibre delay lines ascend, and are a set or a loop.
    pub(super) fn delay_lines(&mut self, delays: &[Span], looped: Option<FibreLoopSpec>) {
        for (at, pair) in delays.windows(2).enumerate() {
            if pair[1] <= pair[0] {
                let key = format!("core.fibre-delays.{}", at + 1);
                let flaw = Flaw::new(&key, "not in ascending order").found(pair[1].to_string());
                self.say(flaw.accepted(format!("more than {}", pair[0])), &key);
            }
        }
        if delays.first() == Some(&Span::ZERO) {
            self.note("core.fibre-delays.0", "no delay at all is tried anyway");
        }
        if !delays.is_empty() && looped.is_some() {
            self.note("core.fibre-loop", "fibre-delays is given too: one of them is enough");
        }
    }
}
