//! The model of the path (section 5.5): the bandwidth, what is delivered, and aggregation.

use super::super::sample::RateSample;
use super::super::window::Bounded;
use super::flow::Flow;

/// `BBR.ExtraAckedFilterLen`, and what it is before the path was full.
const EXTRA_ACKED_ROUNDS: u64 = 10;
const EXTRA_ACKED_ROUNDS_IN_STARTUP: u64 = 1;

impl Flow {
    /// `UpdateLatestDeliverySignals`.
    pub(super) fn update_latest_delivery(&mut self, rs: &RateSample) {
        let loss = &mut self.loss;
        loss.bw_latest = loss.bw_latest.at_least(rs.rate);
        loss.inflight_latest = loss.inflight_latest.at_least(rs.delivered as f64);
        loss.starts = rs.prior_delivered >= loss.delivered;
        if loss.starts {
            loss.delivered = rs.total_delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn advance_latest_delivery(&mut self, rs: &RateSample) {
        if self.loss.starts {
            self.loss.bw_latest = rs.rate;
            self.loss.inflight_latest = rs.delivered as f64;
        }
    }

    /// `UpdateMaxBw`.
    pub(super) fn update_max_bw(&mut self, rs: &RateSample) {
        self.rounds.update(rs);
        self.probe.rounds_since_up += u64::from(self.rounds.starts);
        if rs.rate > 0.0 && (rs.rate >= self.max_bw() || !rs.app_limited) {
            self.max_bw[0] = self.max_bw[0].at_least(rs.rate);
        }
    }

    /// `AdvanceMaxBwFilter`. A cycle without a sample keeps what was known, as in Linux.
    pub(super) fn advance_max_bw(&mut self) {
        if self.max_bw[0] > 0.0 {
            self.max_bw = [0.0, self.max_bw[0]];
        }
    }

    /// `UpdateACKAggregation`.
    pub(super) fn update_aggregation(&mut self, rs: &RateSample) {
        let cwnd = self.window.cwnd;
        let mut expected = self.bw * rs.now.since(self.aggregation.since).as_secs_f64();
        let aggregation = &mut self.aggregation;
        if aggregation.delivered <= expected {
            (aggregation.delivered, aggregation.since) = (0.0, rs.now);
            expected = 0.0;
        }
        aggregation.delivered += rs.newly_delivered as f64;
        let extra = (aggregation.delivered - expected).at_most(cwnd);
        let length =
            if self.plateau.reached { EXTRA_ACKED_ROUNDS } else { EXTRA_ACKED_ROUNDS_IN_STARTUP };
        aggregation.filter.update(length, self.rounds.count, extra);
    }

    /// `BoundBWForModel`.
    pub(super) fn bound_bw(&mut self) {
        self.bw = self.max_bw().at_most(self.bw_shortterm);
    }
}
