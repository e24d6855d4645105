//! A script as it is written: options, and events with their times.

mod cursor;
pub mod expression;
mod packet;
mod parse;

pub use packet::{Choice, Packet};
pub use parse::parse;

use expression::Assertion;

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// A whole script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// `--name=value` at its head.
    pub options: Vec<(String, String)>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time.
    Any,
    /// So many microseconds after the event before, or up to the second number of them.
    After(u64, Option<u64>),
    /// At so many microseconds, or up to the second number of them.
    At(u64, Option<u64>),
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its line in the text.
    pub line: usize,
    /// When it happens.
    pub when: When,
    /// What happens.
    pub action: Action,
}

/// What happens in an event.
#[derive(Clone, Debug)]
pub enum Action {
    /// A packet arrives.
    Inject(Packet),
    /// A packet is expected.
    Expect(Packet),
    /// A system call.
    Call(Call),
    /// A command of the shell.
    Command(String),
    /// Assertions on `tcp_info`.
    Assert(Vec<Assertion>),
}

/// A system call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments, as they are written.
    pub arguments: Vec<String>,
    /// What it returns, as it is written.
    pub returns: String,
}
