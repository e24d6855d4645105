//! The table of the input line cards of CIOQ switches, and its sums.

use plan::table::{Sum, Sums, Table, counts, numbers, ratio, texts};
use plan::topology::Graph;

use super::{CardCounters, CioqSwitches, LineCard};

/// A line card with its counters since measuring began.
type Row<'a> = (&'a LineCard, CardCounters);

/// One row per input, and the sums over all.
pub(super) fn tables(switches: &CioqSwitches, graph: &Graph) -> Vec<(Table, Sums)> {
    let rows: Vec<Row<'_>> = switches.cards().map(|card| (card, card.counters())).collect();
    vec![(line_cards(&rows, graph), sums(&rows))]
}

/// The quantile of the bytes in a queue right after a packet has joined it.
fn content(card: &LineCard, share: f64) -> f64 {
    card.content().number(share).map_or(f64::NAN, |bytes| bytes as f64)
}

/// One row per input of a CIOQ switch.
fn line_cards(rows: &[Row<'_>], graph: &Graph) -> Table {
    let joined = |c: &CardCounters| (c.packets_in - c.lost_full) as f64;
    let columns = vec![
        texts("switch", "its name", rows, |(card, _)| graph.node_name(card.node).to_owned()),
        texts("link", "the link that leads to it", rows, |(card, _)| graph.link_name(card.link)),
        counts("packets-in", "packets that arrived", rows, |(_, c)| c.packets_in),
        numbers(("bytes-in", "B"), "their bytes", rows, |(_, c)| c.bytes_in as f64),
        counts("packets-out", "packets whose last cell is at the output", rows, |(_, c)| {
            c.packets_out
        }),
        counts("cells", "their cells", rows, |(_, c)| c.cells),
        counts("lost-full", "lost: the buffer was full", rows, |(_, c)| c.lost_full),
        numbers(
            ("voq-mean", "B"),
            "bytes in its virtual output queue that a packet found, mean",
            rows,
            |(_, c)| ratio(c.found_sum as f64, joined(c)),
        ),
        numbers(("voq-p50", "B"), "bytes there with the packet, median", rows, |(card, _)| {
            content(card, 0.5)
        }),
        numbers(("voq-p99", "B"), "the same, 99th percentile", rows, |(card, _)| {
            content(card, 0.99)
        }),
        numbers(("voq-max", "B"), "the same, most, whole run", rows, |(_, c)| c.queue_max as f64),
        numbers(
            ("stay-mean", "s"),
            "from last bit in to last cell at the output, mean",
            rows,
            |(_, c)| ratio(c.stay_sum as f64 * 1e-12, c.packets_out as f64),
        ),
        numbers(("stay-max", "s"), "the longest, whole run", rows, |(_, c)| {
            c.stay_max as f64 * 1e-12
        }),
    ];
    Table { name: "line-cards", columns }
}

/// The sums over all line cards, and the maximum of values that have no sum.
fn sums(rows: &[Row<'_>]) -> Sums {
    let sum = |of: fn(&CardCounters) -> f64| rows.iter().map(|(_, c)| of(c)).sum::<f64>();
    let count = |of: fn(&CardCounters) -> u64| rows.iter().map(|(_, c)| of(c)).sum::<u64>();
    let most =
        |of: fn(&CardCounters) -> u64| rows.iter().map(|(_, c)| of(c)).max().unwrap_or_default();
    let worst = rows.iter().map(|(card, _)| content(card, 0.99)).fold(f64::NAN, f64::max);
    let joined = count(|c| c.packets_in - c.lost_full) as f64;
    vec![
        ("packets-in", Sum::U64(count(|c| c.packets_in))),
        ("cells", Sum::U64(count(|c| c.cells))),
        ("lost-full", Sum::U64(count(|c| c.lost_full))),
        ("voq-mean", Sum::F64(ratio(sum(|c| c.found_sum as f64), joined))),
        ("voq-p99", Sum::F64(worst)),
        ("voq-max", Sum::U64(most(|c| c.queue_max))),
        ("stay-mean", {
            let stays = sum(|c| c.stay_sum as f64) * 1e-12;
            Sum::F64(ratio(stays, count(|c| c.packets_out) as f64))
        }),
        ("stay-max", Sum::F64(most(|c| c.stay_max) as f64 * 1e-12)),
    ]
}
