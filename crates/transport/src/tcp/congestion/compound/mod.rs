//! Compound TCP (Tan, Song, Zhang and Sridharan, *A compound TCP approach for high-speed and
//! long-distance networks*, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02, 2008).
//!
//! The window is the sum of two: cwnd, which follows losses as Reno's does, and dwnd, which follows
//! delay. In congestion avoidance cwnd grows by 1/(cwnd + dwnd) per acknowledgment, and once per round trip
//! dwnd becomes, with the backlog diff = win (1 − baseRTT/RTT) of Vegas,
//!
//! - dwnd + (α winᵏ − 1)⁺ while diff < γ,
//! - (dwnd − ζ diff)⁺ from there on,
//! - (win (1 − β) − cwnd/2)⁺ after a loss, when cwnd is halved.
//!
//! A round trip is the time in which a window of data is acknowledged; its RTT is the minimum of the
//! measurements in it, as in the implementation for Linux (Castellani, Hemminger and Andrew, 2006 to
//! 2008). That one requires three measurements; here one is sufficient, since without timestamps there is
//! only one. baseRTT is the minimum of all measurements except that of the handshake, whose segments are
//! short. In slow start, and after a timeout, dwnd is 0.
//!
//! Windows below are in segments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::delivered::Delivered;
use super::rule::Rule;
use super::window::{Acked, Congested, Signal, Window};
use crate::mistake::Mistakes;

/// α of the paper and of the draft: with it the window responds to losses approximately as that of
/// `HighSpeed` TCP.
const ALPHA: f64 = 0.125;
/// β of both: the window is halved, as Reno's.
const BETA: f64 = 0.5;
/// k of both. They derive 0.8 from `HighSpeed` TCP and use 0.75, whose power is fast to compute with
/// integers.
const K: f64 = 0.75;
/// ζ (η in the draft), 1 in the implementation for Linux.
const ZETA: f64 = 1.0;
/// The forgetting factor λ of the tuning of γ, and its target share of Reno's backlog: the draft's values,
/// as in the implementation for Linux.
const LAMBDA: f64 = 0.5;
const TUNED_SHARE: f64 = 0.75;
/// The bounds of the tuned γ (from the same source).
const TUNED: (f64, f64) = (5.0, 30.0);

/// Compound TCP (Tan et al. 2006): the sum of Reno's window and a second window, which grows fast while
/// the round-trip time is close to its minimum and shrinks when it is longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The backlog in segments (γ) up to which the delay window grows, above 0; 30 packets for every path
    /// in Tan et al. 2006.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub gamma: f64,
    /// Whether γ is set at each loss to three quarters of the backlog of Reno's part of the window,
    /// between 5 and 30 segments (draft-sridharan-tcpm-ctcp-02). It is not in the paper.
    pub gamma_tuning: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { gamma: 30.0, gamma_tuning: false }
    }
}

/// The window of Compound TCP.
#[derive(Clone, Debug)]
pub(super) struct Compound {
    /// cwnd + dwnd.
    window: Window,
    /// The window that follows delay.
    dwnd: f64,
    /// The backlog from which dwnd shrinks.
    gamma: f64,
    /// Whether γ is tuned.
    tunes: bool,
    /// The minimum round-trip time, and that of this round; the maximum span before a measurement.
    base: Span,
    least: Span,
    round: Option<Round>,
    /// The backlog that cwnd alone had in the last round, for the tuning.
    reno_backlog: Option<f64>,
    /// Slow start has not ended since the start or the last timeout.
    slow: bool,
}

/// A round trip in congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// cwnd + dwnd, and cwnd, at its start.
    win: f64,
    cwnd: f64,
    /// Octets until it ends.
    left: f64,
}

