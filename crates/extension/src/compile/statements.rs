//! Statements as instructions.

use super::Compiler;
use super::expressions::{Value, expect};
use super::scope::{Binding, Exit, Loop, Variable};
use crate::code::{Instruction, Test};
use crate::interface::Type;
use crate::mistake::{At, Mistake};
use crate::tree::{Action, Binary, Expression, Statement, Term};

impl Compiler<'_> {
    pub(crate) fn block(&mut self, body: &[Statement]) -> Result<(), Mistake> {
        for statement in body {
            if self.scope.assigned.is_none() {
                return Err(Mistake::new(statement.at, "is never reached"));
            }
            self.stand_at(statement.at);
            self.statement(statement)?;
            self.top = self.floor;
        }
        Ok(())
    }

    fn statement(&mut self, Statement { at, kind }: &Statement) -> Result<(), Mistake> {
        let at = *at;
        match kind {
            Action::Assign { target, operator, value } => self.assign(target, *operator, value),
            Action::If { condition, then, otherwise } => {
                let unless = self.jump(condition, false)?;
                self.top = self.floor;
                let before = self.scope.assigned.clone();
                self.block(then)?;
                let after = std::mem::replace(&mut self.scope.assigned, before);
                if otherwise.is_empty() {
                    self.aim(unless);
                } else {
                    let over = self.emit(Instruction::Jump { to: 0 })?;
                    self.aim(unless);
                    self.block(otherwise)?;
                    self.aim(vec![over]);
                }
                self.scope.meet(after);
                Ok(())
            }
            Action::While { condition, body } => {
                let start = self.here();
                let leave = self.jump(condition, false)?;
                self.top = self.floor;
                self.repeat(body, leave, |compiler| {
                    compiler.stand_at(at);
                    compiler.emit(Instruction::Loop { to: start }).map(|_| ())
                })
            }
            Action::For { name, from, to, body } => self.count(at, name, (from.as_ref(), to), body),
            Action::Return(value) => self.leave(at, value.as_ref()),
            Action::Break | Action::Continue => {
                let jump = self.emit(Instruction::Jump { to: 0 })?;
                let Some(Loop { breaks, continues }) = self.scope.loops.last_mut() else {
                    return Err(Mistake::new(at, "is not inside a loop"));
                };
                if matches!(kind, Action::Break) {
                    breaks.push(jump);
                } else {
                    continues.push(jump);
                }
                self.scope.assigned = None;
                Ok(())
            }
            Action::Pass => Ok(()),
            Action::Call(call) => match &call.kind {
                Term::Call(name, arguments) => self.call(at, name, arguments, None).map(|_| ()),
                Term::Method(record, method, arguments) => {
                    self.method(at, (record, method), arguments, None).map(|_| ())
                }
                _ => unreachable!("the parser lets only calls pass"),
            },
        }
    }

    /// The body of a loop, whose condition has been tested: `again` goes back.
    fn repeat(
        &mut self,
        body: &[Statement],
        leave: Vec<usize>,
        again: impl FnOnce(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        let before = self.scope.assigned.clone();
        self.scope.loops.push(Loop::default());
        self.block(body)?;
        let Loop { breaks, continues } = self.scope.loops.pop().unwrap_or_default();
        self.aim(continues);
        again(self)?;
        self.aim(leave);
        self.aim(breaks);
        self.scope.assigned = before;
        Ok(())
    }

    /// `for name in range(from, to)`.
    fn count(
        &mut self,
        at: At,
        name: &str,
        (from, to): (Option<&Expression>, &Expression),
        body: &[Statement],
    ) -> Result<(), Mistake> {
        let before = self.scope.assigned.clone();
        let limit = self.take(1, to.at)?;
        let (found, kind) = self.value(to, Some(limit))?;
        expect(to.at, kind, Type::Number)?;
        self.copy(limit, found)?;
        let first = match from {
            Some(from) => self.number(from)?,
            None => self.constant(at, 0)?,
        };
        // The counter is the loop's own, so that the body cannot keep it from ending.
        let counter = self.take(1, at)?;
        self.copy(counter, first)?;
        self.floor = self.top;
        let start = self.here();
        let (how, one) = (Test::NotLess, self.constant(at, 1.0_f64.to_bits())?);
        let leave = self.emit(Instruction::Compare { how, a: counter, b: limit, to: 0 })?;
        self.set(at, name, (counter, Type::Number))?;
        self.repeat(body, vec![leave], |compiler| {
            compiler.stand_at(at);
            compiler.emit(Instruction::Add { to: counter, a: counter, b: one })?;
            compiler.emit(Instruction::Loop { to: start }).map(|_| ())
        })?;
        self.scope.assigned = before;
        Ok(())
    }

    fn leave(&mut self, at: At, value: Option<&Expression>) -> Result<(), Mistake> {
        if let Exit::Hook { name, gives } = &self.scope.exit {
            let (name, gives) = (*name, *gives);
            match (value, gives) {
                (None, None) => {
                    self.emit(Instruction::End)?;
                }
                (Some(value), Some(gives)) => {
                    let (a, kind) = self.value(value, None)?;
                    expect(value.at, kind, gives)?;
                    self.emit(Instruction::Return { a })?;
                }
                (None, Some(gives)) => {
                    let mistake = Mistake::new(at, format!("{name} must return a value"));
                    return Err(mistake.accepted(gives.name()));
                }
                (Some(_), None) => {
                    return Err(Mistake::new(at, format!("{name} returns no value")));
                }
            }
        } else {
            self.leave_call(at, value)?;
        }
        self.scope.assigned = None;
        Ok(())
    }

    fn leave_call(&mut self, at: At, value: Option<&Expression>) -> Result<(), Mistake> {
        let Exit::Call { to, .. } = self.scope.exit else {
            unreachable!("statements are in functions")
        };
        let found = match value {
            Some(value) => {
                let (register, kind) = self.value(value, None)?;
                self.copy(to, register)?;
                Some(kind)
            }
            None => None,
        };
        let jump = self.emit(Instruction::Jump { to: 0 })?;
        let Exit::Call { gives, bare, jumps, .. } = &mut self.scope.exit else {
            unreachable!("as above")
        };
        jumps.push(jump);
        match (found, *gives) {
            (Some(found), Some(gives)) => expect(at, found, gives)?,
            (Some(found), None) => *gives = Some(found),
            (None, _) => *bare = true,
        }
        Ok(())
    }

    fn assign(
        &mut self,
        target: &Expression,
        operator: Option<Binary>,
        value: &Expression,
    ) -> Result<(), Mistake> {
        let at = target.at;
        match &target.kind {
            Term::Item(array, index) => {
                let (array, (index, kind)) =
                    (self.array(at, array)?, self.operand(index, &[value])?);
                expect(at, kind, Type::Number)?;
                let a = match operator {
                    None => self.number(value)?,
                    Some(how) => {
                        let to = self.take(1, at)?;
                        self.emit(Instruction::Load { to, array, index })?;
                        let b = self.value(value, None)?;
                        self.arithmetic(at, how, ((to, Type::Number), b), None)?.0
                    }
                };
                self.stand_at(at);
                self.emit(Instruction::Store { array, index, a })?;
                Ok(())
            }
            Term::Field(record, field) => {
                self.value(target, None)?;
                let new = self.new_value(target, operator, value, None)?;
                self.set_field(at, (record, field), new)
            }
            Term::Name(name) => {
                let into = self.register_of(at, name)?;
                let new = self.new_value(target, operator, value, Some(into))?;
                self.set(at, name, new)
            }
            _ => unreachable!("the parser lets only these pass"),
        }
    }

    fn new_value(
        &mut self,
        target: &Expression,
        operator: Option<Binary>,
        value: &Expression,
        into: Option<u8>,
    ) -> Result<Value, Mistake> {
        let Some(how) = operator else { return self.value(value, into) };
        let left = self.operand(target, &[value])?;
        let right = self.value(value, None)?;
        self.arithmetic(target.at, how, (left, right), into)
    }

    /// The register of a variable, or a new one at the top.
    fn register_of(&mut self, at: At, name: &str) -> Result<u8, Mistake> {
        if let Some(Binding::Value { register, .. }) = self.scope.names.get(name) {
            return Ok(*register);
        }
        if let Some(Variable { register, is_parameter, .. }) = self.variables.get(name) {
            if *is_parameter {
                return Err(Mistake::new(
                    at,
                    format!("{name} is a parameter, which stays as it is"),
                ));
            }
            return Ok(*register);
        }
        let has_meaning = self.word(name).is_some()
            || self.record_named(name).is_some()
            || self.arrays.contains_key(name);
        if has_meaning {
            return Err(Mistake::new(at, format!("{name} cannot be assigned to")));
        }
        self.take(1, at)
    }

    /// Gives a variable a value, which may be in its register already.
    fn set(&mut self, at: At, name: &str, (a, kind): Value) -> Result<(), Mistake> {
        let known = match self.scope.names.get(name) {
            Some(Binding::Value { register, kind }) => Some((*register, *kind)),
            _ => self.variables.get(name).map(|variable| (variable.register, variable.kind)),
        };
        if let Some((register, wanted)) = known {
            expect(at, kind, wanted)?;
            self.copy(register, a)?;
            if let Some(assigned) = &mut self.scope.assigned {
                assigned.insert(name.to_owned());
            }
            return Ok(());
        }
        let register = self.register_of_new(at, a)?;
        self.copy(register, a)?;
        self.scope.bind(name, Binding::Value { register, kind });
        Ok(())
    }

    /// The register at the bottom of the intermediate values becomes a variable.
    fn register_of_new(&mut self, at: At, a: u8) -> Result<u8, Mistake> {
        let register = self.floor;
        if self.top == register {
            self.take(1, at)?;
        }
        debug_assert!(usize::from(a) <= register || self.top > register, "a value below the top");
        self.floor += 1;
        Ok(u8::try_from(register).unwrap_or(u8::MAX))
    }

    fn set_field(
        &mut self,
        at: At,
        (name, field): (&str, &str),
        (register, kind): Value,
    ) -> Result<(), Mistake> {
        let record = self.expect_record(at, name)?;
        let found = record.fields.iter().find(|one| one.name == field);
        let Some((found, method)) = found.and_then(|one| Some((one, one.assign?))) else {
            let can: Vec<String> = record
                .fields
                .iter()
                .filter(|one| one.assign.is_some())
                .map(|one| format!("{name}.{}", one.name))
                .collect();
            let problem = format!("{name}.{field} cannot be assigned to");
            return Err(Mistake::new(at, problem).accepted(can.join(", ")));
        };
        expect(at, kind, found.kind)?;
        let to = self.take(1, at)?;
        self.stand_at(at);
        self.emit(Instruction::Call { to, method, at: register })?;
        Ok(())
    }
}
