//! Points that are drawn from ranges. The caller that loads the sweep draws numbers from 0 up to 1, by the
//! design; here they become values of the ranges.

use std::collections::BTreeSet;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use units::text::{Quantity, parse};
use units::{Bytes, EnergyPerBit, Length, Rate, Span};

use super::settings::{self, Setting};
use crate::mistake::{Flaw, Mistakes, Place};
use crate::tree::{Node, Value};

/// Points drawn from ranges of keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SampleSpec {
    /// How they are drawn.
    pub design: DesignSpec,
    /// The number of points; a point that is drawn twice counts once.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub points: u64,
    /// The seed of the drawing: another number gives other points.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_992u64))]
    pub seed: u64,
    /// Dotted keys of the scenario, each with its range, `{ from = "1 ms", to = "50 ms" }`, or with the
    /// values that it is drawn from, `{ among = ["reno", "cubic"] }`. Between whole numbers, whole numbers
    /// are drawn. With `scale = "log"` the logarithm of the value is uniform.
    pub over: Map<String, Json>,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DesignSpec {
    /// Each range is divided into as many parts as there are points, with one point in each part.
    LatinHypercube,
    /// Sobol's sequence, scrambled: the points fill the space of all ranges evenly, best with a power
    /// of two.
    Sobol,
    /// Each point is drawn independently.
    Random,
}

fn one() -> u64 {
    1
}

/// The columns of `[sample]`. `drawn` has, for each key in the order of the file, numbers from 0 up to 1, one
/// per point; without it, the ends of each range are the points, so that a check covers both.
pub(super) fn columns(
    root: &Node,
    drawn: Option<&[Vec<f64>]>,
    mistakes: &mut Mistakes,
) -> Vec<Setting> {
    let mut found = Vec::new();
    for (at, Setting { key, node }) in
        settings::settings(root, "sample.over", mistakes).into_iter().enumerate()
    {
        let place = node.place;
        let range = match Range::read(&format!("sample.over.{key}"), &node) {
            Ok(range) => range,
            Err((place, flaw)) => {
                mistakes.add(place, flaw);
                continue;
            }
        };
        let values = match drawn.map(|all| all.get(at).map_or(&[][..], Vec::as_slice)) {
            Some(numbers) => numbers.iter().map(|&number| range.at(number)).collect(),
            None => range.ends(),
        };
        let items = values.into_iter().map(|value| Node { place, value }).collect();
        found.push(Setting { key, node: Node { place, value: Value::Array(items) } });
    }
    if found.is_empty() && !mistakes.touch("sample") {
        let flaw = Flaw::missing("sample.over", "at least one key with its range");
        mistakes.add(root.place_of("sample"), flaw);
    }
    merge(&mut found);
    found
}

/// Omits each row that was drawn before: a duplicate point would count as twice as many seeds.
fn merge(columns: &mut [Setting]) {
    let rows = columns.iter().map(|one| one.node.items().len()).min().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let first: Vec<bool> = (0..rows).map(|at| seen.insert(settings::row(columns, at))).collect();
    for Setting { node, .. } in columns {
        if let Value::Array(items) = &mut node.value {
            let mut kept = first.iter();
            items.retain(|_| kept.next().is_none_or(|is_first| *is_first));
        }
    }
}

/// Significant digits of what is drawn from a range, so that a point can be read and typed.
const DIGITS: usize = 6;

/// What a key is drawn from.
#[derive(Debug)]
enum Range {
    /// Whole numbers, both ends included.
    Whole(Even, i128, i128),
    Number(Even, f64, f64),
    /// A quantity in its smallest unit, and how it is written.
    Quantity(Even, u64, u64, fn(u64) -> String),
    Among(Vec<Value>),
}

/// What is uniform between the ends of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Even {
    Differences,
    Ratios,
}

impl Even {
    /// The number at a fraction of the range.
    fn between(self, from: f64, to: f64, share: f64) -> f64 {
        match self {
            Self::Differences => from + share * (to - from),
            Self::Ratios => from * libm::pow(to / from, share),
        }
    }
}

