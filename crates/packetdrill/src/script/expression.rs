//! The assertions of a script: the part of Python that occurs in them.

use super::SyntaxError;
use super::cursor::Cursor;

/// `assert expression`.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Its line.
    pub line: usize,
    /// As it is written, without its message.
    pub text: String,
    /// What must not be zero.
    pub expression: Expression,
}

/// An expression over integers.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A variable.
    Name(String),
    /// `not`.
    Not(Box<Self>),
    /// Two of them with an operator.
    Binary(Box<Self>, &'static str, Box<Self>),
}

/// Names that a script has given to values, the latest last.
pub(super) type Named = Vec<(String, Expression)>;

/// Operators by their binding, the loosest first; in each row those that begin like another come first.
const OPERATORS: [&[&str]; 8] = [
    &["or "],
    &["and "],
    &["==", "!=", "<=", ">=", "<", ">"],
    &["|"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Reads the assertions in a block of code.
///
/// What the code names stays `named` for the blocks behind it.
pub(super) fn assertions(
    text: &str,
    line: usize,
    named: &mut Named,
) -> Result<Vec<Assertion>, SyntaxError> {
    let mut found = Vec::new();
    let mut first = line;
    // A line that goes on keeps the number of its first.
    let text = text.replace("\\\n", "  ");
    let text = text.as_str();
    for statement in text.split('\n').flat_map(|line| line.split(';').map(Some).chain([None])) {
        let Some(statement) = statement.map(str::trim) else {
            first += 1;
            continue;
        };
        if statement.is_empty() || statement.starts_with('#') {
            continue;
        }
        let mut at = Cursor::at_line(statement, first);
        if statement.starts_with("print") {
            continue;
        }
        if let Some((name, value)) = statement.split_once(" = ") {
            let value = binary(&mut Cursor::at_line(value.trim(), first), 0)?;
            named.push((name.trim().into(), value.with(named)));
            continue;
        }
        if let Some((name, value)) = statement.split_once(" += ") {
            let value = binary(&mut Cursor::at_line(value.trim(), first), 0)?;
            let sum = Expression::Name(name.trim().into()).with(named);
            let sum = Expression::Binary(Box::new(sum), "+", Box::new(value.with(named)));
            named.push((name.trim().into(), sum));
            continue;
        }
        let Some(rest) = statement.strip_prefix("assert") else {
            return Err(at.error(format!("`{statement}` is no assertion")));
        };
        at.eat("assert");
        let expression = binary(&mut at, 0)?;
        at.skip_blanks();
        if !at.is_at_end() && !at.eat(",") && !at.eat("#") {
            return Err(at.error(format!("`{statement}` is not understood")));
        }
        let text = rest.split(',').next().unwrap_or_default().trim().into();
        found.push(Assertion { line: first, text, expression: expression.with(named) });
    }
    Ok(found)
}

fn binary(at: &mut Cursor<'_>, level: usize) -> Result<Expression, SyntaxError> {
    let Some(operators) = OPERATORS.get(level) else { return unary(at) };
    let mut left = binary(at, level + 1)?;
    loop {
        at.skip_blanks();
        let Some(operator) = operators.iter().find(|operator| at.eat(operator)) else {
            return Ok(left);
        };
        let right = binary(at, level + 1)?;
        left = Expression::Binary(Box::new(left), operator.trim(), Box::new(right));
    }
}

fn unary(at: &mut Cursor<'_>) -> Result<Expression, SyntaxError> {
    at.skip_blanks();
    if at.eat("not ") {
        return Ok(Expression::Not(Box::new(binary(at, 2)?)));
    }
    if at.eat("(") {
        let inner = binary(at, 0)?;
        at.skip_blanks();
        at.expect(")")?;
        return Ok(inner);
    }
    if at.peek().is_some_and(|c| c.is_ascii_digit()) {
        let number = at.integer()?;
        return Ok(Expression::Number(number.try_into().unwrap_or(i64::MAX)));
    }
    let name = at.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() {
        Err(at.error("a value must come here"))
    } else {
        Ok(Expression::Name(name.into()))
    }
}

impl Expression {
    /// The same with the values of names that the block has given.
    fn with(self, named: &[(String, Self)]) -> Self {
        match self {
            Self::Name(name) => {
                let value =
                    named.iter().rev().find(|given| given.0 == name).map(|given| given.1.clone());
                value.unwrap_or(Self::Name(name))
            }
            Self::Not(inner) => Self::Not(Box::new(inner.with(named))),
            Self::Binary(left, operator, right) => {
                Self::Binary(Box::new(left.with(named)), operator, Box::new(right.with(named)))
            }
            Self::Number(_) => self,
        }
    }

    /// Its value, or the name of a variable that has none.
    pub fn value(&self, of: &impl Fn(&str) -> Option<i64>) -> Result<i64, String> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Name(name) => of(name).ok_or_else(|| name.clone())?,
            Self::Not(inner) => i64::from(inner.value(of)? == 0),
            Self::Binary(left, operator, right) => {
                apply(left.value(of)?, operator, right.value(of)?)
            }
        })
    }
}

fn apply(left: i64, operator: &str, right: i64) -> i64 {
    match operator {
        "or" => i64::from(left != 0 || right != 0),
        "and" => i64::from(left != 0 && right != 0),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "|" => left | right,
        "&" => left & right,
        "<<" => left.checked_shl(u32::try_from(right).unwrap_or(u32::MAX)).unwrap_or(0),
        ">>" => left.checked_shr(u32::try_from(right).unwrap_or(u32::MAX)).unwrap_or(0),
        "+" => left.saturating_add(right),
        "-" => left.saturating_sub(right),
        "*" => left.saturating_mul(right),
        "/" => left.checked_div(right).unwrap_or(0),
        _ => left.checked_rem(right).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64, String> {
        let found = assertions(&format!("assert {text}"), 1, &mut Vec::new()).unwrap();
        found[0].expression.value(&|name| (name == "seven").then_some(7))
    }

    #[test]
    fn expressions_have_pythons_binding() {
        assert_eq!(value("1 + 2 * 3 == seven and not seven < 5, 'said'"), Ok(1));
        assert_eq!(value("(1 + 2) * 3 - seven"), Ok(2));
        assert_eq!(value("6 & 3 | 8"), Ok(10));
        assert_eq!(value("eight == 8"), Err("eight".into()));
    }

    #[test]
    fn names_keep_their_values_from_block_to_block() {
        let mut named = Vec::new();
        assertions("print(1); a = 4\na += 2", 1, &mut named).unwrap();
        let found = assertions("assert a == 6", 2, &mut named).unwrap();
        assert_eq!(found[0].expression.value(&|_| None), Ok(1));
    }

    #[test]
    fn what_is_no_assertion_is_a_mistake_with_its_line() {
        let error = assertions("assert 1 == 1\nimport os", 4, &mut Vec::new()).unwrap_err();
        assert_eq!((error.line, error.what.as_str()), (5, "`import os` is no assertion"));
    }
}
