//! The sums over the flows of an entry of traffic.

use std::collections::BTreeMap;

use plan::Period;
use units::{Span, Time};
use wire::record::{Delays, ReorderingCounts};

use super::{Completions, FlowRow, size_class};

/// Sums over the flows of an entry, updated when flows are removed: they do not need the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Flows, and how long they took.
    pub completions: Completions,
    /// The same of flows with an end, by the class of their size.
    pub by_size: BTreeMap<u32, Completions>,
    /// Flows whose data were all delivered, and when the first of them were.
    pub files: (u64, Option<Time>),
    /// Bytes of the flows with an end that began since measuring did.
    pub offered: u64,
    /// Their number.
    pub begun: u64,
    /// Bytes that all flows with an end have offered since measuring began, whenever they began.
    pub offered_since: u64,
    /// Payload bytes delivered in order of those sent since measuring began.
    pub delivered: u64,
    /// The sum of the squares of each flow's bytes.
    pub delivered_squares: u128,
    /// Packets from the sources since measuring began.
    pub packets_sent: u64,
    /// Of these, those that reached their sinks.
    pub packets_delivered: u64,
    /// Of these, those lost.
    pub packets_lost: u64,
    /// Data packets that arrived after one sent later.
    pub reordered: u64,
    /// Their displacement, if requested.
    pub reordering: Option<ReorderingCounts>,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Expired retransmission timers.
    pub timeouts: u64,
    /// Entries into fast retransmit, and how many of them retransmitted segments that were not
    /// lost.
    pub fast_retransmits: (u64, u64),
    /// Delays of data packets.
    pub delays: Delays,
    /// The standard deviations of each flow's delays, if it has at least two: their number and
    /// their sum.
    pub jitters: (u64, f64),
    /// The same from the first bit on the source's wire.
    pub wire_delays: Delays,
    /// The same from the first transmission of the data, if requested.
    pub first_delays: Delays,
    /// Delays of acknowledgments, if requested.
    pub ack_delays: Delays,
    /// When the first data was offered, and when the last of the completed flows was.
    pub course: Option<(Time, Time)>,
    /// Flows that had begun, had an end, and were not finished in the middle of the measured period.
    pub unfinished_halfway: u64,
    /// Whether there are flows still to come.
    pub open: bool,
}

impl Totals {
    /// Adds a flow that is removed, or present at the end of the run.
    pub fn add(&mut self, row: &FlowRow, period: Period) {
        self.completions.add(row, period);
        if let Some(bytes) = row.offered {
            self.by_size.entry(size_class(bytes)).or_default().add(row, period);
            if row.started.is_some_and(|started| started >= period.begin) {
                self.offered += bytes;
                self.begun += 1;
            }
        }
        self.offered_since += row.offered_since;
        if let Some(at) = row.delivered {
            let (files, first) = self.files;
            self.files = (files + 1, Some(first.map_or(at, |first| first.min(at))));
        }
        self.delivered += row.transport.delivered;
        self.delivered_squares += u128::from(row.transport.delivered).pow(2);
        self.packets_sent += row.counts.sent[0].packets;
        self.packets_delivered += row.counts.delivered[0].packets;
        self.packets_lost += row.counts.lost[0].packets;
        self.reordered += row.reordered;
        if let Some(counts) = &row.reordering {
            self.reordering.get_or_insert_default().add(counts);
        }
        self.retransmissions += row.transport.retransmissions;
        self.timeouts += row.transport.timeouts;
        self.fast_retransmits.0 += row.transport.fast_retransmits;
        self.fast_retransmits.1 += row.spurious;
        self.delays = self.delays.plus(&row.delays);
        if row.delays.count > 1 {
            self.jitters.0 += 1;
            self.jitters.1 += row.delays.deviation();
        }
        self.wire_delays = self.wire_delays.plus(&row.wire_delays);
        self.first_delays = self.first_delays.plus(&row.first_delays);
        self.ack_delays = self.ack_delays.plus(&row.ack_delays);
        let Some(started) = row.started else { return };
        let (first, last) = self.course.unwrap_or((started, started));
        self.course = Some((first.min(started), last.max(row.finished.unwrap_or(last))));
        let goes_on = row.finished.map_or(row.under_way, |finished| finished >= period.middle);
        self.unfinished_halfway += u64::from(started < period.middle && goes_on);
    }

    /// Packets from the sources since measuring began that are in flight.
    pub fn packets_inside(&self) -> u64 {
        self.packets_sent - self.packets_delivered - self.packets_lost
    }

    /// When the first data was offered and when the last flow was completed, once all are and no
    /// more will start.
    pub fn batch(&self) -> Option<(Time, Time)> {
        self.course.filter(|_| self.completions.completed == self.completions.flows && !self.open)
    }

    /// The makespan of a batch, from its first data offered to its last flow's completion.
    pub fn makespan(&self) -> Option<Span> {
        self.batch().map(|(first, last)| last - first)
    }

