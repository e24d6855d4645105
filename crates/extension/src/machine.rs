//! The execution of compiled instructions.

use units::{Span, Time};

use crate::code::{Instruction, Test};
use crate::interface::Host;

/// The most instructions of a call.
pub const FUEL: u32 = 100_000;

/// The most items of all arrays of a state.
const MOST_ITEMS: usize = 65_536;

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Without a value.
    Done,
    /// With the bits of a value.
    Value(u64),
}

/// What is wrong, and at which instruction.
pub(crate) type Broken = (usize, String);

/// Arrays, each a part of one memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrays {
    items: Vec<f64>,
    parts: Vec<(usize, usize)>,
}

impl Arrays {
    pub(crate) fn new(count: usize) -> Self {
        Self { items: Vec::new(), parts: vec![(0, 0); count] }
    }

    /// The place of an item in the memory.
    #[inline]
    fn place(&self, array: u8, index: f64) -> Result<usize, String> {
        let (start, length) = self.parts[usize::from(array)];
        if let Some(whole) = whole(index).filter(|whole| *whole < length) {
            return Ok(start + whole);
        }
        Err(format!("an array of {length} has no item {index}"))
    }

    fn allocate(&mut self, array: u8, length: f64, value: f64) -> Result<(), String> {
        let start = self.items.len();
        let Some(whole) = whole(length).filter(|whole| start + whole <= MOST_ITEMS) else {
            let accepted = format!("a whole number, at most {MOST_ITEMS} for all arrays together");
            return Err(format!("the length of an array is {length}; accepted {accepted}"));
        };
        self.items.resize(start + whole, value);
        self.parts[usize::from(array)] = (start, whole);
        Ok(())
    }
}

/// A whole number of at most 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
#[expect(clippy::float_cmp, reason = "any difference counts")]
fn whole(number: f64) -> Option<usize> {
    let whole = number as u32;
    (f64::from(whole) == number).then_some(whole as usize)
}

/// The lesser of two numbers; the first if they do not compare.
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn most(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The remainder with the sign of the divisor.
fn remainder(a: f64, b: f64) -> f64 {
    let left = libm::fmod(a, b);
    if left != 0.0 && (left < 0.0) != (b < 0.0) { left + b } else { left }
}

/// The state of a program while it is called.
pub(crate) struct Machine<'a> {
    pub(crate) code: &'a [Instruction],
    pub(crate) registers: &'a mut [u64],
    pub(crate) arrays: &'a mut Arrays,
}

