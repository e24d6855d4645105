//! Data that are acknowledged at once beyond what the bandwidth explains (`bbr_update_ack_aggregation`): the
//! largest amount of the last five to ten rounds.

use units::Time;

use super::super::sample::RateSample;
use super::super::window::Bounded;

/// `bbr_extra_acked_win_rtts`.
const ROUNDS: u32 = 5;
/// The most that counts, as a time at the bandwidth in seconds (`bbr_extra_acked_max_us`).
const MOST_TIME: f64 = 0.1;
/// An episode ends when so much has been acknowledged in it, in segments (`bbr_ack_epoch_acked_reset_thresh`).
const MOST_ACKED: f64 = 1_048_576.0;

/// The extra data of each of the last two windows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    since: Option<Time>,
    acked: f64,
    extra: [f64; 2],
    rounds: u32,
}

impl Aggregation {
    /// An episode begins.
    pub(super) fn begin(&mut self, now: Time) {
        (self.since, self.acked) = (Some(now), 0.0);
    }

    /// What may be in flight beyond the window.
    pub(super) fn extra(&self, bw: f64) -> f64 {
        self.extra[0].at_least(self.extra[1]).at_most(bw * MOST_TIME)
    }

    /// An acknowledgment has come; `starts` says whether it begins a round.
    pub(super) fn update(&mut self, rs: &RateSample, starts: bool, bw: f64, sizes: (f64, f64)) {
        let (cwnd, segment) = sizes;
        if starts {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.extra = [0.0, self.extra[0]];
            }
        }
        let since = *self.since.get_or_insert(rs.now);
        let mut expected = bw * rs.now.since(since).as_secs_f64();
        let acked = rs.newly_delivered as f64;
        if self.acked <= expected || self.acked + acked >= MOST_ACKED * segment {
            self.begin(rs.now);
            expected = 0.0;
        }
        self.acked += acked;
        self.extra[0] = self.extra[0].at_least((self.acked - expected).at_most(cwnd));
    }
}
