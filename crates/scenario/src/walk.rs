//! The walk of a scenario's tree along its JSON Schema.
//!
//! It collects what a parser would stop at: unknown and missing keys, wrong types, units, ranges.
//! A tree that passes is one that serde accepts.

use serde_json::Value as Json;

use crate::describe;
use crate::mistake::{Flaw, Mistakes, Place, nearest};
use crate::shape::{self, Leaf, Limits};
use crate::tree::{Entry, Node, Value};

/// Walks the tree along the schema and collects every error.
pub(crate) fn walk(schema: &Json, root: &Node, mistakes: &mut Mistakes) {
    Walk { root: schema, mistakes }.value(schema, root, "");
}

/// Walks one value along the first of some schemas that it fits, or else along the first.
pub(crate) fn walk_value(
    root: &Json,
    schemas: &[&Json],
    (key, value): (&str, &Node),
    mistakes: &mut Mistakes,
) {
    let fits = |schema: &Json| {
        let mut found = Mistakes::new("", &[]);
        Walk { root, mistakes: &mut found }.value(schema, value, key);
        found.is_empty()
    };
    if schemas.iter().any(|schema| fits(schema)) {
        return;
    }
    if let Some(schema) = schemas.first() {
        Walk { root, mistakes }.value(schema, value, key);
    }
}

/// The schemas of the value at a dotted key of a tree: several if `varied` tells that the kind of a
/// table above it varies. An error of the key is returned with the part of it that is wrong.
pub(crate) fn schemas_at<'a>(
    schema: &'a Json,
    root: &Node,
    key: &str,
    varied: impl Fn(&str) -> bool,
) -> Result<Vec<&'a Json>, Flaw> {
    let mut schemas = vec![schema];
    let mut here = String::new();
    for step in key.split('.') {
        let all: Vec<Leaf<'a>> =
            schemas.iter().flat_map(|one| shape::leaves(schema, one)).collect();
        let below = join(&here, step);
        let node = if here.is_empty() { Some(root) } else { root.at(&here) };
        let kind = match node.and_then(|node| node.get("kind")).map(|kind| &kind.value) {
            Some(Value::Text(kind)) if !varied(&here) => Some(kind.as_str()),
            _ => None,
        };
        let open = |leaf: &&Leaf<'a>| {
            let tag = leaf.tag();
            leaf.is("object") && (kind.is_none() || tag.is_none() || tag == kind)
        };
        let tables: Vec<Leaf<'a>> = all.iter().filter(open).copied().collect();
        let list = all.iter().find(|leaf| leaf.is("array"));
        schemas = tables.iter().filter_map(|leaf| leaf.property(step)).collect();
        if let Some(list) = list.filter(|_| step.parse::<usize>().is_ok()) {
            item(node, step, *list).map_err(|problem| Flaw::new(here.clone(), problem))?;
            schemas.extend(list.items());
        }
        if schemas.is_empty() {
            return Err(no_such(&tables, list.is_some(), (&here, step)));
        }
        here = below;
    }
    Ok(schemas)
}

/// The error for a key of an earlier language that is now an option of a kind. `below` is the key,
/// `example` its replacement.
fn moved([section, kind, _]: [&str; 3], below: String, example: String) -> Flaw {
    Flaw::new(below, format!("is an option of {section} \"{kind}\" now")).accepted(example)
}

/// Finds an item in the list at a key.
fn item(node: Option<&Node>, step: &str, list: Leaf<'_>) -> Result<(), String> {
    let count = node.map_or(0, |node| node.items().len());
    let at: usize = step.parse().unwrap_or(usize::MAX);
    if at < count || list.items().is_none() {
        return Ok(());
    }
    Err(format!("a list of {count} has no item {step}"))
}

/// The error for a missing key below another.
fn no_such(tables: &[Leaf<'_>], list: bool, (here, step): (&str, &str)) -> Flaw {
    if list {
        let accepted = format!("a number from 0, as in {}", join(here, "0"));
        return Flaw::new(join(here, step), "not a number of an item").accepted(accepted);
    }
    if let Some(place) = tables.iter().find_map(|leaf| leaf.moved(step)) {
        let [section, kind, option] = place;
        let key = join(here, section);
        let example = format!("{key}.{option}, where {key} has kind = \"{kind}\"");
        return moved(place, join(here, step), example);
    }
    let mut names: Vec<&str> = Vec::new();
    for name in tables.iter().flat_map(|leaf| leaf.properties()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Flaw::new(here, format!("has no key {step} below it"));
    }
    let problem = unknown("key", step, names.iter().copied());
    Flaw::new(join(here, step), problem).accepted(names.join(", "))
}

struct Walk<'a> {
    root: &'a Json,
    mistakes: &'a mut Mistakes,
}

