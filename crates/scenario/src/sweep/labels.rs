//! The names that tables and figures have for the axes of a sweep and for their values. No point, digest
//! or run depends on them.
//!
//! `[labels]` names keys that vary, and the values of a key in the order of its list. `label` in
//! `[[cases]]` and `[[zip]]` names rows: an axis with such names is called [`CASE`].

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::axes::{self, Axis};
use super::settings::{self, LABEL, Setting};
use crate::mistake::{Flaw, Mistakes, shorten};
use crate::tree::{Node, Value};

/// The name by which an axis of named rows is asked for; a second one is `case-2`.
pub(super) const CASE: &str = "case";
/// The maximum number of characters of a name, so that it fits in a legend.
const LONGEST: usize = 60;

/// The names of a sweep.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Keys, with their names.
    names: Vec<(String, String)>,
    /// Keys, with the names of their values.
    values: Vec<(String, Vec<(Json, String)>)>,
    /// Axes of named rows.
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    name: String,
    keys: Vec<String>,
    labels: Vec<String>,
}

/// Reads the names of axes, and of rows and values. An axis with errors is not among `axes`; unless
/// `is_whole`, a key that is none of theirs may be a key of such an axis.
pub(super) fn labels(
    root: &Node,
    axes: &[Axis],
    is_whole: bool,
    mistakes: &mut Mistakes,
) -> Labels {
    let mut found = Labels { cases: cases(axes, mistakes), ..Labels::default() };
    for Setting { key, node } in settings::settings(root, "labels", mistakes) {
        let is_case = found.cases.iter().any(|case| case.name == key);
        let column = axes::columns(axes).find(|(_, one)| one.key == key);
        if column.is_none() && !is_case {
            if is_whole {
                let known: Vec<&str> = found.cases.iter().map(|case| case.name.as_str()).collect();
                mistakes.add(node.place, unknown(&key, axes, &known));
            }
            continue;
        }
        let shown = format!("labels.{key}");
        let (named, name, values) = match &node.value {
            Value::Table(entries) => {
                let known = ["name", "values"];
                if let Some(other) = entries.iter().find(|one| !known.contains(&one.key.as_str())) {
                    let flaw = Flaw::new(format!("{shown}.{}", other.key), "unknown key");
                    mistakes.add(other.node.place, flaw.accepted(known.join(", ")));
                }
                (format!("{shown}.name"), node.get("name"), node.get("values"))
            }
            _ => (shown.clone(), Some(&node), None),
        };
        if let Some(name) = name
            && let Some(text) = text(&named, name, mistakes)
            && is_alone((&named, &key), (name, &text), (axes, &found.names), mistakes)
        {
            found.names.push((key.clone(), text));
        }
        match (values, column) {
            (Some(values), Some((prefix, one))) => {
                let own = items(root, prefix, one);
                let shown = format!("{shown}.values");
                let pairs = of_values(&shown, values, own.as_deref(), mistakes);
                found.values.extend(pairs.map(|pairs| (key, pairs)));
            }
            (Some(values), None) => {
                let flaw = Flaw::new(format!("{shown}.values"), "names of rows")
                    .accepted("the key label in [[cases]] or [[zip]]");
                mistakes.add(values.place, flaw);
            }
            (None, _) => {}
        }
    }
    found
}

impl Labels {
    /// The name of an axis of named rows, and that of one of its rows.
    pub(super) fn of_row(&self, axis: &Axis, row: usize) -> Option<(&str, &str)> {
        let keys = || axis.columns.iter().map(|one| one.key.as_str());
        let case =
            self.cases.iter().find(|case| keys().eq(case.keys.iter().map(String::as_str)))?;
        Some((&case.name, case.labels.get(row)?))
    }

    /// The names as JSON, null without any: pairs in the order of the file.
    pub(super) fn definition(&self) -> Json {
        if self.names.is_empty() && self.values.is_empty() && self.cases.is_empty() {
            return Json::Null;
        }
        let cases: Vec<Json> =
            self.cases.iter().map(|case| json!([case.name, case.keys, case.labels])).collect();
        json!({ "names": self.names, "values": self.values, "cases": cases })
    }
}

/// The axes whose rows have names.
fn cases(axes: &[Axis], mistakes: &mut Mistakes) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    for axis in axes {
        let Some(node) = &axis.labels else { continue };
        let shown = format!("{}{LABEL}", axis.prefix);
        let Value::Array(items) = &node.value else {
            let flaw = Flaw::new(shown, "not a list of names").found(node.text());
            mistakes.add(node.place, flaw.accepted("a list with a name for each row"));
            continue;
        };
        if items.len() != axis.len() {
            mistakes.add(node.place, miscounted(shown, items.len(), axis.len(), "rows"));
            continue;
        }
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut labels = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let Some(text) = text(&shown, item, mistakes) else { continue };
            if known.insert(text.clone(), at).is_some() {
                let flaw = Flaw::new(&shown, "the label of two rows").found(item.text());
                mistakes.add(item.place, flaw.accepted("another label for each row"));
            }
            labels.push(text);
        }
        let name = match found.len() {
            0 => CASE.to_owned(),
            before => format!("{CASE}-{}", before + 1),
        };
        let keys = axis.columns.iter().map(|one| one.key.clone()).collect();
        found.push(Case { name, keys, labels });
    }
    found
}

