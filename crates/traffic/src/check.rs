//! Checks of a configuration that a schema cannot express.

use units::{Bytes, MeanRate};

use crate::size::{exponential_share, log_normal_share};
use crate::{Beyond, MAX_SIZE, Size, SizeLaw, SizePoint, Start, StartLaw};

/// The least share of a law that a condition may leave. Far below it the law of what is left is that
/// of the largest size alone, and the functions of the normal distribution run out of numbers.
const LEAST_SHARE: f64 = 1e-6;

/// How far the shares of a mix may lie from 1 together.
const LARGEST_GAP: f64 = 1e-9;

/// An error: the dotted key relative to the checked value (empty for the value itself) and the
/// problem.
pub type Problem = (String, String);

/// Collects problems under a prefix of keys.
#[derive(Default)]
pub(crate) struct Problems {
    prefix: &'static str,
    pub(crate) found: Vec<Problem>,
}

impl Problems {
    fn below(prefix: &'static str) -> Self {
        Self { prefix, found: Vec::new() }
    }

    pub(crate) fn demand(&mut self, holds: bool, key: &str, problem: &str) {
        if holds {
            return;
        }
        let dot = if self.prefix.is_empty() || key.is_empty() { "" } else { "." };
        self.found.push((format!("{}{dot}{key}", self.prefix), problem.to_owned()));
    }

    fn positive(&mut self, number: f64, key: &str) {
        self.demand(number > 0.0 && number.is_finite(), key, "must be a finite number above 0");
    }

    pub(crate) fn some_rate(&mut self, rate: MeanRate) {
        self.demand(rate.0 > 0.0, "rate", "a rate of zero never offers anything");
    }

    pub(crate) fn some_bytes(&mut self, bytes: Bytes, key: &str) {
        self.demand(bytes.0 > 0, key, "must be at least 1 B");
        self.demand(bytes <= MAX_SIZE, key, "must be at most 1 TB");
    }

    /// Those of a size; returns whether it has none.
    pub(crate) fn size(&mut self, size: &Size, key: &'static str) -> bool {
        let problems = size.check_below(key);
        let sound = problems.is_empty();
        self.found.extend(problems);
        sound
    }

    /// Those of a packet by which a mean bit rate becomes a rate of packets.
    pub(crate) fn mean_packet(&mut self, packet: &Size) {
        let sound = self.size(packet, "packet");
        self.demand(
            !sound || packet.mean().is_finite(),
            "packet",
            "the mean size is infinite, so no rate of packets gives the bit rate",
        );
    }

    /// The largest size of a law of which a share lies below it, and what happens to the rest.
    fn largest(&mut self, max: Option<Bytes>, beyond: Option<Beyond>, share: impl Fn(f64) -> f64) {
        let Some(max) = max else {
            return self.demand(beyond.is_none(), "beyond", "does not apply without max");
        };
        self.some_bytes(max, "max");
        if self.found.is_empty() && beyond == Some(Beyond::Redraw) {
            self.demand(
                share(max.as_f64()) >= LEAST_SHARE,
                "max",
                "fewer than one draw in a million lies below it, so redrawing would not end",
            );
        }
    }

    fn mix(&mut self, sizes: &[Bytes], shares: &[f64]) {
        self.demand(!sizes.is_empty(), "sizes", "must be at least one size");
        for (at, size) in sizes.iter().enumerate() {
            self.some_bytes(*size, &format!("sizes.{at}"));
        }
        for (at, share) in shares.iter().enumerate() {
            let sound = (0.0..=1.0).contains(share);
            self.demand(sound, &format!("shares.{at}"), "must be a number from 0 to 1");
        }
        if sizes.len() != shares.len() {
            let problem = format!("{} shares for {} sizes", shares.len(), sizes.len());
            return self.demand(false, "shares", &problem);
        }
        let sum: f64 = shares.iter().sum();
        let sound = !self.found.is_empty() || (sum - 1.0).abs() <= LARGEST_GAP;
        self.demand(sound, "shares", &format!("together they must be 1, and are {sum}"));
    }

    fn table(&mut self, named: bool, points: &[SizePoint]) {
        let Some(last) = points.last() else {
            // A file that gives none has an error of its own.
            return self.demand(named, "file", "a table needs a file, or points");
        };
        let mut before = SizePoint { size: Bytes(0), cdf: 0.0 };
        for (at, point) in points.iter().enumerate() {
            let key = format!("points.{at}.size");
            self.demand(point.size <= MAX_SIZE, &key, "must be at most 1 TB");
            let key = format!("points.{at}.size");
            let less = format!("less than the size before, {}", before.size);
            self.demand(point.size >= before.size, &key, &less);
            let key = format!("points.{at}.cdf");
            self.demand((0.0..=1.0).contains(&point.cdf), &key, "must be a number from 0 to 1");
            let less = format!("less than the share before, {}", before.cdf);
            self.demand(point.cdf >= before.cdf, &key, &less);
            before = *point;
        }
        self.some_bytes(last.size, &format!("points.{}.size", points.len() - 1));
        let key = format!("points.{}.cdf", points.len() - 1);
        let whole = (last.cdf - 1.0).abs() <= LARGEST_GAP;
        self.demand(whole, &key, "must be 1: all sizes are at most the last one");
    }
}

impl Size {
    /// Every error that the schema does not catch; empty when sizes can be drawn.
    pub fn check(&self) -> Vec<Problem> {
        self.check_below("")
    }

    fn check_below(&self, prefix: &'static str) -> Vec<Problem> {
        let mut problems = Problems::below(prefix);
        match self {
            Self::Plain(size) => problems.some_bytes(*size, ""),
            Self::Drawn(SizeLaw::Fixed { size }) => problems.some_bytes(*size, "size"),
            Self::Drawn(SizeLaw::Exponential { mean, max, beyond }) => {
                problems.some_bytes(*mean, "mean");
                let share = |max| exponential_share(mean.as_f64(), max);
                problems.largest(*max, *beyond, share);
            }
            Self::Drawn(SizeLaw::LogNormal { mu, sigma, max, beyond }) => {
                problems.demand(mu.is_finite(), "mu", "must be a finite number");
                let sound = *sigma >= 0.0 && sigma.is_finite();
                problems.demand(sound, "sigma", "must be a finite number, 0 or more");
                problems.largest(*max, *beyond, |max| log_normal_share(*mu, *sigma, max));
            }
            Self::Drawn(SizeLaw::Pareto { shape, min }) => {
                problems.positive(*shape, "shape");
                problems.some_bytes(*min, "min");
            }
            Self::Drawn(SizeLaw::BoundedPareto { shape, min, max }) => {
                problems.positive(*shape, "shape");
                problems.some_bytes(*min, "min");
                problems.some_bytes(*max, "max");
                problems.demand(min <= max, "max", &format!("lies below min, {min}"));
            }
            Self::Drawn(SizeLaw::Mix { sizes, shares }) => problems.mix(sizes, shares),
            Self::Drawn(SizeLaw::Websearch | SizeLaw::Datamining | SizeLaw::Hadoop) => {}
            Self::Drawn(SizeLaw::Table { file, points }) => problems.table(file.is_some(), points),
        }
        problems.found
    }
}

impl Start {
    /// Every error that the schema does not catch; empty when a start can be drawn.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        if let Self::Drawn(StartLaw::Uniform { from, to }) = self {
            problems.demand(from <= to, "to", &format!("lies before from, {from}"));
        }
        problems.found
    }
}
