//! The sender of a connection: the end that the data come from.

use std::sync::Arc;

use units::{Span, Time};

use super::config::{StopAndWaitOptions, TimedCopy};
use super::rto::{Law, Rto};
use super::{alarm, deadline};
use crate::segment::{Flags, Segment};

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Packets sent again, SYN and FIN included: as many as the timer has expired.
    pub retransmissions: u64,
    /// Measurements of the round-trip time.
    pub rtt_samples: u64,
    /// Their sum in picoseconds; one at a time is measured, so it stays below the clock.
    pub rtt_sum: u64,
}

/// What the sender has on its way, or has to send first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The SYN.
    Opening,
    /// Data, or nothing.
    Open,
    /// The FIN.
    Closing,
    /// Nothing more: the FIN is answered.
    Over,
}

/// The end that the data come from.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something due of its own")]
pub struct Sender {
    options: Arc<StopAndWaitOptions>,
    /// Octets that the application has written.
    offered: u64,
    /// Octets acknowledged.
    acked: u64,
    /// p τ.
    margin: Span,
    rto: Rto,
    /// The first bit of the latest copy of what is on its way.
    first_bit: Time,
    /// When that must be answered, [`Time::NEVER`] where nothing is on its way.
    deadline: Time,
    /// The last round-trip time measured, zero before the first.
    rtt: Span,
    counters: SenderCounters,
    /// Octets of data on their way.
    in_flight: u32,
    phase: Phase,
    /// The application writes no more.
    closed: bool,
    /// What is on its way has to be sent again.
    resend_due: bool,
    /// What is on its way has been sent again.
    resent: bool,
    /// An empty acknowledgment has to be sent.
    ack_due: bool,
}

impl Sender {
    /// An idle sender; a full packet takes `packet_time` on its host's link (τ). With a handshake
    /// its first segment is the SYN, whether or not there are data.
    pub fn new(options: Arc<StopAndWaitOptions>, packet_time: Span) -> Self {
        let margin = packet_time.scaled(options.rto_margin);
        Self {
            rto: Rto::new(&options.law(margin), options.initial_rto),
            phase: if options.handshake { Phase::Opening } else { Phase::Open },
            options,
            offered: 0,
            acked: 0,
            margin,
            first_bit: Time::ZERO,
            deadline: Time::NEVER,
            rtt: Span::ZERO,
            counters: SenderCounters::default(),
            in_flight: 0,
            closed: false,
            resend_due: false,
            resent: false,
            ack_due: false,
        }
    }

    /// The application writes `bytes` octets; [`u64::MAX`] never ends.
    pub fn offer(&mut self, bytes: u64) {
        debug_assert!(!self.closed, "nothing is written after the end");
        self.offered = self.offered.saturating_add(bytes);
    }

    /// The application writes no more.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The application takes back what has not been sent for the first time, and writes no more; says how
    /// many octets remain.
    pub fn withdraw(&mut self) -> u64 {
        self.offered = self.acked + u64::from(self.in_flight);
        self.closed = true;
        self.offered
    }

    /// Octets acknowledged.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// The options of the connection.
    #[inline]
    pub fn options(&self) -> &StopAndWaitOptions {
        &self.options
    }

    /// The timer that the next packet gets.
    pub fn timer(&self) -> Span {
        self.rto.timer(&self.law())
    }

    /// The last round-trip time measured.
    pub fn rtt(&self) -> Option<Span> {
        (self.counters.rtt_samples > 0).then_some(self.rtt)
    }

    /// Whether the application has ended, and all data are acknowledged and the FIN is answered.
    pub fn is_finished(&self) -> bool {
        match self.phase {
            Phase::Over => true,
            Phase::Open => self.closed && !self.options.release && self.acked == self.offered,
            Phase::Opening | Phase::Closing => false,
        }
    }

