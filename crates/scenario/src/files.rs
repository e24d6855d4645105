//! Files that a scenario refers to.
//!
//! The engine reads no files. The schema marks a key that names one (`x-file`), [`references`] finds
//! all such keys, and whoever has a scenario's file reads them and passes them as [`File`]s. What is
//! in a file becomes the value of the key that the mark names, as if it stood in the scenario: the
//! walk and all checks apply to it, with the lines of the file, and so does the digest. The name of the
//! file affects nothing.

use serde_json::{Value as Json, json};

use crate::mistake::{Flaw, Mistakes, Place, Within, shorten};
use crate::schema::json_schema;
use crate::shape::{self, Leaf};
use crate::tree::{self, Entry, Node, Value};
use crate::{overrides, walk};

/// What every key that names a file is called.
pub(crate) const KEY: &str = "file";

/// A key that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The dotted key.
    pub key: String,
    /// The name of the file, as it is written.
    pub name: String,
    /// What the file has: `sizes`.
    pub content: String,
    /// The text that names it.
    pub within: Within,
    /// The name of that text's file, at whose folder a relative name starts; empty for the current
    /// directory.
    pub origin: String,
}

/// A file that a scenario refers to, and what somebody has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The text that names it.
    pub within: Within,
    /// The name of the file, as it is written.
    pub name: String,
    /// What it was read as, since one file may be a topology and a matrix; empty for whatever it is asked for.
    pub kind: String,
    /// Its name in messages.
    pub path: String,
    /// Its content as a value in TOML, each part on the line on which the file has it; or why there is
    /// none.
    pub content: Result<String, Unread>,
}

impl File {
    /// It as JSON, for what is kept of a sweep: its path is not. What it was read as is, where `others` have its name.
    pub(crate) fn definition(&self, others: &[Self]) -> Json {
        let Self { within, name, kind, content, .. } = self;
        let alike = |other: &&Self| other.within == *within && other.name == *name;
        let content = content.as_ref().ok();
        if others.iter().filter(alike).count() > 1 {
            return json!([within.word(), name, content, kind]);
        }
        json!([within.word(), name, content])
    }
}

/// Why a file has no content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// The line of the file; none if the file as a whole cannot be read.
    pub line: Option<u32>,
    /// What is wrong.
    pub problem: String,
    /// What was found.
    pub found: String,
    /// What is accepted.
    pub accepted: String,
}

/// Finds the files that a scenario refers to, even if it has errors. They have to be read for
/// [`load`](crate::load()).
pub fn references(file: &str, text: &str, values: &[(String, String)]) -> Vec<Reference> {
    let named = |text: &str| text.contains(KEY);
    if !named(text) && !values.iter().any(|(key, value)| named(key) || named(value)) {
        return Vec::new();
    }
    let mut mistakes = Mistakes::new("", values);
    let mut root = tree::parse(text, &mut mistakes);
    overrides::apply(&mut root, values, &mut mistakes);
    let reference = |one: Found<'_>| {
        let within = mistakes.within(one.place);
        one.reference(within, if within == Within::Scenario { file } else { "" })
    };
    found(&root).into_iter().map(reference).collect()
}

/// The keys of a scenario that name files, with these names.
pub(crate) fn names(root: &Node) -> impl Iterator<Item = (String, String, Place)> {
    found(root).into_iter().map(|one| (one.key, one.name, one.place))
}

/// Puts what is in the files into a scenario.
pub(crate) fn attach(root: &mut Node, files: &[File], mistakes: &mut Mistakes) {
    for one in found(root) {
        let Found { key, name, place, .. } = &one;
        let within = mistakes.within(*place);
        let read_as = one.mark["content"].as_str().unwrap_or_default();
        let fits = |file: &&File| {
            let kind = file.kind.is_empty() || file.kind == read_as;
            kind && file.within == within && file.name == *name
        };
        let given = files.iter().find(fits);
        let flaw = |problem: &str| Flaw::new(key, problem).found(format!("\"{}\"", shorten(name)));
        let Some(File { path, content, .. }) = given else {
            mistakes.add(one.place, flaw("a file that is not at hand"));
            put_lost(root, &one);
            continue;
        };
        let number = mistakes.number_of_file(path);
        let problem = match content {
            Ok(content) => {
                let parse = if one.mark["document"] == true {
                    tree::parse_document
                } else {
                    tree::parse_lines
                };
                let content = parse(content, &|line| {
                    Place::File(number, u32::try_from(line).unwrap_or(u32::MAX))
                });
                if let Some(content) = content {
                    put(root, &one, content, mistakes);
                    continue;
                }
                (one.place, flaw("a file whose content is not TOML"))
            }
            Err(Unread { line: Some(line), problem, found, accepted }) => {
                let flaw = Flaw::new("", problem).found(found).accepted(accepted);
                (Place::File(number, *line), flaw)
            }
            Err(Unread { line: None, problem, found, accepted }) => {
                let found =
                    if found.is_empty() { format!("\"{}\"", shorten(name)) } else { found.clone() };
                let flaw = Flaw::new(key, format!("{path}: {problem}"));
                (one.place, flaw.found(found).accepted(accepted))
            }
        };
        mistakes.add(problem.0, problem.1);
        put_lost(root, &one);
    }
}

