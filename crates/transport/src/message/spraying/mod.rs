//! Which path a packet takes: its entropy, by which switches choose among paths of equal cost.
//!
//! A kind gives the entropy of each packet that is sent (`next`), and is told what became of it (`on_feedback`). To
//! add one, write its file and its line below; `random` is the shortest.

use ::random::Stream;
use units::Time;

use crate::mistake::Mistakes;

kinds::kinds! {
    /// How entropies are chosen: a name, or a table with options.
    "Spraying";
    mod random; use Random as "random";
    mod round_robin; use RoundRobin as "round-robin";
    mod reps; use Reps as "reps";
    mod bitmap; use Bitmap as "bitmap";
    mod mixed; use Mixed as "mixed";
}

impl Options {
    /// Notes what is wrong with the options, beyond what the schema says.
    pub(super) fn check(&self, found: &mut Mistakes) {
        with_options!(self, Kind, options => Kind::check(options, found));
    }
}

#[cfg(test)]
mod tests;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It came without a mark.
    Good,
    /// It came marked.
    Marked,
    /// A switch cut off its data.
    Trimmed,
    /// It was given up: the timer expired, or much that was sent later has come.
    Lost,
}

/// A kind of spraying. Entropies are numbers from 0 on, a power of two of them.
trait Kind: Clone {
    /// Its options in a scenario. Their doc comment is the text on the kind in the reference.
    type Options: Clone + Default + PartialEq;

    /// That of a connection, at its start.
    fn new(options: &Self::Options, entropies: u32, draws: &mut Stream) -> Self;

    /// Notes what is wrong with options, beyond what the schema says.
    fn check(_: &Self::Options, _: &mut Mistakes) {}

    /// The entropy of a packet that is sent now.
    fn next(&mut self, now: Time, draws: &mut Stream) -> u16;

    /// What became of a packet with this entropy.
    fn on_fate(&mut self, _now: Time, _entropy: u16, _fate: Fate) {}
}

/// The spraying of a connection.
#[derive(Clone, Debug)]
pub struct Spraying {
    kind: Any,
    draws: Stream,
}

impl Spraying {
    /// That of a connection at its start, with so many entropies: a power of two, at most 65,536.
    pub fn new(options: &Options, entropies: u32, mut draws: Stream) -> Self {
        debug_assert!(entropies.is_power_of_two() && entropies <= 1 << 16, "checked");
        let kind = with_options!(options, Kind, options => {
            Kind::new(options, entropies, &mut draws).into()
        });
        Self { kind, draws }
    }

    /// The entropy of a packet that is sent now.
    pub fn next(&mut self, now: Time) -> u16 {
        with!(&mut self.kind, kind => kind.next(now, &mut self.draws))
    }

    /// What became of a packet with this entropy.
    pub fn on_fate(&mut self, now: Time, entropy: u16, fate: Fate) {
        with!(&mut self.kind, kind => kind.on_fate(now, entropy, fate));
    }
}

/// One of `entropies`, each as likely as any other.
#[expect(clippy::cast_possible_truncation, reason = "at most 65,536")]
fn any(entropies: u32, draws: &mut Stream) -> u16 {
    draws.below(u64::from(entropies)) as u16
}
