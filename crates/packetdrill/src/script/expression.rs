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
pub(super) fn assertions(text: &str, line: usize) -> Result<Vec<Assertion>, SyntaxError> {
    let mut found = Vec::new();
    let mut first = line;
    for statement in text.split('\n').flat_map(|line| line.split(';').map(Some).chain([None])) {
        let Some(statement) = statement.map(str::trim) else {
            first += 1;
            continue;
        };
        if statement.is_empty() || statement.starts_with('#') {
            continue;
        }
        let mut at = Cursor::at_line(statement, first);
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
        found.push(Assertion { line: first, text, expression });
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
    if name.is_empty() { Err(at.error("a value must come here")) } else { Ok(Expression::Name(name.into())) }
}

impl Expression {
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
        let found = assertions(&format!("assert {text}"), 1).unwrap();
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
    fn what_is_no_assertion_is_a_mistake_with_its_line() {
        let error = assertions("assert 1 == 1\nimport os", 4).unwrap_err();
        assert_eq!((error.line, error.what.as_str()), (5, "`import os` is no assertion"));
    }
}
