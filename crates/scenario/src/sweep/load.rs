//! From text to a sweep, or to all of its errors.

use std::path::{Path, PathBuf};

use super::axes::{self, Axis};
use super::labels::labels;
use super::settings::{self, Setting};
use super::{MOST_RUNS, OwnedBase, Seeds, Sweep, SweepSpec, UntilSpec, sweep_json_schema};
use crate::files::{self, File, Reference};
use crate::load::{LARGEST_FILE, looks_like_sweep, read, too_large};
use crate::mistake::{Flaw, Mistake, Mistakes, Place};
use crate::schema::json_schema;
use crate::tree::{self, Entry, Node, Value};
use crate::{overrides, walk};
use serde_json::Value as Json;

/// A scenario that a program passes with a sweep, instead of the sweep naming its file.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    /// The scenario's name for messages.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
    /// The values that override it.
    pub overrides: &'a [(String, String)],
}

/// Whether a text looks like a sweep's: its top level has a key that only sweeps have.
pub fn is_sweep(text: &str) -> bool {
    if text.len() > LARGEST_FILE {
        return false;
    }
    looks_like_sweep(&tree::parse(text, &mut Mistakes::new("", &[])))
}

/// [`load_sweep`] from a file.
pub fn load_sweep_file(path: &Path) -> Result<Sweep, Vec<Mistake>> {
    let file = path.display().to_string();
    let text = read(path, &file)?;
    load_sweep(&file, &text, None, None)
}

/// [`load_sweep_with`], of a sweep that refers to no files.
pub fn load_sweep(
    file: &str,
    text: &str,
    base: Option<Base<'_>>,
    drawn: Option<&[Vec<f64>]>,
) -> Result<Sweep, Vec<Mistake>> {
    load_sweep_with((file, text), base, drawn, &[])
}

/// Checks a sweep, except errors that only a combination of its values shows.
///
/// `file` is its name for messages, and the scenario's path starts at its folder. With a `base` the
/// sweep has no key `scenario`. `drawn` has for each key of its `[sample]` numbers from 0 up to 1, one
/// per point. Without them the ends of the ranges are two points.
///
/// `files` are those of [`sweep_references`], read.
pub fn load_sweep_with(
    (file, text): (&str, &str),
    base: Option<Base<'_>>,
    drawn: Option<&[Vec<f64>]>,
    files: &[File],
) -> Result<Sweep, Vec<Mistake>> {
    if text.len() > LARGEST_FILE {
        return Err(vec![too_large(file)]);
    }
    let mut mistakes = Mistakes::new(file, &[]);
    let mut root = tree::parse(text, &mut mistakes);
    if root.get("topology").is_some() && root.get("scenario").is_none() {
        let problem = "a scenario, not a sweep";
        let accepted = "a sweep, which names its scenario's file in the key scenario".to_owned();
        return Err(vec![Mistake { accepted, ..Mistake::of_file(file, problem) }]);
    }
    if base.is_some() {
        name_base(&mut root);
    }
    walk::walk(sweep_json_schema(), &root, &mut mistakes);
    let set = settings::settings(&root, "set", &mut mistakes);
    let before = mistakes.count();
    let axes = axes::axes(&root, &set, drawn, &mut mistakes);
    let labels = labels(&root, &axes, mistakes.count() == before, &mut mistakes);
    check_size(&root, &axes, &mut mistakes);
    let against = against(&root, &axes, &mut mistakes);
    let Some(base) = base_of(base, file, &root, &mut mistakes) else {
        return Err(mistakes.into_list());
    };
    let tree = base.tree().0;
    check_values(&tree, (&set, &axes), &mut mistakes);
    let spec = serde_json::from_value::<SweepSpec>(root.to_json());
    if mistakes.is_empty()
        && let Err(error) = &spec
    {
        mistakes.add(Place::Nowhere, Flaw::new("", error.to_string()));
    }
    let clean = mistakes.is_empty();
    let Ok(mut spec) = spec else { return Err(mistakes.into_list()) };
    if spec.title.is_empty()
        && let Some(Value::Text(title)) = tree.get("title").map(|node| &node.value)
    {
        spec.title.clone_from(title);
    }
    if let Some(until) = &mut spec.until {
        until.against = against.iter().map(|one| (one.key.clone(), one.node.to_json())).collect();
    }
    let (file, files) = (file.to_owned(), files.to_vec());
    let sweep = Sweep { spec, file, base, tree, files, set, axes, labels };
    let own = sweep.mistakes_of_scenario(clean);
    if clean && own.is_empty() {
        return Ok(sweep);
    }
    Err(mistakes.into_list().into_iter().chain(own).collect())
}

