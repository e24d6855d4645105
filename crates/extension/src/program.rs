//! A compiled program, and the state of one of its users.

use std::collections::BTreeMap;

use crate::code::Instruction;
use crate::interface::{Host, Interface};
use crate::machine::{Arrays, Machine, Outcome};
use crate::mistake::Fault;

/// A number that a scenario may choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value where nothing else is said.
    pub default: f64,
    /// The least value that is accepted.
    pub least: f64,
    /// The greatest value that is accepted.
    pub most: f64,
    pub(crate) register: u8,
}

/// Where a hook begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(u16);

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) interface: &'static Interface,
    pub(crate) constants: Vec<(u8, u64)>,
    pub(crate) registers: usize,
    pub(crate) arrays: usize,
    /// The registers of variables.
    pub(crate) state: Vec<(String, u8)>,
    /// Where a hook sees them as they were.
    pub(crate) earlier: u8,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) declared: Vec<&'static str>,
    pub(crate) code: Vec<Instruction>,
    pub(crate) lines: Vec<u32>,
    pub(crate) hooks: Vec<Option<u16>>,
}

/// The variables of one user of a program, such as a flow.
#[derive(Clone, Debug)]
pub struct State {
    /// The fields of the interface's records, then what is the program's own.
    pub registers: Box<[u64]>,
    arrays: Arrays,
}

impl Program {
    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Its variables with their registers, in the order of their names.
    pub fn variables(&self) -> impl Iterator<Item = (&str, u8)> {
        self.state.iter().map(|(name, register)| (name.as_str(), *register))
    }

    /// Whether it declares something that the interface knows.
    pub fn declares(&self, what: &str) -> bool {
        self.declared.contains(&what)
    }

    /// Whether it calls a method of this number anywhere.
    pub fn calls(&self, wanted: u8) -> bool {
        self.code
            .iter()
            .any(|one| matches!(one, Instruction::Call { method, .. } if *method == wanted))
    }

    /// Where a hook begins, if the program has it.
    pub fn entry(&self, hook: &str) -> Option<Entry> {
        let at = self.interface.hooks.iter().position(|one| one.name == hook)?;
        self.hooks[at].map(Entry)
    }

    /// A state that has not begun, with values of parameters by their names.
    pub fn state(&self, given: &BTreeMap<String, f64>) -> State {
        let mut registers = vec![0; self.registers].into_boxed_slice();
        for (register, bits) in &self.constants {
            registers[usize::from(*register)] = *bits;
        }
        for parameter in &self.parameters {
            let value = given.get(&parameter.name).copied().unwrap_or(parameter.default);
            registers[usize::from(parameter.register)] = value.to_bits();
        }
        State { registers, arrays: Arrays::new(self.arrays) }
    }

    /// Gives the variables their first values.
    pub fn begin<H: Host>(&self, state: &mut State, host: &mut H) -> Result<(), Fault> {
        self.call(Entry(0), state, host).map(|_| ())
    }

    /// Calls a hook.
    #[inline]
    pub fn call<H: Host>(
        &self,
        Entry(start): Entry,
        state: &mut State,
        host: &mut H,
    ) -> Result<Outcome, Fault> {
        let State { registers, arrays } = state;
        let mut machine = Machine { code: &self.code, registers, arrays };
        machine.run(start, host).map_err(|(at, problem)| self.fault(at, problem))
    }

    /// A fault at the beginning of a hook.
    #[cold]
    pub fn fault_of(&self, Entry(start): Entry, problem: String) -> Fault {
        self.fault(usize::from(start), problem)
    }

    #[cold]
    fn fault(&self, at: usize, problem: String) -> Fault {
        Fault { line: self.lines[at], problem }
    }

    /// Lets the next hook see the variables as they were in an earlier state.
    pub fn see_earlier(&self, state: &mut State, before: &State) {
        let seen = &mut state.registers[usize::from(self.earlier)..];
        for (register, (_, variable)) in seen.iter_mut().zip(&self.state) {
            *register = before.registers[usize::from(*variable)];
        }
    }
}
