//! Policies of one's own, as programs.

use optics::PolicyProgram;
use optics::program::Kind;

use super::Check;
use crate::mistake::Flaw;

impl Check<'_> {
    /// A program is required if the key `chooser` of a table is "program", and only then. It has no errors,
    /// and the function that chooses.
    pub(super) fn policy_program<K: Kind>(
        &mut self,
        (table, chooser): (&str, &str),
        is_program: bool,
        program: Option<&PolicyProgram<K>>,
    ) {
        let key = format!("{table}.program");
        let Some(program) = program else {
            if is_program {
                let accepted = "a table with source or file";
                self.say(Flaw::missing(key, accepted), &format!("{table}.{chooser}"));
            }
            return;
        };
        if !is_program {
            return self.note(&key, format!("applies only with {chooser} = \"program\""));
        }
        for flaw in program.source.flaws(&program.parameters) {
            let name = if flaw.in_parameters { "parameters" } else { "source" };
            let key = format!("{key}.{name}");
            let told = Flaw::new(&key, flaw.problem).found(flaw.found).accepted(flaw.accepted);
            self.say_in(told, &key, flaw.line);
        }
        if program.source.compiled().is_some_and(|hooks| !hooks.is_complete()) {
            let (key, hook, one) = (format!("{key}.source"), K::HOOK, K::ONE);
            let flaw = Flaw::new(&key, format!("a program without the function {hook}"));
            let accepted = format!("def {hook}(packet), which returns a {one}");
            self.say(flaw.accepted(accepted), &key);
        }
    }
}
