//! A program as a tree.

use crate::mistake::At;

/// What stands outside of functions.
#[derive(Debug)]
pub(crate) enum Item {
    /// A variable, which is state, or a parameter.
    Variable { at: At, name: String, value: Expression },
    /// A function.
    Function(Function),
    /// A call, which declares something.
    Declaration { at: At, name: String },
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) parameters: Vec<(At, String)>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) at: At,
    pub(crate) kind: Action,
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum Action {
    /// `target = value`, or `target += value` with an operator.
    Assign {
        target: Expression,
        operator: Option<Binary>,
        value: Expression,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
    /// `for name in range(from, to)`.
    For {
        name: String,
        from: Option<Expression>,
        to: Expression,
        body: Vec<Statement>,
    },
    Return(Option<Expression>),
    Break,
    Continue,
    Pass,
    /// A call whose result is not used.
    Call(Expression),
}

#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) at: At,
    pub(crate) kind: Term,
}

#[derive(Debug)]
pub(crate) enum Term {
    Number(f64),
    Truth(bool),
    Name(String),
    /// `record.field`.
    Field(String, String),
    /// `array[index]`.
    Item(String, Box<Expression>),
    Call(String, Vec<Expression>),
    /// `record.method(…)`.
    Method(String, String, Vec<Expression>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    /// `then if condition else otherwise`.
    Choice {
        condition: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `//`, the quotient rounded down.
    Quotient,
    /// `%`, with the sign of the divisor.
    Remainder,
    /// `**`.
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    /// The others are these with sides exchanged or negated.
    NotEqual,
    Greater,
    GreaterOrEqual,
}
