//! From a tree to instructions: what all parts of it use, and the program as a whole.

mod calls;
mod conditions;
mod expressions;
mod scope;
mod statements;

use std::collections::BTreeMap;

use crate::code::Instruction;
use crate::interface::{Interface, Record, Type};
use crate::mistake::{At, Mistake};
use crate::program::{Parameter, Program};
use crate::token::{Kind, Token, tokens};
use crate::tree::{Binary, Expression, Function, Item, Term};
use scope::{Exit, Scope, Variable};

/// The most instructions of a program.
const LONGEST: usize = 16_384;
/// The most variables, constants and intermediate values at a time.
const REGISTERS: usize = 256;

/// What is known of the program so far.
pub(crate) struct Compiler<'a> {
    pub(crate) interface: &'static Interface,
    /// The records with the registers of their first fields.
    pub(crate) records: Vec<(&'static Record, u8)>,
    pub(crate) variables: BTreeMap<String, Variable>,
    pub(crate) arrays: BTreeMap<String, u8>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) declared: Vec<&'static str>,
    /// The functions that may be called here, each with whether it is.
    pub(crate) functions: Vec<(&'a Function, bool)>,
    constants: BTreeMap<u64, u8>,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    /// The first register of what a hook sees of the earlier state.
    pub(crate) earlier: u8,
    /// The next free register, and the most that are in use at a time.
    pub(crate) top: usize,
    highest: usize,
    /// Registers below are variables of functions.
    pub(crate) floor: usize,
    pub(crate) scope: Scope,
    /// Calls within calls.
    pub(crate) depth: usize,
    /// Calls that have been written out.
    pub(crate) written_out: usize,
    line: u32,
}

impl Program {
    /// Compiles a source, or says what is wrong with it.
    pub fn compile(source: &str, interface: &'static Interface) -> Result<Self, Mistake> {
        let tokens = tokens(source)?;
        let items = crate::parse::parse(&tokens)?;
        let mut compiler = Compiler::new(interface);
        compiler.plan(&tokens, &items)?;
        for item in &items {
            compiler.outside(item)?;
        }
        compiler.emit(Instruction::End)?;
        let mut hooks = vec![None; interface.hooks.len()];
        for item in &items {
            if let Item::Function(function) = item {
                compiler.define(function, &mut hooks)?;
            }
        }
        compiler.uncalled()?;
        let variables = compiler.variables.iter().filter(|(_, variable)| !variable.is_parameter);
        Ok(Self {
            interface,
            constants: compiler
                .constants
                .iter()
                .map(|(bits, register)| (*register, *bits))
                .collect(),
            registers: compiler.highest,
            arrays: compiler.arrays.len(),
            state: variables.map(|(name, variable)| (name.clone(), variable.register)).collect(),
            earlier: compiler.earlier,
            parameters: compiler.parameters,
            declared: compiler.declared,
            code: compiler.code,
            lines: compiler.lines,
            hooks,
        })
    }
}

