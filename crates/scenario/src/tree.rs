//! The scenario's text as a tree in which every value knows its line.
//!
//! Parsing recovers from errors, so that all of them are reported at once.

use serde_json::{Map, Number, Value as Json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::mistake::{Flaw, Mistakes, Place, shorten};

/// A value and where it was written; TOML has a key and its value on one line.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What TOML can say.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(String),
    /// Whole numbers beyond 128 bits count as the nearest that fits.
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
    /// Invalid TOML, which the parser has reported.
    Lost,
}

/// A key of a table with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) node: Node,
}

impl Node {
    /// The value of a key, if this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The value at a dotted key.
    pub(crate) fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, key| node.get(key))
    }

    /// The value at a dotted key, to be changed.
    pub(crate) fn at_mut(&mut self, path: &str) -> Option<&mut Self> {
        path.split('.').try_fold(self, |node, key| match &mut node.value {
            Value::Table(entries) => {
                entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
            }
            Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The place of the value at a dotted key, or of the nearest above it that is written.
    pub(crate) fn place_of(&self, path: &str) -> Place {
        self.place_below(path.split('.'))
    }

    /// The same of a list of keys, which may have dots.
    pub(crate) fn place_below<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> Place {
        let mut node = self;
        for key in keys {
            let Some(below) = node.get(key) else { break };
            node = below;
        }
        node.place
    }

    /// The value as if it were written at another place.
    pub(crate) fn moved(mut self, place: Place) -> Self {
        self.place = place;
        self.value = match self.value {
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| item.moved(place)).collect())
            }
            Value::Table(entries) => {
                let moved = |entry: Entry| Entry { key: entry.key, node: entry.node.moved(place) };
                Value::Table(entries.into_iter().map(moved).collect())
            }
            plain => plain,
        };
        self
    }

    /// The items of a list; none for other values.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The value as text, for messages.
    pub(crate) fn text(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("\"{}\"", shorten(text)),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Boolean(flag) => flag.to_string(),
            Value::Datetime(text) => format!("the date {}", shorten(text)),
            Value::Array(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".to_owned(),
            Value::Lost => String::new(),
        }
    }

    /// The plain value without places. Numbers that JSON does not have become null; the walk along
    /// the schema has refused them before.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Text(text) | Value::Datetime(text) => Json::String(text.clone()),
            Value::Integer(number) => {
                let small = i64::try_from(*number).map(Number::from);
                let number = small.or_else(|_| u64::try_from(*number).map(Number::from));
                number.map_or(Json::Null, Json::Number)
            }
            Value::Float(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
            Value::Boolean(flag) => Json::Bool(*flag),
            Value::Lost => Json::Null,
            Value::Array(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Table(entries) => {
                let pairs = entries.iter().map(|e| (e.key.clone(), e.node.to_json()));
                Json::Object(pairs.collect::<Map<String, Json>>())
            }
        }
    }
}

/// Finds the line of a byte.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self { starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    fn of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }

    fn text<'a>(&self, line: usize, text: &'a str) -> &'a str {
        let start = self.starts[line - 1];
        text[start..].lines().next().unwrap_or_default()
    }
}

/// The parser's message for a dotted key with too many parts, and the maximum number of parts.
const TOO_MANY_PARTS: &str = "recursion limit";
const MOST_PARTS: usize = 80;

/// Reads a whole file; what is not TOML is reported, the rest is returned.
pub(crate) fn parse(text: &str, mistakes: &mut Mistakes) -> Node {
    let lines = Lines::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let mut flaw = Flaw::new("", error.message());
        let mut line = None;
        if error.message() == TOO_MANY_PARTS {
            // The parser does not report the place.
            let parts = |line: &str| line.matches('.').count();
            line = text.lines().position(|line| parts(line) + 1 >= MOST_PARTS).map(|at| at + 1);
            flaw = Flaw::new("", "too many parts in a dotted key");
            flaw = flaw.accepted(format!("fewer than {MOST_PARTS}"));
        }
        let mut in_header = false;
        if let Some(span) = error.span() {
            // A break at the end of a line belongs to that line.
            let at = lines.of(span.start);
            in_header = lines.text(at, text).trim_start().starts_with('[');
            line = Some(at);
            let found = text.get(span).unwrap_or_default().trim();
            if !found.is_empty() {
                flaw = flaw.found(format!("`{}`", shorten(found)));
            }
        }
        mistakes.syntax(line, in_header, flaw);
    }
    let place = |start: usize| Place::Line(lines.of(start));
    Node { place: Place::Line(1), value: Value::Table(entries(table.get_ref(), &place)) }
}

/// Reads one value, `100`, `"2 ms"` or `{ kind = "bulk" }`; `None` if it is not TOML.
pub(crate) fn parse_value(text: &str, place: Place) -> Option<Node> {
    let value = DeValue::parse(text.trim()).ok()?;
    Some(node(&value, &|_| place))
}

/// Reads one value of several lines, each with its place.
pub(crate) fn parse_lines(text: &str, place: &dyn Fn(usize) -> Place) -> Option<Node> {
    let lines = Lines::new(text);
    let value = DeValue::parse(text).ok()?;
    Some(node(&value, &|start| place(lines.of(start))))
}

/// Reads a whole text, each value with its place; `None` if it is not TOML.
pub(crate) fn parse_document(text: &str, place: &dyn Fn(usize) -> Place) -> Option<Node> {
    let lines = Lines::new(text);
    let table = DeTable::parse(text).ok()?;
    let value = Value::Table(entries(table.get_ref(), &|start| place(lines.of(start))));
    Some(Node { place: place(1), value })
}

fn entries(table: &DeTable<'_>, place: &dyn Fn(usize) -> Place) -> Vec<Entry> {
    let pairs = table
        .iter()
        .map(|(key, value)| Entry { key: key.get_ref().to_string(), node: node(value, place) });
    pairs.collect()
}

fn node(value: &Spanned<DeValue<'_>>, place: &dyn Fn(usize) -> Place) -> Node {
    let found = match value.get_ref() {
        // Only values that the parser inserts for broken ones have no length.
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_)
            if value.span().is_empty() =>
        {
            Value::Lost
        }
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(integer(number.as_str(), number.radix())),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(moment) => Value::Datetime(moment.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| node(item, place)).collect()),
        DeValue::Table(table) => Value::Table(entries(table, place)),
    };
    Node { place: place(value.span().start), value: found }
}

/// Digits as a number; those that do not fit give the nearest that does.
fn integer(digits: &str, radix: u32) -> i128 {
    let edge = if digits.starts_with('-') { i128::MIN } else { i128::MAX };
    i128::from_str_radix(digits, radix).unwrap_or(edge)
}
