//! The tables of racks, of lightpaths and of fibres, and their sums.

use kinds::Counters;
use plan::table::{Sum, Sums, Table, counts, numbers, ratio, texts};
use plan::topology::Graph;

use super::LightpathNodes;
use super::counters::{FibreCounters, PairCounters, RackCounters};

/// One row per rack, per pair of racks that has asked for a lightpath, and per fibre, and the sums over all.
pub(super) fn tables(nodes: &LightpathNodes, graph: &Graph) -> Vec<(Table, Sums)> {
    let seconds = nodes.seen.since(nodes.from).as_secs_f64();
    let racks = nodes.racks.iter();
    let racks: Vec<_> = racks
        .map(|rack| (graph.node_name(rack.node).to_owned(), rack.counters.since(&rack.before)))
        .collect();
    let name = |rack: u32| graph.node_name(nodes.racks[rack as usize].node).to_owned();
    let pair = |pair: u32| [name(pair / nodes.count), name(pair % nodes.count)];
    let mut known: Vec<_> = nodes.known.iter().collect();
    known.sort_by_key(|known| known.pair);
    let known =
        known.into_iter().map(|known| (pair(known.pair), known.counters.since(&known.before)));
    let known: Vec<_> = known.collect();
    let fibre = |fibre: &super::state::Fibre| FibreRow {
        name: graph.link_name(fibre.link),
        channels: fibre.channels,
        counters: fibre.counters.since(&fibre.before),
    };
    let fibres: Vec<_> = nodes.fibres.iter().map(fibre).collect();
    vec![
        (racks_table(&racks), rack_sums(&racks)),
        (lightpaths(&known), lightpath_sums(&known, seconds)),
        (fibres_table(&fibres, seconds), fibre_sums(&fibres, seconds)),
    ]
}

/// A fibre, with what was counted.
struct FibreRow {
    name: String,
    channels: u32,
    counters: FibreCounters,
}

impl FibreRow {
    /// The channels that were held, a mean over time.
    fn held(&self, seconds: f64) -> f64 {
        ratio(self.counters.held as f64 * 1e-12, seconds)
    }
}

/// The mean wait of the packets that left a queue on a lightpath, in seconds.
fn wait(counters: &RackCounters) -> f64 {
    ratio(counters.wait_sum as f64 * 1e-12, counters.sent as f64)
}

fn racks_table(rows: &[(String, RackCounters)]) -> Table {
    let columns = vec![
        texts("rack", "its name", rows, |(name, _)| name.clone()),
        counts("packets-in", "packets that arrived", rows, |(_, c)| c.packets_in),
        counts("to-hosts", "packets for its own hosts", rows, |(_, c)| c.to_hosts),
        counts("sent-on", "packets sent to the rack of their destination", rows, |(_, c)| c.sent),
        counts("lost-full", "lost: their queue was full", rows, |(_, c)| c.lost_full),
        counts("lost-blocked", "lost: a request for a lightpath was blocked", rows, |(_, c)| {
            c.lost_blocked
        }),
        counts("lost-down", "lost: a fibre of their lightpath was down", rows, |(_, c)| {
            c.lost_down
        }),
        counts("marked", "packets marked (ECN)", rows, |(_, c)| c.marked),
        numbers(
            ("queue-max", "B"),
            "bytes in all of its queues, most, whole run",
            rows,
            |(_, c)| c.queue_max as f64,
        ),
        numbers(
            ("wait-mean", "s"),
            "time in a queue of a packet that was sent on, mean",
            rows,
            |(_, c)| wait(c),
        ),
        numbers(("wait-max", "s"), "the longest, whole run", rows, |(_, c)| {
            c.wait_max as f64 * 1e-12
        }),
    ];
    Table { name: "racks", columns }
}