impl Compiler<'_> {
    fn new(interface: &'static Interface) -> Self {
        Self {
            interface,
            records: Vec::new(),
            variables: BTreeMap::new(),
            arrays: BTreeMap::new(),
            parameters: Vec::new(),
            declared: Vec::new(),
            functions: Vec::new(),
            constants: BTreeMap::new(),
            code: Vec::new(),
            lines: Vec::new(),
            earlier: 0,
            top: 0,
            highest: 0,
            floor: 0,
            scope: Scope::new(Exit::Nowhere),
            depth: 0,
            written_out: 0,
            line: 1,
        }
    }

    /// Gives every field, variable and constant its register.
    fn plan(&mut self, tokens: &[Token], items: &[Item]) -> Result<(), Mistake> {
        let start = At { line: 1, column: 1 };
        for record in self.interface.records() {
            let first = self.take(record.fields.len(), start)?;
            self.records.push((record, first));
        }
        let mut state = 0;
        for item in items {
            if let Item::Variable { at, name, value } = item {
                self.unused_name(*at, name)?;
                let call = match &value.kind {
                    Term::Call(function, _) => function.as_str(),
                    _ => "",
                };
                if call == "array" {
                    let number = u8::try_from(self.arrays.len());
                    let number = number.map_err(|_| Mistake::new(*at, "too many arrays"))?;
                    self.arrays.insert(name.clone(), number);
                    continue;
                }
                let is_parameter = call == "parameter";
                state += usize::from(!is_parameter);
                let register = self.take(1, *at)?;
                let variable = Variable { register, kind: Type::Number, is_parameter };
                self.variables.insert(name.clone(), variable);
            }
        }
        self.earlier =
            self.take(if self.interface.earlier.is_some() { state } else { 0 }, start)?;
        self.constant(start, 0)?;
        self.constant(start, 1)?;
        self.constant(start, 1.0_f64.to_bits())?;
        for Token { at, kind } in tokens {
            match kind {
                Kind::Number(number) => self.constant(*at, number.to_bits())?,
                Kind::Name(name) => match self.word(name) {
                    Some((bits, _)) => self.constant(*at, bits)?,
                    None => continue,
                },
                _ => continue,
            };
        }
        self.floor = self.top;
        Ok(())
    }

    fn unused_name(&self, at: At, name: &str) -> Result<(), Mistake> {
        let has_meaning = self.word(name).is_some()
            || self.record(name).is_some()
            || self.variables.contains_key(name)
            || self.arrays.contains_key(name);
        if has_meaning {
            let problem = format!("{name} has a meaning already");
            return Err(Mistake::new(at, problem).accepted("another name"));
        }
        Ok(())
    }

    /// A word of the interface, with its bits.
    pub(crate) fn word(&self, name: &str) -> Option<(u64, Type)> {
        match name {
            "never" => return Some((u64::MAX, Type::Time)),
            "start" => return Some((0, Type::Time)),
            _ => {}
        }
        let found = self.interface.constants.iter().find(|constant| constant.name == name)?;
        Some((found.bits, found.kind))
    }

    /// The register of a constant.
    pub(crate) fn constant(&mut self, at: At, bits: u64) -> Result<u8, Mistake> {
        if let Some(register) = self.constants.get(&bits) {
            return Ok(*register);
        }
        let register = self.take(1, at)?;
        self.constants.insert(bits, register);
        Ok(register)
    }

    /// Registers beside each other; returns the first.
    pub(crate) fn take(&mut self, count: usize, at: At) -> Result<u8, Mistake> {
        let first = self.top;
        self.top += count;
        self.highest = self.highest.max(self.top);
        if self.top > REGISTERS {
            let problem = "too many variables, constants and intermediate values at a time";
            return Err(Mistake::new(at, problem).accepted(format!("{REGISTERS}")));
        }
        Ok(u8::try_from(first).unwrap_or(u8::MAX))
    }

    /// A standing record with that name.
    pub(crate) fn record(&self, name: &str) -> Option<&'static Record> {
        self.interface.standing.iter().find(|record| record.name == name)
    }

    /// Later instructions belong to this place.
    pub(crate) fn stand_at(&mut self, at: At) {
        self.line = at.line;
    }

    pub(crate) fn emit(&mut self, instruction: Instruction) -> Result<usize, Mistake> {
        if self.code.len() == LONGEST {
            let at = At { line: self.line, column: 1 };
            let mistake = Mistake::new(at, "the program is too long, with each call written out");
            return Err(mistake.accepted(format!("{LONGEST} instructions")));
        }
        self.code.push(instruction);
        self.lines.push(self.line);
        Ok(self.code.len() - 1)
    }

    /// Where the next instruction will be.
    pub(crate) fn here(&self) -> u16 {
        u16::try_from(self.code.len()).expect("shorter than the longest program")
    }

    /// Aims jumps at the next instruction.
    pub(crate) fn aim(&mut self, jumps: Vec<usize>) {
        let here = self.here();
        for jump in jumps {
            match &mut self.code[jump] {
                Instruction::Jump { to }
                | Instruction::JumpIf { to, .. }
                | Instruction::JumpUnless { to, .. }
                | Instruction::Compare { to, .. } => *to = here,
                other => unreachable!("{other:?} is no jump"),
            }
        }
    }

    /// What stands outside of functions: it happens at the start, in its order.
    fn outside(&mut self, item: &Item) -> Result<(), Mistake> {
        match item {
            Item::Function(_) => Ok(()),
            Item::Declaration { at, name } => {
                let known = self.interface.declarations.iter().find(|one| *one == name);
                let Some(known) = known else {
                    let accepted = match self.interface.declarations {
                        [] => "variables and functions".to_owned(),
                        all => format!("{}()", all.join("(), ")),
                    };
                    let mistake = Mistake::new(*at, "nothing to be called outside of a function");
                    return Err(mistake.found(name.clone()).accepted(accepted));
                };
                self.declared.push(known);
                Ok(())
            }
            Item::Variable { at, name, value } => self.variable(*at, name, value),
        }
    }

    fn variable(&mut self, at: At, name: &str, value: &Expression) -> Result<(), Mistake> {
        self.stand_at(at);
        if let Some(&array) = self.arrays.get(name) {
            let Term::Call(_, arguments) = &value.kind else { unreachable!("it is an array") };
            let [length, first] = &arguments[..] else {
                let problem = "array takes its length and the value of its items";
                return Err(Mistake::new(at, problem).accepted("one such as array(8, 0)"));
            };
            let (length, a) = (self.number(length)?, self.number(first)?);
            self.emit(Instruction::Allocate { array, length, a })?;
        } else {
            let Variable { register, is_parameter, .. } = self.variables[name];
            if is_parameter {
                let parameter = parameter(at, name, value, register)?;
                self.parameters.push(parameter);
            } else {
                let (found, kind) = self.value(value, Some(register))?;
                self.copy(register, found)?;
                self.variables.insert(name.to_owned(), Variable { register, kind, is_parameter });
            }
        }
        if let Some(assigned) = &mut self.scope.assigned {
            assigned.insert(name.to_owned());
        }
        self.top = self.floor;
        Ok(())
    }
}

