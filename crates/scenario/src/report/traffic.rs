//! The tables of entries of traffic: sums over their flows, and their reordering.

use std::ops::Range;

use engine::observe::{Completions, Totals, Transient, sizes_of};
use engine::world::World;
use plan::table::{Column, Table, counts, numbers, seconds};
use plan::{TrafficPlan, TransportPlan};
use units::Span;
use wire::record::ReorderingCounts;

use super::{bounds, surplus};
use crate::offered::pairs;

/// The change of goodput from which on a transient is told, and by how many standard errors its mean is then apart
/// from that of the rest.
const TOLD: (f64, f64) = (0.05, 3.0);

/// One row per entry of the scenario's traffic.
pub(super) fn traffic(world: &World, totals: &[Totals]) -> Table {
    let measured = world.measured().as_secs_f64();
    let rows: Vec<(usize, &Totals)> = totals.iter().enumerate().collect();
    let mut columns = vec![
        counts("traffic", "entry of the scenario's traffic", &rows, |(at, _)| *at as u64),
        counts("flows", "flows, including those that have ended", &rows, |(_, sum)| {
            sum.completions.flows
        }),
        counts("completed", "flows whose data were all acknowledged", &rows, |(_, sum)| {
            sum.completions.completed
        }),
        numbers(
            ("goodput", "b/s"),
            "data sent and delivered in order within the measured period, all flows",
            &rows,
            |(_, sum)| sum.delivered as f64 * 8.0 / measured,
        ),
        numbers(
            ("offered", "b/s"),
            "data of the files that began within the measured period, over its length",
            &rows,
            |(at, sum)| {
                let is_files = world.plan().traffic[*at].source.sends_files();
                if is_files { sum.offered as f64 * 8.0 / measured } else { f64::NAN }
            },
        ),
        numbers(("jain", ""), "Jain's index of the flows' delivered data", &rows, |(_, sum)| {
            sum.jain()
        }),
        counts("packets-sent", "packets from the sources", &rows, |(_, sum)| sum.packets_sent),
        counts(
            "packets-delivered",
            "of these, those that reached their sinks",
            &rows,
            |(_, sum)| sum.packets_delivered,
        ),
        counts("packets-lost", "of these, those lost", &rows, |(_, sum)| sum.packets_lost),
        counts("packets-inside", "of these, those still on their way", &rows, |(_, sum)| {
            sum.packets_inside()
        }),
        numbers(("loss", ""), "packets lost over packets sent", &rows, |(_, sum)| {
            sum.packets_lost as f64 / sum.packets_sent as f64
        }),
        counts(
            "reordered",
            "data packets that arrived after one sent later (RFC 4737)",
            &rows,
            |(_, sum)| sum.reordered,
        ),
        numbers(
            ("reorder-ratio", ""),
            "their share of the data packets that arrived",
            &rows,
            |(_, sum)| sum.reordered as f64 / sum.delays.count as f64,
        ),
    ];
    columns.extend(resending(&rows));
    columns.extend(delays(world, &rows));
    columns.extend(completions(world, &rows));
    columns.extend(doubts(world, &rows));
    columns.extend(extents(&rows));
    Table { name: "traffic", columns }
}

/// Retransmissions and their causes.
fn resending(rows: &[(usize, &Totals)]) -> Vec<Column> {
    vec![
        counts("retransmissions", "segments retransmitted", rows, |(_, sum)| sum.retransmissions),
        counts("timeouts", "expired retransmission timers", rows, |(_, sum)| sum.timeouts),
        counts("fast-retransmits", "entries into fast retransmit", rows, |(_, sum)| {
            sum.fast_retransmits.0
        }),
        counts(
            "spurious-fast-retransmits",
            "those of segments that were not lost (known to the simulator, not to a host)",
            rows,
            |(_, sum)| sum.fast_retransmits.1,
        ),
    ]
}

