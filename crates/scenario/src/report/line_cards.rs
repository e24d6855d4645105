//! The table of the input line cards of CIOQ switches.

use network::anycast::{CardCounters, LineCard};
use network::world::World;
use serde_json::{Value as Json, json};

use super::Table;
use super::tables::{counts, numbers, ratio, texts};

type Row<'a> = (&'a LineCard, CardCounters);

fn rows(world: &World) -> Vec<Row<'_>> {
    let cards = world.anycast().cioq.iter().flat_map(|switch| &switch.cards);
    cards.map(|card| (card, card.counters())).collect()
}

/// The bytes in a queue below which a share of the packets left it when they had joined it.
fn content(card: &LineCard, share: f64) -> f64 {
    card.content().number(share).map_or(f64::NAN, |bytes| bytes as f64)
}

/// One row an input of a CIOQ switch.
pub(super) fn line_cards(world: &World) -> Table {
    let rows = rows(world);
    let graph = &world.plan().graph;
    let joined = |c: &CardCounters| (c.packets_in - c.lost_full) as f64;
    let columns = vec![
        texts("switch", "its name", &rows, |(card, _)| graph.nodes[card.node.index()].name.clone()),
        texts("link", "the link that leads to it", &rows, |(card, _)| graph.link_name(card.link)),
        counts("packets-in", "packets that came", &rows, |(_, c)| c.packets_in),
        numbers(("bytes-in", "B"), "their bytes", &rows, |(_, c)| c.bytes_in as f64),
        counts("packets-out", "packets whose last cell is at the output", &rows, |(_, c)| {
            c.packets_out
        }),
        counts("cells", "their cells", &rows, |(_, c)| c.cells),
        counts("lost-full", "lost: the buffer was full", &rows, |(_, c)| c.lost_full),
        numbers(
            ("voq-mean", "B"),
            "bytes in its virtual output queue that a packet found, mean",
            &rows,
            |(_, c)| ratio(c.found_sum as f64, joined(c)),
        ),
        numbers(("voq-p50", "B"), "bytes there with the packet, median", &rows, |(card, _)| {
            content(card, 0.5)
        }),
        numbers(("voq-p99", "B"), "the same, 99th percentile", &rows, |(card, _)| {
            content(card, 0.99)
        }),
        numbers(("voq-max", "B"), "the same, most, whole run", &rows, |(_, c)| c.queue_max as f64),
        numbers(
            ("stay-mean", "s"),
            "from last bit in to last cell at the output, mean",
            &rows,
            |(_, c)| ratio(c.stay_sum as f64 * 1e-12, c.packets_out as f64),
        ),
        numbers(("stay-max", "s"), "the longest, whole run", &rows, |(_, c)| {
            c.stay_max as f64 * 1e-12
        }),
    ];
    Table { name: "line-cards", columns }
}

/// The sums over all line cards, and the largest of what has no sum.
pub(super) fn totals(world: &World) -> Json {
    let rows = rows(world);
    let sum = |of: fn(&CardCounters) -> f64| rows.iter().map(|(_, c)| of(c)).sum::<f64>();
    let count = |of: fn(&CardCounters) -> u64| rows.iter().map(|(_, c)| of(c)).sum::<u64>();
    let most = |of: fn(&CardCounters) -> u64| rows.iter().map(|(_, c)| of(c)).max();
    let worst = rows.iter().map(|(card, _)| content(card, 0.99)).fold(f64::NAN, f64::max);
    let joined = count(|c| c.packets_in - c.lost_full) as f64;
    json!({
        "packets-in": count(|c| c.packets_in),
        "cells": count(|c| c.cells),
        "lost-full": count(|c| c.lost_full),
        "voq-mean": ratio(sum(|c| c.found_sum as f64), joined),
        "voq-p99": worst,
        "voq-max": most(|c| c.queue_max),
        "stay-mean": ratio(sum(|c| c.stay_sum as f64) * 1e-12, count(|c| c.packets_out) as f64),
        "stay-max": most(|c| c.stay_max).map(|longest| longest as f64 * 1e-12),
    })
}
