//! A report: tables and a summary of what a run did.

mod bounds;
mod graphs;
mod optical;
mod splitting;
mod sums;
mod surplus;
mod switches;
mod synchronization;
mod tables;
mod trace;
mod traffic;

use cores::Core;
use engine::observe::FlowRow;
use engine::world::{Progress, World};
use kernel::Stop;
pub use plan::table::{Column, Table, Values, encode};
use serde_json::{Value as Json, json};
use switches::Accounts;

use crate::load::Checked;
use crate::mistake::Mistake;

/// What a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Parameters with their origins, versions, seed, counts, digest, a summary per entry of
    /// traffic. Deterministic: no wall time, no date, no host.
    pub json: Json,
    /// The tables `flows`, `links`, `traffic` and `series`; `sizes` of files; `reordering` where it is measured;
    /// `repetitions` and `operations` of graphs;
    /// of an optical network also `fecs` and `channels`, of CIOQ switches `line-cards`, of circuit switches `racks` and
    /// `circuits`, if energy is counted `switches` and `energy`, and if they are recorded `bursts`, `reservations`,
    /// `synchronization`, `burst-flows` and `spans`.
    pub tables: Vec<Table>,
}

/// The table `flows` of some rows.
pub(crate) fn flows(checked: &Checked, world: &World, rows: &[FlowRow]) -> Table {
    tables::flows(checked, world, rows)
}

/// The tables of a trace.
pub(crate) fn trace(checked: &Checked, world: &World) -> Vec<Table> {
    let mut tables = vec![
        trace::hops(world),
        trace::packets(world),
        trace::flows(world),
        trace::nodes(world),
        trace::links(world),
        tables::series(world),
    ];
    if checked.scenario.assembly.is_some() {
        tables.extend([optical::channels(world), optical::bursts(world)]);
        tables.push(optical::reservations(world));
    }
    tables
}

/// The report of a run in its current state, without the rows of flows that were taken out.
pub(crate) fn of(checked: &Checked, world: &World, seed: u64, progress: &Progress) -> Report {
    let (rows, totals) = (world.flow_rows(), world.totals());
    let mut tables = vec![
        tables::flows(checked, world, &rows),
        tables::links(world),
        traffic::traffic(world, &totals),
        tables::series(world),
    ];
    let scenario = &checked.scenario;
    tables.extend(traffic::sizes(world, &totals));
    if scenario.traffic.iter().any(|entry| entry.reordering) {
        tables.push(traffic::reordering(&totals));
    }
    if scenario.assembly.is_some() {
        tables.extend([optical::fecs(world), optical::channels(world)]);
    }
    if scenario.assembly.is_some() && scenario.record.bursts > 0 {
        tables.extend([optical::bursts(world), optical::reservations(world)]);
    }
    tables.extend(graphs::tables(world));
    tables.extend(synchronization::samples(world));
    tables.extend(synchronization::burst_flows(world));
    let accounts = scenario.energy.as_ref().map(|spec| Accounts::new(spec, world));
    if let Some(accounts) = &accounts {
        tables.extend([switches::switches(accounts, world), switches::energy(accounts)]);
    }
    let of_cores = world.cores().tables(&world.plan().graph);
    tables.extend(of_cores.iter().map(|(table, _)| table.clone()));
    tables.extend(world.rare().map(splitting::table));
    if !scenario.record.fecs.is_empty() {
        tables.push(synchronization::spans(world, &scenario.record.fecs));
    }
    let mut json = json!({
        "title": checked.scenario.title,
        "version": env!("CARGO_PKG_VERSION"),
        "seed": seed,
        "scenario-digest": format!("{:016x}", checked.digest()),
        "digest": format!("{:016x}", world.digest()),
        "stop": outcome(progress),
        "simulated": progress.now.as_secs_f64(),
        "measured": world.measured().as_secs_f64(),
        "events": progress.events,
        "packet-hops": world.packet_hops(),
        "conservation": "checked: in = out + dropped + inside, for each link and flow",
        "traffic": summary(&tables[2]),
        "parameters": checked.parameters,
        "warnings": warnings(checked),
    });
    if scenario.assembly.is_some() {
        json["bursts"] = optical::totals(world);
    }
    if let Some(rare) = world.rare().and_then(|rare| splitting::totals(rare, world)) {
        json["splitting"] = rare;
    }
    if let Some(sums) = graphs::sums(world) {
        json["graphs"] = sums::add(json!({}), &sums);
    }
    if let Some(wires) = surplus::wires(world) {
        json["links"] = wires;
    }
    for (table, of_table) in &of_cores {
        json[table.name] = sums::add(json!({}), of_table);
    }
    if let Some(accounts) = &accounts {
        json["switches"] = switches::totals(accounts);
        json["energy"] = switches::energy_totals(accounts, &totals);
    }
    Report { json, tables }
}

/// Why a run has ended.
fn outcome(progress: &Progress) -> &'static str {
    match progress.stop {
        Some(Stop::End) => "end",
        Some(Stop::Failed) => "failed",
        Some(Stop::Budget) => "event budget spent",
        Some(Stop::Stalled) => "stalled: the simulated time no longer advanced",
        None => "not finished",
    }
}

/// The keys of the scenario without effect, without the name of its file: a report does not depend
/// on the scenario's folder.
pub(crate) fn warnings(checked: &Checked) -> Json {
    let one = |warning: &Mistake| {
        json!({
            "line": warning.line,
            "key": warning.key,
            "problem": warning.problem,
            "found": warning.found,
        })
    };
    checked.warnings.iter().map(one).collect()
}

/// A table as a list of objects.
fn summary(table: &Table) -> Json {
    let rows = table.columns.first().map_or(0, |column| column.values.len());
    let cell = |column: &Column, row: usize| match &column.values {
        Values::U64(values) => json!(values[row]),
        Values::F64(values) => json!(values[row]),
        Values::Text(values) => json!(values[row]),
    };
    let row = |row: usize| -> Json {
        let cells = table.columns.iter().map(|column| (column.name.to_owned(), cell(column, row)));
        Json::Object(cells.collect())
    };
    (0..rows).map(row).collect()
}
