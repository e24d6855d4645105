//! What an instance of the module holds from call to call.

use std::sync::Arc;

use scenario::{
    Checked, Live, Mistake, Progress, Run, Table, TraceRequest, Traced, Tracing, Values,
};
use serde_json::{Value as Json, json};

use crate::request::{Given, Request, Scenario};

/// The memory of an instance is at most 4 GiB, of which this much is for a run: the rest is for its
/// results while they are made.
const MOST_BYTES: u64 = 3_000_000_000;
/// A row of a trace, in bytes, with its packet and both as columns.
const TRACE_ROW: u64 = 600;

/// A scenario, a run of it, and its results.
pub(crate) struct Session {
    input: Vec<u8>,
    reply: Vec<u8>,
    checked: Option<Arc<Checked>>,
    running: Option<Running>,
    /// The columns that the last reply refers to.
    columns: Vec<Bytes>,
}

/// A run.
enum Running {
    Plain(Box<Run>),
    Traced(Box<Tracing>),
    /// It stays when its window is reported.
    Live(Box<Live>),
}

/// The values of a column as they are in memory.
enum Bytes {
    U64(Vec<u64>),
    F64(Vec<f64>),
    U32(Vec<u32>),
}

/// Why there is no answer, as a field of the reply.
enum Refusal {
    /// Errors of a scenario, or of what is asked of it.
    Mistakes(Vec<Mistake>),
    /// A call out of order, or one that is not understood.
    Misuse(String),
    /// A program of the scenario's own cannot go on.
    Failure(String),
}

impl From<Vec<Mistake>> for Refusal {
    fn from(mistakes: Vec<Mistake>) -> Self {
        Self::Mistakes(mistakes)
    }
}

type Answer = Result<Json, Refusal>;

impl Session {
    /// One that holds nothing.
    pub(crate) const fn new() -> Self {
        Self {
            input: Vec::new(),
            reply: Vec::new(),
            checked: None,
            running: None,
            columns: Vec::new(),
        }
    }

    /// Room for a request.
    pub(crate) fn input(&mut self, bytes: usize) -> &mut [u8] {
        self.input.clear();
        self.input.resize(bytes, 0);
        &mut self.input
    }

    /// The last reply.
    pub(crate) fn reply(&self) -> &[u8] {
        &self.reply
    }

    /// Answers the request.
    pub(crate) fn call(&mut self) {
        self.columns = Vec::new();
        let input = std::mem::take(&mut self.input);
        let answer = match serde_json::from_slice(&input) {
            Ok(request) => self.answer(request),
            Err(error) => Err(Refusal::Misuse(format!("not a request: {error}"))),
        };
        let reply = answer.unwrap_or_else(|refusal| match refusal {
            Refusal::Mistakes(mistakes) => json!({ "mistakes": listed(&mistakes) }),
            Refusal::Misuse(text) => json!({ "misuse": text }),
            Refusal::Failure(text) => json!({ "failure": text }),
        });
        self.reply = reply.to_string().into_bytes();
    }

    fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::About {} => Ok(json!({
                "version": env!("CARGO_PKG_VERSION"),
                "results-revision": format!("{:016x}", scenario::sweep::results_revision()),
            })),
            Request::Schema {} => Ok(scenario::editor_schema()),
            Request::References(Scenario { file, text, values, .. }) => {
                let found = scenario::references(&file, &text, &values);
                Ok(found.into_iter().map(reference).collect())
            }
            Request::Load(text) => self.load(text),
            Request::Show {} => Ok(self.checked()?.show()),
            Request::Canonical {} => Ok(json!({ "text": self.checked()?.canonical() })),
            Request::Start { seed } => self.start(seed.as_deref()),
            Request::Trace { seed, from, to, flows, nodes, limit, counters, live } => {
                let asked = TraceRequest { from, to, flows, nodes, limit, counters };
                self.trace(seed.as_deref(), &asked, live)
            }
            Request::Advance { events } => self.advance(events),
            Request::Report {} => self.report(),
        }
    }

    fn checked(&self) -> Result<&Arc<Checked>, Refusal> {
        self.checked.as_ref().ok_or_else(|| Refusal::Misuse("no scenario is loaded".to_owned()))
    }

    fn load(&mut self, Scenario { file, text, values, files }: Scenario) -> Answer {
        (self.checked, self.running) = (None, None);
        let files: Vec<_> = files.into_iter().map(Given::file).collect();
        let checked = scenario::load_with(&file, &text, &values, &files)?;
        let answer = json!({
            "digest": format!("{:016x}", checked.digest()),
            "title": checked.scenario.title,
            "seed": checked.scenario.run.seed.to_string(),
            "duration": checked.scenario.run.duration.as_secs_f64(),
            "warnings": listed(&checked.warnings),
        });
        self.checked = Some(Arc::new(checked));
        Ok(answer)
    }

    fn start(&mut self, seed: Option<&str>) -> Answer {
        let checked = Arc::clone(self.checked()?);
        let seed = seed_of(seed, &checked)?;
        self.running = None;
        refuse_large(&checked, 0)?;
        self.running = Some(Running::Plain(Box::new(Run::new(checked, seed))));
        Ok(json!({}))
    }

    fn trace(&mut self, seed: Option<&str>, asked: &TraceRequest, live: bool) -> Answer {
        let checked = Arc::clone(self.checked()?);
        let seed = seed_of(seed, &checked)?;
        self.running = None;
        refuse_large(&checked, asked.limit.saturating_mul(TRACE_ROW))?;
        self.running = Some(if live {
            Running::Live(Box::new(checked.start_live(seed, asked)?))
        } else {
            Running::Traced(Box::new(checked.start_trace(seed, asked)?))
        });
        Ok(json!({}))
    }

    fn advance(&mut self, events: u64) -> Answer {
        let (progress, over) = match self.running.as_mut().ok_or_else(no_run)? {
            Running::Plain(run) => {
                let progress = run.advance(events);
                (progress, progress.stop.is_some())
            }
            Running::Traced(tracing) => tracing.advance(events),
            Running::Live(live) => live.advance(events),
        };
        let Progress { now, end, events, .. } = progress;
        let (now, end) = (now.as_secs_f64(), end.as_secs_f64());
        Ok(json!({ "now": now, "end": end, "events": events, "over": over }))
    }

    fn report(&mut self) -> Answer {
        match self.running.take().ok_or_else(no_run)? {
            Running::Plain(run) => {
                if let Some(failure) = run.failure() {
                    return Err(Refusal::Failure(failure));
                }
                let report = run.finish();
                Ok(json!({ "report": report.json, "tables": self.keep(report.tables) }))
            }
            Running::Traced(tracing) => {
                if let Some(failure) = tracing.failure() {
                    return Err(Refusal::Failure(failure));
                }
                let digest = tracing.digest();
                Ok(self.traced(digest, tracing.finish()?))
            }
            Running::Live(mut live) => {
                if let Some(failure) = live.failure() {
                    return Err(Refusal::Failure(failure));
                }
                let (digest, window) = (live.digest(), live.take_window());
                self.running = Some(Running::Live(live));
                Ok(self.traced(digest, window))
            }
        }
    }

    /// What was recorded, and the digest of the run.
    fn traced(&mut self, digest: u64, traced: Traced) -> Json {
        json!({
            "digest": format!("{digest:016x}"),
            "from": traced.from.0.to_string(),
            "to": traced.to.0.to_string(),
            "cut": traced.cut.map(|cut| cut.0.to_string()),
            "tables": self.keep(traced.tables),
        })
    }

    /// Keeps the columns of tables, and says where they are.
    fn keep(&mut self, tables: Vec<Table>) -> Vec<Json> {
        let table = |table: Table| {
            let columns = table.columns.into_iter().map(|column| {
                let (bytes, levels) = match column.values {
                    Values::U64(values) => (Bytes::U64(values), None),
                    Values::F64(values) => (Bytes::F64(values), None),
                    Values::Text(texts) => {
                        let (codes, levels) = scenario::encode(texts);
                        (Bytes::U32(codes), Some(levels))
                    }
                };
                let (kind, at, len) = bytes.place();
                self.columns.push(bytes);
                json!({
                    "name": column.name, "unit": column.unit, "doc": column.doc,
                    "kind": kind, "at": at, "len": len, "levels": levels,
                })
            });
            json!({ "name": table.name, "columns": columns.collect::<Vec<_>>() })
        };
        tables.into_iter().map(table).collect()
    }
}

impl Bytes {
    /// The type of the values, where they begin, and their number.
    fn place(&self) -> (&'static str, usize, usize) {
        match self {
            Self::U64(values) => ("u64", values.as_ptr().addr(), values.len()),
            Self::F64(values) => ("f64", values.as_ptr().addr(), values.len()),
            Self::U32(values) => ("u32", values.as_ptr().addr(), values.len()),
        }
    }
}

fn no_run() -> Refusal {
    Refusal::Misuse("no run is set up".to_owned())
}

fn seed_of(seed: Option<&str>, checked: &Checked) -> Result<u64, Refusal> {
    let Some(text) = seed else { return Ok(checked.scenario.run.seed) };
    text.parse().map_err(|_| {
        let accepted = format!("0 to {}", u64::MAX);
        let found = text.chars().take(40).collect();
        let mistake = Mistake::of_file("seed", "not a seed");
        Refusal::Mistakes(vec![Mistake { found, accepted, ..mistake }])
    })
}

/// Refuses a run that does not fit into the memory of an instance.
fn refuse_large(checked: &Checked, more: u64) -> Result<(), Refusal> {
    let bytes = checked.memory().saturating_add(more);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let gigabytes = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
    let found = format!("about {}", gigabytes(bytes));
    let accepted =
        format!("up to {} in a browser; `tcphoton run` has no such limit", gigabytes(MOST_BYTES));
    let mistake = Mistake::of_file("scenario", "the run takes too much memory");
    Err(Refusal::Mistakes(vec![Mistake { found, accepted, ..mistake }]))
}

fn reference(reference: scenario::Reference) -> Json {
    let scenario::Reference { key, name, content, within, .. } = reference;
    json!({ "key": key, "name": name, "content": content, "within": within.word() })
}

fn listed(mistakes: &[Mistake]) -> Vec<Json> {
    let one = |mistake: &Mistake| {
        let Mistake { file, line, key, problem, found, accepted, warning } = mistake;
        json!({
            "file": file, "line": line, "key": key, "problem": problem, "found": found,
            "accepted": accepted, "warning": warning, "text": mistake.to_string(),
        })
    };
    mistakes.iter().map(one).collect()
}
