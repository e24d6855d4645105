//! Finding a token-bucket policer (`bbr_lt_bw_sampling`): two intervals in a row with much loss and the same
//! rate. Then this rate is the bandwidth for 48 rounds.

use units::Time;

use super::super::sample::RateSample;

/// The rounds of an interval, at least and at most (`bbr_lt_intvl_min_rtts`, and four times as many).
const INTERVAL: std::ops::RangeInclusive<u32> = 4..=16;
/// The share of packets lost that shows a policer, of those delivered (`bbr_lt_loss_thresh`, 50/256).
const LOSS: f64 = 50.0 / 256.0;
/// By how much two rates may differ to be the same: a share, and octets per second (`bbr_lt_bw_ratio`,
/// `bbr_lt_bw_diff`).
const RATIO: f64 = 1.0 / 8.0;
const DIFFERENCE: f64 = 4000.0 / 8.0;
/// Rounds for which the rate is used (`bbr_lt_bw_max_rtts`).
const USED: u32 = 48;

/// What is known of a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// When the interval began, and what was delivered and lost then; none while none is open.
    since: Option<(Time, u64, u64)>,
    rounds: u32,
    /// The rate of the interval before.
    before: Option<f64>,
    /// Whether that rate is used.
    uses: bool,
    /// Lost in the life of the connection.
    lost: u64,
}

impl Policer {
    /// The rate of the policer, if there is one (`lt_use_bw`).
    pub(super) fn rate(&self) -> Option<f64> {
        if self.uses { self.before } else { None }
    }

    /// Nothing is known (`bbr_reset_lt_bw_sampling`).
    pub(super) fn reset(&mut self) {
        *self = Self { lost: self.lost, ..Self::default() };
    }

    fn begin(&mut self, rs: &RateSample) {
        self.since = Some((rs.now, rs.total_delivered, self.lost));
        self.rounds = 0;
    }

    /// An acknowledgment has come. `starts` says whether it begins a round, `probes` whether the bandwidth is
    /// probed; says whether the cycle begins anew, as the rate was used for long enough.
    pub(super) fn update(&mut self, rs: &RateSample, starts: bool, probes: bool) -> bool {
        self.lost += rs.newly_lost;
        if self.uses {
            self.rounds += u32::from(starts && probes);
            let is_over = self.rounds >= USED;
            if is_over {
                self.reset();
            }
            return is_over;
        }
        if self.since.is_none() {
            if rs.newly_lost == 0 {
                return false;
            }
            self.begin(rs);
        }
        if rs.app_limited {
            self.reset();
            return false;
        }
        self.rounds += u32::from(starts);
        if self.rounds > *INTERVAL.end() {
            self.reset();
        } else if self.rounds >= *INTERVAL.start() && rs.newly_lost > 0 {
            self.close(rs);
        }
        false
    }

    /// An interval may end with this loss (`bbr_lt_bw_interval_done`).
    fn close(&mut self, rs: &RateSample) {
        let Some((since, delivered, lost)) = self.since else { return };
        let delivered = (rs.total_delivered - delivered) as f64;
        let lost = (self.lost - lost) as f64;
        let time = rs.now.since(since).as_secs_f64();
        if delivered <= 0.0 || lost < LOSS * delivered || time < 1e-3 {
            return;
        }
        let rate = delivered / time;
        if let Some(before) = self.before {
            let difference = (rate - before).abs();
            if difference <= RATIO * before || difference <= DIFFERENCE {
                self.before = Some(f64::midpoint(rate, before));
                self.uses = true;
                self.rounds = 0;
                return;
            }
        }
        self.before = Some(rate);
        self.begin(rs);
    }
}