impl Sweep {
    /// The errors of the scenario itself that no key of the sweep corrects.
    fn mistakes_of_scenario(&self, clean: bool) -> Vec<Mistake> {
        if !clean {
            let mended = |mistake: &Mistake| {
                let varied = axes::columns(&self.axes).map(|(_, one)| one);
                self.set.iter().chain(varied).any(|one| touches(&one.key, &mistake.key))
            };
            return self
                .base
                .mistakes(&self.files)
                .into_iter()
                .filter(|one| !mended(one))
                .collect();
        }
        let (scenario, mut here) = self.read(0);
        here.take_warnings();
        if scenario.is_some() {
            return Vec::new();
        }
        let alone = self.base.mistakes(&self.files);
        here.into_list().into_iter().filter(|mistake| alone.contains(mistake)).collect()
    }
}

/// Whether one of two dotted keys is at or below the other.
fn touches(one: &str, other: &str) -> bool {
    let below = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    below(one, other) || below(other, one)
}

/// Fills the key that a file requires and that a sweep passed with its scenario does not have.
fn name_base(root: &mut Node) {
    if let Value::Table(entries) = &mut root.value
        && !entries.iter().any(|entry| entry.key == "scenario")
    {
        let node = Node { place: Place::Nowhere, value: Value::Text("at hand".to_owned()) };
        entries.push(Entry { key: "scenario".to_owned(), node });
    }
}

/// The files that the scenario of a sweep and the values of the sweep refer to.
pub fn sweep_references(file: &str, text: &str, base: Option<Base<'_>>) -> Vec<Reference> {
    let mut mistakes = Mistakes::new(file, &[]);
    let root = tree::parse(text, &mut mistakes);
    let Some(base) = base_of(base, file, &root, &mut mistakes) else { return Vec::new() };
    let mut found = files::references(&base.file, &base.text, &base.overrides);
    if !text.contains(files::KEY) {
        return found;
    }
    let mut tree = base.tree().0;
    let set = settings::settings(&root, "set", &mut mistakes);
    let axes = axes::axes(&root, &set, None, &mut mistakes);
    for one in &set {
        let _ = overrides::put(&mut tree, &one.key, one.node.clone());
    }
    let is_varied = |key: &str| settings::is_varied(axes::columns(&axes).map(|(_, one)| one), key);
    let fixed = set.iter().map(|one| (&one.key, std::slice::from_ref(&one.node)));
    let varied = axes::columns(&axes).map(|(_, one)| (&one.key, one.node.items()));
    for (key, values) in fixed.chain(varied) {
        found.extend(files::of_values(file, &tree, (key, values), is_varied));
    }
    found
}

/// The scenario of a sweep: the one that is given, or that of the file that the sweep names.
fn base_of(
    given: Option<Base<'_>>,
    file: &str,
    root: &Node,
    mistakes: &mut Mistakes,
) -> Option<OwnedBase> {
    if let Some(Base { file, text, overrides }) = given {
        let (file, text) = (file.to_owned(), text.to_owned());
        return Some(OwnedBase { file, text, overrides: overrides.to_vec() });
    }
    let node = root.get("scenario")?;
    let Value::Text(name) = &node.value else { return None };
    if mistakes.touch("scenario") {
        return None;
    }
    let folder = Path::new(file).parent().map(PathBuf::from).unwrap_or_default();
    let path = folder.join(name);
    let shown = path.display().to_string();
    let mut refuse = |problem: &str, accepted: &str| {
        let flaw = Flaw::new("scenario", problem).found(node.text()).accepted(accepted);
        mistakes.add(node.place, flaw);
    };
    match read(&path, &shown) {
        Ok(text) if is_sweep(&text) => refuse("a sweep, not a scenario", "the file of a scenario"),
        Ok(text) => return Some(OwnedBase { file: shown, text, overrides: Vec::new() }),
        Err(found) => found.iter().for_each(|one| refuse(&one.problem, &one.accepted)),
    }
    None
}

