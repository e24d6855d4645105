//! A window rule of one's own, as a program of `extension`.
//!
//! The program sees what the built-in rules see, under the same names: its hooks are those of `Rule`, and
//! one that it leaves out does what Reno does. A program that cannot go on leaves its window as it is; the
//! caller finds the [`Fault`] and ends the run.

mod bindings;
mod interface;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;

use extension::{Entry, Fault, Outcome, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delivered::Delivered;
use super::rule::Rule;
use super::window::{Acked, Congested, Ecn, Window};
use crate::mistake::Mistakes;
use bindings::Hands;
use interface::Place;
use source::Hooks;
pub use source::Source;

/// A window rule of one's own: a program, in the language of the guide on own transport.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// A file with the program, instead of `source`. A relative path starts at the folder of the file that
    /// names it, on the command line and in Python at the current directory.
    #[serde(skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "program", "key": "source" })
    )]
    pub file: Option<Box<str>>,
    /// The program. A hook that it leaves out does what Reno does.
    pub source: Source,
    /// Values of the parameters that the program declares, by their names; others keep their defaults.
    pub parameters: BTreeMap<String, f64>,
}

/// The window of a program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    window: Window,
    compiled: Arc<Hooks>,
    state: State,
    fault: Option<Box<Fault>>,
}

impl Rule for Program {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        let compiled = source::compiled(&options.source);
        let state = compiled.program.state(&options.parameters);
        let mut rule = Self { window, compiled, state, fault: None };
        rule.see_window();
        let mut hands = Hands::empty(&mut rule.window);
        let begun = rule.compiled.program.begin(&mut rule.state, &mut hands);
        rule.fault = begun.err().map(Box::new);
        rule
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    fn check(options: &Options, found: &mut Mistakes) {
        source::check(&options.source, &options.parameters, found);
    }

    fn ecn(options: &Options) -> Ecn {
        if source::needs_every_mark(&options.source) { Ecn::EveryMark } else { Ecn::Optional }
    }

    fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        let Some(entry) = self.compiled.on_ack else {
            return self.window.grow(acked, 1.0);
        };
        let seen = &mut self.state.registers[Place::ACKED..];
        seen[0] = acked.now.0;
        seen[1] = (acked.octets as f64).to_bits();
        seen[2] = acked.srtt.as_secs_f64().to_bits();
        seen[3] = u64::from(acked.after_timeout);
        seen[4] = u64::from(acked.may_grow);
        self.call(entry, |window| Hands { acked: Some(acked), ..Hands::empty(window) });
    }

    fn on_loss(&mut self, congested: &Congested) {
        let Some(entry) = self.compiled.on_loss else {
            return self.window.reduce(congested, 0.5);
        };
        let seen = &mut self.state.registers[Place::CONGESTED..];
        seen[0] = congested.now.0;
        seen[1] = interface::word(congested.signal);
        seen[2] = (congested.basis as f64).to_bits();
        self.call(entry, |window| Hands { congested: Some(congested), ..Hands::empty(window) });
    }

    #[inline]
    fn on_delivered(&mut self, told: &Delivered) {
        let Some(entry) = self.compiled.on_delivered else { return };
        let seen = &mut self.state.registers[Place::DELIVERED..];
        seen[0] = (told.octets as f64).to_bits();
        seen[1] = u64::from(told.marked > 0);
        seen[2] = (told.ack as f64).to_bits();
        seen[3] = (told.next as f64).to_bits();
        seen[4] = u64::from(told.rtt.is_some());
        seen[5] = told.rtt.unwrap_or_default().as_secs_f64().to_bits();
        self.call(entry, Hands::empty);
    }

    fn pacing(&mut self) -> f64 {
        let Some(entry) = self.compiled.pacing else { return self.window.pacing() };
        match self.call(entry, Hands::empty) {
            Some(Outcome::Value(bits)) => {
                let rate = f64::from_bits(bits);
                if rate.is_finite() && rate > 0.0 {
                    return rate;
                }
                let problem = format!("pacing returns {rate}; accepted a number above 0");
                self.fault = Some(Box::new(self.compiled.program.fault_of(entry, problem)));
            }
            Some(Outcome::Done) | None => {}
        }
        self.window.pacing()
    }

    fn on_lost_syn(&mut self, lost: u8) {
        if let Some(entry) = self.compiled.on_lost_syn {
            self.call(entry, Hands::empty);
        } else {
            self.begin_anew(lost);
        }
    }

    fn on_restart(&mut self) {
        if let Some(entry) = self.compiled.on_restart {
            self.call(entry, Hands::empty);
        }
    }

    fn on_undo(&mut self, before: &Self) {
        let Some(entry) = self.compiled.on_undo else {
            let fault = self.fault.take();
            self.clone_from(before);
            self.fault = fault;
            return;
        };
        self.compiled.program.see_earlier(&mut self.state, &before.state);
        let seen = &mut self.state.registers[Place::BEFORE..];
        seen[0] = before.window.cwnd.to_bits();
        seen[1] = before.window.ssthresh.to_bits();
        self.call(entry, Hands::empty);
    }

    /// That of Reno, or of CUBIC where the program has its window estimate.
    #[cfg(test)]
    fn most_growth(&self, counted: f64) -> f64 {
        let (segment, cwnd) = (self.window.segment, self.window.cwnd);
        let mut variables = self.compiled.program.variables();
        let Some((_, w_est)) = variables.find(|(name, _)| *name == "w_est") else {
            return counted * segment / cwnd;
        };
        let w_est = f64::from_bits(self.state.registers[usize::from(w_est)]);
        (counted / 2.0).max(w_est * segment + counted * segment / cwnd - cwnd)
    }
}

impl Program {
    /// The registers show the window.
    #[inline]
    fn see_window(&mut self) {
        bindings::show(&self.window, &mut self.state.registers);
    }

    /// Calls a hook, unless the program has failed.
    #[inline]
    fn call<'a>(
        &'a mut self,
        entry: Entry,
        hands: impl FnOnce(&'a mut Window) -> Hands<'a>,
    ) -> Option<Outcome> {
        if self.fault.is_some() {
            return None;
        }
        bindings::show(&self.window, &mut self.state.registers);
        let mut hands = hands(&mut self.window);
        match self.compiled.program.call(entry, &mut self.state, &mut hands) {
            Ok(outcome) => Some(outcome),
            Err(fault) => {
                self.fault = Some(Box::new(fault));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
