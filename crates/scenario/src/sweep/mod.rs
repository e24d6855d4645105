//! A sweep: a scenario at every point of a grid, of lists, or of a sample.
//!
//! A sweep's file is checked like a scenario's: a recovering parse, a walk along its schema, and
//! each value walked along the schema of the key that it is for. Errors that only a combination of
//! values shows are found when a point is created ([`Sweep::point`], [`Look`]).

mod axes;
mod labels;
mod load;
mod point_errors;
mod sample;
mod settings;
mod spec;

use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::xxh3_64;

pub use load::{Base, is_sweep, load_sweep, load_sweep_file, load_sweep_with, sweep_references};
pub use point_errors::Look;
pub use sample::{DesignSpec, SampleSpec};
pub use spec::{KeptTable, MOST_RUNS, Measures, Seeds, SweepSpec, UntilSpec, sweep_json_schema};

use crate::files::File;
use crate::load::{Checked, scenario_of};
use crate::mistake::{Mistake, Mistakes, Place, Source};
use crate::schema::{RecordSpec, Scenario, Threads};
use crate::tree::Node;
use crate::{files, overrides};
use axes::Axis;
use labels::Labels;
use settings::Setting;

/// A sweep without errors of its own.
#[derive(Debug)]
pub struct Sweep {
    spec: SweepSpec,
    /// The name of the sweep's file.
    file: String,
    /// The scenario's file, its text and the values that override it.
    base: OwnedBase,
    /// The scenario with its overrides.
    tree: Node,
    /// The files that its points refer to.
    files: Vec<File>,
    set: Vec<Setting>,
    axes: Vec<Axis>,
    labels: Labels,
}

/// A scenario that is not checked.
#[derive(Debug, Clone)]
struct OwnedBase {
    file: String,
    text: String,
    overrides: Vec<(String, String)>,
}

impl Sweep {
    /// The number of points.
    pub fn points(&self) -> u64 {
        axes::points(&self.axes)
    }

    /// The sweep as JSON: its keys as pairs in the order of the file, seeds as a list, and the
    /// scenario's file, text and overrides.
    pub fn definition(&self) -> Json {
        let set: Vec<Json> = self.set.iter().map(Setting::definition).collect();
        let over: Vec<Json> = axes::columns(&self.axes)
            .filter(|(prefix, _)| *prefix == "over.")
            .map(|(_, one)| one.definition())
            .collect();
        let mut definition = json!({
            "title": self.spec.title,
            "seeds": self.spec.seeds.list(),
            "set": set,
            "over": over,
            "zip": axes::definition(&self.axes, "zip."),
            "cases": axes::definition(&self.axes, "cases."),
            "drawn": axes::definition(&self.axes, "sample.over."),
            "sample": self.spec.sample,
            "until": self.spec.until,
            "keep": self.spec.keep,
            "file": self.base.file,
            "text": self.base.text,
            "overrides": self.base.overrides,
        });
        let labels = self.labels.definition();
        if !labels.is_null() {
            definition["labels"] = labels;
        }
        if !self.files.is_empty() {
            let one = |file: &File| file.definition(&self.files);
            definition["files"] = self.files.iter().map(one).collect();
        }
        definition
    }

    /// The scenario of a point, counted from 0 with the first key outermost, or its errors.
    ///
    /// Keys that no measure depends on are omitted, so that equivalent points have the same digest:
    /// the title, the scenario's own seed and number of threads, and everything recorded one by one.
    pub fn point(&self, at: u64) -> Result<Checked, Vec<Mistake>> {
        let (scenario, mut mistakes) = self.read(at);
        let warnings = mistakes.take_warnings();
        let mut scenario = scenario.ok_or_else(|| mistakes.into_list())?;
        scenario.title.clear();
        scenario.run.seed = 1;
        scenario.run.threads = Threads::default();
        scenario.record.series.clear();
        scenario.record.interval = RecordSpec::default().interval;
        scenario.record.bursts = 0;
        Ok(Checked { scenario, parameters: Vec::new(), warnings })
    }

    /// The values of a point as text: `run.duration = "1 s", traffic.0.count = 3`; a row that has a name, by
    /// this: `case = "3 ports"`.
    pub fn name(&self, at: u64) -> String {
        let mut texts = Vec::new();
        for (axis, row) in self.axes.iter().zip(self.rows(at)) {
            if let Some((case, label)) = self.labels.of_row(axis, row) {
                texts.push(format!("{case} = \"{label}\""));
                continue;
            }
            let text = |one: &Setting| format!("{} = {}", one.key, one.node.items()[row].text());
            texts.extend(axis.columns.iter().map(text));
        }
        texts.join(", ")
    }

