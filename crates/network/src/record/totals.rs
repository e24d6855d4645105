//! What the flows of an entry of traffic amount to.

use super::{Delays, FlowRow};

/// Sums over the flows of an entry, taken as the flows go: they need none of the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Flows.
    pub flows: u64,
    /// Flows whose data were all acknowledged.
    pub completed: u64,
    /// Payload bytes delivered in order.
    pub delivered: u64,
    /// The squares of each flow's, summed.
    pub delivered_squares: u128,
    /// Packets from the sources.
    pub packets_sent: u64,
    /// Of these, those lost.
    pub packets_lost: u64,
    /// Data packets that arrived behind one sent later.
    pub reordered: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Expired retransmission timers.
    pub timeouts: u64,
    /// Delays of data packets.
    pub delays: Delays,
    /// The standard deviations of each flow's, where it has at least two: how many, and their sum.
    pub jitters: (u64, f64),
    /// The same from the first bit on the source's wire.
    pub wire_delays: Delays,
    /// The same from the first transmission of the data, where that is asked for.
    pub first_delays: Delays,
}

impl Totals {
    /// Adds a flow.
    pub fn add(&mut self, row: &FlowRow) {
        self.flows += 1;
        self.completed += u64::from(row.finished.is_some());
        self.delivered += row.transport.delivered;
        self.delivered_squares += u128::from(row.transport.delivered).pow(2);
        self.packets_sent += row.counts.sent[0].packets;
        self.packets_lost += row.counts.lost[0].packets;
        self.reordered += row.reordered;
        self.retransmissions += row.transport.retransmissions;
        self.timeouts += row.transport.timeouts;
        self.delays = self.delays.plus(&row.delays);
        if row.delays.count > 1 {
            self.jitters.0 += 1;
            self.jitters.1 += row.delays.deviation();
        }
        self.wire_delays = self.wire_delays.plus(&row.wire_delays);
        self.first_delays = self.first_delays.plus(&row.first_delays);
    }

    /// The mean of the flows' standard deviations of delay in seconds, NaN where no flow has one (He
    /// and Chan 2003, section II.B).
    pub fn jitter(&self) -> f64 {
        self.jitters.1 / self.jitters.0 as f64
    }

    /// Jain's index of fairness (Jain, Chiu and Hawe 1984) of the data delivered: (Σx)² / (n Σx²).
    pub fn jain(&self) -> f64 {
        let sum = self.delivered as f64;
        sum * sum / (self.flows as f64 * self.delivered_squares as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_four_flows_has_everything() {
        let totals = Totals {
            flows: 4,
            delivered: 3_000_000_000_000,
            delivered_squares: 3_000_000_000_000_u128.pow(2),
            ..Totals::default()
        };
        assert!((totals.jain() - 0.25).abs() < 1e-12);
    }
}
