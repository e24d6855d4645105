//! The places of a graph, and names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Names in a message; of more only the first.
const MOST_NAMED: usize = 20;

/// A place of the graph.
pub(super) struct Place<'a> {
    pub(super) name: &'a str,
    pub(super) label: Option<&'a str>,
    /// Longitude and latitude in degrees.
    pub(super) coordinates: Option<[f64; 2]>,
}

/// All places, in the order of the file.
pub(super) struct Places<'a> {
    pub(super) list: Vec<Place<'a>>,
    pub(super) by_name: BTreeMap<&'a str, usize>,
}

/// The names of places; of many only the first.
pub(super) fn few(places: &Places<'_>) -> String {
    let mut text = String::new();
    for place in places.list.iter().take(MOST_NAMED) {
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}{}", place.name);
    }
    let more = places.list.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// Unique names; the numbers appended to them increase, so no number is tried twice.
pub(super) struct Names {
    used: BTreeSet<String>,
    last: BTreeMap<String, u32>,
}

impl Names {
    pub(super) fn new<'a>(used: impl Iterator<Item = &'a str>) -> Self {
        Self { used: used.map(str::to_owned).collect(), last: BTreeMap::new() }
    }

    /// A name, with a number appended if it is taken; it is reserved.
    pub(super) fn unused(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let last = self.last.entry(name.to_owned()).or_insert(1);
        while self.used.contains(&free) {
            *last += 1;
            free = format!("{name}_{last}");
        }
        self.used.insert(free.clone());
        free
    }
}
