//! Conditions as jumps.

use super::Compiler;
use super::expressions::{Value, expect};
use crate::code::{Instruction, Test};
use crate::interface::Type;
use crate::mistake::{At, Mistake};
use crate::tree::{Comparison, Expression, Term};

impl Compiler<'_> {
    /// Jumps if a condition is as told; returns the jumps, which are not yet aimed.
    pub(crate) fn jump(
        &mut self,
        condition: &Expression,
        when: bool,
    ) -> Result<Vec<usize>, Mistake> {
        match &condition.kind {
            Term::Not(inside) => self.jump(inside, !when),
            Term::And(a, b) | Term::Or(a, b) => {
                let is_and = matches!(condition.kind, Term::And(..));
                if is_and == when {
                    // Only both together decide.
                    let skip = self.jump(a, !when)?;
                    let jumps = self.jump(b, when)?;
                    self.aim(skip);
                    return Ok(jumps);
                }
                let mut jumps = self.jump(a, when)?;
                jumps.extend(self.jump(b, when)?);
                Ok(jumps)
            }
            Term::Compare(how, a, b) => self.compare(condition.at, (*how, a, b), when),
            _ => {
                let (a, kind) = self.value(condition, None)?;
                expect(condition.at, kind, Type::Truth)?;
                let jump = if when {
                    Instruction::JumpIf { a, to: 0 }
                } else {
                    Instruction::JumpUnless { a, to: 0 }
                };
                Ok(vec![self.emit(jump)?])
            }
        }
    }

    fn compare(
        &mut self,
        at: At,
        (how, left, right): (Comparison, &Expression, &Expression),
        when: bool,
    ) -> Result<Vec<usize>, Mistake> {
        let (mut a, one) = self.operand(left, &[right])?;
        let (mut b, other) = self.value(right, None)?;
        if one != other {
            let found = format!("{} and {}", one.name(), other.name());
            let accepted = "two values of one type";
            return Err(Mistake::new(at, "cannot be compared").found(found).accepted(accepted));
        }
        let mut test = match how {
            Comparison::Less | Comparison::Greater => Test::Less,
            Comparison::LessOrEqual | Comparison::GreaterOrEqual => Test::LessOrEqual,
            Comparison::Equal => Test::Equal,
            Comparison::NotEqual => Test::NotEqual,
        };
        if matches!(how, Comparison::Greater | Comparison::GreaterOrEqual) {
            std::mem::swap(&mut a, &mut b);
        }
        if matches!(one, Type::Truth | Type::Word) && !matches!(test, Test::Equal | Test::NotEqual)
        {
            let mistake = Mistake::new(at, "has no order").found(one.name());
            return Err(mistake.accepted("== or !="));
        }
        if one != Type::Number {
            test = test.of_whole();
        }
        if !when {
            test = test.negated();
        }
        self.stand_at(at);
        Ok(vec![self.emit(Instruction::Compare { how: test, a, b, to: 0 })?])
    }

    /// A condition as a value.
    pub(crate) fn truth_value(&mut self, condition: &Expression) -> Result<Value, Mistake> {
        let at = condition.at;
        let to = self.take(1, at)?;
        let (no, yes) = (self.constant(at, 0)?, self.constant(at, 1)?);
        self.emit(Instruction::Copy { to, a: no })?;
        let jumps = self.jump(condition, false)?;
        self.emit(Instruction::Copy { to, a: yes })?;
        self.aim(jumps);
        Ok((to, Type::Truth))
    }

    /// One of two values.
    pub(crate) fn choice(
        &mut self,
        (condition, then, otherwise): (&Expression, &Expression, &Expression),
        into: Option<u8>,
    ) -> Result<Value, Mistake> {
        let to = self.target(into, condition.at)?;
        let unless = self.jump(condition, false)?;
        let (found, kind) = self.value(then, Some(to))?;
        self.copy(to, found)?;
        let over = self.emit(Instruction::Jump { to: 0 })?;
        self.aim(unless);
        let (found, other) = self.value(otherwise, Some(to))?;
        expect(otherwise.at, other, kind)?;
        self.copy(to, found)?;
        self.aim(vec![over]);
        Ok((to, kind))
    }
}
