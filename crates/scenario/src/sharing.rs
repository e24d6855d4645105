//! Whether the parts of a run advance side by side, or in turns.
//!
//! Threads wait for each other thousands of times a second. Where other processes want the cores a thread that is awaited may
//! not run for milliseconds, and two of them are slower than one by a factor. So both ways are tried, and the faster one is
//! taken.

/// What part of a slice a trial takes: a way that is sixteen times slower then costs as much again.
const TRIAL: u64 = 16;
/// Slices after a change that are no longer than trials.
const FRESH: u32 = 4;
/// The slices between two trials: at first, and at most.
const PAUSES: (u32, u32) = (8, 64);
/// Seconds that a slice lasts of which trials are representative: to begin on other threads takes 50 µs each.
const LONG: f64 = 0.02;

/// How the parts of a run share its slices: in turns at first.
#[derive(Debug, Clone)]
pub struct Sharing {
    side_by_side: bool,
    /// Events a second this way, a moving average of slices; none yet.
    speed: Option<f64>,
    /// Events a second the other way when it was last tried or used.
    other: f64,
    /// Slices since the last change or trial.
    since: u32,
    /// How many there are until the next trial.
    pause: u32,
    /// Whether a slice was long enough.
    is_long: bool,
    /// Slices since the last change.
    age: u32,
}

impl Default for Sharing {
    fn default() -> Self {
        Self {
            side_by_side: false,
            speed: None,
            other: 0.0,
            since: 0,
            pause: 0,
            is_long: false,
            age: FRESH,
        }
    }
}

impl Sharing {
    /// Whether the next slice is to be tried the other way.
    fn is_trial(&self) -> bool {
        self.is_long && self.since >= self.pause
    }

    /// Whether parts advance side by side in the next slice, and how many of `events` it has.
    pub fn next(&self, events: u64) -> (bool, u64) {
        let is_short = self.is_trial() || self.age < FRESH;
        let events = if is_short { (events / TRIAL).max(1) } else { events };
        (self.side_by_side != self.is_trial(), events)
    }

    /// Learns how long the [next](Self::next) slice took.
    pub fn took(&mut self, events: u64, seconds: f64) {
        let speed = events as f64 / seconds.max(1e-9);
        if self.is_trial() {
            let before = self.speed.unwrap_or(0.0);
            self.since = 0;
            if speed > before {
                self.side_by_side = !self.side_by_side;
                (self.speed, self.other) = (Some(speed), before);
                (self.pause, self.age) = (PAUSES.0, 0);
            } else {
                self.other = speed;
                self.pause = (2 * self.pause).clamp(PAUSES.0, PAUSES.1);
            }
            return;
        }
        self.is_long |= seconds > LONG;
        self.age = (self.age + 1).min(FRESH);
        let mean = self.speed.map_or(speed, |mean| (3.0 * mean + speed) / 4.0);
        self.speed = Some(mean);
        // What was faster is tried again at once where this way is much slower than it was.
        self.since = if mean < 0.6 * self.other { self.pause } else { self.since + 1 };
    }
}
