//! The keys that a sweep sets or varies, in the forms of its file: quoted (`"run.duration"`) or
//! nested.

use serde_json::{Value as Json, json};

use crate::mistake::{Flaw, Mistakes};
use crate::overrides;
use crate::tree::{Entry, Node, Value};

/// The key of `[[cases]]` and `[[zip]]` that names rows, and is no key of the scenario.
pub(super) const LABEL: &str = "label";

/// The maximum number of keys in a table of them.
const MOST_KEYS: usize = 100;

/// A key of the scenario with what the sweep's file gives for it.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    /// The dotted key.
    pub(super) key: String,
    pub(super) node: Node,
}

impl Setting {
    /// The value in a form in which values can be compared.
    pub(super) fn value(&self) -> String {
        self.node.to_json().to_string()
    }

    /// The key with its value.
    pub(super) fn definition(&self) -> Json {
        json!([self.key, self.node.to_json()])
    }
}

/// The values of a row, in a form in which rows can be compared.
pub(super) fn row(columns: &[Setting], at: usize) -> Vec<String> {
    columns.iter().map(|one| one.node.items()[at].to_json().to_string()).collect()
}

/// The settings of a table, such as `[set]` or `[over]`, in the order of the file.
///
/// Tables are entered, because TOML nests keys in them. For single values, in `[set]` and `[[cases]]`, a
/// table is a value instead if it has a `kind`, or follows a quoted key with dots in it; in `[sample.over]`
/// if it is a range, and in `[labels]` if it has a name or names.
pub(super) fn settings(sweep: &Node, table: &str, mistakes: &mut Mistakes) -> Vec<Setting> {
    let mut found = Vec::new();
    let quoted = |entry: &Entry| entry.key.contains('.');
    let has = |entry: &Entry, keys: &[&str]| keys.iter().any(|key| entry.node.get(key).is_some());
    let is_value: &dyn Fn(&Entry) -> bool = match table.split('.').next() {
        Some("set" | "cases" | "until") => &|entry| quoted(entry) || has(entry, &["kind"]),
        Some("sample") => &|entry| quoted(entry) || has(entry, &["from", "to", "among"]),
        Some("labels") => &|entry| quoted(entry) || has(entry, &["name", "values"]),
        _ => &|_| false,
    };
    if let Some(node) = sweep.at(table) {
        collect(node, "", is_value, &mut found);
    }
    if found.len() > MOST_KEYS {
        let flaw = Flaw::new(table, "too many keys")
            .found(found.len().to_string())
            .accepted(format!("at most {MOST_KEYS}"));
        mistakes.add(found[MOST_KEYS].node.place, flaw);
        found.truncate(MOST_KEYS);
    }
    let mut clean: Vec<Setting> = Vec::new();
    for Setting { key, node } in found {
        let name = format!("{table}.{key}");
        if overrides::parts(&key).is_err() {
            let accepted = "a dotted key such as run.duration";
            mistakes.add(node.place, Flaw::new(name, "not a key").accepted(accepted));
        } else if clean.iter().any(|other| other.key == key) {
            mistakes.add(node.place, Flaw::new(name, "given twice"));
        } else if key == "run.seed" {
            let flaw = Flaw::new(name, "not for a sweep to set").accepted("the key seeds");
            mistakes.add(node.place, flaw);
        } else {
            clean.push(Setting { key, node });
        }
    }
    clean
}

fn collect(node: &Node, above: &str, is_value: &dyn Fn(&Entry) -> bool, found: &mut Vec<Setting>) {
    let Value::Table(entries) = &node.value else { return };
    for entry in entries {
        let key =
            if above.is_empty() { entry.key.clone() } else { format!("{above}.{}", entry.key) };
        match &entry.node.value {
            Value::Table(_) if !is_value(entry) => collect(&entry.node, &key, is_value, found),
            _ => found.push(Setting { key, node: entry.node.clone() }),
        }
    }
}

/// Reports a seed that is listed twice.
pub(super) fn check_seeds(sweep: &Node, seeds: &[u64], mistakes: &mut Mistakes) {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let flaw = Flaw::new("seeds", "a seed listed twice").found(pair[0].to_string());
        mistakes.add(sweep.place_of("seeds"), flaw);
    }
}

/// Whether the kind of the table at `key` differs between the points.
pub(super) fn is_varied<'a>(mut varied: impl Iterator<Item = &'a Setting>, key: &str) -> bool {
    varied.any(|setting| {
        let rest = key.strip_prefix(setting.key.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || setting.key.strip_prefix(key) == Some(".kind")
    })
}
