//! Checks of a configuration that a schema cannot express.

use units::{Bytes, MeanRate};

use crate::on_off::mean_periods_s;
use crate::size::{exponential_share, log_normal_share};
use crate::{Beyond, ListedOperation, MAX_SIZE, Size, SizeLaw, SizePoint, Source, Start, StartLaw};

/// The least share of a law that a condition may leave. Far below it the law of what is left is that
/// of the largest size alone, and the functions of the normal distribution run out of numbers.
const LEAST_SHARE: f64 = 1e-6;

/// How far the shares of a mix may lie from 1 together.
const LARGEST_GAP: f64 = 1e-9;

/// The shortest ON and OFF periods in the mean: far below it they would vanish in the grain of the
/// clock.
const LEAST_PERIOD_S: f64 = 1e-9;

/// The shortest OFF period over a packet, in the mean: far below it there is no OFF period that a
/// packet does not outlast.
const LEAST_OF_PACKET: f64 = 1e-4;

/// An error: the dotted key relative to the checked value (empty for the value itself) and the
/// problem.
pub type Problem = (String, String);

/// Collects problems under a prefix of keys.
#[derive(Default)]
struct Problems {
    prefix: &'static str,
    found: Vec<Problem>,
}

impl Problems {
    fn below(prefix: &'static str) -> Self {
        Self { prefix, found: Vec::new() }
    }

    fn demand(&mut self, holds: bool, key: &str, problem: &str) {
        if holds {
            return;
        }
        let dot = if self.prefix.is_empty() || key.is_empty() { "" } else { "." };
        self.found.push((format!("{}{dot}{key}", self.prefix), problem.to_owned()));
    }

    fn positive(&mut self, number: f64, key: &str) {
        self.demand(number > 0.0 && number.is_finite(), key, "must be a finite number above 0");
    }

    fn some_rate(&mut self, rate: MeanRate) {
        self.demand(rate.0 > 0.0, "rate", "a rate of zero never offers anything");
    }

