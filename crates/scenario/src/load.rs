//! From text to a checked scenario, or to all of its errors.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use plan::partition::far_links;
use random::Seed;
use serde_json::Value as Json;
use xxhash_rust::xxh3::xxh3_64;

use crate::advice;
use crate::mistake::{Flaw, Mistake, Mistakes, Place, shorten};
use crate::parameters::{self, Origin, Parameter};
use crate::schema::{Scenario, Threads, json_schema};
use crate::tree::{self, Node, Value};
use crate::{assemble, check, files, given_load, overrides, walk};

/// The largest file that is read, in bytes: room for an explicit network of about 20,000 links.
pub const LARGEST_FILE: usize = 2_000_000;

/// A scenario without errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Its values, defaults filled in.
    pub scenario: Scenario,
    /// Every parameter with its origin.
    pub parameters: Vec<Parameter>,
    /// Its keys without effect.
    pub warnings: Vec<Mistake>,
}

impl Checked {
    /// The scenario as JSON: defaults filled in, keys sorted, quantities in their printed form.
    /// Two files that mean the same give the same text.
    pub fn canonical(&self) -> String {
        canonical(&self.scenario)
    }

    /// The hash of the canonical text, without the number of threads: no result depends on it.
    pub fn digest(&self) -> u64 {
        let mut scenario = self.scenario.clone();
        scenario.run.threads = Threads::default();
        let mut text = canonical(&scenario);
        if has_changed(&scenario) {
            text += CHANGED;
        }
        xxh3_64(text.as_bytes())
    }
}

/// Added to the text of a scenario whose results [have changed](has_changed) since the results revision, so that none is
/// taken for it that was kept before.
const CHANGED: &str = "1";

/// Whether a scenario has other results than others of its results revision had: flows that begin during the run, in a
/// network that may now be divided. To be removed when the revision changes.
fn has_changed(scenario: &Scenario) -> bool {
    scenario.traffic.iter().any(|traffic| traffic.source.starts_flows())
        && far_links(&assemble::plan(scenario, Seed(0))).contains(&true)
}

fn canonical(scenario: &Scenario) -> String {
    let mut json = serde_json::to_value(scenario).expect("plain data");
    json.sort_all_objects();
    json.to_string()
}

