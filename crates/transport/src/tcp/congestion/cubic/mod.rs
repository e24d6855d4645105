//! CUBIC (RFC 9438): the window is a cubic function of the time since the last reduction.
//!
//! Linux's differs ([`Law::Linux`]); its names are those of `net/ipv4/tcp_cubic.c` in version 6.12. It computes
//! in whole segments and recomputes its rate every 32 ms or when the window has changed; here both are exact.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::delivered::Delivered;
use super::rule::Rule;
use super::window::{Acked, Congested, Signal, Window};

/// C of section 5, in segments per second cubed.
const C: f64 = 0.4;
/// The multiplicative decrease of section 4.6.
const BETA: f64 = 0.7;
/// The additive increase that gives Reno's mean window with this decrease (section 4.3, from
/// figure 4): 3 (1 − β) / (1 + β).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// Acknowledged segments for one more while there is no earlier maximum, in Linux's law: 5 % a round trip.
const STARTS: f64 = 20.0;

/// CUBIC (RFC 9438).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whose growth it has, `rfc9438` or `linux`. Default: `rfc9438`; `linux` in the profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
}

/// Whose growth CUBIC has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// RFC 9438: in the Reno-friendly region the window grows by a segment a round trip once it has
    /// reached that before the reduction (section 4.3).
    #[default]
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// Linux: there it goes on at 0.53 segments a round trip, so that it is slower than Reno on lossy paths;
    /// the curve looks ahead by the minimum round-trip time; a window without an earlier maximum grows by 5 %
    /// a round trip at least; a loss reduces cwnd, whatever is in flight.
    Linux,
}

/// RFC 9438's window. Windows below are in segments, times in seconds.
#[derive(Clone, Debug)]
pub(super) struct Cubic {
    window: Window,
    /// The window before the last reduction, or the lower one from fast convergence; zero if the next
    /// epoch must start without one.
    w_max: f64,
    /// Reno's window under the same conditions.
    w_est: f64,
    /// The window just before the last reduction.
    cwnd_prior: f64,
    /// The time from the start of the epoch until the curve reaches `w_max`.
    k: f64,
    /// When congestion avoidance started, [`Time::NEVER`] if it has not.
    epoch: Time,
    /// The last acknowledgment, used to exclude idle time from the epoch.
    last: Time,
    law: Law,
    /// The minimum round-trip time since the start or a timeout (`delay_min`), in Linux's law.
    least: Option<Span>,
}

impl Rule for Cubic {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        Self {
            window,
            w_max: 0.0,
            w_est: 0.0,
            cwnd_prior: 0.0,
            k: 0.0,
            epoch: Time::NEVER,
            last: Time::ZERO,
            law: options.law.unwrap_or_default(),
            least: None,
        }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        Options { law: given.law.or(profile.law) }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        let idle = acked.now.since(self.last);
        self.last = acked.now;
        if !acked.may_grow {
            // Section 5.8: time in which the application is the limit does not count.
            if self.epoch != Time::NEVER {
                self.epoch = self.epoch.saturating_add(idle).min(acked.now);
            }
            return;
        }
        if self.window.in_slow_start() {
            self.window.slow_start(acked);
        } else {
            self.avoid_congestion(acked);
        }
    }

    #[inline]
    fn on_delivered(&mut self, delivered: &Delivered) {
        if let (Law::Linux, Some(rtt)) = (self.law, delivered.rtt) {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn on_loss(&mut self, congested: &Congested) {
        let cwnd = self.window.cwnd / self.window.segment;
        self.epoch = Time::NEVER;
        match congested.signal {
            Signal::Timeout | Signal::RepeatedTimeout => {
                // Section 4.8: the first epoch after a timeout begins without a w_max.
                self.w_max = 0.0;
                self.cwnd_prior = 0.0;
                self.least = None;
            }
            Signal::Loss | Signal::LossRestart | Signal::Notification => {
                // Section 4.7, fast convergence: make room if the window was shrinking.
                self.w_max = if cwnd < self.w_max { cwnd * f64::midpoint(1.0, BETA) } else { cwnd };
                self.cwnd_prior = cwnd;
            }
        }
        let basis = match self.law {
            Law::Rfc9438 => congested.basis,
            Law::Linux => self.window.whole_cwnd(),
        };
        self.window.reduce(&Congested { basis, ..*congested }, BETA);
    }

    /// RFC 9438 sections 4.4 and 4.3: half of what is counted, or up to Reno's window.
    #[cfg(test)]
    fn most_growth(&self, counted: f64) -> f64 {
        let (segment, cwnd) = (self.window.segment, self.window.cwnd);
        if self.law == Law::Linux {
            return counted / 2.0;
        }
        (counted / 2.0).max(self.w_est * segment + counted * segment / cwnd - cwnd)
    }
}

impl Cubic {
    /// `W_cubic(t)` of equation 1.
    fn w_cubic(&self, t: f64) -> f64 {
        let d = t - self.k;
        C * d * d * d + self.w_max
    }

    /// Begins an epoch: K by equation 2. Without a reduction before (or after a timeout, section
    /// 4.8) K is zero and `w_max` the present window.
    fn begin(&mut self, now: Time, cwnd: f64) {
        self.epoch = now;
        self.w_est = cwnd;
        if self.w_max > cwnd {
            self.k = libm::cbrt((self.w_max - cwnd) / C);
        } else {
            self.k = 0.0;
            self.w_max = cwnd;
        }
    }

    fn avoid_congestion(&mut self, acked: &Acked) {
        let segment = self.window.segment;
        let cwnd = self.window.cwnd / segment;
        if self.epoch == Time::NEVER {
            self.begin(acked.now, cwnd);
        }
        let segments = self.window.segments(acked);
        if self.law == Law::Linux {
            return self.grow_as_linux(acked, cwnd, segments);
        }
        let t = seconds(acked.now.since(self.epoch));
        // Section 4.3, equation 4: α is 1 once the window before the reduction is reached.
        let alpha = if self.w_est >= self.cwnd_prior { 1.0 } else { ALPHA };
        self.w_est += alpha * segments / cwnd;
        let next = if self.w_cubic(t) < self.w_est {
            self.w_est.max(cwnd)
        } else {
            // Sections 4.4 and 4.5: the target is one round trip ahead, at most half as much again.
            let target = self.w_cubic(t + seconds(acked.srtt)).clamp(cwnd, 1.5 * cwnd);
            cwnd + (target - cwnd) / cwnd * segments
        };
        self.window.set(next * segment);
    }

    /// `bictcp_update`: a segment for each `count` that are acknowledged (`cnt`).
    fn grow_as_linux(&mut self, acked: &Acked, cwnd: f64, segments: f64) {
        let ahead = seconds(self.least.unwrap_or(acked.srtt));
        let target = self.w_cubic(seconds(acked.now.since(self.epoch)) + ahead);
        let mut count = if target > cwnd { cwnd / (target - cwnd) } else { 100.0 * cwnd };
        if self.cwnd_prior == 0.0 {
            count = count.min(STARTS);
        }
        self.w_est += ALPHA * segments / cwnd;
        if self.w_est > cwnd {
            count = count.min(cwnd / (self.w_est - cwnd));
        }
        self.window.set((cwnd + segments / count.max(2.0)) * self.window.segment);
    }
}

fn seconds(span: Span) -> f64 {
    span.as_secs_f64()
}

#[cfg(test)]
mod tests;
