//! `HyStart` (S. Ha, I. Rhee 2011) as Linux has it in its CUBIC: slow start ends when acknowledgments arrive
//! close together for half a round trip, or when the round-trip time grows.
//!
//! Its names in Linux are in brackets (`net/ipv4/tcp_cubic.c` of version 6.12). There an acknowledgment counts
//! for all segments that it covers (`tcp_slow_start`).
//!
//! Not modelled: Linux takes no measurement within a second after the start of CUBIC's epoch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::{Delivered, Kind, Present, SAMPLES, threshold};

/// The window in segments from which on it acts (`hystart_low_window`).
const LOW_WINDOW: f64 = 16.0;
/// The most between acknowledgments of a train (`hystart_ack_delta_us`).
const TRAIN_GAP: Span = Span::from_ms(2);
/// What an acknowledgment may be late because of segmentation offload: four bursts of 64 KiB at the pacing
/// rate, at most a millisecond (`hystart_ack_delay`).
const OFFLOAD: (f64, Span) = (4.0 * 65_536.0, Span::from_ms(1));

/// `HyStart` as in Linux: slow start ends when acknowledgments arrive close together for half a round trip (a
/// whole one where the sender is paced), or the round-trip time has grown by an eighth (at least by 4 ms, at
/// most by 16 ms).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct HyStart {
    paced: bool,
    /// The round ends when more than this is acknowledged (`end_seq`).
    end: u64,
    /// When it began (`round_start`), and its last acknowledgment of the train (`last_ack`).
    began: Time,
    last: Time,
    /// The minimum round-trip time of the connection (`delay_min`) and of the round (`curr_rtt`).
    least: Span,
    current: Span,
    samples: u32,
}

impl Kind for HyStart {
    type Options = Options;

    fn new(_: &Options, paced: bool) -> Self {
        let never = Span(u64::MAX);
        Self {
            paced,
            end: 0,
            began: Time::ZERO,
            last: Time::ZERO,
            least: never,
            current: never,
            samples: 0,
        }
    }

    fn most_segments(&self, _: &Present) -> f64 {
        f64::INFINITY
    }

    fn on_delivered(&mut self, window: &Present, delivered: &Delivered) -> bool {
        let Some(rtt) = delivered.rtt else { return false };
        self.least = self.least.min(rtt);
        if window.cwnd >= window.ssthresh {
            return false;
        }
        if delivered.ack > self.end {
            self.begin_round(delivered.now, delivered.next);
        }
        if window.cwnd < LOW_WINDOW * window.segment {
            return false;
        }
        let is_train = self.is_train(window, delivered.now);
        self.has_grown(rtt) || is_train
    }

    fn on_timeout(&mut self) {
        self.end = 0;
    }
}

impl HyStart {
    fn begin_round(&mut self, now: Time, next: u64) {
        (self.began, self.last) = (now, now);
        self.end = next;
        self.current = Span(u64::MAX);
        self.samples = 0;
    }

    /// Whether acknowledgments have come close together for long enough (`HYSTART_ACK_TRAIN`).
    fn is_train(&mut self, window: &Present, now: Time) -> bool {
        if now.since(self.last) > TRAIN_GAP {
            return false;
        }
        self.last = now;
        let (octets, most) = OFFLOAD;
        let late = self.least.scaled(octets / (2.0 * window.cwnd)).min(most);
        let Span(whole) = self.least + late;
        now.since(self.began) > Span(if self.paced { whole } else { whole / 2 })
    }

    /// Whether the round-trip time has grown (`HYSTART_DELAY`), by `HYSTART_DELAY_THRESH` after
    /// `HYSTART_MIN_SAMPLES`.
    fn has_grown(&mut self, rtt: Span) -> bool {
        self.current = self.current.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.current > self.least + threshold(self.least)
    }
}
