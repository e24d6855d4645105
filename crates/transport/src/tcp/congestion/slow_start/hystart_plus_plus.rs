//! `HyStart++` (RFC 9406): slow start ends when the round-trip time grows, by way of conservative slow start.
//!
//! The names in brackets are those of RFC 9406 section 4.2. It acts in the initial slow start alone, while
//! ssthresh is unlimited, as section 4.3 recommends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::{Delivered, Kind, Present, SAMPLES, threshold};

/// By how much conservative slow start is slower (`CSS_GROWTH_DIVISOR`).
const SLOWER: f64 = 4.0;
/// How many rounds it lasts (`CSS_ROUNDS`).
const ROUNDS: u32 = 5;
/// The most segments for which an acknowledgment counts if the sender is not paced (`L`).
const UNPACED: f64 = 8.0;

/// `HyStart++` (RFC 9406): once the round-trip time has grown the window grows a quarter as fast for five
/// rounds, and slow start ends if the round-trip time has not fallen again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct HyStartPlusPlus {
    most_segments: f64,
    /// The round ends when this is acknowledged (`windowEnd`).
    end: u64,
    /// The minimum round-trip times of the last round and of this one; the maximum span before a measurement.
    last: Span,
    current: Span,
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start.
#[derive(Clone, Debug)]
struct Conservative {
    /// A round-trip time below it shows that it began too early (`cssBaselineMinRtt`).
    baseline: Span,
    /// Rounds that have ended in it, the one in which it began included.
    rounds: u32,
}

impl Kind for HyStartPlusPlus {
    type Options = Options;

    fn new(_: &Options, paced: bool) -> Self {
        let never = Span(u64::MAX);
        Self {
            most_segments: if paced { f64::INFINITY } else { UNPACED },
            end: 0,
            last: never,
            current: never,
            samples: 0,
            conservative: None,
        }
    }

    fn most_segments(&self, window: &Present) -> f64 {
        if is_initial(window) { self.most_segments } else { 2.0 }
    }

    fn step(&self, window: &Present, octets: f64) -> f64 {
        if self.conservative.is_some() && is_initial(window) { octets / SLOWER } else { octets }
    }

    fn on_delivered(&mut self, window: &Present, delivered: &Delivered) -> bool {
        if !is_initial(window) {
            return false;
        }
        if delivered.ack >= self.end && self.begin_round(delivered.next) {
            return true;
        }
        if let Some(rtt) = delivered.rtt {
            self.current = self.current.min(rtt);
            self.samples += 1;
            if self.samples >= SAMPLES {
                self.compare();
            }
        }
        false
    }
}

impl HyStartPlusPlus {
    /// Begins a round; whether conservative slow start has lasted long enough.
    fn begin_round(&mut self, next: u64) -> bool {
        self.end = next;
        self.last = self.current;
        self.current = Span(u64::MAX);
        self.samples = 0;
        self.conservative.as_mut().is_some_and(|conservative| {
            conservative.rounds += 1;
            conservative.rounds >= ROUNDS
        })
    }

    /// Compares the round-trip time with that of the last round, or in conservative slow start with the one
    /// that it began with (`MIN_RTT_THRESH`, `MIN_RTT_DIVISOR`, `MAX_RTT_THRESH`, after `N_RTT_SAMPLE`).
    fn compare(&mut self) {
        match &self.conservative {
            Some(Conservative { baseline, .. }) if self.current < *baseline => {
                self.conservative = None;
            }
            None if self.last != Span(u64::MAX)
                && self.current >= self.last + threshold(self.last) =>
            {
                self.conservative = Some(Conservative { baseline: self.current, rounds: 0 });
            }
            _ => {}
        }
    }
}

/// Whether no congestion has been seen: ssthresh is unlimited.
fn is_initial(window: &Present) -> bool {
    window.ssthresh.is_infinite()
}