fn rack_sums(rows: &[(String, RackCounters)]) -> Sums {
    let all = RackCounters::sum(rows.iter().map(|(_, counters)| counters));
    vec![
        ("packets-in", Sum::U64(all.packets_in)),
        ("to-hosts", Sum::U64(all.to_hosts)),
        ("sent-on", Sum::U64(all.sent)),
        ("lost-full", Sum::U64(all.lost_full)),
        ("lost-blocked", Sum::U64(all.lost_blocked)),
        ("lost-down", Sum::U64(all.lost_down)),
        ("marked", Sum::U64(all.marked)),
        ("queue-max", Sum::U64(all.queue_max)),
        ("wait-mean", Sum::F64(ratio(all.wait_sum as f64 * 1e-12, all.sent as f64))),
        ("wait-max", Sum::F64(all.wait_max as f64 * 1e-12)),
    ]
}

fn lightpaths(rows: &[([String; 2], PairCounters)]) -> Table {
    let columns = vec![
        texts("from", "the rack that asks", rows, |([from, _], _)| from.clone()),
        texts("to", "the rack at the other end", rows, |([_, to], _)| to.clone()),
        counts("requests", "requests for a lightpath, repeated ones too", rows, |(_, c)| {
            c.requests
        }),
        counts("granted", "of these, those that got one", rows, |(_, c)| c.granted),
        counts(
            "by-alternate",
            "of these, those by another route than the first",
            rows,
            |(_, c)| c.by_alternate,
        ),
        counts("blocked-channel", "blocked: no route had a channel", rows, |(_, c)| {
            c.blocked_channel
        }),
        counts(
            "blocked-transceiver",
            "blocked: a rack had no transmitter or no receiver",
            rows,
            |(_, c)| c.blocked_transceiver,
        ),
        numbers(("blocking", ""), "the share of requests that was blocked", rows, |(_, c)| {
            ratio(c.blocked() as f64, c.requests as f64)
        }),
        numbers(("hops-mean", ""), "fibres of a lightpath, mean", rows, |(_, c)| {
            ratio(c.hops as f64, c.granted as f64)
        }),
        numbers(
            ("held", "s"),
            "for how long there were lightpaths, from the request until their channels were free",
            rows,
            |(_, c)| c.held as f64 * 1e-12,
        ),
    ];
    Table { name: "lightpaths", columns }
}

fn lightpath_sums(rows: &[([String; 2], PairCounters)], seconds: f64) -> Sums {
    let all = PairCounters::sum(rows.iter().map(|(_, counters)| counters));
    let held = all.held as f64 * 1e-12;
    vec![
        ("requests", Sum::U64(all.requests)),
        ("granted", Sum::U64(all.granted)),
        ("by-alternate", Sum::U64(all.by_alternate)),
        ("blocked-channel", Sum::U64(all.blocked_channel)),
        ("blocked-transceiver", Sum::U64(all.blocked_transceiver)),
        ("blocking", Sum::F64(ratio(all.blocked() as f64, all.requests as f64))),
        ("hops-mean", Sum::F64(ratio(all.hops as f64, all.granted as f64))),
        ("held", Sum::F64(held)),
        ("open-mean", Sum::F64(ratio(held, seconds))),
    ]
}

fn fibres_table(rows: &[FibreRow], seconds: f64) -> Table {
    let columns = vec![
        texts("link", "its name", rows, |row| row.name.clone()),
        counts("channels", "its channels", rows, |row| u64::from(row.channels)),
        counts("lightpaths", "lightpaths that got one of them", rows, |row| {
            row.counters.lightpaths
        }),
        numbers(("held-mean", ""), "channels that were held, mean over time", rows, |row| {
            row.held(seconds)
        }),
        numbers(("held-share", ""), "the same as a share of all", rows, |row| {
            row.held(seconds) / f64::from(row.channels)
        }),
    ];
    Table { name: "fibres", columns }
}

fn fibre_sums(rows: &[FibreRow], seconds: f64) -> Sums {
    let channels: u64 = rows.iter().map(|row| u64::from(row.channels)).sum();
    let held: f64 = rows.iter().map(|row| row.held(seconds)).sum();
    vec![
        ("channels", Sum::U64(channels)),
        ("lightpaths", Sum::U64(rows.iter().map(|row| row.counters.lightpaths).sum())),
        ("held-mean", Sum::F64(held)),
        ("held-share", Sum::F64(ratio(held, channels as f64))),
    ]
}