    /// The data delivered in b/s over the time of a batch, both since measuring began at `warmup`.
    pub fn batch_throughput(&self, warmup: Time) -> Option<f64> {
        let (first, last) = self.batch()?;
        let time = last.since(first.max(warmup)).as_secs_f64();
        (time > 0.0).then(|| self.delivered as f64 * 8.0 / time)
    }

    /// The mean of the flows' standard deviations of delay in seconds, NaN if no flow has one (He
    /// and Chan 2003, section II.B).
    pub fn jitter(&self) -> f64 {
        self.jitters.1 / self.jitters.0 as f64
    }

    /// Jain's index of fairness (Jain, Chiu and Hawe 1984) of the data delivered: (Σx)² / (n Σx²).
    pub fn jain(&self) -> f64 {
        let sum = self.delivered as f64;
        // Rounding may exceed the bound of the exact quotient.
        (sum * sum / (self.completions.flows as f64 * self.delivered_squares as f64)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use units::NodeId;
    use wire::record::FlowCounts;

    use super::*;
    use crate::host::TransportCounts;

    /// A flow of 1000 B with these instants in ms.
    fn row(started: Option<u64>, finished: Option<u64>) -> FlowRow {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let transport = TransportCounts { delivered: 1000, ..TransportCounts::default() };
        FlowRow {
            number: 0,
            traffic: 0,
            from: NodeId(0),
            to: NodeId(1),
            started: started.map(at),
            finished: finished.map(at),
            alone: None,
            under_way: started.is_some() && finished.is_none(),
            delivered: finished.map(at),
            offered: Some(1000),
            offered_since: 1000,
            counts: FlowCounts::default(),
            delays: Delays::default(),
            wire_delays: Delays::default(),
            first_delays: Delays::default(),
            ack_delays: Delays::default(),
            reordered: 0,
            reordering: None,
            spurious: 0,
            transport,
        }
    }

    fn totals(rows: &[(Option<u64>, Option<u64>)]) -> Totals {
        let mut totals = Totals::default();
        for &(started, finished) in rows {
            totals.add(&row(started, finished), Period::default());
        }
        totals
    }

    #[test]
    fn a_batch_lasts_from_its_first_offer_to_its_last_completion() {
        let batch = totals(&[(Some(7), Some(9)), (Some(5), Some(25)), (Some(6), Some(10))]);
        assert_eq!(batch.makespan(), Some(Span::from_ms(20)));
        let from = |ms| batch.batch_throughput(Time::ZERO + Span::from_ms(ms)).unwrap();
        assert!((from(0) - 24_000.0 / 20e-3).abs() < 1e-6);
        assert!((from(5) - 24_000.0 / 20e-3).abs() < 1e-6);
        // Delivered data are counted since the warm-up, so the time is as well.
        assert!((from(15) - 24_000.0 / 10e-3).abs() < 1e-6);
        assert!((batch.completions.times.mean() - 26e-3 / 3.0).abs() < 1e-12);
        assert_eq!(batch.completions.times.count, 3);
    }

    #[test]
    fn what_is_offered_are_the_files_that_begin_while_measuring() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let period = Period { begin: at(5), middle: at(10), end: at(15) };
        let mut totals = Totals::default();
        for started in [Some(4), Some(5), Some(14), None] {
            totals.add(&row(started, None), period);
        }
        assert_eq!(totals.offered, 2000);
    }

    #[test]
    fn a_batch_has_no_makespan_until_all_of_it_is_over() {
        assert_eq!(totals(&[]).makespan(), None);
        assert_eq!(totals(&[(Some(1), Some(2)), (Some(1), None)]).makespan(), None);
        assert_eq!(totals(&[(Some(1), Some(2)), (None, None)]).makespan(), None);
        let done = totals(&[(Some(1), Some(2))]);
        assert_eq!(done.makespan(), Some(Span::from_ms(1)));
        let more = Totals { open: true, ..done };
        assert_eq!((more.makespan(), more.batch_throughput(Time::ZERO)), (None, None));
    }

    #[test]
    fn files_are_counted_and_the_first_of_them_is_the_earliest() {
        assert_eq!(totals(&[(Some(1), None), (None, None)]).files, (0, None));
        let some = totals(&[(Some(1), Some(9)), (Some(2), None), (Some(7), Some(8))]);
        assert_eq!(some.files, (2, Some(Time::ZERO + Span::from_ms(8))));
    }

    #[test]
    fn completion_times_are_of_completed_flows_alone() {
        let some = totals(&[(Some(1), Some(3)), (Some(2), None), (None, None)]);
        assert_eq!(some.completions.times.count, 1);
        let median = some.completions.survival.ended().quantile(0.5).unwrap().as_secs_f64();
        assert!((median / 2e-3 - 1.0).abs() < 0.017, "{median}");
    }

    #[test]
    fn one_of_four_flows_has_everything() {
        let totals = Totals {
            completions: Completions { flows: 4, ..Completions::default() },
            delivered: 3_000_000_000_000,
            delivered_squares: 3_000_000_000_000_u128.pow(2),
            ..Totals::default()
        };
        assert!((totals.jain() - 0.25).abs() < 1e-12);
    }
}
