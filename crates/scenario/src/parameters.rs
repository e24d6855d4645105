//! Every parameter of a run with its origin, all defaults included.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value as Json};
use transport::tcp::config::overlays;
use transport::{ProfileSpec, Transport};

use crate::mistake::Place;
use crate::schema::{Scenario, TrafficSpec};
use crate::tree::Node;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its dotted key; items of a list are numbered from 0.
    pub key: String,
    /// Its value as it is written in a scenario.
    pub value: Json,
    /// Its origin.
    pub origin: Origin,
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The scenario's text.
    Given,
    /// The default of the scenario language.
    Default,
    /// The profile.
    Profile,
    /// Follows from other parameters.
    Derived,
    /// What replaces a value of the text: `--set`, Python's `with_`, a sweep.
    Set,
}

/// The parameters of a checked scenario in the order of the schema.
pub(crate) fn of(scenario: &Scenario, root: &Node) -> Vec<Parameter> {
    let mut list = Vec::new();
    let json = serde_json::to_value(scenario).expect("plain data");
    let written = |key: &str| match root.at(key)?.place {
        Place::Override(_) => Some(Origin::Set),
        _ => Some(Origin::Given),
    };
    // Those that follow from loads.
    let rate = |(at, entry): (usize, &TrafficSpec)| {
        entry.load?;
        Some(format!("traffic.{at}.source.{}", entry.source.facts().rate?.key))
    };
    let rates: BTreeSet<String> = scenario.traffic.iter().enumerate().filter_map(rate).collect();
    flatten("", json, &mut |key, value| {
        let origin = if rates.contains(&key) {
            Origin::Derived
        } else {
            written(&key).unwrap_or(Origin::Default)
        };
        list.push(Parameter { key, value, origin });
    });
    for (at, entry) in scenario.traffic.iter().enumerate() {
        let key = format!("traffic.{at}.transport");
        let mut listed = BTreeSet::new();
        let json = serde_json::to_value(&entry.transport).expect("plain data");
        flatten("", json, &mut |name, _| {
            listed.insert(name);
        });
        resolved(&scenario.profile, &entry.transport, |name, value, origin| {
            if !listed.contains(name) && !listed.contains(&format!("{name}.kind")) {
                let key = format!("{key}.{name}");
                let origin = written(&key).unwrap_or(origin);
                list.push(Parameter { key, value, origin });
            }
        });
    }
    let packets = Json::from(scenario.profile.as_ref().interface_queue_packets());
    let key = "profile.interface-queue.packets".to_owned();
    list.push(Parameter { key, value: packets, origin: Origin::Profile });
    list
}

/// The most flows of a list that are parameters one by one; a longer list is one value.
const MOST_FLOWS: usize = 1_000;

/// Calls `found` for every value that is not a table; lists of tables are entered too, except long lists of flows.
fn flatten(key: &str, json: Json, found: &mut impl FnMut(String, Json)) {
    let join = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match json {
        Json::Object(map) => {
            for (name, value) in map {
                flatten(&join(&name), value, found);
            }
        }
        Json::Array(items)
            if items.iter().any(Json::is_object)
                && (items.len() <= MOST_FLOWS || !key.ends_with(".source.flows")) =>
        {
            for (at, value) in items.into_iter().enumerate() {
                flatten(&join(&at.to_string()), value, found);
            }
        }
        value => found(key.to_owned(), value),
    }
}

/// Every setting of a transport that its options leave out, with its origin.
fn resolved(
    profile: &ProfileSpec,
    transport: &Transport,
    mut found: impl FnMut(&str, Json, Origin),
) {
    let options = match transport {
        Transport::Tcp(options) => options,
        Transport::Udp(options) => {
            for (name, value) in table(options.resolve(profile)) {
                found(&name, value, Origin::Profile);
            }
            return;
        }
        // Its options are complete: they are in the list as defaults of the language.
        Transport::StopAndWait(_) | Transport::Message(_) => return,
    };
    let Ok(settings) = transport::resolve(profile, options) else { return };
    let [before @ .., profile] = overlays(profile, options).map(table);
    for (name, value) in table(settings) {
        let has = |overlay: &Map<String, Json>| overlay.contains_key(&name);
        let origin = match name.split_once('.') {
            // A profile says what these are where they are left out; other options of a kind have their own
            // defaults, for any profile.
            Some(("recovery", _) | ("congestion", "law")) => Origin::Profile,
            Some(_) => Origin::Default,
            None if has(&profile) && !before.iter().any(has) => Origin::Profile,
            None => Origin::Derived,
        };
        found(&name, value, origin);
    }
}

/// Settings by their keys, those of a kind below its word: `congestion`, `congestion.gamma`.
pub(crate) fn table(settings: impl Serialize) -> Map<String, Json> {
    let Json::Object(settings) = serde_json::to_value(settings).expect("plain data") else {
        return Map::new();
    };
    let mut table = Map::new();
    for (name, value) in settings {
        match value {
            Json::Object(mut kind) => {
                table.insert(name.clone(), kind.remove("kind").unwrap_or_default());
                table.extend(kind.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => {
                table.insert(name, value);
            }
        }
    }
    table
}