impl Range {
    /// Reads a range, or returns its error and the place of it.
    fn read(name: &str, node: &Node) -> Result<Self, (Place, Flaw)> {
        let no = |node: &Node, key: &str, problem: &str, accepted: &str| {
            let name = if key.is_empty() { name.to_owned() } else { format!("{name}.{key}") };
            (node.place, Flaw::new(name, problem).found(node.text()).accepted(accepted))
        };
        let Value::Table(entries) = &node.value else {
            let accepted = "such as { from = 1, to = 10 } or { among = [1, 2] }";
            return Err(no(node, "", "not a range", accepted));
        };
        let known = ["from", "to", "scale", "among"];
        if let Some(entry) = entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            let flaw = Flaw::new(format!("{name}.{}", entry.key), "unknown key");
            return Err((entry.node.place, flaw.accepted(known.join(", "))));
        }
        if let Some(among) = node.get("among") {
            if entries.len() > 1 {
                return Err(no(node, "", "a range and values to draw from", "one of them"));
            }
            return match among.items() {
                [] => Err(no(among, "among", "not a list, or an empty one", "at least one value")),
                items => Ok(Self::Among(items.iter().map(|item| item.value.clone()).collect())),
            };
        }
        let (Some(from), Some(to)) = (node.get("from"), node.get("to")) else {
            return Err(no(
                node,
                "",
                "neither a range nor values to draw from",
                "from and to, or among",
            ));
        };
        let even = match node.get("scale").map(|scale| (scale, &scale.value)) {
            None => Even::Differences,
            Some((_, Value::Text(word))) if word == "linear" => Even::Differences,
            Some((_, Value::Text(word))) if word == "log" => Even::Ratios,
            Some((scale, _)) => return Err(no(scale, "scale", "no scale", "\"linear\", \"log\"")),
        };
        let range = match (&from.value, &to.value) {
            (Value::Integer(from), Value::Integer(to)) => Some(Self::Whole(even, *from, *to)),
            (Value::Text(from), Value::Text(to)) => quantities(even, from, to),
            (from, to) => {
                number(from).zip(number(to)).map(|(from, to)| Self::Number(even, from, to))
            }
        };
        let Some(range) = range else {
            return Err(no(
                to,
                "to",
                "not a number or quantity of the same kind as from",
                &from.text(),
            ));
        };
        let (low, above) = match range {
            Self::Whole(_, from, to) => (from > 0, from < to),
            Self::Number(_, from, to) => (from > 0.0, from < to && to.is_finite()),
            Self::Quantity(_, from, to, _) => (from > 0, from < to),
            Self::Among(_) => (true, true),
        };
        if !above {
            return Err(no(to, "to", "not above from", &format!("more than {}", from.text())));
        }
        if even == Even::Ratios && !low {
            return Err(no(from, "from", "not a start of a logarithmic range", "more than zero"));
        }
        Ok(range)
    }

    /// The value at a number from 0 up to 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "what is drawn is rounded to a few digits anyway"
    )]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
    fn at(&self, share: f64) -> Value {
        let share = share.clamp(0.0, 1.0);
        match self {
            Self::Whole(even, from, to) => {
                // Each whole number has a part of the range from the first one to beyond the last one.
                let drawn = even.between(*from as f64, *to as f64 + 1.0, share).floor();
                Value::Integer((drawn as i128).clamp(*from, *to))
            }
            Self::Number(even, from, to) => {
                Value::Float(rounded(even.between(*from, *to, share)).clamp(*from, *to))
            }
            Self::Quantity(even, from, to, write) => {
                let grains = rounded(even.between(*from as f64, *to as f64, share)).round();
                Value::Text(write((grains as u64).clamp(*from, *to)))
            }
            Self::Among(values) => {
                let at = (share * values.len() as f64) as usize;
                values[at.min(values.len() - 1)].clone()
            }
        }
    }

    /// The first value and the last one.
    fn ends(&self) -> Vec<Value> {
        vec![self.at(0.0), self.at(1.0)]
    }
}

/// A number to a few significant digits.
fn rounded(number: f64) -> f64 {
    let text = format!("{number:.*e}", DIGITS - 1);
    text.parse().unwrap_or(number)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "a float is wanted")]
        Value::Integer(whole) => Some(*whole as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// A range of the first quantity that fits both ends.
fn quantities(even: Even, from: &str, to: &str) -> Option<Range> {
    fn of<Q: Quantity + Display>(even: Even, from: &str, to: &str) -> Option<Range> {
        let grains = |text| parse::<Q>(text).ok().map(|quantity| quantity.grains());
        let write = |grains| Q::from_grains(grains).to_string();
        Some(Range::Quantity(even, grains(from)?, grains(to)?, write))
    }
    of::<Span>(even, from, to)
        .or_else(|| of::<Bytes>(even, from, to))
        .or_else(|| of::<Rate>(even, from, to))
        .or_else(|| of::<Length>(even, from, to))
        .or_else(|| of::<EnergyPerBit>(even, from, to))
}