    /// The error of a point whose scenario is that of another one, `first`: two spellings of a value, or a key
    /// that is no part of what is simulated.
    fn again(&self, at: u64, first: u64) -> Mistake {
        let mut differ = self
            .values(at)
            .zip(self.values(first))
            .filter(|((.., one), (.., other))| one.to_json() != other.to_json());
        let Some(((prefix, key, node), (.., known))) = differ.next() else {
            return Mistake::of_file(&self.file, "two points are the same");
        };
        let rest = differ.map(|(_, (_, key, known))| format!(", {key} = {}", known.text()));
        let same: String =
            std::iter::once(format!("{key} = {}", known.text())).chain(rest).collect();
        let line = match node.place {
            Place::Line(line) => Some(line),
            Place::Override(_) | Place::File(..) | Place::Nowhere => None,
        };
        Mistake {
            line,
            key: format!("{prefix}{key}"),
            accepted: "values with which another scenario is simulated".to_owned(),
            ..Mistake::of_file(&self.file, format!("the same point as {same}"))
        }
    }

    fn read(&self, at: u64) -> (Option<Scenario>, Mistakes) {
        let mut mistakes = Mistakes::with_sources(&self.base.file, self.sources(at));
        let mut tree = self.tree.clone();
        for (place, key, node) in self.settings(at) {
            if let Err(flaw) = overrides::put(&mut tree, key, node.clone().moved(place)) {
                mistakes.add(place, flaw);
            }
        }
        files::attach(&mut tree, &self.files, &mut mistakes);
        let scenario = scenario_of(&mut tree, &mut mistakes);
        (scenario, mistakes)
    }

    /// The overrides of a point, the shortest keys first: a table, then keys in it.
    fn settings(&self, at: u64) -> Vec<(Place, &str, &Node)> {
        let set = self.set.iter().map(|one| (one.key.as_str(), &one.node));
        let over = self.values(at).map(|(_, key, value)| (key, value));
        let first = self.base.overrides.len();
        let places = (first..).map(Place::Override);
        let mut all: Vec<_> =
            places.zip(set.chain(over)).map(|(place, (key, node))| (place, key, node)).collect();
        all.sort_by_key(|(_, key, _)| key.split('.').count());
        all
    }

    /// Where the overrides of a point come from, in the order of their places.
    fn sources(&self, at: u64) -> Vec<Source> {
        let line = |node: &Node| match node.place {
            Place::Line(line) => Some(line),
            Place::Override(_) | Place::File(..) | Place::Nowhere => None,
        };
        let source =
            |node: &Node, prefix| Source { file: self.file.clone(), line: line(node), prefix };
        let mut sources: Vec<Source> = self.base.overrides.iter().map(Source::set).collect();
        sources.extend(self.set.iter().map(|one| source(&one.node, "set.")));
        sources.extend(self.values(at).map(|(prefix, _, value)| source(value, prefix)));
        sources
    }

    /// The varying keys of a point: the table that each comes from, the key, the value.
    fn values(&self, at: u64) -> impl Iterator<Item = (&'static str, &str, &Node)> {
        let rows = self.axes.iter().zip(self.rows(at));
        let columns =
            rows.flat_map(|(axis, at)| axis.columns.iter().map(move |one| (axis, one, at)));
        columns.map(|(axis, one, at)| (axis.prefix, one.key.as_str(), &one.node.items()[at]))
    }

    /// The number of a point's row on every axis.
    fn rows(&self, at: u64) -> Vec<usize> {
        let mut rest = usize::try_from(at).expect("at most a million points");
        let mut rows: Vec<usize> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            rows.push(rest % axis.len());
            rest /= axis.len();
        }
        rows.reverse();
        rows
    }
}

/// The hash of the known results of small runs: results stored under another hash may differ from
/// those of this engine. What has been added since results last changed is in a file of its own, which
/// is no part of it.
pub fn results_revision() -> u64 {
    xxh3_64(include_bytes!("../../../../tests/fingerprints.csv"))
}

impl OwnedBase {
    /// The tree of the scenario with its overrides, and the errors so far.
    fn tree(&self) -> (Node, Mistakes) {
        let mut mistakes = Mistakes::new(&self.file, &self.overrides);
        let mut tree = crate::tree::parse(&self.text, &mut mistakes);
        overrides::apply(&mut tree, &self.overrides, &mut mistakes);
        (tree, mistakes)
    }

    /// The errors of the scenario itself.
    fn mistakes(&self, files: &[File]) -> Vec<Mistake> {
        let (mut tree, mut mistakes) = self.tree();
        files::attach(&mut tree, files, &mut mistakes);
        scenario_of(&mut tree, &mut mistakes);
        mistakes.take_warnings();
        mistakes.into_list()
    }
}