/// The values that a key is given in the file; none if it has a range.
fn items(root: &Node, prefix: &str, one: &Setting) -> Option<Vec<Node>> {
    if !prefix.starts_with("sample.") {
        return Some(one.node.items().to_vec());
    }
    // What is drawn has no order; the file has the values that it is drawn from.
    let ranges = settings::settings(root, "sample.over", &mut Mistakes::new("", &[]));
    let range = ranges.into_iter().find(|range| range.key == one.key)?;
    Some(range.node.get("among")?.items().to_vec())
}

/// The values of a key with their names.
fn of_values(
    shown: &str,
    node: &Node,
    values: Option<&[Node]>,
    mistakes: &mut Mistakes,
) -> Option<Vec<(Json, String)>> {
    let Some(values) = values else {
        let flaw = Flaw::new(shown, "names of values, of which a range has no list");
        mistakes.add(node.place, flaw.accepted("the name of the key alone"));
        return None;
    };
    let Value::Array(items) = &node.value else {
        let flaw = Flaw::new(shown, "not a list of names").found(node.text());
        mistakes.add(node.place, flaw.accepted("a list with a name for each value"));
        return None;
    };
    if items.len() != values.len() {
        let flaw = miscounted(shown.to_owned(), items.len(), values.len(), "values");
        mistakes.add(node.place, flaw);
        return None;
    }
    let mut pairs: Vec<(Json, String)> = Vec::new();
    for (item, value) in items.iter().zip(values) {
        let Some(text) = text(shown, item, mistakes) else { continue };
        let own = value.to_json();
        let twin = pairs.iter().find(|(other, label)| (*label == text) != (*other == own));
        let named = values.iter().find(|other| plain(other) == text && other.to_json() != own);
        if let Some((other, label)) = twin {
            let problem =
                if *other == own { "two labels of one value" } else { "the label of two values" };
            let flaw = Flaw::new(shown, problem).found(item.text());
            let accepted = match problem {
                "two labels of one value" => format!("{label:?}, as before"),
                _ => "another label for each value".to_owned(),
            };
            mistakes.add(item.place, flaw.accepted(accepted));
        } else if named.is_some() {
            let flaw = Flaw::new(shown, "the label of a value is another value of the key");
            let flaw = flaw.found(item.text());
            mistakes.add(item.place, flaw.accepted("a label that is no other value"));
        } else if !pairs.iter().any(|(other, _)| *other == own) {
            pairs.push((own, text));
        }
    }
    Some(pairs)
}

/// A name, if it is one: what is shown is a line that can be read and typed.
fn text(shown: &str, node: &Node, mistakes: &mut Mistakes) -> Option<String> {
    let accepted = format!("a line of 1 to {LONGEST} characters, without spaces at its ends");
    let Value::Text(text) = &node.value else {
        let flaw = Flaw::new(shown, "not a label").found(node.text()).accepted(accepted);
        mistakes.add(node.place, flaw);
        return None;
    };
    let length = text.chars().count();
    let (problem, found) = if length == 0 {
        ("an empty label", node.text())
    } else if length > LONGEST {
        ("a label that is too long", format!("{length} characters"))
    } else if text.trim() != text || text.chars().any(char::is_control) {
        ("not a label", node.text())
    } else {
        return Some(text.clone());
    };
    mistakes.add(node.place, Flaw::new(shown, problem).found(found).accepted(accepted));
    None
}

/// Reports a key's name that is another key or its name, or that `--where` would read as a setting.
fn is_alone(
    (shown, key): (&str, &str),
    (node, text): (&Node, &str),
    (axes, names): (&[Axis], &[(String, String)]),
    mistakes: &mut Mistakes,
) -> bool {
    let mut others = axes::columns(axes).filter(|(_, one)| one.key != key);
    let problem = if others.any(|(_, one)| one.key == text) {
        "the name of a key is another key that varies"
    } else if names.iter().any(|(_, name)| name == text) {
        "the label of two keys"
    } else if text.contains('=') {
        "the name of a key with an equals sign"
    } else {
        return true;
    };
    let flaw = Flaw::new(shown, problem).found(node.text()).accepted("another name");
    mistakes.add(node.place, flaw);
    false
}

/// The error of a key that does not vary.
fn unknown(key: &str, axes: &[Axis], cases: &[&str]) -> Flaw {
    let keys = axes::columns(axes).map(|(_, one)| one.key.as_str());
    let known: Vec<String> = keys.chain(cases.iter().copied()).map(shorten).collect();
    let flaw = Flaw::new(format!("labels.{key}"), "not a key that varies");
    match &known[..] {
        [] => flaw,
        known => flaw.accepted(known.join(", ")),
    }
}

fn miscounted(shown: String, found: usize, accepted: usize, of: &str) -> Flaw {
    Flaw::new(shown, "a list of a different length")
        .found(format!("{found} labels"))
        .accepted(format!("{accepted}, as there are {of}"))
}

/// A value as tables show it: a text without quotes.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.text(),
    }
}
