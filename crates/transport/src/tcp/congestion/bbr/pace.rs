//! The pace: a rate, and how many octets leave back to back.

use units::Bytes;

use crate::mistake::Mistakes;

/// The margin below the estimated bandwidth (`BBR.PacingMarginPercent`, 1%).
const MARGIN: f64 = 0.99;

/// The default of the most octets that leave back to back: 64 KiB, a packet of segmentation offload.
pub(in super::super) const QUANTUM: Bytes = Bytes(64 * 1024);

/// The most that a scenario may say.
const MOST_QUANTUM: Bytes = Bytes(1_000_000_000);

/// Notes a quantum that makes no sense.
pub(in super::super) fn check_quantum(quantum: Bytes, found: &mut Mistakes) {
    if quantum.0 == 0 || quantum > MOST_QUANTUM {
        found.add("congestion.quantum", "out of range", quantum, "1 B to 1 GB");
    }
}

/// A rate and a quantum.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Octets of data per second (`C.pacing_rate`).
    pub rate: f64,
    /// Octets that leave back to back (`C.send_quantum`).
    pub quantum: u64,
}

impl Pace {
    /// The rate before the first sample: the initial window in a round trip, or in a millisecond where none
    /// was measured (`InitPacingRate`).
    pub(in super::super) fn start(&mut self, gain: f64, initial: f64, srtt: Option<f64>) {
        self.rate = gain * initial / srtt.unwrap_or(1e-3);
    }

    /// A multiple of the bandwidth, less the margin; never lower before the path was full
    /// (`SetPacingRateWithGain`).
    pub(in super::super) fn follow(&mut self, bandwidth: f64, gain: f64, reached: bool) {
        let rate = gain * bandwidth * MARGIN;
        if reached || rate > self.rate {
            self.rate = rate;
        }
    }
}
