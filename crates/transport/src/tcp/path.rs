//! A sender and a receiver with one bottleneck between them, for tests: a rate, a buffer, a delay.

use std::collections::BTreeMap;
use std::sync::Arc;

use units::{Rate, Span, Time};

use super::{Receiver, Segment, Sender};
use crate::tcp::config::Config;

/// What happens to a data segment behind the bottleneck: lost, late by so much, or marked.
pub(super) enum Fate {
    Lost,
    Late(Span),
    Marked,
}

type Script = Box<dyn FnMut(Time, &Segment) -> Fate>;

/// One flow, or several that share the bottleneck.
pub(super) struct Path {
    pub(super) now: Time,
    pub(super) flows: Vec<(Sender, Receiver)>,
    pub(super) rate: Rate,
    /// Octets that may wait.
    pub(super) buffer: u64,
    /// Data are marked that wait for longer.
    pub(super) marks_above: Span,
    /// Segments that found it full.
    pub(super) dropped: u64,
    /// One way.
    pub(super) delay: Span,
    /// The longest wait since it was last set to zero, and all waits with their number.
    pub(super) longest_wait: Span,
    pub(super) waits: (f64, u64),
    pub(super) fate: Script,
    /// Segments that left the bottleneck, and those of them that were lost behind it.
    pub(super) passed: (u64, u64),
    /// Acknowledgments arrive at multiples of this span alone, where it is not zero.
    pub(super) ack_grid: Span,
    free_at: Time,
    on_the_way: BTreeMap<(Time, u64), Arrival>,
    count: u64,
}

enum Arrival {
    Forth(usize, Segment, bool),
    Back(usize, Segment),
}

impl Path {
    /// A path of this rate and round-trip time, and a buffer of so many octets; `configs` are its flows.
    pub(super) fn new(rate: Rate, rtt: Span, buffer: u64, configs: &[Config]) -> Self {
        let flow = |(n, config): (usize, &Config)| {
            let config = Arc::new(config.clone());
            let stream = random::Seed(7).stream(&format!("flow {n}"));
            (Sender::new(Arc::clone(&config)).with_stream(stream), Receiver::new(config))
        };
        Self {
            now: Time::ZERO,
            flows: configs.iter().enumerate().map(flow).collect(),
            rate,
            buffer,
            marks_above: Span(u64::MAX),
            dropped: 0,
            delay: Span(rtt.0 / 2),
            longest_wait: Span::ZERO,
            waits: (0.0, 0),
            fate: Box::new(|_, _| Fate::Late(Span::ZERO)),
            passed: (0, 0),
            ack_grid: Span::ZERO,
            free_at: Time::ZERO,
            on_the_way: BTreeMap::new(),
            count: 0,
        }
    }

    /// Loses one of so many data segments from now on; zero for none.
    pub(super) fn lose_one_in(&mut self, every: u64) {
        let mut count = 0;
        self.fate = Box::new(move |_, segment| {
            count += u64::from(segment.len > 0);
            if every > 0 && count % every == 0 { Fate::Lost } else { Fate::Late(Span::ZERO) }
        });
    }

    /// A token-bucket policer of 10 Mb/s and 50 kB behind the bottleneck.
    pub(super) fn police(&mut self) {
        let (mut tokens, mut at) = (50_000.0_f64, Time::ZERO);
        self.fate = Box::new(move |now, segment| {
            tokens = (tokens + now.since(at).as_secs_f64() * 1.25e6).min(50_000.0);
            at = now;
            let size = f64::from(segment.len) + 40.0;
            if tokens < size {
                return Fate::Lost;
            }
            tokens -= size;
            Fate::Late(Span::ZERO)
        });
    }

    /// The first flow's sender.
    pub(super) fn sender(&self) -> &Sender {
        &self.flows[0].0
    }

    /// The mean of the waits in seconds.
    pub(super) fn mean_wait(&self) -> f64 {
        self.waits.0 / self.waits.1 as f64
    }

    /// The application of a flow writes.
    pub(super) fn offer(&mut self, flow: usize, octets: u64) {
        let now = self.now;
        self.flows[flow].0.offer(now, octets);
        self.poll();
    }

    /// Runs for a span.
    pub(super) fn run_for(&mut self, span: Span) {
        self.run_until(self.now + span, |_| false);
    }

    /// Runs until `done`, or until `end`; whether it was done.
    pub(super) fn run_until(&mut self, end: Time, done: impl Fn(&Self) -> bool) -> bool {
        self.poll();
        loop {
            if done(self) {
                return true;
            }
            let arrival = self.on_the_way.first_key_value().map_or(Time::NEVER, |(key, _)| key.0);
            let timers = self.flows.iter().map(|(sender, receiver)| {
                let timers = [sender.next_timeout(), receiver.next_timeout()];
                timers.into_iter().flatten().min().unwrap_or(Time::NEVER)
            });
            let timer = timers.min().unwrap_or(Time::NEVER);
            let next = arrival.min(timer);
            if next > end {
                self.now = end;
                return false;
            }
            self.now = next;
            if arrival <= timer {
                self.deliver();
            } else {
                for (sender, receiver) in &mut self.flows {
                    sender.on_timeout(next);
                    receiver.on_timeout(next);
                }
            }
            self.poll();
        }
    }

    fn deliver(&mut self) {
        let (_, arrival) = self.on_the_way.pop_first().expect("something arrives");
        match arrival {
            Arrival::Forth(flow, segment, marked) => {
                self.flows[flow].1.on_segment(self.now, &segment, marked);
            }
            Arrival::Back(flow, segment) => self.flows[flow].0.on_segment(self.now, &segment),
        }
    }

    fn poll(&mut self) {
        for flow in 0..self.flows.len() {
            while let Some(segment) = self.flows[flow].0.next_segment(self.now) {
                self.send(flow, segment);
            }
            while let Some(segment) = self.flows[flow].1.next_segment(self.now) {
                let mut at = self.now + self.delay;
                if self.ack_grid > Span::ZERO {
                    at = Time(at.0.next_multiple_of(self.ack_grid.0));
                }
                self.enter(at, Arrival::Back(flow, segment));
            }
        }
    }

    fn send(&mut self, flow: usize, segment: Segment) {
        let wait = self.free_at.since(self.now);
        let waiting = wait.as_secs_f64() * self.rate.0 as f64 / 8.0;
        if waiting > self.buffer as f64 {
            self.dropped += 1;
            return;
        }
        self.longest_wait = self.longest_wait.max(wait);
        self.waits = (self.waits.0 + wait.as_secs_f64(), self.waits.1 + 1);
        let octets = units::Bytes(u64::from(segment.len) + 40);
        self.free_at = self.free_at.max(self.now) + self.rate.time_to_send(octets);
        self.passed.0 += 1;
        let marks = wait > self.marks_above && segment.len > 0;
        match if marks { Fate::Marked } else { (self.fate)(self.now, &segment) } {
            Fate::Lost => self.passed.1 += 1,
            Fate::Late(by) => {
                let at = self.free_at + self.delay + by;
                self.enter(at, Arrival::Forth(flow, segment, false));
            }
            Fate::Marked => {
                self.enter(self.free_at + self.delay, Arrival::Forth(flow, segment, true));
            }
        }
    }

    fn enter(&mut self, at: Time, arrival: Arrival) {
        self.count += 1;
        self.on_the_way.insert((at, self.count), arrival);
    }
}
