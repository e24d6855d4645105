//! The tables of hybrid and electronic switches, and of the energy that they used.

use cores::hybrid::HybridCounters;
use cores::{Account, Core, Device};
use engine::observe::Totals;
use engine::world::World;
use plan::table::{Table, counts, numbers, ratio, texts};
use serde_json::{Value as Json, json};
use units::NodeId;
use wire::link::LinkCounters;

use crate::energy::{self, EnergySpec, Part};

/// A switch and what happened at it.
#[derive(Debug, Clone, Copy)]
struct Row {
    node: NodeId,
    hybrid: bool,
    azimuths: usize,
    counters: HybridCounters,
    /// Packets inside when measuring began, which can be lost later.
    before: u64,
    /// The longest stay in seconds, NaN where it is not known.
    longest: f64,
    /// Packets in the buffer, integrated over time, in packet-seconds; of those that left.
    stays: f64,
    /// How long packets stayed, all together in seconds, and how many these are.
    waits: (f64, u64),
}

/// The counters and the energy of switches, for the tables and the sums of a report.
#[derive(Debug)]
pub(super) struct Accounts {
    /// All switches in the order of the topology.
    rows: Vec<Row>,
    parts: [Part; 8],
}

impl Accounts {
    pub(super) fn new(spec: &EnergySpec, world: &World) -> Self {
        let links = world.link_counters();
        Self { rows: rows(world, &links), parts: energy::account(spec, world, &links) }
    }
}

fn rows(world: &World, links: &[LinkCounters]) -> Vec<Row> {
    let graph = &world.plan().graph;
    let mut of: Vec<Vec<&LinkCounters>> = vec![Vec::new(); graph.nodes.len()];
    for (link, counters) in graph.links.iter().zip(links) {
        of[link.from.index()].push(counters);
    }
    let row = |at: usize| {
        let id = NodeId::at(at);
        let account = match world.device(id) {
            Device::Host | Device::Edge(_) => Account::None,
            Device::Router => Account::Electronic,
            Device::Core(number) => world.cores().account(number),
        };
        match account {
            Account::None => None,
            Account::Electronic => Some(electronic(id, &of[at])),
            Account::Hybrid(counters, azimuths) => {
                let stays = counters.wait_sum as f64 * 1e-12;
                // What is in the buffer stays there until it leaves.
                let longest = counters.wait_max as f64 * 1e-12;
                let waits = (stays, counters.packets_released);
                let hybrid = true;
                Some(Row { node: id, hybrid, azimuths, counters, before: 0, longest, stays, waits })
            }
        }
    };
    (0..graph.nodes.len()).filter_map(row).collect()
}

/// An electronic switch stores every packet that it forwards.
fn electronic(node: NodeId, links: &[&LinkCounters]) -> Row {
    let (mut counters, mut before, mut stays) = (HybridCounters::default(), 0, 0.0);
    let mut waits = (0.0, 0);
    let longest = largest(links.iter().map(|link| link.longest_wait()));
    for link in links {
        before += link.packets_before;
        counters.packets_in += link.packets_in;
        counters.packets_buffered += link.packets_in - link.refused;
        counters.packets_released += link.packets_in - link.refused;
        counters.bytes_buffered += link.bytes_out;
        counters.lost_full += link.dropped_queue + link.dropped_red;
        counters.lost_down += link.dropped_down;
        stays += link.queue_time as f64 * 1e-12;
        waits = (waits.0 + link.wait_sum as f64 * 1e-12, waits.1 + link.waited);
    }
    Row { node, hybrid: false, azimuths: links.len(), counters, before, longest, stays, waits }
}

/// The largest of some numbers, 0 of none, NaN where one is not known.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    let either = |most: f64, number: f64| most.is_nan() || number.is_nan();
    numbers.fold(0.0, |most, number| if either(most, number) { f64::NAN } else { most.max(number) })
}

