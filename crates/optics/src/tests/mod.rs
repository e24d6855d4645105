//! Tests against twins that are slow and obvious, against formulas, and against cases worked by
//! hand.
//!
//! A statistical test fixes its seed and states its tolerance in standard errors.

mod abstract_path;
mod anycast;
mod assembly;
mod cioq;
mod circuit;
mod conversion;
mod delay_lines;
mod erlang;
mod hybrid_switch;
mod memory;
mod packet_switch;
mod policies;
mod reservation;
mod rwa;
mod scheduling;
mod spec;
mod twin;

use random::{Seed, Stream};
use units::{Span, Time};

use crate::{BurstCoreSpec, Channels, Request, Switch};

fn stream(name: &str) -> Stream {
    Seed(20_261_121).stream(name)
}

/// An instant of a case worked by hand, in microseconds.
fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A length of a case worked by hand, in microseconds.
fn us(us: u64) -> Span {
    Span::from_us(us)
}

/// The mean, and its standard error from the scatter of the values.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (square / (n - 1.0) / n).sqrt())
}

/// A node with one output link.
#[derive(Debug)]
struct Node {
    switch: Switch,
    out: Channels,
}

impl Node {
    fn new(spec: &BurstCoreSpec, channels: u32) -> Self {
        Self { switch: Switch::new(spec), out: Channels::new(spec.scheduling, channels) }
    }

    /// What a burst gets whose header comes at `now`.
    fn ask(&mut self, now: Time, request: Request) -> Option<crate::Grant> {
        self.switch.forget(now);
        self.out.forget(now);
        self.switch.reserve(&mut self.out, request)
    }
}