/// The delays of packets.
fn delays(world: &World, rows: &[(usize, &Totals)]) -> Vec<Column> {
    let delay =
        |at: usize, q: f64| world.delays(at).quantile(q).map_or(f64::NAN, Span::as_secs_f64);
    vec![
        numbers(("delay-mean", "s"), "delay of data packets, mean", rows, |(_, sum)| {
            sum.delays.mean()
        }),
        numbers(
            ("delay-wire-mean", "s"),
            "delay without the wait in the sources' interfaces, mean",
            rows,
            |(_, sum)| sum.wire_delays.mean(),
        ),
        numbers(
            ("delay-first-mean", "s"),
            "delay from the first transmission of the data, mean; if recorded",
            rows,
            |(_, sum)| sum.first_delays.mean(),
        ),
        numbers(
            ("ack-delay-mean", "s"),
            "delay of acknowledgments, mean; if recorded",
            rows,
            |(_, sum)| sum.ack_delays.mean(),
        ),
        counts("acks-delivered", "acknowledgments that arrived; if recorded", rows, |(_, sum)| {
            sum.ack_delays.count
        }),
        numbers(
            ("jitter", "s"),
            "standard deviation of a flow's delays, mean over the flows",
            rows,
            |(_, sum)| sum.jitter(),
        ),
        numbers(("delay-p50", "s"), "median delay, to 1.6%", rows, |(at, _)| delay(*at, 0.5)),
        numbers(("delay-p90", "s"), "90% quantile of delays", rows, |(at, _)| delay(*at, 0.9)),
        numbers(("delay-p99", "s"), "99% quantile of delays", rows, |(at, _)| delay(*at, 0.99)),
    ]
}

/// The displacement of reordered packets, if it is measured.
fn extents(rows: &[(usize, &Totals)]) -> Vec<Column> {
    let of = |sum: &Totals, value: fn(&ReorderingCounts) -> f64| {
        sum.reordering.as_ref().map_or(f64::NAN, value)
    };
    vec![
        numbers(
            ("reorder-extent-mean", "packets"),
            "arrivals from the first packet sent later to the reordered one, mean (RFC 4737)",
            rows,
            |(_, sum)| of(sum, ReorderingCounts::extent_mean),
        ),
        numbers(("reorder-extent-max", "packets"), "their maximum", rows, |(_, sum)| {
            of(sum, |counts| counts.extent_max as f64)
        }),
        numbers(
            ("reorder-3", ""),
            "share of the data packets that arrive after three sent later (3-reordered, RFC 4737)",
            rows,
            |(_, sum)| of(sum, ReorderingCounts::three_share),
        ),
    ]
}

/// The reorder density of entries, if it is measured: one row per entry and displacement.
pub(super) fn reordering(totals: &[Totals]) -> Table {
    let mut rows = Vec::new();
    for (entry, sum) in (0u64..).zip(totals) {
        let counts = sum.reordering.clone().unwrap_or_default();
        rows.extend(
            counts.density().map(|(d, packets, share)| (entry, f64::from(d), packets, share)),
        );
    }
    let columns = vec![
        counts("traffic", "entry of the scenario's traffic", &rows, |row| row.0),
        numbers(
            ("displacement", "packets"),
            "displacement: places by which packets arrived late, negative: early (RFC 5236)",
            &rows,
            |row| row.1,
        ),
        counts("packets", "data packets with this displacement", &rows, |row| row.2),
        numbers(("share", ""), "their share of all: the reorder density", &rows, |row| row.3),
    ];
    Table { name: "reordering", columns }
}

