//! What the flows of a class share, and the bytes of a class in spans of time.

use engine::world::World;
use plan::table::{Column, Table, counts, numbers, ratio, texts};
use units::Time;
use wire::optical::Fec;
use wire::record::{Shared, SpanStatistics, SynchronizationRow};

/// A class with its number.
type Class<'a> = (usize, &'a Fec);

/// The classes in the order of the tables: the order in which they first appear depends on the
/// seed.
pub(super) fn classes(world: &World) -> Vec<Class<'_>> {
    let mut classes: Vec<_> = world.optical().fecs.iter().enumerate().collect();
    classes.sort_by_key(|(_, fec)| (fec.ingress, fec.egress));
    classes
}

fn shared(world: &World, class: usize) -> Option<&Shared> {
    world.synchronization().and_then(|all| all.shared(class))
}

/// What the table of classes has of it.
pub(super) fn columns(world: &World) -> Vec<Column> {
    let rows = classes(world);
    let of = |class: &Class<'_>| shared(world, class.0);
    let number = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
    let span = |value: fn(&SpanStatistics) -> f64| {
        move |class: &Class<'_>| {
            statistics(world, class.1)
                .map_or(f64::NAN, |(found, seconds)| value(&found) * 8.0 / seconds)
        }
    };
    vec![
        counts(
            "queues-max",
            "assembly queues in use at once, maximum, whole run",
            &rows,
            |class| u64::from(world.edges().map_or(0, |edges| edges.most_queues(class.0))),
        ),
        numbers(
            ("flows-mean", ""),
            "different flows with data in a burst with data, mean; if recorded",
            &rows,
            |class| of(class).map_or(f64::NAN, Shared::flows_mean),
        ),
        numbers(
            ("lost-flows", ""),
            "different flows with data in lost bursts, sum; if recorded",
            &rows,
            |class| number(of(class).map(|shared| shared.lost_flows)),
        ),
        numbers(
            ("lost-active", ""),
            "active flows when a burst with data was lost, sum; if recorded",
            &rows,
            |class| number(of(class).map(|shared| shared.lost_active)),
        ),
        numbers(
            ("span-mean", "b/s"),
            "rate at the end of the first link in spans of record.throughput-span, mean",
            &rows,
            span(|found| found.mean),
        ),
        numbers(
            ("span-std", "b/s"),
            "its standard deviation",
            &rows,
            span(|found| found.deviation),
        ),
        numbers(("span-min", "b/s"), "its least", &rows, span(|found| found.min)),
        numbers(("span-max", "b/s"), "its most", &rows, span(|found| found.max)),
    ]
}

/// The spans of a class since measuring began, and how many seconds each lasts.
fn statistics(world: &World, fec: &Fec) -> Option<(SpanStatistics, f64)> {
    let spans = fec.spans.as_ref()?;
    let found = spans.statistics(warmup(world), world.now())?;
    Some((found, spans.length().as_secs_f64()))
}

fn warmup(world: &World) -> Time {
    Time::ZERO + world.plan().warmup
}

/// One row per class and sample.
pub(super) fn samples(world: &World) -> Option<Table> {
    let all = world.synchronization()?;
    let ends = |row: &SynchronizationRow| {
        let fec = &world.optical().fecs[row.class];
        (fec.ingress, fec.egress)
    };
    let mut rows: Vec<&SynchronizationRow> = all.rows.iter().collect();
    rows.sort_by_key(|row| (row.time, ends(row)));
    let rows = &rows;
    let columns = vec![
        numbers(("time", "s"), "when", rows, |row| row.time.as_secs_f64()),
        texts("ingress", "edge router where the data become bursts", rows, |row| {
            world.plan().graph.node_name(ends(row).0).to_owned()
        }),
        texts("egress", "edge router where the bursts are disassembled", rows, |row| {
            world.plan().graph.node_name(ends(row).1).to_owned()
        }),
        counts("flows", "active flows: started and not finished", rows, |row| u64::from(row.flows)),
        counts("flows-lost", "flows that lost data since the sample before", rows, |row| {
            u64::from(row.flows_lost)
        }),
        counts("bursts-lost", "bursts with data lost since the sample before", rows, |row| {
            u64::from(row.bursts_lost)
        }),
        numbers(
            ("cwnd", "B"),
            "congestion windows of the active flows, each limited to its maximum, sum",
            rows,
            |row| row.cwnd,
        ),
        numbers(("cwnd-max", "B"), "their maximum windows, sum", rows, |row| row.cwnd_max),
    ];
    Some(Table { name: "synchronization", columns })
}

/// One row per class and number of different flows in a burst.
pub(super) fn burst_flows(world: &World) -> Option<Table> {
    world.synchronization()?;
    let mut rows = Vec::new();
    for (at, fec) in classes(world) {
        let bursts = shared(world, at).map(|shared| shared.bursts.as_slice()).unwrap_or_default();
        let some = (0u64..).zip(bursts.iter().copied()).filter(|&(_, bursts)| bursts > 0);
        rows.extend(some.map(|(flows, bursts)| (fec, flows, bursts)));
    }
    let columns = vec![
        texts("ingress", "edge router where bursts are made", &rows, |row| {
            world.plan().graph.node_name(row.0.ingress).to_owned()
        }),
        texts("egress", "edge router where they are disassembled", &rows, |row| {
            world.plan().graph.node_name(row.0.egress).to_owned()
        }),
        counts("flows", "different flows with data in a burst", &rows, |row| row.1),
        counts("bursts", "bursts released with this number of flows", &rows, |row| row.2),
    ];
    Some(Table { name: "burst-flows", columns })
}

/// One row per span and listed class.
pub(super) fn spans(world: &World, listed: &[String]) -> Table {
    let name = |fec: &Fec| {
        format!(
            "{} -> {}",
            world.plan().graph.node_name(fec.ingress).to_owned(),
            world.plan().graph.node_name(fec.egress).to_owned()
        )
    };
    let mut rows = Vec::new();
    for (_, fec) in classes(world).into_iter().filter(|(_, fec)| listed.contains(&name(fec))) {
        let Some(spans) = &fec.spans else { continue };
        rows.extend(spans.between(warmup(world), world.now()).map(|span| (fec, span)));
    }
    let columns = vec![
        numbers(("time", "s"), "when the span begins", &rows, |row| row.1.0.as_secs_f64()),
        texts("ingress", "edge router where the bursts were made", &rows, |row| {
            world.plan().graph.node_name(row.0.ingress).to_owned()
        }),
        texts("egress", "edge router where they are disassembled", &rows, |row| {
            world.plan().graph.node_name(row.0.egress).to_owned()
        }),
        numbers(("bytes", "B"), "bytes of bursts at the end of the first link", &rows, |row| {
            row.1.1 as f64
        }),
    ];
    Table { name: "spans", columns }
}

/// Of all classes together: different flows in a burst with data, mean, and the index of
/// synchronization, that is equation (1) with lost bursts as samples.
pub(super) fn totals(world: &World) -> (f64, f64) {
    let all = (0..world.optical().fecs.len()).filter_map(|class| shared(world, class));
    let (mut flows, mut bursts, mut lost, mut active) = (0, 0, 0, 0);
    for shared in all {
        for (count, number) in (0u64..).zip(&shared.bursts).skip(1) {
            flows += count * number;
            bursts += number;
        }
        lost += shared.lost_flows;
        active += shared.lost_active;
    }
    (ratio(flows as f64, bursts as f64), ratio(lost as f64, active as f64))
}