    /// What it has done so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// When the alarm rings: a picosecond after the deadline, since an answer at the deadline is in
    /// time. None while nothing is awaited.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        alarm(self.deadline)
    }

    /// The alarm has rung. A call before its time does nothing.
    pub fn on_timeout(&mut self, now: Time) {
        if now <= self.deadline {
            return;
        }
        self.deadline = Time::NEVER;
        self.rto.expired(&self.law());
        self.resend_due = true;
    }

    /// A segment has arrived in full from the receiver.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        let opened = segment.flags.has(Flags::SYN);
        let closed = segment.flags.has(Flags::FIN);
        // Whoever answers to a SYN or ends is told each time that this was heard.
        self.ack_due |= opened || (closed && matches!(self.phase, Phase::Closing | Phase::Over));
        match self.phase {
            Phase::Opening if opened && self.is_awaited() => {
                self.answered(now, segment.ts_ecr);
                self.phase = Phase::Open;
            }
            Phase::Open if !opened && !closed => {
                if self.in_flight > 0 && segment.ack == self.acked + u64::from(self.in_flight) {
                    self.answered(now, segment.ts_ecr);
                    self.acked = segment.ack;
                    self.in_flight = 0;
                }
            }
            Phase::Closing if closed => {
                self.answered(now, segment.ts_ecr);
                self.phase = Phase::Over;
            }
            Phase::Opening | Phase::Open | Phase::Closing | Phase::Over => {}
        }
    }

    /// Whether something was sent that is not answered.
    fn is_awaited(&self) -> bool {
        self.deadline != Time::NEVER || self.resend_due
    }

    /// What is on its way is answered at `now`, by an answer to the copy with its first bit at `echo`.
    /// Where the copy that counts is not on the wire yet, there is nothing to measure.
    fn answered(&mut self, now: Time, echo: Time) {
        let from = match self.options.timed_copy {
            TimedCopy::Answered => echo,
            TimedCopy::Only if self.resent => Time::NEVER,
            TimedCopy::Latest | TimedCopy::Only => self.first_bit,
        };
        if from <= now {
            self.rtt = now - from;
            self.counters.rtt_samples += 1;
            self.counters.rtt_sum += self.rtt.0;
            self.rto.acknowledged(&self.law(), self.rtt);
        }
        self.deadline = Time::NEVER;
        self.resend_due = false;
        self.resent = false;
    }

    /// The next segment to send at `now`, with its first bit on the wire at `first_bit`; none if
    /// nothing is due. Poll until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time, first_bit: Time) -> Option<Segment> {
        if self.ack_due {
            self.ack_due = false;
            let ack = u64::from(self.phase == Phase::Over);
            return Some(Segment { ack, ..Segment::empty(now, Flags::ACK) });
        }
        if self.is_awaited() && !self.resend_due {
            return None;
        }
        let segment = match self.phase {
            Phase::Opening => Segment::empty(now, Flags::SYN),
            Phase::Open if self.in_flight > 0 => self.data(now),
            Phase::Open if self.acked < self.offered => {
                let octets = (self.offered - self.acked).min(self.options.packet.0);
                self.in_flight = u32::try_from(octets).expect("checked with the options");
                self.data(now)
            }
            Phase::Open if self.closed && self.options.release => {
                self.phase = Phase::Closing;
                self.fin(now)
            }
            Phase::Closing => self.fin(now),
            Phase::Open | Phase::Over => return None,
        };
        let resent = self.resend_due;
        if resent {
            self.counters.retransmissions += 1;
            self.resend_due = false;
            self.resent = true;
        }
        self.first_bit = first_bit;
        self.deadline = deadline(first_bit, self.timer());
        // It is for the receiver to give back.
        Some(Segment { resent, ts_ecr: first_bit, ..segment })
    }

    fn data(&self, now: Time) -> Segment {
        Segment { seq: self.acked, len: self.in_flight, ..Segment::empty(now, Flags::ACK) }
    }

    fn fin(&self, now: Time) -> Segment {
        Segment { seq: self.offered, ..Segment::empty(now, Flags::ACK | Flags::FIN) }
    }

    fn law(&self) -> Law {
        self.options.law(self.margin)
    }
}