impl<'a> Walk<'a> {
    fn value(&mut self, schema: &'a Json, node: &Node, key: &str) {
        kernel::checkpoint();
        if self.mistakes.is_full() {
            return;
        }
        let leaves = shape::leaves(self.root, schema);
        let fitting = |kinds: &[&str]| -> Vec<Leaf<'a>> {
            leaves.iter().copied().filter(|leaf| kinds.iter().any(|k| leaf.is(k))).collect()
        };
        match &node.value {
            Value::Table(entries) => match fitting(&["object"])[..] {
                [] => self.wrong_type(&leaves, node, key),
                [leaf] if leaf.tag().is_none() => self.table(leaf, node, entries, key),
                ref tagged => self.tagged(tagged, node, entries, key),
            },
            Value::Array(items) => match fitting(&["array"]).first() {
                Some(leaf) => self.array(*leaf, node, items, key),
                None => self.wrong_type(&leaves, node, key),
            },
            Value::Text(text) => self.text(&leaves, node, text, key),
            Value::Integer(number) => match fitting(&["integer", "number"]).first() {
                Some(leaf) if leaf.is("integer") => self.whole(*leaf, node, *number, key),
                Some(leaf) => self.number(*leaf, node, *number as f64, key),
                None => self.wrong_type(&leaves, node, key),
            },
            Value::Float(number) => match fitting(&["number"]).first() {
                Some(leaf) => self.number(*leaf, node, *number, key),
                None => self.wrong_type(&leaves, node, key),
            },
            Value::Lost => {}
            Value::Boolean(_) if !fitting(&["boolean"]).is_empty() => {}
            Value::Boolean(_) | Value::Datetime(_) => self.wrong_type(&leaves, node, key),
        }
    }

    fn note(&mut self, place: Place, flaw: Flaw) {
        self.mistakes.add(place, flaw);
    }

    fn wrong_type(&mut self, leaves: &[Leaf<'a>], node: &Node, key: &str) {
        let number = matches!(node.value, Value::Integer(_) | Value::Float(_));
        let problem = if number && leaves.iter().any(|leaf| leaf.quantity().is_some()) {
            "a number without a unit"
        } else {
            "wrong type"
        };
        let accepted = describe::leaves(leaves);
        self.note(node.place, Flaw::new(key, problem).found(node.text()).accepted(accepted));
    }

    /// A table whose branch is chosen by `kind`.
    fn tagged(&mut self, leaves: &[Leaf<'a>], node: &Node, entries: &[Entry], key: &str) {
        let kinds: Vec<&str> = leaves.iter().filter_map(|leaf| leaf.tag()).collect();
        let accepted = describe::words(&kinds);
        let below = join(key, "kind");
        let entry = entries.iter().find(|entry| entry.key == "kind");
        match entry.map(|entry| (&entry.node, &entry.node.value)) {
            None => self.note(node.place, Flaw::missing(below, accepted)),
            Some((given, Value::Text(kind))) => {
                if let Some(leaf) = leaves.iter().find(|leaf| leaf.tag() == Some(kind.as_str())) {
                    return self.table(*leaf, node, entries, key);
                }
                let problem = unknown("kind", kind, kinds.into_iter());
                let flaw = Flaw::new(below, problem).found(given.text()).accepted(accepted);
                self.note(given.place, flaw);
            }
            Some((given, _)) => {
                let flaw = Flaw::new(below, "wrong type").found(given.text()).accepted(accepted);
                self.note(given.place, flaw);
            }
        }
        self.of_no_kind(leaves, entries, key);
    }

    /// The errors of the keys of a table for any kind: keys that no kind has, and values that fit none
    /// of the kinds that have the key.
    fn of_no_kind(&mut self, leaves: &[Leaf<'a>], entries: &[Entry], key: &str) {
        let mut names: Vec<&str> = Vec::new();
        for name in leaves.iter().flat_map(|leaf| leaf.properties()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for entry in entries.iter().filter(|entry| entry.key != "kind") {
            if self.mistakes.is_full() {
                return;
            }
            let below = join(key, &entry.key);
            let schemas: Vec<&Json> =
                leaves.iter().filter_map(|leaf| leaf.property(&entry.key)).collect();
            if !schemas.is_empty() {
                walk_value(self.root, &schemas, (&below, &entry.node), self.mistakes);
            } else if let Some(place) = leaves.iter().find_map(|leaf| leaf.moved(&entry.key)) {
                self.moved(place, entry, below);
            } else if !leaves.iter().any(|leaf| leaf.is_open()) {
                let problem = unknown("key", &entry.key, names.iter().copied());
                let accepted = names.join(", ");
                self.note(entry.node.place, Flaw::new(below, problem).accepted(accepted));
            }
        }
    }

    /// A key of an earlier language, with its replacement.
    fn moved(&mut self, place: [&str; 3], entry: &Entry, below: String) {
        let ([section, kind, option], value) = (place, entry.node.text());
        let example = format!("{section} = {{ kind = \"{kind}\", {option} = {value} }}");
        self.note(entry.node.place, moved(place, below, example).found(value));
    }

    fn table(&mut self, leaf: Leaf<'a>, node: &Node, entries: &[Entry], key: &str) {
        let mut meant = Vec::new();
        for entry in entries {
            let below = join(key, &entry.key);
            if let Some(schema) = leaf.property(&entry.key) {
                self.value(schema, &entry.node, &below);
                continue;
            }
            if leaf.is_open() {
                continue;
            }
            if self.mistakes.is_full() {
                return;
            }
            if let Some(place) = leaf.moved(&entry.key) {
                self.moved(place, entry, below);
                continue;
            }
            meant.extend(nearest(&entry.key, leaf.properties()));
            let problem = unknown("key", &entry.key, leaf.properties());
            let accepted = leaf.properties().collect::<Vec<_>>().join(", ");
            self.note(entry.node.place, Flaw::new(below, problem).accepted(accepted));
        }
        for name in leaf.required() {
            // A required key that is misspelt is one error, not two.
            if !entries.iter().any(|entry| entry.key == name) && !meant.contains(&name) {
                let schema = leaf.property(name).unwrap_or(&Json::Null);
                let accepted = describe::leaves(&shape::leaves(self.root, schema));
                self.note(node.place, Flaw::missing(join(key, name), accepted));
            }
        }
    }

    fn array(&mut self, leaf: Leaf<'a>, node: &Node, items: &[Node], key: &str) {
        let limits = leaf.limits("minItems", "maxItems");
        if let Some(problem) = limits.broken_by(items.len() as f64, "few", "many") {
            let accepted = format!("a list of {limits} items");
            self.note(node.place, Flaw::new(key, problem).found(node.text()).accepted(accepted));
            return;
        }
        if let Some(schema) = leaf.items() {
            for (at, item) in items.iter().enumerate() {
                self.value(schema, item, &join(key, &at.to_string()));
            }
        }
    }

    fn text(&mut self, leaves: &[Leaf<'a>], node: &Node, text: &str, key: &str) {
        let words: Vec<&str> = leaves.iter().flat_map(|leaf| leaf.words()).collect();
        if words.contains(&text) {
            return;
        }
        let open = leaves.iter().find(|leaf| leaf.is("string") && leaf.words().next().is_none());
        let problem = match open {
            Some(leaf) => {
                let limits = leaf.limits("minLength", "maxLength");
                let length = || limits.broken_by(text.chars().count() as f64, "short", "long");
                let quantity = leaf.quantity();
                quantity.map_or_else(length, |q| describe::quantity_problem(q, *leaf, text))
            }
            None if words.is_empty() => return self.wrong_type(leaves, node, key),
            None => Some(unknown("value", text, words.into_iter())),
        };
        if let Some(problem) = problem {
            let accepted = describe::leaves(leaves);
            self.note(node.place, Flaw::new(key, problem).found(node.text()).accepted(accepted));
        }
    }

    fn whole(&mut self, leaf: Leaf<'a>, node: &Node, value: i128, key: &str) {
        if let Some(problem) = describe::whole_problem(leaf, value) {
            let accepted = describe::leaves(&[leaf]);
            self.note(node.place, Flaw::new(key, problem).found(node.text()).accepted(accepted));
        }
    }

    fn number(&mut self, leaf: Leaf<'a>, node: &Node, value: f64, key: &str) {
        let problem = if matches!(node.value, Value::Float(_)) && !value.is_finite() {
            Some("not a finite number".to_owned())
        } else {
            let widest = Limits { most: Some(f64::MAX), ..Limits::of_number(leaf) };
            let stated = Limits::of_number(leaf).broken_by(value, "small", "large");
            stated.or_else(|| widest.broken_by(value, "small", "large"))
        };
        if let Some(problem) = problem {
            let accepted = describe::leaves(&[leaf]);
            self.note(node.place, Flaw::new(key, problem).found(node.text()).accepted(accepted));
        }
    }
}

pub(crate) fn join(key: &str, below: &str) -> String {
    if key.is_empty() { below.to_owned() } else { format!("{key}.{below}") }
}

fn unknown<'a>(what: &str, wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(wrong, names) {
        Some(name) => format!("unknown {what} (did you mean \"{name}\"?)"),
        None => format!("unknown {what}"),
    }
}