impl Machine<'_> {
    #[inline]
    fn bits(&self, register: u8) -> u64 {
        self.registers[usize::from(register)]
    }

    #[inline]
    fn number(&self, register: u8) -> f64 {
        f64::from_bits(self.bits(register))
    }

    #[inline]
    fn put(&mut self, register: u8, bits: u64) {
        self.registers[usize::from(register)] = bits;
    }

    #[inline]
    fn pair(&mut self, to: u8, (a, b): (u8, u8), value: impl FnOnce(f64, f64) -> f64) {
        let value = value(self.number(a), self.number(b));
        self.put(to, value.to_bits());
    }

    #[inline]
    fn times(&mut self, to: u8, (a, b): (u8, u8), value: impl FnOnce(u64, u64) -> u64) {
        let value = value(self.bits(a), self.bits(b));
        self.put(to, value);
    }

    #[inline]
    #[expect(clippy::float_cmp, reason = "a program says so")]
    #[expect(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "the opposite also where one is no number"
    )]
    fn holds(&self, how: Test, a: u8, b: u8) -> bool {
        let (left, right) = (self.bits(a), self.bits(b));
        let (x, y) = (f64::from_bits(left), f64::from_bits(right));
        match how {
            Test::Less => x < y,
            Test::NotLess => !(x < y),
            Test::LessOrEqual => x <= y,
            Test::NotLessOrEqual => !(x <= y),
            Test::Equal => x == y,
            Test::NotEqual => x != y,
            Test::WholeLess => left < right,
            Test::WholeNotLess => left >= right,
            Test::WholeLessOrEqual => left <= right,
            Test::WholeNotLessOrEqual => left > right,
            Test::WholeEqual => left == right,
            Test::WholeNotEqual => left != right,
        }
    }

    /// Executes from an instruction to the end of its function.
    #[expect(
        clippy::too_many_lines,
        reason = "an arm an instruction; a second match is a third slower"
    )]
    pub(crate) fn run<H: Host>(&mut self, start: u16, host: &mut H) -> Result<Outcome, Broken> {
        let mut at = usize::from(start);
        let mut fuel = FUEL;
        loop {
            let here = at;
            let instruction = self.code[here];
            at += 1;
            match instruction {
                Instruction::Jump { to } => at = usize::from(to),
                Instruction::Loop { to } => {
                    let to = usize::from(to);
                    let spent = u32::try_from(here - to).unwrap_or(FUEL) + 1;
                    let Some(left) = fuel.checked_sub(spent) else {
                        let problem = format!("a call takes more than {FUEL} instructions");
                        return Err((here, problem));
                    };
                    fuel = left;
                    at = to;
                }
                Instruction::JumpIf { a, to } => {
                    if self.bits(a) != 0 {
                        at = usize::from(to);
                    }
                }
                Instruction::JumpUnless { a, to } => {
                    if self.bits(a) == 0 {
                        at = usize::from(to);
                    }
                }
                Instruction::Compare { how, a, b, to } => {
                    if self.holds(how, a, b) {
                        at = usize::from(to);
                    }
                }
                Instruction::Return { a } => return Ok(Outcome::Value(self.bits(a))),
                Instruction::End => return Ok(Outcome::Done),
                Instruction::Call { to, method, at } => {
                    let found = host.call(method, self.registers, usize::from(at));
                    let bits = found.map_err(|problem| (here, problem))?;
                    self.put(to, bits);
                }
                Instruction::Copy { to, a } => self.put(to, self.bits(a)),
                Instruction::Add { to, a, b } => self.pair(to, (a, b), |a, b| a + b),
                Instruction::Subtract { to, a, b } => self.pair(to, (a, b), |a, b| a - b),
                Instruction::Multiply { to, a, b } => self.pair(to, (a, b), |a, b| a * b),
                Instruction::Divide { to, a, b } => self.pair(to, (a, b), |a, b| a / b),
                Instruction::Quotient { to, a, b } => self.pair(to, (a, b), |a, b| (a / b).floor()),
                Instruction::Remainder { to, a, b } => self.pair(to, (a, b), remainder),
                Instruction::Power { to, a, b } => self.pair(to, (a, b), libm::pow),
                Instruction::Least { to, a, b } => self.pair(to, (a, b), least),
                Instruction::Most { to, a, b } => self.pair(to, (a, b), most),
                Instruction::Apply { to, function, a } => {
                    let value = function.of(self.number(a));
                    self.put(to, value.to_bits());
                }
                Instruction::Since { to, a, b } => {
                    self.times(to, (a, b), |a, b| Time(a).since(Time(b)).as_secs_f64().to_bits());
                }
                Instruction::Later { to, a, b } => self.times(to, (a, b), |a, b| {
                    Time(a).saturating_add(Span::from_secs_f64(f64::from_bits(b))).0
                }),
                Instruction::Earliest { to, a, b } => self.times(to, (a, b), u64::min),
                Instruction::Latest { to, a, b } => self.times(to, (a, b), u64::max),
                Instruction::Load { to, array, index } => {
                    let place = self
                        .arrays
                        .place(array, self.number(index))
                        .map_err(|problem| (here, problem))?;
                    self.put(to, self.arrays.items[place].to_bits());
                }
                Instruction::Store { array, index, a } => {
                    let place = self
                        .arrays
                        .place(array, self.number(index))
                        .map_err(|problem| (here, problem))?;
                    self.arrays.items[place] = self.number(a);
                }
                Instruction::Allocate { array, length, a } => {
                    self.arrays
                        .allocate(array, self.number(length), self.number(a))
                        .map_err(|problem| (here, problem))?;
                }
            }
        }
    }
}
