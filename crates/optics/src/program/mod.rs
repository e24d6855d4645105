//! Policies of one's own, as programs of `extension`: what they see, and how they are called.
//!
//! A policy is asked for one of several things, and its program answers with the number of one. A program
//! that cannot go on answers 0; the caller finds the [`Fault`] and ends the run.

mod lightpaths;
mod queues;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use extension::{
    Entry, Fault, Field, Host, Interface, Method, Outcome, Program, Record, State, Type, Wanted,
};
use random::Stream;
use schemars::JsonSchema;

pub use lightpaths::Lightpaths;
pub(crate) use lightpaths::SEEN as SEEN_OF_LIGHTPATHS;
pub use queues::Queues;
pub(crate) use queues::SEEN as SEEN_OF_QUEUES;

/// The random numbers of a policy.
const DRAW: Record =
    Record { name: "draw", fields: &[], methods: &[of_number("below", Do::BELOW)] };

/// A method that a number is given and that gives one.
const fn of_number(name: &'static str, number: u8) -> Method {
    let wants = &[Wanted::Value(Type::Number)];
    Method { name, wants, gives: Some(Type::Number), number }
}

/// How many there are of what a program chooses among.
const COUNTED: &[Field] = &[Field::read("count", Type::Number)];

/// The register of the number of what a program chooses among.
const COUNT: usize = 0;

/// What a program does, by number.
pub(crate) struct Do;

impl Do {
    const BELOW: u8 = 0;
    pub(crate) const FLOWS: u8 = 1;
    pub(crate) const WINDOWS: u8 = 2;
    pub(crate) const QUEUED: u8 = 3;
    pub(crate) const WAIT: u8 = 4;
}

/// What programs of one kind choose.
pub trait Kind: Clone + Debug + Default + PartialEq + JsonSchema {
    /// The function that chooses.
    const HOOK: &'static str;
    /// What messages call one of what it chooses among.
    const ONE: &'static str;
    /// What programs of this kind see.
    const INTERFACE: &'static Interface;
}

/// A program of one kind with its hook.
#[derive(Debug)]
pub struct Hooks<K> {
    program: Program,
    choose: Option<Entry>,
    kind: PhantomData<K>,
}

impl<K: Kind> Hooks<K> {
    /// Whether it has the function that chooses.
    pub fn is_complete(&self) -> bool {
        self.choose.is_some()
    }
}

impl<K: Kind> extension::Hooks for Hooks<K> {
    fn interface() -> &'static Interface {
        K::INTERFACE
    }

    fn of(program: Program) -> Self {
        Self { choose: program.entry(K::HOOK), program, kind: PhantomData }
    }

    fn program(&self) -> &Program {
        &self.program
    }
}

/// A program with its variables.
#[derive(Debug, Clone)]
pub(crate) struct Running<K> {
    hooks: Arc<Hooks<K>>,
    state: State,
    fault: Option<Box<Fault>>,
}

impl<K: Kind> Running<K> {
    /// The program with values of its parameters, and with a choice among so many.
    pub(crate) fn new(
        hooks: &Arc<Hooks<K>>,
        parameters: &BTreeMap<String, f64>,
        count: u32,
    ) -> Self {
        let hooks = Arc::clone(hooks);
        let mut state = hooks.program.state(parameters);
        state.registers[COUNT] = f64::from(count).to_bits();
        Self { hooks, state, fault: None }
    }

    /// Gives the variables their first values.
    pub(crate) fn begin(&mut self, host: &mut impl Host) {
        self.fault = self.hooks.program.begin(&mut self.state, host).err().map(Box::new);
    }

    /// The program's answer, once it has these values in the registers from `seen` on.
    #[inline]
    pub(crate) fn choose<const N: usize>(
        &mut self,
        (from, seen): (usize, [u64; N]),
        host: &mut impl Host,
    ) -> u32 {
        let Self { hooks, state, fault } = self;
        let Some(entry) = hooks.choose.filter(|_| fault.is_none()) else { return 0 };
        state.registers[from..from + N].copy_from_slice(&seen);
        let count = f64::from_bits(state.registers[COUNT]);
        let why = match hooks.program.call(entry, state, host) {
            Ok(Outcome::Value(bits)) => match one_of(f64::from_bits(bits), count) {
                Some(number) => return number,
                None => hooks.program.fault_of(entry, no_such::<K>(count)),
            },
            Ok(Outcome::Done) => hooks.program.fault_of(entry, no_such::<K>(count)),
            Err(fault) => fault,
        };
        *fault = Some(Box::new(why));
        0
    }

    /// Why it cannot go on, if so.
    #[inline]
    pub(crate) fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }
}

/// The problem of an answer that is none of so many.
#[cold]
fn no_such<K: Kind>(count: f64) -> String {
    let (hook, one, most) = (K::HOOK, K::ONE, count - 1.0);
    format!("{hook} returns no {one}; accepted a whole number from 0 to {most}")
}

/// A number that is whole and below another.
fn one_of(number: f64, count: f64) -> Option<u32> {
    whole(number).filter(|_| number < count)
}

/// A number that is whole and has 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn whole(number: f64) -> Option<u32> {
    let is_one = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    is_one.then_some(number as u32)
}

/// What a program may ask of its surroundings: random numbers, and what `inside` says by the number of a
/// method and of one of what it chooses among.
pub(crate) struct Hands<'a, F, K> {
    stream: &'a mut Stream,
    inside: F,
    kind: PhantomData<K>,
}

impl<'a, F: Fn(u8, u32) -> f64, K: Kind> Hands<'a, F, K> {
    pub(crate) fn new(stream: &'a mut Stream, inside: F) -> Self {
        Self { stream, inside, kind: PhantomData }
    }
}

impl<F: Fn(u8, u32) -> f64, K: Kind> Host for Hands<'_, F, K> {
    fn call(&mut self, method: u8, registers: &mut [u64], at: usize) -> Result<u64, String> {
        let number = f64::from_bits(registers[at]);
        if method == Do::BELOW {
            let Some(count) = whole(number).filter(|&count| count > 0) else {
                return Err(format!("draw.below({number}); accepted a whole number from 1"));
            };
            return Ok((self.stream.below(u64::from(count)) as f64).to_bits());
        }
        let count = f64::from_bits(registers[COUNT]);
        let Some(chosen) = one_of(number, count) else {
            let (one, most) = (K::ONE, count - 1.0);
            return Err(format!("no {one} {number}; accepted a whole number from 0 to {most}"));
        };
        Ok((self.inside)(method, chosen).to_bits())
    }
}
