//! Values from the command line: `--set topology.bottleneck.queue.packets=100`.

use crate::mistake::{Flaw, Mistakes, Place};
use crate::tree::{self, Entry, Node, Value};

/// Puts each value at its dotted key, the last one winning; items of a list are named by their
/// number from 0. A value is TOML where it parses as such and text otherwise, so that
/// `run.duration=20 s` needs no quotes. Missing tables of the path are created; the walk along the
/// schema checks whether the key exists.
pub(crate) fn apply(root: &mut Node, overrides: &[(String, String)], mistakes: &mut Mistakes) {
    for (at, (path, text)) in overrides.iter().enumerate() {
        let place = Place::Override(at);
        let node = tree::parse_value(text, place)
            .unwrap_or_else(|| Node { place, value: Value::Text(text.clone()) });
        if let Err(flaw) = put(root, path, node) {
            mistakes.add(place, flaw);
        }
    }
}

/// The maximum depth of a key that can be set: no scenario has a deeper one, and no tree grows
/// beyond it.
const DEEPEST: usize = 40;

/// The parts of a dotted key.
pub(crate) fn parts(path: &str) -> Result<Vec<&str>, Flaw> {
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.len() > DEEPEST || keys.iter().any(|key| key.is_empty()) {
        return Err(Flaw::new(path, "not a key").accepted("a dotted key such as run.duration"));
    }
    Ok(keys)
}

/// Puts a value at a dotted key.
pub(crate) fn put(root: &mut Node, path: &str, node: Node) -> Result<(), Flaw> {
    let place = node.place;
    let keys = parts(path)?;
    let mut here = root;
    for (depth, key) in keys.iter().enumerate() {
        let above = keys[..depth].join(".");
        here = step(here, key, place).map_err(|problem| Flaw::new(above, problem))?;
    }
    *here = node;
    Ok(())
}

/// Whether a text may be the word of a kind.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The value below a key, created if absent.
fn step<'a>(here: &'a mut Node, key: &str, place: Place) -> Result<&'a mut Node, String> {
    let found = here.text();
    if let Value::Text(word) = &here.value
        && is_word(word)
    {
        // The name of a kind, which is its table without options.
        let kind = Entry { key: "kind".to_owned(), node: here.clone() };
        here.value = Value::Table(vec![kind]);
    }
    match &mut here.value {
        Value::Table(entries) => {
            let at = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
                let node = Node { place, value: Value::Table(Vec::new()) };
                entries.push(Entry { key: key.to_owned(), node });
                entries.len() - 1
            });
            Ok(&mut entries[at].node)
        }
        Value::Array(items) => {
            let count = items.len();
            let item = key.parse::<usize>().ok().and_then(|at| items.get_mut(at));
            item.ok_or_else(|| format!("a list of {count} has no item {key}"))
        }
        _ => Err(format!("{found} has no key {key} below it")),
    }
}