/// One row per switch.
pub(super) fn switches(accounts: &Accounts, world: &World) -> Table {
    let rows = &accounts.rows;
    let measured = world.measured().as_secs_f64();
    // The maximum of an electronic switch is not known: its queues are updated only when necessary.
    let known = |row: &Row, most: u64| if row.hybrid { most as f64 } else { f64::NAN };
    let columns = vec![
        texts("switch", "its name", rows, |row| {
            world.plan().graph.nodes[row.node.index()].name.clone()
        }),
        texts("kind", "hybrid or electronic", rows, |row| kind(row).to_owned()),
        counts("azimuths", "links that leave it", rows, |row| row.azimuths as u64),
        counts("packets-in", "packets that arrived", rows, |row| row.counters.packets_in),
        counts("packets-through", "packets that passed as light", rows, |row| {
            row.counters.packets_through
        }),
        numbers(("bytes-through", "B"), "their bytes", rows, |row| {
            row.counters.bytes_through as f64
        }),
        counts("packets-buffered", "packets that entered the buffer", rows, |row| {
            row.counters.packets_buffered
        }),
        numbers(("bytes-buffered", "B"), "their bytes", rows, |row| {
            row.counters.bytes_buffered as f64
        }),
        counts("lost-ports", "lost: no electronic input was free", rows, |row| {
            row.counters.lost_ports
        }),
        counts("lost-full", "lost: the buffer, or a queue, was full", rows, |row| {
            row.counters.lost_full
        }),
        counts("lost-down", "lost: the azimuth was down", rows, |row| row.counters.lost_down),
        numbers(
            ("buffer-max", "packets"),
            "maximum in the buffer, whole run; of hybrid switches",
            rows,
            |row| known(row, u64::from(row.counters.buffer_max)),
        ),
        numbers(("buffer-max-bytes", "B"), "the same in bytes", rows, |row| {
            known(row, row.counters.buffer_max_bytes)
        }),
        numbers(
            ("buffer-mean", "packets"),
            "in the buffer, mean over time, of packets that left it",
            rows,
            |row| ratio(row.stays, measured),
        ),
        numbers(
            ("wait-mean", "s"),
            "time in the buffer, first bit in to first bit out",
            rows,
            |row| ratio(row.waits.0, row.waits.1 as f64),
        ),
        numbers(
            ("wait-max", "s"),
            "longest time, whole run; none if a change of a link has changed waiting times",
            rows,
            |row| row.longest,
        ),
    ];
    Table { name: "switches", columns }
}

fn kind(row: &Row) -> &'static str {
    if row.hybrid { "hybrid" } else { "electronic" }
}

/// The sums over all switches, and the maximum of values that have no sum.
pub(super) fn totals(accounts: &Accounts) -> Json {
    let rows = &accounts.rows;
    let sum =
        |of: fn(&HybridCounters) -> u64| rows.iter().map(|row| of(&row.counters)).sum::<u64>();
    let most = |of: fn(&HybridCounters) -> u64| {
        rows.iter().map(|row| of(&row.counters)).max().unwrap_or_default()
    };
    let waits: f64 = rows.iter().map(|row| row.waits.0).sum();
    let came = sum(|c| c.packets_in);
    let there = came + rows.iter().map(|row| row.before).sum::<u64>();
    json!({
        "packets-in": came,
        "packets-through": sum(|c| c.packets_through),
        "bytes-through": sum(|c| c.bytes_through),
        "packets-buffered": sum(|c| c.packets_buffered),
        "bytes-buffered": sum(|c| c.bytes_buffered),
        "lost-ports": sum(|c| c.lost_ports),
        "lost-full": sum(|c| c.lost_full),
        "lost-down": sum(|c| c.lost_down),
        "buffered-share": ratio(sum(|c| c.packets_buffered) as f64, came as f64),
        "lost-share": ratio(sum(HybridCounters::lost) as f64, there as f64),
        "buffer-max": most(|c| u64::from(c.buffer_max)),
        "buffer-max-bytes": most(|c| c.buffer_max_bytes),
        "wait-mean": ratio(waits, rows.iter().map(|row| row.waits.1).sum::<u64>() as f64),
        "wait-max": largest(rows.iter().map(|row| row.longest)),
    })
}

/// One row per component of the energy model.
pub(super) fn energy(accounts: &Accounts) -> Table {
    let parts = &accounts.parts;
    let columns = vec![
        texts("part", "component that moved the bits", parts, |part| part.name.to_owned()),
        numbers(("bits", "b"), "bits that it moved", parts, |part| part.bits as f64),
        numbers(("per-bit", "J/b"), "energy per bit", parts, |part| part.per_bit),
        numbers(("energy", "J"), "energy of all bits", parts, |part| part.energy()),
    ];
    Table { name: "energy", columns }
}

/// Joules by component, in total, and per bit of data delivered in order.
pub(super) fn energy_totals(accounts: &Accounts, totals: &[Totals]) -> Json {
    let parts = &accounts.parts;
    let total: f64 = parts.iter().map(|part: &Part| part.energy()).sum();
    let delivered: u64 = totals.iter().map(|sum| sum.delivered).sum();
    let mut json: Json =
        parts.iter().map(|part| (part.name.to_owned(), json!(part.energy()))).collect();
    json["total"] = json!(total);
    json["per-delivered-bit"] = json!(ratio(total, delivered as f64 * 8.0));
    json
}
