//! Errors of a scenario, as reported by the part that checks them: a shape, or a kind of core, in its folder.
//!
//! The caller that reads the file adds the line.

use units::Span;

pub use crate::flaw::Flaw;

/// Collects flaws, and knows the contents of the file.
pub trait Findings {
    /// An error, on the line of this key or of the nearest key above it that is written.
    fn mistake(&mut self, flaw: Flaw, at: &str);

    /// A key without effect; the scenario can be run with it.
    fn warning(&mut self, flaw: Flaw, at: &str);

    /// Whether a key is written.
    fn is_written(&self, key: &str) -> bool;

    /// How its value is written; empty if it is not written.
    fn written(&self, key: &str) -> String;

    /// The name that is most similar to a wrong one, if any is similar.
    fn nearest<'a>(&self, wrong: &str, names: &mut dyn Iterator<Item = &'a str>)
    -> Option<&'a str>;

    /// Whether there are so many errors that more of them need no care.
    fn is_full(&self) -> bool;
}

impl dyn Findings + '_ {
    /// An error at a key, without the value found.
    pub fn note(&mut self, key: &str, problem: impl Into<String>) {
        self.mistake(Flaw::new(key, problem), key);
    }

    /// A gap is required if the `chooser` of a table is `"flowlet"`, and only then.
    pub fn flowlet_gap(
        &mut self,
        (table, chooser, way): (&str, &str, &str),
        flowlets: bool,
        gap: Option<Span>,
    ) {
        let key = format!("{table}.flowlet-gap");
        match (flowlets, gap) {
            (true, None) => {
                let accepted = format!("the silence after which a flow takes a new {way}");
                self.mistake(Flaw::missing(&key, accepted), &format!("{table}.{chooser}"));
            }
            (false, Some(_)) => {
                self.note(&key, format!("applies only with {chooser} = \"flowlet\""));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Warns of a key that is written but not read.
    pub fn no_effect(&mut self, key: &str, why: &str) {
        if self.is_written(key) {
            let flaw = Flaw::new(key, format!("has no effect: {why}")).found(self.written(key));
            self.warning(flaw, key);
        }
    }
}
