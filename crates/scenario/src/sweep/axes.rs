//! The axes of a sweep: what varies, each axis with rows of values for one key or several. A sweep has a
//! point for every combination of rows.
//!
//! A key of `[over]` is a separate axis. The keys of a `[[zip]]` are one axis, as are those of
//! `[[cases]]`, given row by row, and those of `[sample]`, whose rows are drawn.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::sample;
use super::settings::{self, LABEL, Setting};
use crate::mistake::{Flaw, Mistakes};
use crate::tree::{Node, Value};

/// What varies together.
#[derive(Debug)]
pub(super) struct Axis {
    /// The table of the sweep's file that it comes from, with a dot.
    pub(super) prefix: &'static str,
    /// Its keys, each with the list of its values; the lists have the same length.
    pub(super) columns: Vec<Setting>,
    /// The names of its rows, as the file has them.
    pub(super) labels: Option<Node>,
}

impl Axis {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.columns.first().map_or(0, |one| one.node.items().len())
    }

    /// The keys with their values, for readers of the definition.
    fn definition(&self) -> Json {
        self.columns.iter().map(Setting::definition).collect()
    }
}

/// The axes of a file, the outermost first. `drawn` has the random numbers of `[sample]`.
pub(super) fn axes(
    root: &Node,
    set: &[Setting],
    drawn: Option<&[Vec<f64>]>,
    mistakes: &mut Mistakes,
) -> Vec<Axis> {
    let mut found: Vec<Axis> = settings::settings(root, "over", mistakes)
        .into_iter()
        .map(|one| Axis { prefix: "over.", columns: vec![one], labels: None })
        .collect();
    for at in 0..root.get("zip").map_or(0, |node| node.items().len()) {
        let mut columns = settings::settings(root, &format!("zip.{at}"), mistakes);
        let labels = take_label(&mut columns);
        found.push(Axis { prefix: "zip.", columns, labels });
    }
    if root.get("cases").is_some() {
        let (columns, labels) = listed(root, mistakes);
        found.push(Axis { prefix: "cases.", columns, labels });
    }
    if root.get("sample").is_some() {
        let columns = sample::columns(root, drawn, mistakes);
        found.push(Axis { prefix: "sample.over.", columns, labels: None });
    }
    let mut known = Vec::new();
    for axis in &mut found {
        axis.columns.retain(|one| is_sound(axis.prefix, one, &mut known, set, mistakes));
        check_lengths(axis, mistakes);
        check_rows(axis, mistakes);
    }
    found.retain(|axis| axis.len() > 0);
    found
}

/// The number of combinations.
pub(super) fn points(axes: &[Axis]) -> u64 {
    axes.iter().map(|axis| axis.len() as u64).fold(1, u64::saturating_mul)
}

/// The axes that come from a table of the file.
pub(super) fn definition(axes: &[Axis], prefix: &str) -> Json {
    axes.iter().filter(|axis| axis.prefix == prefix).map(Axis::definition).collect()
}

/// All keys that vary, each with the list of its values and the table that it comes from.
pub(super) fn columns(axes: &[Axis]) -> impl Iterator<Item = (&'static str, &Setting)> {
    axes.iter().flat_map(|axis| axis.columns.iter().map(|one| (axis.prefix, one)))
}

/// Takes the names of rows out of the settings of a table.
fn take_label(columns: &mut Vec<Setting>) -> Option<Node> {
    let at = columns.iter().position(|one| one.key == LABEL)?;
    Some(columns.remove(at).node)
}

/// `[[cases]]`, given row by row, as columns, and the names of the rows.
fn listed(root: &Node, mistakes: &mut Mistakes) -> (Vec<Setting>, Option<Node>) {
    let rows = root.get("cases").map_or(0, |node| node.items().len());
    let mut columns: Vec<Setting> = Vec::new();
    let mut known = BTreeMap::new();
    let mut labels: Vec<Option<Node>> = Vec::new();
    let mut alike = true;
    for at in 0..rows {
        let mut row = settings::settings(root, &format!("cases.{at}"), mistakes);
        labels.push(take_label(&mut row));
        let place = root.place_of(&format!("cases.{at}"));
        let values: BTreeMap<_, _> = row.iter().map(|one| (one.key.clone(), one.value())).collect();
        if !row.is_empty()
            && let Some(first) = known.insert(values, at)
        {
            let problem = format!("the same point as cases.{first}");
            mistakes.add(place, Flaw::new(format!("cases.{at}"), problem));
        }
        let keys = |row: &[Setting]| row.iter().map(|one| one.key.clone()).collect::<BTreeSet<_>>();
        if at == 0 {
            let list = |node: Node| Node { place: node.place, value: Value::Array(vec![node]) };
            let column = |one: Setting| Setting { key: one.key, node: list(one.node) };
            columns = row.into_iter().map(column).collect();
        } else if keys(&row) == keys(&columns) {
            for Setting { key, node } in row {
                if let Some(column) = columns.iter_mut().find(|column| column.key == key)
                    && let Value::Array(items) = &mut column.node.value
                {
                    items.push(node);
                }
            }
        } else {
            let names = |keys: BTreeSet<String>| keys.into_iter().collect::<Vec<_>>().join(", ");
            let flaw = Flaw::new(format!("cases.{at}"), "keys differ from those of the first case")
                .found(names(keys(&row)))
                .accepted(names(keys(&columns)));
            mistakes.add(place, flaw);
            alike = false;
        }
    }
    // Names of rows that are left out say nothing about those that are kept.
    (columns, of_rows(root, labels, mistakes).filter(|_| alike))
}

