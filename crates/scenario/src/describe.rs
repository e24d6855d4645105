//! What is accepted, in words.

use std::fmt;
use std::str::FromStr;

use plan::shapes::MissingLength;
use serde_json::Value as Json;
use transport::WindowSize;
use units::text::{self, Quantity, QuantityError};
use units::{Bytes, EnergyPerBit, Length, MeanRate, Rate, Span};

use crate::shape::{Leaf, Limits};

impl Limits {
    /// How a number violates its limits: "below zero", "too small" or "too large" in the given
    /// words.
    pub(crate) fn broken_by(&self, value: f64, small: &str, large: &str) -> Option<String> {
        if self.least.is_some_and(|least| value < least) {
            return Some(if value < 0.0 { "below zero".into() } else { format!("too {small}") });
        }
        self.most.is_some_and(|most| value > most).then(|| format!("too {large}"))
    }
}

/// How a whole number violates its limits, compared exactly: a float cannot represent 2^53 + 1.
pub(crate) fn whole_problem(leaf: Leaf<'_>, value: i128) -> Option<String> {
    let (least, most) = match leaf.0["format"].as_str() {
        Some("uint8") => (0, i128::from(u8::MAX)),
        Some("uint16") => (0, i128::from(u16::MAX)),
        Some("uint32") => (0, i128::from(u32::MAX)),
        _ => (0, i128::from(u64::MAX)),
    };
    let stated = |name: &str| whole(&leaf.0[name]);
    let least = stated("minimum").map_or(least, |(floor, exact)| floor + i128::from(!exact));
    let most = stated("maximum").map_or(most, |(floor, _)| floor);
    if value < least {
        return Some(if value < 0 { "below zero".into() } else { "too small".into() });
    }
    (value > most).then(|| "too large".into())
}

/// The largest whole number up to a limit, and whether it is the limit itself.
fn whole(limit: &Json) -> Option<(i128, bool)> {
    let exact = limit.as_i64().map(i128::from).or_else(|| limit.as_u64().map(i128::from));
    if let Some(exact) = exact {
        return Some((exact, true));
    }
    let floor = limit.as_f64()?.floor();
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, beyond any number given")]
    Some((floor as i128, limit.as_f64() == Some(floor)))
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (Some(least), Some(most)) => write!(f, "{least} to {most}"),
            (Some(least), None) => write!(f, "{least} or more"),
            (None, Some(most)) => write!(f, "at most {most}"),
            (None, None) => Ok(()),
        }
    }
}

/// All alternatives of a schema.
pub(crate) fn leaves(leaves: &[Leaf<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let kinds: Vec<&str> = leaves.iter().filter_map(|leaf| leaf.tag()).collect();
    let listed: Vec<&str> = leaves.iter().flat_map(|leaf| leaf.words()).collect();
    if !kinds.is_empty() && kinds == listed {
        parts.push(words(&listed));
        parts.push("a table with one of them as its kind".to_owned());
    } else {
        if !kinds.is_empty() {
            parts.push(format!("a table with kind = {}", words(&kinds)));
        }
        if !listed.is_empty() {
            parts.push(words(&listed));
        }
    }
    let others = leaves.iter().filter(|leaf| leaf.tag().is_none() && leaf.words().next().is_none());
    parts.extend(others.map(|leaf| one(*leaf)));
    parts.join(", or ")
}

fn one(leaf: Leaf<'_>) -> String {
    if let Some(quantity) = leaf.quantity() {
        return quantity_text(quantity, leaf);
    }
    let with = |what: &str, limits: Limits| {
        let limits = limits.to_string();
        let from = if limits.contains(" to ") { " from" } else { "," };
        if limits.is_empty() { what.to_owned() } else { format!("{what}{from} {limits}") }
    };
    if leaf.is("object") {
        let names: Vec<&str> = leaf.required().collect();
        return match &names[..] {
            [] => "a table".to_owned(),
            names => format!("a table with {}", names.join(", ")),
        };
    }
    if leaf.is("array") {
        return "a list".to_owned();
    }
    if leaf.is("integer") {
        return with("a whole number", Limits::of_number(leaf));
    }
    if leaf.is("number") {
        return with("a number", Limits::of_number(leaf));
    }
    if leaf.is("boolean") {
        return "true or false".to_owned();
    }
    match leaf.limits("minLength", "maxLength") {
        Limits { least: None, most: None } => "a text".to_owned(),
        limits => format!("a text of {limits} characters"),
    }
}

/// Words in quotation marks.
pub(crate) fn words(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

/// The limits of a quantity as they are written in the schema.
pub(crate) fn quantity_limits(leaf: Leaf<'_>) -> String {
    match (leaf.0["x-min"].as_str(), leaf.0["x-max"].as_str()) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => String::new(),
    }
}

fn quantity_text(quantity: &str, leaf: Leaf<'_>) -> String {
    let form = match quantity {
        "time" => text::accepted::<Span>(),
        "size" => text::accepted::<Bytes>(),
        "length" => text::accepted::<Length>(),
        "energy" => text::accepted::<EnergyPerBit>(),
        "window" => WindowSize::ACCEPTED.to_owned(),
        "missing length" => MissingLength::ACCEPTED.to_owned(),
        _ => text::accepted::<Rate>(),
    };
    match quantity_limits(leaf) {
        limits if limits.is_empty() => form,
        limits => format!("{form}, {limits}"),
    }
}

/// The error in the text of a quantity.
pub(crate) fn quantity_problem(quantity: &str, leaf: Leaf<'_>, text: &str) -> Option<String> {
    match quantity {
        "time" => problem::<Span>(leaf, text),
        "size" => problem::<Bytes>(leaf, text),
        "length" => problem::<Length>(leaf, text),
        "energy" => problem::<EnergyPerBit>(leaf, text),
        "window" => text.parse::<WindowSize>().err().map(|error| error.to_string()),
        "missing length" => text.parse::<MissingLength>().err(),
        "mean rate" => problem_of::<Rate, MeanRate>(leaf, text, MeanRate::from_str),
        _ => problem::<Rate>(leaf, text),
    }
}

fn problem<Q: Quantity>(leaf: Leaf<'_>, text: &str) -> Option<String> {
    problem_of::<Q, u64>(leaf, text, |text| text::parse::<Q>(text).map(|found| found.grains()))
}

/// The same of numbers that are read in this way.
fn problem_of<Q: Quantity, N: PartialOrd>(
    leaf: Leaf<'_>,
    text: &str,
    read: impl Fn(&str) -> Result<N, QuantityError>,
) -> Option<String> {
    let limit = |name: &str| -> Option<N> { read(leaf.0.get(name).and_then(Json::as_str)?).ok() };
    match read(text) {
        Ok(found) if limit("x-min").is_some_and(|least| found < least) => {
            Some("too small".to_owned())
        }
        Ok(found) if limit("x-max").is_some_and(|most| found > most) => {
            Some("too large".to_owned())
        }
        Ok(_) => None,
        Err(QuantityError::NoNumber) => Some(format!("not {}", text::indefinite::<Q>())),
        Err(error) => Some(error.to_string()),
    }
}
