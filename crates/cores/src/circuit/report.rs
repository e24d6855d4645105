//! The tables of racks and of circuit switches, and their sums.

use kinds::Counters;
use plan::table::{Sum, Sums, Table, counts, numbers, ratio, texts};
use plan::topology::Graph;

use super::CircuitNodes;
use super::counters::{RackCounters, SwitchCounters};

/// One row per rack and one per circuit switch, and the sums over all.
pub(super) fn tables(nodes: &CircuitNodes, graph: &Graph) -> Vec<(Table, Sums)> {
    let name = |node| graph.node_name(node).to_owned();
    let racks = nodes.racks.iter();
    let racks: Vec<_> =
        racks.map(|rack| (name(rack.node), rack.counters.since(&rack.before))).collect();
    let switches = nodes.switches.iter();
    let switches: Vec<_> =
        switches.map(|it| (it.plane.name(graph), it.counters.since(&it.before))).collect();
    vec![(racks_table(&racks), rack_sums(&racks)), (circuits(&switches), circuit_sums(&switches))]
}

/// The mean wait of the packets that left a queue, in seconds.
fn wait(counters: &RackCounters) -> f64 {
    ratio(counters.wait_sum as f64 * 1e-12, counters.sent() as f64)
}

fn racks_table(rows: &[(String, RackCounters)]) -> Table {
    let columns = vec![
        texts("rack", "its name", rows, |(name, _)| name.clone()),
        counts("packets-in", "packets that arrived", rows, |(_, c)| c.packets_in),
        counts("to-hosts", "packets for its own hosts", rows, |(_, c)| c.to_hosts),
        counts(
            "sent-on",
            "packets sent on a circuit to the rack of their destination",
            rows,
            |(_, c)| c.sent_on,
        ),
        counts(
            "sent-over",
            "packets sent on a circuit to a rack that passes them on",
            rows,
            |(_, c)| c.sent_over,
        ),
        counts("sent-short", "packets of short flows sent on a circuit", rows, |(_, c)| {
            c.sent_short
        }),
        counts("sent-beside", "packets sent to electronic switches", rows, |(_, c)| c.sent_beside),
        counts("trimmed", "packets of short flows that lost their data", rows, |(_, c)| c.trimmed),
        counts("lost-full", "lost: their queue was full", rows, |(_, c)| c.lost_full),
        counts("marked", "packets marked (ECN)", rows, |(_, c)| c.marked),
        numbers(
            ("queue-max", "B"),
            "bytes in all of its queues, most, whole run",
            rows,
            |(_, c)| c.queue_max as f64,
        ),
        numbers(
            ("wait-mean", "s"),
            "time in a queue of a packet that left on a circuit, mean, short flows not counted",
            rows,
            |(_, c)| wait(c),
        ),
        numbers(("wait-max", "s"), "the longest, whole run", rows, |(_, c)| {
            c.wait_max as f64 * 1e-12
        }),
        numbers(
            ("short-wait-mean", "s"),
            "time of a packet of a short flow in a rack, mean",
            rows,
            |(_, c)| ratio(c.short_wait_sum as f64 * 1e-12, c.sent_short as f64),
        ),
        numbers(("short-wait-max", "s"), "the longest, whole run", rows, |(_, c)| {
            c.short_wait_max as f64 * 1e-12
        }),
    ];
    Table { name: "racks", columns }
}

fn rack_sums(rows: &[(String, RackCounters)]) -> Sums {
    let all = RackCounters::sum(rows.iter().map(|(_, counters)| counters));
    vec![
        ("packets-in", Sum::U64(all.packets_in)),
        ("to-hosts", Sum::U64(all.to_hosts)),
        ("sent-on", Sum::U64(all.sent_on)),
        ("sent-over", Sum::U64(all.sent_over)),
        ("sent-short", Sum::U64(all.sent_short)),
        ("sent-beside", Sum::U64(all.sent_beside)),
        ("trimmed", Sum::U64(all.trimmed)),
        ("lost-full", Sum::U64(all.lost_full)),
        ("marked", Sum::U64(all.marked)),
        ("queue-max", Sum::U64(all.queue_max)),
        ("wait-mean", Sum::F64(ratio(all.wait_sum as f64 * 1e-12, all.sent() as f64))),
        ("wait-max", Sum::F64(all.wait_max as f64 * 1e-12)),
        (
            "short-wait-mean",
            Sum::F64(ratio(all.short_wait_sum as f64 * 1e-12, all.sent_short as f64)),
        ),
        ("short-wait-max", Sum::F64(all.short_wait_max as f64 * 1e-12)),
    ]
}

fn circuits(rows: &[(String, SwitchCounters)]) -> Table {
    let columns = vec![
        texts(
            "switch",
            "its name, with a channel where its links have several",
            rows,
            |(name, _)| name.clone(),
        ),
        counts("packets-in", "packets whose first bit came", rows, |(_, c)| c.packets_in),
        counts("packets-through", "packets that passed", rows, |(_, c)| c.packets_through),
        numbers(("bytes-through", "B"), "their bytes", rows, |(_, c)| c.bytes_through as f64),
        counts(
            "lost-dark",
            "lost: the switch was dark, or went dark before they had passed",
            rows,
            |(_, c)| c.lost_dark,
        ),
    ];
    Table { name: "circuits", columns }
}

fn circuit_sums(rows: &[(String, SwitchCounters)]) -> Sums {
    let all = SwitchCounters::sum(rows.iter().map(|(_, counters)| counters));
    vec![
        ("packets-in", Sum::U64(all.packets_in)),
        ("packets-through", Sum::U64(all.packets_through)),
        ("bytes-through", Sum::F64(all.bytes_through as f64)),
        ("lost-dark", Sum::U64(all.lost_dark)),
    ]
}