/// The names of `[[cases]]` as a list: all have one, or none has.
fn of_rows(root: &Node, labels: Vec<Option<Node>>, mistakes: &mut Mistakes) -> Option<Node> {
    let first = labels.iter().flatten().next()?.place;
    for (at, label) in labels.iter().enumerate() {
        if label.is_none() {
            let place = root.place_of(&format!("cases.{at}"));
            let name = format!("cases.{at}.{LABEL}");
            mistakes.add(place, Flaw::missing(name, "a label, as other cases have"));
        }
    }
    let items = labels.into_iter().collect::<Option<Vec<Node>>>()?;
    Some(Node { place: first, value: Value::Array(items) })
}

/// Collects the errors of a key that varies: no list, an empty list, a key that is also given elsewhere.
fn is_sound(
    prefix: &str,
    Setting { key, node }: &Setting,
    known: &mut Vec<String>,
    set: &[Setting],
    mistakes: &mut Mistakes,
) -> bool {
    let name = format!("{prefix}{key}");
    let flaw = match &node.value {
        Value::Array(items) if items.is_empty() => {
            Flaw::new(name, "an empty list").accepted("at least one value")
        }
        Value::Array(_) if set.iter().any(|other| other.key == *key) => {
            Flaw::new(name, "also a key of [set]").accepted("one of them")
        }
        Value::Array(_) if known.contains(key) => {
            Flaw::new(name, "also varies elsewhere").accepted("one of them")
        }
        Value::Array(_) => {
            known.push(key.clone());
            return true;
        }
        Value::Lost => return false,
        _ => Flaw::new(name, "not a list").found(node.text()).accepted("a list of values"),
    };
    mistakes.add(node.place, flaw);
    false
}

/// Reports lists of different lengths in one axis, which then keeps those that fit the first.
fn check_lengths(axis: &mut Axis, mistakes: &mut Mistakes) {
    let Some(first) = axis.columns.first() else { return };
    let (length, named) = (axis.len(), format!("{}{}", axis.prefix, first.key));
    axis.columns.retain(|one| {
        let own = one.node.items().len();
        if own != length {
            let flaw =
                Flaw::new(format!("{}{}", axis.prefix, one.key), "a list of a different length")
                    .found(format!("{own} values"))
                    .accepted(format!("{length}, as {named} has"));
            mistakes.add(one.node.place, flaw);
        }
        own == length
    });
}

/// Reports the first duplicate row of an axis of lists: its points would count as further seeds of the
/// others. `[[cases]]` are checked when they are read, and duplicate draws are one point.
fn check_rows(axis: &Axis, mistakes: &mut Mistakes) {
    if !["over.", "zip."].contains(&axis.prefix) {
        return;
    }
    let Some(at) = first_again(&axis.columns) else { return };
    let items = axis.columns.iter().map(|one| (&one.key, &one.node.items()[at]));
    let texts: Vec<String> =
        items.clone().map(|(key, item)| format!("{key} = {}", item.text())).collect();
    for (key, item) in items.take(1) {
        let name = format!("{}{key}", axis.prefix);
        let flaw = match &texts[..] {
            [_] => Flaw::new(name, "a value listed twice").found(item.text()),
            _ => Flaw::new(name, "a row listed twice").found(texts.join(", ")),
        };
        mistakes.add(item.place, flaw);
    }
}

/// The first row that is equal to one before it.
fn first_again(columns: &[Setting]) -> Option<usize> {
    let mut seen = BTreeSet::new();
    let rows = columns.first().map_or(0, |one| one.node.items().len());
    (0..rows).find(|&at| !seen.insert(settings::row(columns, at)))
}
