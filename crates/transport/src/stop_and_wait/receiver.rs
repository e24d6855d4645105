//! The receiver of a connection: the end that the data go to.

use std::sync::Arc;

use units::{Span, Time};

use super::config::StopAndWaitOptions;
use super::{alarm, deadline};
use crate::segment::{Flags, Segment};

/// How a receiver's release stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Release {
    /// No FIN has come.
    Open,
    /// The FIN has come, the answer is not acknowledged.
    Answering,
    /// The answer is acknowledged.
    Closed,
}

/// The end that the data go to.
///
/// It answers whatever comes, copies too. Only its answer to the FIN has a timer: the initial
/// timeout, times α at each expiry up to the maximum, without a margin. It is repeated until it is
/// acknowledged, however often: that a sender is gone is for whoever owns both ends to know.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: Arc<StopAndWaitOptions>,
    /// The next octet expected.
    next: u64,
    /// What the latest segment gave to be given back.
    echo: Time,
    /// When the answer to the FIN must be acknowledged, [`Time::NEVER`] where none is on its way.
    deadline: Time,
    /// The timer of the next answer to a FIN.
    rto: Span,
    release: Release,
    syn_ack_due: bool,
    ack_due: bool,
    fin_ack_due: bool,
}

impl Receiver {
    /// A receiver to which nothing has arrived.
    pub fn new(options: Arc<StopAndWaitOptions>) -> Self {
        Self {
            rto: options.initial_rto,
            options,
            next: 0,
            echo: Time::NEVER,
            deadline: Time::NEVER,
            release: Release::Open,
            syn_ack_due: false,
            ack_due: false,
            fin_ack_due: false,
        }
    }

    /// The options of the connection.
    #[inline]
    pub fn options(&self) -> &StopAndWaitOptions {
        &self.options
    }

    /// Octets given to the application, in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// Whether the FIN has come and the answer to it is acknowledged.
    pub fn is_closed(&self) -> bool {
        self.release == Release::Closed
    }

    /// Whether it waits for an acknowledgment of its answer to the FIN.
    pub fn is_waiting(&self) -> bool {
        self.release == Release::Answering
    }

    /// When the alarm rings: a picosecond after the deadline, since what comes at the deadline is in
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
        self.rto = self.rto.scaled(self.options.rto_backoff).min(self.options.max_rto);
        self.fin_ack_due = true;
    }

    /// A segment has arrived in full from the sender.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment) {
        self.echo = segment.ts_ecr;
        if segment.flags.has(Flags::SYN) {
            self.syn_ack_due = true;
        } else if segment.len > 0 {
            if segment.seq == self.next {
                self.next += u64::from(segment.len);
            }
            self.ack_due = true;
        } else if segment.flags.has(Flags::FIN) {
            if self.release == Release::Open {
                self.release = Release::Answering;
            }
            self.fin_ack_due = true;
        } else if segment.ack > 0 && self.release == Release::Answering {
            self.release = Release::Closed;
            self.deadline = Time::NEVER;
            self.fin_ack_due = false;
        }
    }

    /// The next segment to send at `now`, with its first bit on the wire at `first_bit`; none if
    /// nothing is due. Poll until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time, first_bit: Time) -> Option<Segment> {
        if self.syn_ack_due {
            self.syn_ack_due = false;
            return Some(self.answer(now, 0, Flags::SYN));
        }
        if self.ack_due {
            self.ack_due = false;
            return Some(self.answer(now, self.next, Flags::NONE));
        }
        if !self.fin_ack_due {
            return None;
        }
        self.fin_ack_due = false;
        if self.release == Release::Answering {
            self.deadline = deadline(first_bit, self.rto);
        }
        Some(self.answer(now, self.next + 1, Flags::FIN))
    }

    fn answer(&self, now: Time, ack: u64, flags: Flags) -> Segment {
        Segment { ack, ts_ecr: self.echo, ..Segment::empty(now, Flags::ACK | flags) }
    }
}