/// `parameter(default, least, most)`.
fn parameter(at: At, name: &str, value: &Expression, register: u8) -> Result<Parameter, Mistake> {
    let Term::Call(_, arguments) = &value.kind else { unreachable!("it is a parameter") };
    let numbers: Vec<f64> = arguments.iter().map(constant).collect::<Result<_, _>>()?;
    let (default, least, most) = match numbers[..] {
        [default] => (default, f64::NEG_INFINITY, f64::INFINITY),
        [default, least, most] => (default, least, most),
        _ => {
            let accepted = "parameter(default) or parameter(default, least, most)";
            return Err(Mistake::new(at, "a parameter has a default").accepted(accepted));
        }
    };
    if !(default >= least && default <= most) {
        let mistake = Mistake::new(at, "the default is out of range").found(default.to_string());
        return Err(mistake.accepted(format!("{least} to {most}")));
    }
    Ok(Parameter { name: name.to_owned(), default, least, most, register })
}

/// The value of numbers and what is computed of them.
fn constant(expression: &Expression) -> Result<f64, Mistake> {
    Ok(match &expression.kind {
        Term::Number(number) => *number,
        Term::Negative(inside) => -constant(inside)?,
        Term::Binary(how, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match how {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                _ => return Err(no_constant(expression)),
            }
        }
        _ => return Err(no_constant(expression)),
    })
}

fn no_constant(expression: &Expression) -> Mistake {
    Mistake::new(expression.at, "not a constant").accepted("numbers, with + - * /")
}