    fn some_bytes(&mut self, bytes: Bytes, key: &str) {
        self.demand(bytes.0 > 0, key, "must be at least 1 B");
        self.demand(bytes <= MAX_SIZE, key, "must be at most 1 TB");
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

    fn operations(&mut self, operations: &[ListedOperation]) {
        for (at, operation) in operations.iter().enumerate() {
            let key = |end: &str| format!("operations.{at}{end}");
            match (&operation.to, operation.size, operation.compute) {
                (Some(_), Some(size), None) => {
                    self.some_bytes(size, &key(".size"));
                    let none = operation.cpu == 0;
                    self.demand(none, &key(".cpu"), "does not apply to a send");
                }
                (None, None, Some(_)) => {}
                _ => self.demand(false, &key(""), "an operation has to and size, or compute"),
            }
            for (waits, end) in
                [(&operation.after, "after"), (&operation.after_start, "after-start")]
            {
                for (place, &earlier) in waits.iter().enumerate() {
                    let problem = match earlier as usize {
                        earlier if earlier >= operations.len() => {
                            format!("no such operation: the last is {}", operations.len() - 1)
                        }
                        earlier if earlier == at => "an operation that waits for itself".to_owned(),
                        _ => continue,
                    };
                    self.demand(false, &key(&format!(".{end}.{place}")), &problem);
                }
            }
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

impl Source {
    /// Every error that the schema does not catch; empty when the source can be used.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        match self {
            Self::Bulk { size } => {
                if let Some(size) = size {
                    problems.some_bytes(*size, "size");
                }
            }
            Self::Cbr { rate, packet } => {
                problems.some_rate(*rate);
                problems.found.extend(packet.check_below("packet"));
            }
            Self::PoissonPackets { rate, packet } => {
                problems.some_rate(*rate);
                problems.found.extend(packet.check_below("packet"));
                let sound = problems.found.is_empty();
                problems.demand(
                    !sound || packet.mean().is_finite(),
                    "packet",
                    "the mean size is infinite, so no rate of packets gives the bit rate",
                );
            }
            Self::Bernoulli { slot, probability, packet } => {
                problems.demand(slot.0 > 0, "slot", "must be at least 1 ps");
                let sound = *probability > 0.0 && *probability <= 1.0;
                problems.demand(sound, "probability", "must be above 0 and at most 1");
                problems.found.extend(packet.check_below("packet"));
            }
            Self::OnOff { .. } => self.check_on_off(&mut problems),
            Self::PoissonWrites { rate, write } => {
                problems.some_rate(*rate);
                if let Some(write) = write {
                    problems.some_bytes(*write, "write");
                }
            }
            Self::Transfers { per_second, size, limit, .. } => {
                let rate = *per_second;
                let some = rate > 0.0 && rate.is_finite() || rate == 0.0 && self.under_way() > 0;
                problems.demand(some, "per-second", "must be above 0, or 0 with some under way");
                let of_size = size.check_below("size");
                let steady = !of_size.is_empty() || size.mean().is_finite();
                problems.found.extend(of_size);
                problems.demand(
                    self.under_way() == 0 || steady,
                    "under-way",
                    "the mean size is infinite, so there is no steady state to start in",
                );
                problems.demand(*limit != Some(0), "limit", "must be at least 1");
            }
            Self::Flows { file, flows } => {
                // A file that gives none has an error of its own.
                let some = file.is_some() || !flows.is_empty();
                problems.demand(some, "file", "a source of flows needs a file, or flows");
                for (at, flow) in flows.iter().enumerate() {
                    problems.some_bytes(flow.size, &format!("flows.{at}.size"));
                }
            }
            Self::Shuffle { block, parallel } => {
                problems.some_bytes(*block, "block");
                problems.demand(*parallel > 0, "parallel", "must be at least 1");
            }
            Self::Incast { block, rounds, senders } => {
                problems.some_bytes(*block, "block");
                problems.demand(*rounds > 0, "rounds", "must be at least 1");
                problems.demand(*senders != Some(0), "senders", "must be at least 1");
            }
            Self::Graph { .. } | Self::Collective { .. } => self.check_graph(&mut problems),
        }
        problems.found
    }

    fn check_graph(&self, problems: &mut Problems) {
        match self {
            Self::Graph { file, operations, repeat } => {
                // A file that gives none has an error of its own.
                let some = file.is_some() || !operations.is_empty();
                problems.demand(some, "file", "a graph needs a file, or operations");
                problems.demand(*repeat > 0, "repeat", "must be at least 1");
                problems.operations(operations);
            }
            Self::Collective { size, group, chunks, repeat, .. } => {
                problems.some_bytes(*size, "size");
                problems.demand(*group != Some(0), "group", "must be at least 2");
                problems.demand(*chunks > 0, "chunks", "must be at least 1");
                problems.demand(*repeat > 0, "repeat", "must be at least 1");
            }
            _ => {}
        }
    }

    fn check_on_off(&self, problems: &mut Problems) {
        let Self::OnOff { rate, peak, components, on, packet } = self else { return };
        problems.some_rate(*rate);
        problems.demand(peak.0 > 0, "peak", "a rate of zero never offers anything");
        problems.demand(*components > 0, "components", "must be at least 1");
        problems.found.extend(on.check_below("on"));
        problems.found.extend(packet.check_below("packet"));
        if !problems.found.is_empty() {
            return;
        }
        problems.demand(
            on.mean().is_finite(),
            "on",
            "the mean size is infinite, so no OFF periods give the bit rate",
        );
        problems.demand(
            packet.mean().is_finite(),
            "packet",
            "the mean size is infinite, so there is no steady state to start in",
        );
        problems.demand(
            rate.0 < peak.as_f64() * f64::from(*components),
            "rate",
            "must lie below the peak rates of all components together",
        );
        if !problems.found.is_empty() {
            return;
        }
        let [on_s, off_s] = mean_periods_s(*rate, (*peak, *components), on.mean());
        problems.demand(
            on_s >= LEAST_PERIOD_S,
            "on",
            "an ON period at the peak rate is shorter than a nanosecond",
        );
        let packet_s = packet.mean() * 8.0 / peak.as_f64();
        problems.demand(
            off_s >= LEAST_PERIOD_S.max(packet_s * LEAST_OF_PACKET),
            "rate",
            "so close to the peak rates of all components that OFF periods are shorter than a \
             nanosecond or than a ten-thousandth of a packet",
        );
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
