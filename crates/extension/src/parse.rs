//! From tokens to a tree.

use crate::mistake::{At, Mistake};
use crate::token::{Kind, Token};
use crate::tree::{Action, Binary, Comparison, Expression, Function, Item, Statement, Term};

/// How deep the tree may be: blocks, brackets, and the terms of a sum or product.
const DEEPEST: usize = 50;

const KEYWORDS: [&str; 16] = [
    "and", "break", "continue", "def", "elif", "else", "False", "for", "if", "in", "not", "or",
    "pass", "return", "True", "while",
];

pub(crate) fn parse(tokens: &[Token]) -> Result<Vec<Item>, Mistake> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let mut items = Vec::new();
    while parser.here().kind != Kind::End {
        items.push(parser.item()?);
    }
    Ok(items)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn here(&self) -> &'a Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> &'a Token {
        let token = self.here();
        self.at += 1;
        token
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = match &self.here().kind {
            Kind::Sign(sign) => *sign == word,
            Kind::Name(name) => name == word,
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, accepted: &str) -> Mistake {
        let Token { at, kind } = self.here();
        Mistake::new(*at, "is not expected here").found(kind.text()).accepted(accepted)
    }

    fn expect(&mut self, word: &str) -> Result<(), Mistake> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    fn end_line(&mut self) -> Result<(), Mistake> {
        if self.here().kind == Kind::Newline {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected("the end of the line"))
    }

    /// A name that is not a keyword.
    fn name(&mut self, what: &str) -> Result<String, Mistake> {
        match &self.here().kind {
            Kind::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        if self.depth >= DEEPEST {
            let mistake = Mistake::new(self.here().at, "is nested too deeply");
            return Err(mistake.accepted(format!("{DEEPEST} levels")));
        }
        self.depth += 1;
        let found = inside(self);
        self.depth -= 1;
        found
    }

    fn item(&mut self) -> Result<Item, Mistake> {
        let at = self.here().at;
        if self.takes("def") {
            return self.function(at).map(Item::Function);
        }
        let name = self.name("a variable, as in \"w_max = 0\", or a function, \"def\"")?;
        if self.takes("(") {
            self.expect(")")?;
            self.end_line()?;
            return Ok(Item::Declaration { at, name });
        }
        self.expect("=")?;
        let value = self.expression()?;
        self.end_line()?;
        Ok(Item::Variable { at, name, value })
    }

    fn function(&mut self, at: At) -> Result<Function, Mistake> {
        let name = self.name("the name of the function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.takes(")") {
            let at = self.here().at;
            parameters.push((at, self.name("a name or \")\"")?));
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        let body = self.block()?;
        Ok(Function { at, name, parameters, body })
    }

    fn block(&mut self) -> Result<Vec<Statement>, Mistake> {
        self.expect(":")?;
        if self.here().kind != Kind::Newline {
            return Ok(vec![self.simple()?]);
        }
        self.at += 1;
        if self.here().kind != Kind::Indent {
            return Err(self.unexpected("a line that is indented further"));
        }
        self.at += 1;
        self.deeper(|parser| {
            let mut body = Vec::new();
            while !matches!(parser.here().kind, Kind::Dedent | Kind::End) {
                body.push(parser.statement()?);
            }
            parser.at += 1;
            Ok(body)
        })
    }

    fn statement(&mut self) -> Result<Statement, Mistake> {
        let at = self.here().at;
        if self.takes("if") {
            return self.branches(at);
        }
        if self.takes("while") {
            let condition = self.expression()?;
            let body = self.block()?;
            return Ok(Statement { at, kind: Action::While { condition, body } });
        }
        if self.takes("for") {
            let name = self.name("the name of a variable")?;
            self.expect("in")?;
            self.expect("range")?;
            self.expect("(")?;
            let mut to = self.expression()?;
            let from = if self.takes(",") {
                Some(std::mem::replace(&mut to, self.expression()?))
            } else {
                None
            };
            self.expect(")")?;
            let body = self.block()?;
            return Ok(Statement { at, kind: Action::For { name, from, to, body } });
        }
        self.simple()
    }

    fn branches(&mut self, at: At) -> Result<Statement, Mistake> {
        let condition = self.expression()?;
        let then = self.block()?;
        let next = self.here().at;
        let otherwise = if self.takes("elif") {
            vec![self.deeper(|parser| parser.branches(next))?]
        } else if self.takes("else") {
            self.block()?
        } else {
            Vec::new()
        };
        Ok(Statement { at, kind: Action::If { condition, then, otherwise } })
    }

    /// A statement of one line.
    fn simple(&mut self) -> Result<Statement, Mistake> {
        let at = self.here().at;
        let kind = if self.takes("return") {
            let ends = self.here().kind == Kind::Newline;
            Action::Return(if ends { None } else { Some(self.expression()?) })
        } else if self.takes("break") {
            Action::Break
        } else if self.takes("continue") {
            Action::Continue
        } else if self.takes("pass") {
            Action::Pass
        } else {
            self.assignment()?
        };
        self.end_line()?;
        Ok(Statement { at, kind })
    }

    fn assignment(&mut self) -> Result<Action, Mistake> {
        let target = self.expression()?;
        let operator = match self.here().kind {
            Kind::Sign("=") => None,
            Kind::Sign("+=") => Some(Binary::Add),
            Kind::Sign("-=") => Some(Binary::Subtract),
            Kind::Sign("*=") => Some(Binary::Multiply),
            Kind::Sign("/=") => Some(Binary::Divide),
            _ if matches!(target.kind, Term::Call(..) | Term::Method(..)) => {
                return Ok(Action::Call(target));
            }
            _ => return Err(self.unexpected("\"=\"")),
        };
        if !matches!(target.kind, Term::Name(_) | Term::Field(..) | Term::Item(..)) {
            let accepted = "a variable, a field or an item of an array";
            return Err(Mistake::new(target.at, "cannot be assigned to").accepted(accepted));
        }
        self.at += 1;
        Ok(Action::Assign { target, operator, value: self.expression()? })
    }

    /// `then if condition else otherwise`, or what binds more strongly.
    fn expression(&mut self) -> Result<Expression, Mistake> {
        self.deeper(|parser| {
            let then = parser.binary(0)?;
            if !parser.takes("if") {
                return Ok(then);
            }
            let condition = Box::new(parser.binary(0)?);
            parser.expect("else")?;
            let otherwise = Box::new(parser.expression()?);
            let at = then.at;
            Ok(Expression { at, kind: Term::Choice { condition, then: Box::new(then), otherwise } })
        })
    }

    /// Operators that bind at least this strongly: 0 `or`, 1 `and`, 2 `not`, 3 comparisons, 4 sums, 5 products.
    fn binary(&mut self, least: u8) -> Result<Expression, Mistake> {
        let at = self.here().at;
        if least <= 2 && self.takes("not") {
            let kind = Term::Not(Box::new(self.deeper(|parser| parser.binary(2))?));
            let negated = Expression { at, kind };
            return self.tail(negated, least);
        }
        let left = self.unary()?;
        self.tail(left, least)
    }

    fn tail(&mut self, mut left: Expression, least: u8) -> Result<Expression, Mistake> {
        let mut compared = false;
        let depth = self.depth;
        while let Some((operator, strength)) = Operator::of(&self.here().kind) {
            if strength < least {
                break;
            }
            if strength == 3 && std::mem::replace(&mut compared, true) {
                return Err(self.unexpected("one comparison, as in \"a < b and b < c\""));
            }
            let at = self.next().at;
            let right = Box::new(self.deeper(|parser| parser.binary(strength + 1))?);
            let kind = operator.of_sides(Box::new(left), right);
            left = Expression { at, kind };
            // The tree grows to the left with each operator.
            self.depth += 1;
        }
        self.depth = depth;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Mistake> {
        let at = self.here().at;
        if self.takes("-") {
            let kind = Term::Negative(Box::new(self.deeper(Self::unary)?));
            return Ok(Expression { at, kind });
        }
        if self.takes("+") {
            return self.deeper(Self::unary);
        }
        let base = self.atom()?;
        let at = self.here().at;
        if self.takes("**") {
            let power = Box::new(self.deeper(Self::unary)?);
            return Ok(Expression { at, kind: Term::Binary(Binary::Power, Box::new(base), power) });
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Expression, Mistake> {
        let Token { at, kind } = self.here();
        let at = *at;
        if let Kind::Number(number) = kind {
            self.at += 1;
            return Ok(Expression { at, kind: Term::Number(*number) });
        }
        if self.takes("(") {
            let inside = self.expression()?;
            self.expect(")")?;
            return Ok(inside);
        }
        for (word, truth) in [("True", true), ("False", false)] {
            if self.takes(word) {
                return Ok(Expression { at, kind: Term::Truth(truth) });
            }
        }
        let name = self.name("a value")?;
        let kind = if self.takes("(") {
            Term::Call(name, self.arguments()?)
        } else if self.takes(".") {
            let field = self.name("the name of a field")?;
            if self.takes("(") {
                Term::Method(name, field, self.arguments()?)
            } else {
                Term::Field(name, field)
            }
        } else if self.takes("[") {
            let index = Box::new(self.expression()?);
            self.expect("]")?;
            Term::Item(name, index)
        } else {
            Term::Name(name)
        };
        Ok(Expression { at, kind })
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, Mistake> {
        let mut found = Vec::new();
        while !self.takes(")") {
            found.push(self.expression()?);
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(found)
    }
}

/// An operator between two values.
enum Operator {
    Or,
    And,
    Compare(Comparison),
    Binary(Binary),
}

impl Operator {
    /// The operator of a token and how strongly it binds.
    fn of(kind: &Kind) -> Option<(Self, u8)> {
        Some(match kind {
            Kind::Name(name) if name == "or" => (Self::Or, 0),
            Kind::Name(name) if name == "and" => (Self::And, 1),
            Kind::Sign("<") => (Self::Compare(Comparison::Less), 3),
            Kind::Sign("<=") => (Self::Compare(Comparison::LessOrEqual), 3),
            Kind::Sign("==") => (Self::Compare(Comparison::Equal), 3),
            Kind::Sign("!=") => (Self::Compare(Comparison::NotEqual), 3),
            Kind::Sign(">") => (Self::Compare(Comparison::Greater), 3),
            Kind::Sign(">=") => (Self::Compare(Comparison::GreaterOrEqual), 3),
            Kind::Sign("+") => (Self::Binary(Binary::Add), 4),
            Kind::Sign("-") => (Self::Binary(Binary::Subtract), 4),
            Kind::Sign("*") => (Self::Binary(Binary::Multiply), 5),
            Kind::Sign("/") => (Self::Binary(Binary::Divide), 5),
            Kind::Sign("//") => (Self::Binary(Binary::Quotient), 5),
            Kind::Sign("%") => (Self::Binary(Binary::Remainder), 5),
            _ => return None,
        })
    }

    fn of_sides(self, left: Box<Expression>, right: Box<Expression>) -> Term {
        match self {
            Self::Or => Term::Or(left, right),
            Self::And => Term::And(left, right),
            Self::Compare(how) => Term::Compare(how, left, right),
            Self::Binary(how) => Term::Binary(how, left, right),
        }
    }
}