/// Completion times and slowdowns by the size of files: one row per entry and decade.
pub(super) fn sizes(world: &World, totals: &[Totals]) -> Option<Table> {
    let mut rows: Vec<(u64, Range<u64>, &Completions)> = Vec::new();
    for ((at, sum), entry) in (0..).zip(totals).zip(&world.plan().traffic) {
        if entry.source.sends_files() && !matches!(entry.transport, TransportPlan::Udp { .. }) {
            rows.extend(sum.by_size.iter().map(|(&class, flows)| (at, sizes_of(class), flows)));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut columns = vec![
        counts("traffic", "entry of the scenario's traffic", &rows, |row| row.0),
        numbers(("size-from", "B"), "the least size of these flows", &rows, |row| {
            row.1.start as f64
        }),
        numbers(("size-below", "B"), "they are smaller than this", &rows, |row| row.1.end as f64),
        counts("flows", "flows with an end, including those that have ended", &rows, |row| {
            row.2.flows
        }),
        counts("completed", "flows whose data were all acknowledged", &rows, |row| row.2.completed),
        counts("unfinished", "flows that began and did not end", &rows, |row| row.2.unfinished),
    ];
    columns.extend(times(&rows, |row| row.2));
    columns.extend(quantiles_of_all(&rows, |row| row.2));
    columns.extend(slowdowns(&rows, |row| row.2));
    Some(Table { name: "sizes", columns })
}

/// The completion times of the flows that have ended.
fn times<R>(rows: &[R], of: impl Fn(&R) -> &Completions) -> [Column; 3] {
    let quantile =
        |row: &R, q: f64| of(row).survival.ended().quantile(q).map_or(f64::NAN, Span::as_secs_f64);
    [
        numbers(
            ("completion-mean", "s"),
            "first data offered to all data acknowledged, completed flows, mean",
            rows,
            |row| of(row).times.mean(),
        ),
        numbers(("completion-p50", "s"), "median completion time, to 1.6%", rows, |row| {
            quantile(row, 0.5)
        }),
        numbers(("completion-p99", "s"), "99% quantile of completion times", rows, |row| {
            quantile(row, 0.99)
        }),
    ]
}

/// Quantiles of completion times with those of flows that have not ended.
fn quantiles_of_all<R>(rows: &[R], of: impl Fn(&R) -> &Completions) -> [Column; 2] {
    let quantile = |row: &R, q| of(row).survival.quantile(q).map_or(f64::NAN, Span::as_secs_f64);
    [
        numbers(
            ("completion-km-p50", "s"),
            "median completion time, unfinished flows counted (Kaplan and Meier), to 1.6%",
            rows,
            |row| quantile(row, 0.5),
        ),
        numbers(
            ("completion-km-p99", "s"),
            "99% quantile of completion times, unfinished flows counted likewise",
            rows,
            |row| quantile(row, 0.99),
        ),
    ]
}

/// Completion times over those in an idle network.
fn slowdowns<R>(rows: &[R], of: impl Fn(&R) -> &Completions) -> [Column; 3] {
    [
        numbers(
            ("slowdown-mean", ""),
            "completion time over that in an idle network, completed files, mean",
            rows,
            |row| of(row).slowdowns.mean(),
        ),
        numbers(("slowdown-p50", ""), "median slowdown, to 1.6%", rows, |row| {
            of(row).slowdowns.quantile(0.5)
        }),
        numbers(("slowdown-p99", ""), "99% quantile of slowdowns", rows, |row| {
            of(row).slowdowns.quantile(0.99)
        }),
    ]
}

/// The completion times of the flows of each entry, and of all entries together.
fn completions(world: &World, rows: &[(usize, &Totals)]) -> Vec<Column> {
    let period = world.plan().period();
    let (warmup, half) = (period.begin, period.middle.since(period.begin));
    let planned: Vec<Option<u64>> = world.plan().traffic.iter().map(planned).collect();
    let mut columns = vec![
        numbers(
            ("makespan", "s"),
            "first data offered to last flow completed; none until all are completed and no more will start",
            rows,
            |(_, sum)| sum.makespan().map_or(f64::NAN, Span::as_secs_f64),
        ),
        numbers(
            ("batch-throughput", "b/s"),
            "data delivered over the makespan, the part of it after the warm-up",
            rows,
            |(_, sum)| sum.batch_throughput(warmup).unwrap_or(f64::NAN),
        ),
    ];
    columns.extend(times(rows, |(_, sum)| &sum.completions));
    columns.extend(slowdowns(rows, |(_, sum)| &sum.completions));
    columns.extend([
        counts(
            "unfinished",
            "flows that began, have an end, and were not acknowledged completely when the run ended",
            rows,
            |(_, sum)| sum.completions.unfinished,
        ),
        counts(
            "unfinished-halfway",
            "flows that had begun and not ended in the middle of the measured period",
            rows,
            |(_, sum)| sum.unfinished_halfway,
        ),
        numbers(
            ("unstarted", ""),
            "flows of a closed loop, a list or a graph that had not begun when the run ended; none of other \
             sources",
            rows,
            |(at, sum)| {
                planned[*at].map_or(f64::NAN, |all| all.saturating_sub(sum.completions.flows) as f64)
            },
        ),
    ]);
    columns.extend(quantiles_of_all(rows, |(_, sum)| &sum.completions));
    columns.extend([
        numbers(
            ("completion-restricted-mean", "s"),
            "mean completion time, unfinished flows counted, times above half of the measured \
             period as that",
            rows,
            |(_, sum)| sum.completions.survival.mean_within(half).unwrap_or(f64::NAN),
        ),
        numbers(
            ("completion-beyond", ""),
            "share of completion times above half of the measured period, by the same estimate",
            rows,
            |(_, sum)| sum.completions.survival.share_beyond(half).unwrap_or(f64::NAN),
        ),
        counts("files-complete", "flows whose sink has all of their data", rows, |(_, sum)| {
            sum.files.0
        }),
        numbers(("first-file", "s"), "when the first of them was delivered", rows, |(_, sum)| {
            seconds(sum.files.1)
        }),
    ]);
    columns
}

/// How many flows an entry has in all, if it ends by itself.
fn planned(traffic: &TrafficPlan) -> Option<u64> {
    let ends = traffic.source.closed_loop().is_some() || traffic.source.has_pairs();
    ends.then(|| pairs(traffic).1)
}

/// What goodput cannot exceed, whether it was steady, and how much chance had to do with it.
fn doubts(world: &World, rows: &[(usize, &Totals)]) -> Vec<Column> {
    let (bounds, has_room) = (bounds::goodput(world.plan()), bounds::core_has_room(world));
    let measured = world.measured().as_secs_f64();
    let steady = |at: usize, sum: &Totals| -> Option<Transient> {
        // A batch has no steady state.
        let goes_on = sum.open || sum.completions.unfinished + sum.completions.completed == 0;
        let found = world.course().transient(at).filter(|_| goes_on)?;
        let (change, apart) = TOLD;
        let told = (found.rest - 1.0).abs() > change && found.apart > apart;
        Some(if told { found } else { Transient { lasts: Span::ZERO, rest: 1.0, apart: 0.0 } })
    };
    vec![
        numbers(
            ("goodput-bound", "b/s"),
            "goodput that the links of sources and sinks, and constant bit rates, permit",
            rows,
            |(at, _)| bounds[*at],
        ),
        numbers(
            ("access-share", ""),
            "share of what the links of sources and sinks carry that goodput is; of data without end, where no link \
             of a core is used for half of the time",
            rows,
            |(at, sum)| {
                let is_endless = world.plan().traffic[*at].source.is_endless();
                let goodput = sum.delivered as f64 * 8.0 / measured;
                if has_room && is_endless { goodput / bounds[*at] } else { f64::NAN }
            },
        ),
        numbers(
            ("transient", "s"),
            "beginning of the measured period that is unlike the rest and matters (MSER-5)",
            rows,
            |(at, sum)| steady(*at, sum).map_or(f64::NAN, |found| found.lasts.as_secs_f64()),
        ),
        numbers(("goodput-steady", "b/s"), "goodput after it", rows, |(at, sum)| {
            let mean = sum.delivered as f64 * 8.0 / measured;
            steady(*at, sum).map_or(f64::NAN, |found| mean * found.rest)
        }),
        numbers(
            ("goodput-earlier", ""),
            "share of the goodput, at least, of data that were offered before measuring began; of files",
            rows,
            |(at, sum)| {
                let source = &world.plan().traffic[*at].source;
                let share = 1.0 - sum.offered_since as f64 / sum.delivered as f64;
                let ends = source.sends_files() && !source.is_endless();
                if ends { share.max(0.0) } else { f64::NAN }
            },
        ),
        numbers(
            ("measured-rtos", ""),
            "minimum retransmission timeouts in the measured period; none if no timer expired",
            rows,
            |(at, sum)| {
                let least = match &world.plan().traffic[*at].transport {
                    TransportPlan::Tcp(config) if sum.timeouts > 0 => config.min_rto,
                    _ => Span::ZERO,
                };
                if least == Span::ZERO { f64::NAN } else { measured / least.as_secs_f64() }
            },
        ),
        numbers(
            ("offered-surplus", "B"),
            "data that sources offered beyond their mean: a control variate of expectation 0",
            rows,
            |(at, sum)| surplus::offered(world, *at, sum),
        ),
    ]
}
