//! Series: what is sampled at regular instants, between events.

use plan::spec::SeriesKind;
use units::{LinkId, Span, Time};
use wire::context::Context;
use wire::trace::TraceSpec;

use crate::host::{Ends, Flow, Stage};

/// One sampled value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// What.
    pub what: SeriesKind,
    /// Of which flow (its number) or link (its id).
    pub subject: u64,
    /// The value: bytes, seconds or packets.
    pub value: f64,
}

/// Samples of one value in a span like the last one, where the interval adapts.
const PARTS: u64 = 250;

/// Takes samples.
#[derive(Debug, Clone, Default)]
pub struct Sampler {
    kinds: Vec<SeriesKind>,
    interval: Span,
    next: Time,
    /// What is sampled, if it is not everything until the end.
    only: Option<Box<TraceSpec>>,
    /// Samples after which the interval is doubled, if it adapts.
    stretch: Option<usize>,
    /// The number of samples when the interval was last doubled.
    doubled: usize,
    /// What was sampled, in order of time, kind and subject.
    pub samples: Vec<Sample>,
}

impl Sampler {
    /// Samples these kinds every `interval`, from the start.
    pub fn new(mut kinds: Vec<SeriesKind>, interval: Span) -> Self {
        kinds.sort_unstable();
        kinds.dedup();
        Self { kinds, interval, ..Self::default() }
    }

    /// Samples only the flows and links of a trace in its span, and stops once there are as many
    /// samples as it may have rows.
    #[must_use]
    pub fn only(mut self, spec: TraceSpec) -> Self {
        self.next = spec.from;
        self.only = Some(Box::new(spec));
        self
    }

    /// Doubles the interval whenever it has taken this many samples.
    #[must_use]
    pub fn adapting(mut self, stretch: usize) -> Self {
        self.stretch = Some(stretch);
        self
    }

    /// Drops the samples, which are those of a span; an interval that adapts becomes a part of it.
    pub fn forget(&mut self, span: Span) {
        self.samples.clear();
        self.doubled = 0;
        if self.stretch.is_some() {
            self.interval = Span((span.0 / PARTS).max(1));
        }
    }

    /// Adds the samples of another part of the network.
    pub fn absorb(&mut self, other: &mut Self) {
        self.samples.append(&mut other.samples);
        self.samples.sort_by_key(|sample| (sample.time, sample.what, sample.subject));
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        if self.kinds.is_empty() { Time::NEVER } else { self.next }
    }

    /// Takes a sample of everything requested.
    pub fn sample(&mut self, time: Time, context: &Context, flows: &[Flow]) {
        if self.stretch.is_some_and(|stretch| self.samples.len() - self.doubled >= stretch) {
            self.doubled = self.samples.len();
            self.interval = Span(self.interval.0.saturating_mul(2));
        }
        self.next = time.saturating_add(self.interval);
        let Self { kinds, only, samples, .. } = self;
        let only = only.as_deref();
        let has_link = |at: usize| {
            context.has(LinkId::at(at)) && only.is_none_or(|only| only.has_link(LinkId::at(at)))
        };
        let has_flow = |flow: &Flow| only.is_none_or(|only| only.has_flow(flow.number));
        for &what in kinds.iter() {
            if what == SeriesKind::Queue {
                for (at, link) in context.links().iter().enumerate().filter(|(at, _)| has_link(*at))
                {
                    let value = f64::from(link.waiting(time, context.packets()));
                    samples.push(Sample { time, what, subject: at as u64, value });
                }
                continue;
            }
            if what == SeriesKind::Channels {
                let fibres = context.optical().fibres.iter();
                for fibre in fibres.filter(|fibre| has_link(fibre.link.index())) {
                    let (subject, busy) = (u64::from(fibre.link.0), fibre.data.busy(time));
                    samples.push(Sample { time, what, subject, value: f64::from(busy) });
                }
                continue;
            }
            let before = samples.len();
            for flow in flows.iter().filter(|flow| {
                flow.started.is_some() && flow.stage != Stage::Gone && has_flow(flow)
            }) {
                let value = value(&flow.ends, what);
                if let Some(value) = value {
                    samples.push(Sample { time, what, subject: flow.number, value });
                }
            }
            // Places of flows that have ended are taken by others.
            samples[before..].sort_by_key(|sample| sample.subject);
        }
        if only.is_some_and(|only| self.next >= only.to || self.samples.len() >= only.limit) {
            self.next = Time::NEVER;
        }
    }
}

/// What is sampled of a flow; nothing if its transport has no such value.
fn value(ends: &Ends, what: SeriesKind) -> Option<f64> {
    match (ends, what) {
        (Ends::Tcp(tcp), SeriesKind::Cwnd) => Some(tcp.sender.cwnd() as f64),
        // Unlimited until the first loss: no value then.
        (Ends::Tcp(tcp), SeriesKind::Ssthresh) => {
            Some(tcp.sender.ssthresh()).filter(|&octets| octets < u64::MAX).map(|n| n as f64)
        }
        (Ends::Tcp(tcp), SeriesKind::Rtt) => tcp.sender.srtt().map(Span::as_secs_f64),
        (Ends::Message(message), SeriesKind::Cwnd) => Some(message.sender.window() as f64),
        (Ends::Message(message), SeriesKind::Rtt) => message.sender.srtt().map(Span::as_secs_f64),
        (Ends::StopAndWait(pair), SeriesKind::Rtt) => pair.sender.rtt().map(Span::as_secs_f64),
        _ => None,
    }
}
