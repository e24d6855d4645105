//! The tables of graphs of operations, and their sums.

use engine::workload::GraphRow;
use engine::world::World;
use plan::GraphPlan;
use plan::table::{Sum, Sums, Table, counts, numbers, seconds, texts};
use traffic::{Act, Operation};
use units::{Span, Time};

/// A group with its plan.
type Group<'a> = (GraphRow<'a>, &'a GraphPlan);

fn groups(world: &World) -> Vec<Group<'_>> {
    let traffic = &world.plan().traffic;
    let plan = |row: &GraphRow<'_>| traffic[row.traffic as usize].graph.as_deref();
    world.graphs().filter_map(|row| plan(&row).map(|plan| (row, plan))).collect()
}

/// One row per repetition, and one per operation of the last repetition of each group.
pub(super) fn tables(world: &World) -> Vec<Table> {
    let groups = groups(world);
    if groups.is_empty() {
        Vec::new()
    } else {
        vec![repetitions(&groups), operations(world, &groups)]
    }
}

/// An instant, if there was one.
fn known(time: Time) -> Option<Time> {
    Some(time).filter(|&time| time != Time::NEVER)
}

/// How long something took, in seconds.
fn duration((start, end): (Time, Time)) -> f64 {
    known(end).map_or(f64::NAN, |end| end.since(start).as_secs_f64())
}

fn repetitions(groups: &[Group<'_>]) -> Table {
    let all = |(row, _): &Group<'_>| {
        let of = (u64::from(row.traffic), row.group as u64);
        let each = (0u64..).zip(row.repetitions.iter().copied());
        each.map(move |(number, times)| (of, number, times)).collect::<Vec<_>>()
    };
    let rows: Vec<_> = groups.iter().flat_map(all).collect();
    let columns = vec![
        counts("traffic", "entry of the scenario's traffic", &rows, |row| row.0.0),
        counts("group", "group of hosts of the entry", &rows, |row| row.0.1),
        counts("repetition", "number of the repetition", &rows, |row| row.1),
        numbers(("start", "s"), "its first operations start", &rows, |row| row.2.0.as_secs_f64()),
        numbers(("end", "s"), "its last operation is over", &rows, |row| seconds(known(row.2.1))),
        numbers(("duration", "s"), "the time between", &rows, |row| duration(row.2)),
    ];
    Table { name: "repetitions", columns }
}

/// An operation of a group.
struct Row {
    traffic: u64,
    group: u64,
    number: u64,
    host: String,
    to: String,
    size: f64,
    times: (Time, Time),
}

fn operations(world: &World, groups: &[Group<'_>]) -> Table {
    let mut rows = Vec::new();
    for (row, plan) in groups {
        let name = |host| world.plan().graph.node_name(plan.host(row.group, host)).to_owned();
        let all = plan.graph.operations().iter().zip(row.operations);
        rows.extend((0u64..).zip(all).map(|(number, (&Operation { host, act }, &times))| {
            let (to, size) = match act {
                Act::Send { to, bytes } => (name(to), bytes as f64),
                Act::Compute { .. } => (String::new(), f64::NAN),
            };
            let (traffic, group) = (u64::from(row.traffic), row.group as u64);
            Row { traffic, group, number, host: name(host), to, size, times }
        }));
    }
    let columns = vec![
        counts("traffic", "entry of the scenario's traffic", &rows, |row| row.traffic),
        counts("group", "group of hosts of the entry", &rows, |row| row.group),
        counts("operation", "number of the operation", &rows, |row| row.number),
        texts("host", "the host that sends or computes", &rows, |row| row.host.clone()),
        texts("to", "the host that receives; none if the other computes", &rows, |row| {
            row.to.clone()
        }),
        numbers(("size", "B"), "the data of a send", &rows, |row| row.size),
        numbers(("start", "s"), "it starts; in the last repetition of its group", &rows, |row| {
            seconds(known(row.times.0))
        }),
        numbers(("end", "s"), "it is over: the last data of a send are there", &rows, |row| {
            seconds(known(row.times.1))
        }),
    ];
    Table { name: "operations", columns }
}

/// Of the repetitions that began in the measured period: their number, how many have ended, and how long these took.
pub(super) fn sums(world: &World) -> Option<Sums> {
    let groups = groups(world);
    if groups.is_empty() {
        return None;
    }
    let warmup = Time::ZERO + world.plan().warmup;
    let all = groups.iter().flat_map(|(row, _)| row.repetitions);
    let (mut begun, mut ended, mut sum, mut longest) = (0u64, 0u64, 0u128, Span::ZERO);
    for &(start, end) in all.filter(|&&(start, _)| start >= warmup) {
        begun += 1;
        if let Some(end) = known(end) {
            ended += 1;
            sum += u128::from(end.since(start).0);
            longest = longest.max(end.since(start));
        }
    }
    let mean = if ended > 0 { sum as f64 * 1e-12 / ended as f64 } else { f64::NAN };
    let longest = if ended > 0 { longest.as_secs_f64() } else { f64::NAN };
    Some(vec![
        ("repetitions", Sum::U64(begun)),
        ("ended", Sum::U64(ended)),
        ("duration-mean", Sum::F64(mean)),
        ("duration-max", Sum::F64(longest)),
    ])
}