/// Puts in place of a content that it is not known, so that nothing is said of its absence.
fn put_lost(root: &mut Node, one: &Found<'_>) {
    let content = Node { place: one.place, value: Value::Lost };
    put(root, one, content, &mut Mistakes::new("", &[]));
}

/// Puts a content beside the key that names its file.
fn put(root: &mut Node, one: &Found<'_>, content: Node, mistakes: &mut Mistakes) {
    let into = one.mark["key"].as_str().unwrap_or_default();
    let above = one.key.strip_suffix(KEY).unwrap_or_default();
    let Some(Node { value: Value::Table(entries), .. }) = root.at_mut(above.trim_end_matches('.'))
    else {
        return;
    };
    if let Some(entry) = entries.iter().find(|entry| entry.key == into) {
        let problem = format!("also given: {into}, which the file has");
        let flaw = Flaw::new(format!("{above}{into}"), problem).accepted("one of them");
        return mistakes.add(entry.node.place, flaw);
    }
    entries.push(Entry { key: into.to_owned(), node: content });
}

/// A key that names a file.
struct Found<'a> {
    key: String,
    name: String,
    place: Place,
    mark: &'a Json,
}

impl Found<'_> {
    fn reference(&self, within: Within, origin: &str) -> Reference {
        Reference {
            key: self.key.clone(),
            name: self.name.clone(),
            content: self.mark["content"].as_str().unwrap_or_default().to_owned(),
            within,
            origin: origin.to_owned(),
        }
    }
}

/// All keys of a scenario that name files.
fn found(root: &Node) -> Vec<Found<'static>> {
    let mut found = Vec::new();
    if may_name_one(root) {
        search(json_schema(), json_schema(), ("", root), &mut found);
    }
    found
}

/// The files that a sweep's values of a dotted key name, if the kinds of some tables vary.
pub(crate) fn of_values(
    file: &str,
    root: &Node,
    (key, values): (&str, &[Node]),
    varied: impl Fn(&str) -> bool,
) -> Vec<Reference> {
    let schema = json_schema();
    let schemas = walk::schemas_at(schema, root, key, varied).unwrap_or_default();
    let mut list = Vec::new();
    for value in values {
        for one in &schemas {
            search(schema, one, (key, value), &mut list);
        }
    }
    list.into_iter().map(|one: Found<'_>| one.reference(Within::Sweep, file)).collect()
}

/// Whether a value has such a key anywhere, by its name.
fn may_name_one(node: &Node) -> bool {
    match &node.value {
        Value::Table(entries) => {
            entries.iter().any(|entry| entry.key == KEY || may_name_one(&entry.node))
        }
        Value::Array(items) => items.iter().any(may_name_one),
        _ => false,
    }
}

fn search<'a>(
    root: &'a Json,
    schema: &'a Json,
    (key, node): (&str, &Node),
    found: &mut Vec<Found<'a>>,
) {
    match &node.value {
        Value::Text(name) => {
            if let Some(mark) = schema.get("x-file") {
                let (key, name) = (key.to_owned(), name.clone());
                found.push(Found { key, name, place: node.place, mark });
            }
        }
        Value::Table(entries) => {
            let kind =
                entries.iter().find(|entry| entry.key == "kind").map(|entry| &entry.node.value);
            let fits = |leaf: &Leaf<'a>| match (leaf.tag(), kind) {
                (None, _) => true,
                (Some(tag), Some(Value::Text(kind))) => tag == kind,
                (Some(_), _) => false,
            };
            for leaf in shape::leaves(root, schema).into_iter().filter(|leaf| fits(leaf)) {
                for entry in entries {
                    if let Some(schema) = leaf.property(&entry.key) {
                        search(root, schema, (&walk::join(key, &entry.key), &entry.node), found);
                    }
                }
            }
        }
        Value::Array(items) => {
            let leaves = shape::leaves(root, schema);
            let Some(schema) = leaves.iter().find_map(|leaf| leaf.items()) else { return };
            for (at, item) in items.iter().enumerate().filter(|(_, item)| may_name_one(item)) {
                search(root, schema, (&walk::join(key, &at.to_string()), item), found);
            }
        }
        _ => {}
    }
}