/// [`load_with`], of a scenario that refers to no files.
pub fn load(
    file: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<Checked, Vec<Mistake>> {
    load_with(file, text, overrides, &[])
}

/// Reads a scenario and checks it, with values from the command line put over those of the text
/// (dotted key and value, in their order) and what is in the files that it refers to. `file` is the name
/// for messages. Warnings are returned with the scenario, or after its errors.
pub fn load_with(
    file: &str,
    text: &str,
    overrides: &[(String, String)],
    files: &[files::File],
) -> Result<Checked, Vec<Mistake>> {
    if text.len() > LARGEST_FILE {
        return Err(vec![too_large(file)]);
    }
    let mut mistakes = Mistakes::new(file, overrides);
    let mut root = tree::parse(text, &mut mistakes);
    if looks_like_sweep(&root) {
        let problem = "a sweep, not a scenario: see `tcphoton sweep`";
        return Err(vec![Mistake::of_file(file, problem)]);
    }
    if let Some(mistake) = not_a_scenario(&root, file, &mistakes) {
        return Err(vec![mistake]);
    }
    overrides::apply(&mut root, overrides, &mut mistakes);
    files::attach(&mut root, files, &mut mistakes);
    match scenario_of(&mut root, &mut mistakes) {
        Some(scenario) => {
            let mut parameters = parameters::of(&scenario, &root);
            parameters.extend(files::names(&root).map(|(key, name, place)| {
                let origin = match place {
                    Place::Override(_) => Origin::Set,
                    _ => Origin::Given,
                };
                Parameter { key, value: Json::from(name), origin }
            }));
            advice::give(&scenario, &root, &mut mistakes);
            let warnings = mistakes.take_warnings();
            Ok(Checked { scenario, parameters, warnings })
        }
        None => Err(mistakes.into_list()),
    }
}

/// Lines that are not TOML, or keys, from which on a text without any key of a scenario is something else.
const OF_SOMETHING_ELSE: usize = 3;

/// The one error of a text that is something else: not TOML at all, or the TOML of another program.
fn not_a_scenario(root: &Node, file: &str, mistakes: &Mistakes) -> Option<Mistake> {
    let Value::Table(entries) = &root.value else { return None };
    let keys = ["run", "topology", "traffic"];
    if entries.iter().any(|entry| keys.contains(&entry.key.as_str())) {
        return None;
    }
    let broken = mistakes.broken_lines();
    let problem = if broken.len() >= OF_SOMETHING_ELSE {
        "not a scenario in TOML"
    } else if mistakes.is_empty() && entries.len() >= OF_SOMETHING_ELSE {
        "not a scenario"
    } else {
        return None;
    };
    let mut mistake = Mistake::of_file(file, problem);
    mistake.line = Some(broken.first().copied().unwrap_or(1));
    let names: Vec<String> = entries.iter().take(5).map(|entry| shorten(&entry.key)).collect();
    if mistakes.is_empty() {
        mistake.found = format!("the keys {}", names.join(", "));
    }
    mistake.accepted = format!("a text with {}", keys.join(", "));
    Some(mistake)
}

/// Whether the top level has a key that only sweeps have.
pub(crate) fn looks_like_sweep(root: &Node) -> bool {
    let has = |key: &str| root.get(key).is_some();
    ["scenario", "over", "zip", "cases", "sample"].into_iter().any(has) && !has("topology")
}

/// The scenario of a tree, unless there are errors; rates that follow from loads are added to the tree.
pub(crate) fn scenario_of(root: &mut Node, mistakes: &mut Mistakes) -> Option<Scenario> {
    let has_load = root
        .get("traffic")
        .map_or(&[][..], Node::items)
        .iter()
        .any(|entry| entry.get("load").is_some());
    if !has_load {
        return checked(root, mistakes);
    }
    let written = root.clone();
    given_load::prepare(root);
    let scenario = checked(root, mistakes)?;
    let filled = given_load::fill(root, &written, &scenario, mistakes);
    if !mistakes.is_empty() {
        return None;
    }
    // The rates may be too large for what else the sources say.
    mistakes.take_warnings();
    if let Some((place, flaw)) = filled.warning {
        mistakes.warn(place, flaw);
    }
    let scenario = checked(root, mistakes);
    for (rate, load) in filled.keys {
        mistakes.follow(&rate, &load);
    }
    scenario
}

fn checked(root: &Node, mistakes: &mut Mistakes) -> Option<Scenario> {
    walk::walk(json_schema(), root, mistakes);
    if !mistakes.is_broken() {
        check::check(root, mistakes);
    }
    if !mistakes.is_empty() {
        return None;
    }
    match serde_json::from_value::<Scenario>(root.to_json()) {
        Ok(scenario) => Some(scenario.complete()),
        Err(error) => {
            // The walk accepts nothing that serde refuses; if it ever does, serde's message is
            // used.
            mistakes.add(Place::Nowhere, Flaw::new("", error.to_string()));
            None
        }
    }
}

/// [`load`] from a file that refers to no others.
pub fn load_file(path: &Path, overrides: &[(String, String)]) -> Result<Checked, Vec<Mistake>> {
    let file = path.display().to_string();
    let text = read(path, &file)?;
    load(&file, &text, overrides)
}

/// Reads a text file of at most [`LARGEST_FILE`] bytes, `file` being its name for messages;
/// failures are reported as errors. A directory, a pipe or a device is refused, not waited for.
pub fn read(path: &Path, file: &str) -> Result<String, Vec<Mistake>> {
    let mistake = |problem: String| vec![Mistake::of_file(file, problem)];
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => mistake("no such file".to_owned()),
        _ => mistake(format!("cannot be read: {error}")),
    };
    let kind = std::fs::metadata(path).map_err(unreadable)?;
    if kind.is_dir() {
        return Err(mistake("a directory, not a scenario".to_owned()));
    }
    // A pipe or a device may never end, or never start.
    if !kind.is_file() {
        return Err(mistake("not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    let limit = LARGEST_FILE as u64 + 1;
    File::open(path).and_then(|f| f.take(limit).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() > LARGEST_FILE {
        return Err(vec![too_large(file)]);
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].split(|&byte| byte == b'\n').count();
        vec![Mistake { line: Some(line), ..Mistake::of_file(file, "not UTF-8 text") }]
    })
}

pub(crate) fn too_large(file: &str) -> Mistake {
    Mistake {
        accepted: format!("at most {} MB", LARGEST_FILE / 1_000_000),
        ..Mistake::of_file(file, "too large for a scenario")
    }
}
