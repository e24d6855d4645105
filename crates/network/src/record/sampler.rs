//! Series: what is sampled at regular instants, between events.

use units::{Span, Time};

use crate::device::ends::Ends;
use crate::device::host::{Flow, Stage};
use crate::fabric::Fabric;
use crate::spec::SeriesKind;

/// One sampled value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// What.
    pub what: SeriesKind,
    /// Of which flow (its number) or link (its id).
    pub subject: u64,
    /// How much: bytes, seconds or packets.
    pub value: f64,
}

/// Takes samples.
#[derive(Debug, Clone, Default)]
pub struct Sampler {
    kinds: Vec<SeriesKind>,
    interval: Span,
    next: Time,
    /// What was sampled, in order of time, kind and subject.
    pub samples: Vec<Sample>,
}

impl Sampler {
    /// Samples these kinds every `interval`, from the start on.
    pub fn new(mut kinds: Vec<SeriesKind>, interval: Span) -> Self {
        kinds.sort_unstable();
        kinds.dedup();
        Self { kinds, interval, next: Time::ZERO, samples: Vec::new() }
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        if self.kinds.is_empty() { Time::NEVER } else { self.next }
    }

    /// Takes a sample of everything asked for.
    pub fn sample(&mut self, time: Time, fabric: &Fabric, flows: &[Flow]) {
        self.next = time.saturating_add(self.interval);
        for &what in &self.kinds {
            if what == SeriesKind::Queue {
                for (subject, link) in (0u64..).zip(&fabric.links) {
                    let value = f64::from(link.waiting(time, &fabric.packets));
                    self.samples.push(Sample { time, what, subject, value });
                }
                continue;
            }
            if what == SeriesKind::Channels {
                for fibre in &fabric.optical.fibres {
                    let (subject, busy) = (u64::from(fibre.link.0), fibre.data.busy(time));
                    self.samples.push(Sample { time, what, subject, value: f64::from(busy) });
                }
                continue;
            }
            for flow in
                flows.iter().filter(|flow| flow.started.is_some() && flow.stage != Stage::Gone)
            {
                let value = value(&flow.ends, what);
                if let Some(value) = value {
                    self.samples.push(Sample { time, what, subject: flow.number, value });
                }
            }
        }
    }
}

/// What is sampled of a flow; nothing where its transport has no such thing.
fn value(ends: &Ends, what: SeriesKind) -> Option<f64> {
    match (ends, what) {
        (Ends::Tcp(tcp), SeriesKind::Cwnd) => Some(tcp.sender.cwnd() as f64),
        // Unlimited until the first loss: no value then.
        (Ends::Tcp(tcp), SeriesKind::Ssthresh) => {
            Some(tcp.sender.ssthresh()).filter(|&octets| octets < u64::MAX).map(|n| n as f64)
        }
        (Ends::Tcp(tcp), SeriesKind::Rtt) => tcp.sender.srtt().map(Span::as_secs_f64),
        (Ends::StopAndWait { sender, .. }, SeriesKind::Rtt) => sender.rtt().map(Span::as_secs_f64),
        _ => None,
    }
}