/// The values that points are compared with; reports those that no point has.
fn against(root: &Node, axes: &[Axis], mistakes: &mut Mistakes) -> Vec<Setting> {
    let asked = settings::settings(root, "until.against", mistakes);
    for one in &asked {
        let name = format!("until.against.{}", one.key);
        let Some((_, column)) = axes::columns(axes).find(|(_, column)| column.key == one.key)
        else {
            let keys: Vec<&str> =
                axes::columns(axes).map(|(_, column)| column.key.as_str()).collect();
            let flaw = Flaw::new(name, "a key that does not vary").accepted(keys.join(", "));
            mistakes.add(one.node.place, flaw);
            continue;
        };
        let values: Vec<String> =
            column.node.items().iter().map(|item| item.to_json().to_string()).collect();
        if !values.contains(&one.value()) {
            let flaw = Flaw::new(name, "a value that no point has")
                .found(one.value())
                .accepted(values.join(", "));
            mistakes.add(one.node.place, flaw);
        }
    }
    asked
}

/// Reports too many runs, a seed listed twice, and a rule that ends before it starts.
fn check_size(root: &Node, axes: &[Axis], mistakes: &mut Mistakes) {
    let part = |key: &str| root.get(key).map(Node::to_json);
    let seeds = match part("seeds") {
        None => Some(Seeds::default()),
        Some(_) if mistakes.touch("seeds") => None,
        Some(json) => serde_json::from_value(json).ok(),
    };
    let until = match part("until") {
        Some(json) if !mistakes.touch("until") => serde_json::from_value::<UntilSpec>(json).ok(),
        _ => None,
    };
    let Some(seeds) = seeds else { return };
    settings::check_seeds(root, &seeds.list(), mistakes);
    let mut each = seeds.count();
    if let Some(until) = until {
        let first = each.max(until.fewest());
        if until.at_most < first {
            let flaw = Flaw::new("until.at-most", "fewer seeds than it starts with")
                .found(until.at_most.to_string())
                .accepted(format!("{first} or more"));
            mistakes.add(root.place_of("until.at-most"), flaw);
        }
        each = until.at_most;
        for name in until.controls.iter().filter(|name| !name.ends_with("-surplus")) {
            let flaw = Flaw::new("until.controls", "a measure whose expectation is not known")
                .found(format!("{name:?}"))
                .accepted("a column whose name ends in -surplus, such as offered-surplus");
            mistakes.add(root.place_of("until.controls"), flaw);
        }
    }
    // Samples have not been drawn yet.
    let sampled = part("sample").and_then(|sample| sample.get("points").and_then(Json::as_u64));
    let others =
        axes.iter().filter(|axis| axis.prefix != "sample.over.").map(|axis| axis.len() as u64);
    let points = others.fold(sampled.unwrap_or(1), u64::saturating_mul);
    if points.saturating_mul(each) > MOST_RUNS {
        let table =
            ["over", "zip", "cases", "sample"].into_iter().find(|key| root.get(key).is_some());
        let table = table.unwrap_or("seeds");
        let flaw = Flaw::new(table, "too many runs")
            .found(format!("{points} points with {each} seeds"))
            .accepted(format!("{MOST_RUNS} runs in all"));
        mistakes.add(root.place_of(table), flaw);
    }
}

/// Walks every value of the sweep along the schema of its key.
fn check_values(tree: &Node, (set, axes): (&[Setting], &[Axis]), mistakes: &mut Mistakes) {
    let schema = json_schema();
    // The scenario of the first point determines the kind of the tables above a key.
    let mut first = tree.clone();
    let varied = || axes::columns(axes).map(|(_, one)| one);
    let values = varied().filter_map(|one| one.node.items().first().map(|item| (one, item)));
    let mut all: Vec<(&Setting, &Node)> =
        set.iter().map(|one| (one, &one.node)).chain(values).collect();
    all.sort_by_key(|(one, _)| one.key.split('.').count());
    for (one, value) in all {
        // Values that cannot be set are reported by the walk below, or by the point.
        let _ = overrides::put(&mut first, &one.key, value.clone());
    }
    let mut check = |table: &str, one: &Setting, values: &[Node]| {
        let is_varied = |key: &str| settings::is_varied(varied(), key);
        let name = format!("{table}.{}", one.key);
        match walk::schemas_at(schema, &first, &one.key, is_varied) {
            Ok(schemas) => {
                for value in values {
                    if mistakes.is_full() {
                        return;
                    }
                    walk::walk_value(schema, &schemas, (&name, value), mistakes);
                }
            }
            Err(flaw) => mistakes.add(one.node.place, flaw.below(table)),
        }
    };
    for one in set {
        check("set", one, std::slice::from_ref(&one.node));
    }
    for (prefix, one) in axes::columns(axes) {
        check(prefix.trim_end_matches('.'), one, one.node.items());
    }
}
