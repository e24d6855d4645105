//! Expressions as instructions.

use super::Compiler;
use super::scope::{Binding, Variable};
use crate::code::{Function, Instruction};
use crate::interface::{Record, Type};
use crate::mistake::{At, Mistake};
use crate::tree::{Binary, Expression, Term};

/// A value: the register that it is in, and its type.
pub(crate) type Value = (u8, Type);

impl Compiler<'_> {
    /// Computes an expression, into a register if one is named and nothing is there already: the result
    /// may also be in that of a variable. The register named is written by the last instruction only.
    pub(crate) fn value(
        &mut self,
        expression: &Expression,
        into: Option<u8>,
    ) -> Result<Value, Mistake> {
        let at = expression.at;
        self.stand_at(at);
        match &expression.kind {
            Term::Number(number) => Ok((self.constant(at, number.to_bits())?, Type::Number)),
            Term::Truth(truth) => Ok((self.constant(at, u64::from(*truth))?, Type::Truth)),
            Term::Name(name) => self.name(at, name),
            Term::Field(record, field) => self.field(at, record, field),
            Term::Item(array, index) => {
                let (array, index) = (self.array(at, array)?, self.number(index)?);
                let to = self.target(into, at)?;
                self.emit(Instruction::Load { to, array, index })?;
                Ok((to, Type::Number))
            }
            Term::Call(function, arguments) => match self.call(at, function, arguments, into)? {
                Some(value) => Ok(value),
                None => Err(Mistake::new(at, format!("{function} gives no value"))),
            },
            Term::Method(record, method, arguments) => {
                match self.method(at, (record, method), arguments, into)? {
                    Some(value) => Ok(value),
                    None => Err(Mistake::new(at, format!("{record}.{method} gives no value"))),
                }
            }
            Term::Negative(inside) => {
                let a = self.number(inside)?;
                let to = self.target(into, at)?;
                self.emit(Instruction::Apply { to, function: Function::Negative, a })?;
                Ok((to, Type::Number))
            }
            Term::Binary(how, left, right) => {
                let left = self.operand(left, &[right])?;
                let right = self.value(right, None)?;
                self.arithmetic(at, *how, (left, right), into)
            }
            Term::Choice { condition, then, otherwise } => {
                self.choice((condition, then, otherwise), into)
            }
            Term::Not(_) | Term::Compare(..) | Term::And(..) | Term::Or(..) => {
                self.truth_value(expression)
            }
        }
    }

    /// A value that must be a number.
    pub(crate) fn number(&mut self, expression: &Expression) -> Result<u8, Mistake> {
        let (register, kind) = self.value(expression, None)?;
        expect(expression.at, kind, Type::Number)?;
        Ok(register)
    }

    /// Where a result goes.
    pub(crate) fn target(&mut self, into: Option<u8>, at: At) -> Result<u8, Mistake> {
        into.map_or_else(|| self.take(1, at), Ok)
    }

    pub(crate) fn copy(&mut self, to: u8, a: u8) -> Result<(), Mistake> {
        if to != a {
            self.emit(Instruction::Copy { to, a })?;
        }
        Ok(())
    }

    /// A value that stays what it is while others are computed, which may call functions that change it.
    pub(crate) fn operand(
        &mut self,
        expression: &Expression,
        others: &[&Expression],
    ) -> Result<Value, Mistake> {
        let (register, kind) = self.value(expression, None)?;
        if !others.iter().any(|other| calls(other)) {
            return Ok((register, kind));
        }
        let to = self.take(1, expression.at)?;
        self.copy(to, register)?;
        Ok((to, kind))
    }

    fn name(&mut self, at: At, name: &str) -> Result<Value, Mistake> {
        if let Some((bits, kind)) = self.word(name) {
            return Ok((self.constant(at, bits)?, kind));
        }
        if let Some(Binding::Value { register, kind }) = self.scope.names.get(name).copied() {
            self.has_value(at, name)?;
            return Ok((register, kind));
        }
        if let Some(&Variable { register, kind, .. }) = self.variables.get(name) {
            if matches!(self.scope.exit, super::scope::Exit::Nowhere) {
                self.has_value(at, name)?;
            }
            return Ok((register, kind));
        }
        if self.arrays.contains_key(name) {
            let accepted = format!("an item of it, as in {name}[0]");
            return Err(Mistake::new(at, format!("{name} is an array")).accepted(accepted));
        }
        if let Some(record) = self.record_named(name) {
            let accepted = format!("{name}.{}", fields(record).join(&format!(", {name}.")));
            return Err(Mistake::new(at, format!("{name} is no value")).accepted(accepted));
        }
        Err(self.unknown_name(at, name))
    }

    fn has_value(&self, at: At, name: &str) -> Result<(), Mistake> {
        if self.scope.has_value(name) {
            return Ok(());
        }
        let accepted = "a value that it is given before, on every way";
        Err(Mistake::new(at, format!("{name} may have no value here")).accepted(accepted))
    }

    fn unknown_name(&self, at: At, name: &str) -> Mistake {
        let mut known: Vec<&str> = self.variables.keys().map(String::as_str).collect();
        known.extend(self.scope.names.keys().map(String::as_str));
        known.extend(self.interface.standing.iter().map(|record| record.name));
        known.extend(self.interface.constants.iter().map(|constant| constant.name));
        known.extend(["never", "start"]);
        Mistake::new(at, "unknown variable").found(name).accepted(known.join(", "))
    }

    /// The record that a name stands for.
    pub(crate) fn record_named(&self, name: &str) -> Option<&'static Record> {
        match self.scope.names.get(name) {
            Some(Binding::Record(record)) => Some(record),
            Some(Binding::Value { .. }) => None,
            None => self.record(name),
        }
    }

    /// The record that a name must stand for.
    pub(crate) fn expect_record(&self, at: At, name: &str) -> Result<&'static Record, Mistake> {
        self.record_named(name).ok_or_else(|| {
            let local = self.scope.names.iter();
            let local = local.filter(|(_, binding)| matches!(binding, Binding::Record(_)));
            let mut known: Vec<&str> = local.map(|(name, _)| name.as_str()).collect();
            known.extend(self.interface.standing.iter().map(|record| record.name));
            Mistake::new(at, "has no fields").found(name).accepted(known.join(", "))
        })
    }

    fn field(&mut self, at: At, name: &str, field: &str) -> Result<Value, Mistake> {
        let record = self.expect_record(at, name)?;
        if let Some((place, found)) = (0u8..).zip(record.fields).find(|(_, one)| one.name == field)
        {
            let known = self.records.iter().find(|(one, _)| one.name == record.name);
            let (_, first) = known.expect("every record has registers");
            return Ok((first + place, found.kind));
        }
        let mut accepted: Vec<&str> = fields(record);
        if self.interface.earlier == Some(record.name) {
            let state = self.variables.iter().filter(|(_, variable)| !variable.is_parameter);
            let state: Vec<(&String, &Variable)> = state.collect();
            if let Some(place) = state.iter().position(|(name, _)| *name == field) {
                let place = u8::try_from(place).unwrap_or(u8::MAX);
                return Ok((self.earlier + place, state[usize::from(place)].1.kind));
            }
            accepted.extend(state.into_iter().map(|(name, _)| name.as_str()));
        }
        let accepted = accepted.join(", ");
        Err(Mistake::new(at, format!("{name} has no such field")).found(field).accepted(accepted))
    }

    /// The number of an array.
    pub(crate) fn array(&self, at: At, name: &str) -> Result<u8, Mistake> {
        self.arrays.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.arrays.keys().map(String::as_str).collect();
            Mistake::new(at, "unknown array").found(name).accepted(known.join(", "))
        })
    }

    /// An operator on two values.
    pub(crate) fn arithmetic(
        &mut self,
        at: At,
        how: Binary,
        ((a, one), (b, other)): (Value, Value),
        into: Option<u8>,
    ) -> Result<Value, Mistake> {
        self.stand_at(at);
        let to = self.target(into, at)?;
        let (instruction, kind) = match (how, one, other) {
            (Binary::Subtract, Type::Time, Type::Time) => {
                (Instruction::Since { to, a, b }, Type::Number)
            }
            (Binary::Add, Type::Time, Type::Number) => {
                (Instruction::Later { to, a, b }, Type::Time)
            }
            (_, Type::Number, Type::Number) => {
                let instruction = match how {
                    Binary::Add => Instruction::Add { to, a, b },
                    Binary::Subtract => Instruction::Subtract { to, a, b },
                    Binary::Multiply => Instruction::Multiply { to, a, b },
                    Binary::Divide => Instruction::Divide { to, a, b },
                    Binary::Quotient => Instruction::Quotient { to, a, b },
                    Binary::Remainder => Instruction::Remainder { to, a, b },
                    Binary::Power => Instruction::Power { to, a, b },
                };
                (instruction, Type::Number)
            }
            _ => {
                let found = format!("{} and {}", one.name(), other.name());
                let accepted = "numbers; the difference of instants; an instant + seconds";
                return Err(Mistake::new(at, "wrong type").found(found).accepted(accepted));
            }
        };
        self.emit(instruction)?;
        Ok((to, kind))
    }
}

/// Whether an expression calls something that could change variables.
fn calls(expression: &Expression) -> bool {
    match &expression.kind {
        Term::Call(..) | Term::Method(..) => true,
        Term::Number(_) | Term::Truth(_) | Term::Name(_) | Term::Field(..) => false,
        Term::Item(_, inside) | Term::Negative(inside) | Term::Not(inside) => calls(inside),
        Term::Binary(_, a, b) | Term::Compare(_, a, b) | Term::And(a, b) | Term::Or(a, b) => {
            calls(a) || calls(b)
        }
        Term::Choice { condition, then, otherwise } => {
            calls(condition) || calls(then) || calls(otherwise)
        }
    }
}

pub(crate) fn fields(record: &'static Record) -> Vec<&'static str> {
    record.fields.iter().map(|field| field.name).collect()
}

pub(crate) fn expect(at: At, found: Type, wanted: Type) -> Result<(), Mistake> {
    if found == wanted {
        return Ok(());
    }
    Err(Mistake::new(at, "wrong type").found(found.name()).accepted(wanted.name()))
}