impl Rule for Compound {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        Self {
            window,
            dwnd: 0.0,
            gamma: options.gamma,
            tunes: options.gamma_tuning,
            base: Span(u64::MAX),
            least: Span(u64::MAX),
            round: None,
            reno_backlog: None,
            slow: true,
        }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        let fits = options.gamma.is_finite() && options.gamma > 0.0;
        found.number("congestion.gamma", options.gamma, fits, "a number of segments above 0");
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    #[inline]
    fn on_delivered(&mut self, told: &Delivered) {
        if let Some(rtt) = told.rtt {
            self.base = self.base.min(rtt);
            self.least = self.least.min(rtt);
        }
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        if !acked.may_grow {
            return;
        }
        if self.slow && self.window.in_slow_start() {
            self.window.slow_start(acked);
            return;
        }
        self.slow = false;
        let mut round = self.round.unwrap_or_else(|| {
            self.least = Span(u64::MAX);
            self.new_round()
        });
        let (segment, win) = (self.window.segment, self.win());
        self.window.set((win + self.window.segments(acked) / win) * segment);
        round.left -= acked.octets as f64;
        if round.left <= 0.0 {
            self.follow_delay(&round);
            self.least = Span(u64::MAX);
            round = self.new_round();
        }
        self.round = Some(round);
    }

    fn on_loss(&mut self, congested: &Congested) {
        let cwnd = self.win() - self.dwnd;
        if self.tunes
            && let Some(backlog) = self.reno_backlog.take()
        {
            let tuned = self.gamma + LAMBDA * (TUNED_SHARE * backlog - self.gamma);
            self.gamma = tuned.clamp(TUNED.0, TUNED.1);
        }
        self.window.reduce(congested, 1.0 - BETA);
        match congested.signal {
            Signal::Loss | Signal::Notification => {
                self.slow = false;
                self.round = None;
                let win = self.win();
                self.dwnd = (win - cwnd / 2.0).clamp(0.0, win - 1.0);
            }
            Signal::LossRestart | Signal::Timeout | Signal::RepeatedTimeout => self.on_restart(),
        }
    }

    /// Slow start restarts.
    fn on_restart(&mut self) {
        self.slow = true;
        self.dwnd = 0.0;
        self.round = None;
    }

    /// The window that follows delay: α winᵏ per round trip, at most one per acknowledgment.
    #[cfg(test)]
    fn most_growth(&self, counted: f64) -> f64 {
        let (segment, cwnd) = (self.window.segment, self.window.cwnd);
        counted * segment / cwnd + ALPHA * libm::pow(cwnd / segment, K) * segment
    }

    #[cfg(test)]
    fn grows_beside_slow_start() -> bool {
        true
    }
}

impl Compound {
    /// A round that begins now.
    fn new_round(&self) -> Round {
        let win = self.win();
        Round { win, cwnd: win - self.dwnd, left: self.window.cwnd }
    }

    /// A window of data has been acknowledged: dwnd follows the delay.
    fn follow_delay(&mut self, &Round { win, cwnd, .. }: &Round) {
        if self.least == Span(u64::MAX) {
            return;
        }
        // Share of the round trip in queues: 1 − baseRTT/RTT.
        let queued = 1.0 - self.base.0 as f64 / (self.least.0 as f64).max(1.0);
        self.reno_backlog = Some(cwnd * queued);
        let diff = win * queued;
        let dwnd = if diff < self.gamma {
            self.dwnd + (ALPHA * libm::pow(win, K) - 1.0).max(0.0)
        } else {
            (self.dwnd - ZETA * diff).max(0.0)
        };
        let cwnd = self.win() - self.dwnd;
        self.set(cwnd, dwnd);
    }

    /// cwnd + dwnd.
    fn win(&self) -> f64 {
        self.window.cwnd / self.window.segment
    }

    /// Sets both windows; dwnd is reduced if their sum exceeds the maximum window.
    fn set(&mut self, cwnd: f64, dwnd: f64) {
        self.window.set((cwnd + dwnd) * self.window.segment);
        self.dwnd = dwnd.min(self.win() - cwnd).max(0.0);
    }
}

#[cfg(test)]
mod tests;
