//! The keys that a sweep sets or varies, as its file has them: quoted (`"run.duration"`) or nested.

use std::collections::BTreeSet;

use crate::mistake::{Flaw, Mistakes};
use crate::overrides;
use crate::tree::{Node, Value};

/// The most keys in `[set]` and in `[over]`.
const MOST_KEYS: usize = 100;

/// A key of the scenario with what the sweep's file gives for it.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    /// The dotted key.
    pub(super) key: String,
    pub(super) node: Node,
}

/// The settings of a table, `[set]` or `[over]`, in the order of the file.
///
/// Tables are entered, for that is how TOML nests keys. In `[set]` a table is a value instead where
/// it has a `kind`, or stands behind a quoted key with dots in it.
pub(super) fn settings(sweep: &Node, table: &str, mistakes: &mut Mistakes) -> Vec<Setting> {
    let mut found = Vec::new();
    if let Some(node) = sweep.get(table) {
        collect(node, "", table == "set", &mut found);
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

fn collect(node: &Node, above: &str, values: bool, found: &mut Vec<Setting>) {
    let Value::Table(entries) = &node.value else { return };
    for entry in entries {
        let key =
            if above.is_empty() { entry.key.clone() } else { format!("{above}.{}", entry.key) };
        let whole = values && (entry.key.contains('.') || entry.node.get("kind").is_some());
        match &entry.node.value {
            Value::Table(_) if !whole => collect(&entry.node, &key, values, found),
            _ => found.push(Setting { key, node: entry.node.clone() }),
        }
    }
}

/// Notes what is wrong with `[over]` as a grid: no list, an empty list, a key that is set, too.
pub(super) fn check_grid(over: &mut Vec<Setting>, set: &[Setting], mistakes: &mut Mistakes) {
    over.retain(|Setting { key, node }| {
        let name = format!("over.{key}");
        let flaw = match &node.value {
            Value::Array(items) if items.is_empty() => {
                Flaw::new(name, "an empty list").accepted("at least one value")
            }
            Value::Array(items) if twice(items).is_some() => {
                Flaw::new(name, "a value listed twice").found(twice(items).unwrap_or_default())
            }
            Value::Array(_) if set.iter().any(|other| other.key == *key) => {
                Flaw::new(name, "a key of [set], too").accepted("one of them")
            }
            Value::Array(_) => return true,
            Value::Lost => return false,
            _ => Flaw::new(name, "not a list").found(node.text()).accepted("a list of values"),
        };
        mistakes.add(node.place, flaw);
        false
    });
}

/// How a value looks that a list has twice.
fn twice(items: &[Node]) -> Option<String> {
    let mut seen = BTreeSet::new();
    let repeated = items.iter().find(|item| !seen.insert(item.to_json().to_string()));
    repeated.map(Node::text)
}

/// Notes a seed that is listed twice.
pub(super) fn check_seeds(sweep: &Node, seeds: &[u64], mistakes: &mut Mistakes) {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let flaw = Flaw::new("seeds", "a seed listed twice").found(pair[0].to_string());
        mistakes.add(sweep.place_of("seeds"), flaw);
    }
}

/// Whether the kind of the table at `key` differs between the points.
pub(super) fn is_varied(over: &[Setting], key: &str) -> bool {
    over.iter().any(|setting| {
        let rest = key.strip_prefix(setting.key.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || setting.key.strip_prefix(key) == Some(".kind")
    })
}
