//! The receiver of a connection: the end that the data go to.
//!
//! The application reads at once: data in order are delivered as they arrive, and the window, counted from
//! the next octet expected, never shrinks ([`receive_window`](super::receive_window)).

use std::sync::Arc;

use units::{Span, Time};

use super::ranges::Ranges;
use super::receive_window::Offer;
use crate::segment::{Flags, SackBlocks, Segment};
use crate::tcp::config::{Config, EcnFeedback};

/// How often a FIN is sent before the receiver deems the sender gone.
const MAX_FINS: u32 = 8;

/// What the counters of marked packets start from (RFC 9768 section 3.2.1).
pub(super) const FIRST_MARKS: u8 = 5;

/// Marked packets that ask for an acknowledgment (n of RFC 9768 section 3.2.2.5.1, where there are new data).
const MARKS_PER_ACK: u8 = 2;

/// What a receiver has done so far.
#[derive(Clone, Debug, Default)]
pub struct ReceiverCounters {
    /// Segments with data or a FIN that have arrived.
    pub segments: u64,
    /// Of these, those that brought nothing new.
    pub duplicates: u64,
    /// Of these, those that arrived ahead of a gap.
    pub out_of_order: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
}

/// An acknowledgment of what came before the first segment that was marked otherwise.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    /// The next octet expected then.
    ack: u64,
    /// The instant to echo then.
    echo: Time,
}

/// What lies ahead of a gap.
#[derive(Clone, Debug, Default)]
struct Ahead {
    ranges: Ranges,
    /// An octet of each of the ranges that changed last, the latest first.
    latest: [u64; SackBlocks::MAX],
    latest_len: usize,
}

/// The end that the data go to: first what each segment touches.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    config: Arc<Config>,
    /// The next octet expected (RCV.NXT).
    next: u64,
    /// What lies ahead of a gap, if anything ever did.
    ahead: Option<Box<Ahead>>,
    /// The number of the FIN, [`u64::MAX`] until it is known.
    fin_at: u64,
    /// The instant to echo (TS.Recent of RFC 7323).
    echo: Time,
    /// The acknowledgment sent last (Last.ACK.sent of RFC 7323).
    acked: u64,
    /// When the delayed acknowledgment is due, [`Time::NEVER`] if none waits.
    ack_timer: Time,
    /// Segments in order since the last acknowledgment.
    pending: u32,
    /// Acknowledgments that are not delayed, still (`icsk_ack.quick` in Linux).
    quick: u32,
    fins_sent: u32,
    syn_ack_due: bool,
    ack_due: bool,
    fin_due: bool,
    fin_acked: bool,
    /// When the FIN is due again, [`Time::NEVER`] if it is not awaited.
    fin_timer: Time,
    /// What has arrived again and is to be reported (RFC 2883), empty for nothing.
    duplicate: (u64, u64),
    /// The window.
    offer: Offer,
    counters: ReceiverCounters,
    /// Congestion was experienced and the sender has not said that it knows; with DCTCP, whether the
    /// last data came marked (DCTCP.CE).
    echo_congestion: bool,
    /// Packets that arrived marked, modulo 256 (`r.cep` of RFC 9768), and how many since the last acknowledgment.
    marked_packets: u8,
    marked_since_ack: u8,
    /// What an acknowledgment that is due says of the time before DCTCP.CE changed.
    earlier: Option<Earlier>,
}

impl Receiver {
    /// A receiver to which nothing has arrived.
    pub fn new(config: Arc<Config>) -> Self {
        let quick = config.quick_acks;
        Self {
            offer: Offer::new(&config),
            config,
            next: 0,
            ahead: None,
            duplicate: (0, 0),
            fin_at: u64::MAX,
            echo: Time::NEVER,
            acked: 0,
            ack_timer: Time::NEVER,
            fin_timer: Time::NEVER,
            fins_sent: 0,
            pending: 0,
            quick,
            syn_ack_due: false,
            ack_due: false,
            fin_due: false,
            fin_acked: false,
            echo_congestion: false,
            marked_packets: FIRST_MARKS,
            marked_since_ack: 0,
            earlier: None,
            counters: ReceiverCounters::default(),
        }
    }

    /// Octets given to the application, in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.next.min(self.fin_at)
    }

    /// Octets that have arrived, those ahead of a gap included.
    pub fn arrived(&self) -> u64 {
        let below_fin = |octet: u64| octet.min(self.fin_at);
        let ranges = self.ahead.iter().flat_map(|ahead| ahead.ranges.iter());
        self.delivered() + ranges.map(|(start, end)| below_fin(end) - below_fin(start)).sum::<u64>()
    }

    /// Whether everything up to the sender's FIN has arrived.
    pub fn is_complete(&self) -> bool {
        self.next > self.fin_at
    }

    /// Whether its own FIN is acknowledged too, or was sent so often without an answer that the
    /// sender must be gone.
    pub fn is_closed(&self) -> bool {
        self.is_complete() && (self.fin_acked || self.fins_sent >= MAX_FINS)
    }

    /// What it has done so far.
    pub fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }

    /// The earliest deadline; none while nothing is awaited.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        let deadline = self.ack_timer.min(self.fin_timer);
        (deadline != Time::NEVER).then_some(deadline)
    }

    /// A deadline has passed. A call without one does nothing.
    pub fn on_timeout(&mut self, now: Time) {
        if now >= self.ack_timer {
            self.ack_timer = Time::NEVER;
            self.ack_due = true;
        }
        if now >= self.fin_timer {
            self.fin_timer = Time::NEVER;
            self.fin_due = self.fins_sent < MAX_FINS;
        }
    }

    /// A segment has arrived from the sender, marked by the network if `congestion_experienced`.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, segment: &Segment, congestion_experienced: bool) {
        if segment.flags.has(Flags::SYN) {
            self.syn_ack_due = true;
            self.echo = segment.ts_val;
            return;
        }
        if segment.ack > 0 && self.fins_sent > 0 {
            self.fin_acked = true;
            self.fin_due = false;
            self.fin_timer = Time::NEVER;
        }
        let has_fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !has_fin {
            return;
        }
        self.counters.segments += 1;
        if self.config.ecn {
            self.note_mark(segment.flags, congestion_experienced);
        }
        // RFC 7323 section 4.3, rule 2.
        if segment.seq <= self.acked && (self.echo == Time::NEVER || segment.ts_val >= self.echo) {
            self.echo = segment.ts_val;
        }
        let mut end = segment.seq + u64::from(segment.len);
        if has_fin {
            self.fin_at = end;
            end += 1;
        }
        let before = self.next;
        self.take(now, segment.seq, end);
        if self.next > before {
            self.offer.on_delivered(now, self.next, segment.ts_ecr);
        }
        if has_fin || self.is_complete() {
            self.ack_due = true;
        }
    }

    /// What is echoed after a segment that was `marked` or not.
    fn note_mark(&mut self, flags: Flags, marked: bool) {
        match self.config.ecn_feedback {
            EcnFeedback::Classic => {}
            EcnFeedback::Dctcp => return self.echo_each(marked),
            EcnFeedback::Accurate => return self.count_mark(marked),
        }
        // RFC 3168 section 6.1.3: CWR ends the echo, a mark begins it.
        self.echo_congestion &= !flags.has(Flags::CWR);
        self.echo_congestion |= marked;
    }

    /// RFC 9768 section 3.2.2: the packet is counted (`r.cep`), and an acknowledgment is sent at once where the marks
    /// begin (change-triggered) or two packets were marked since the last one (increment-triggered).
    fn count_mark(&mut self, marked: bool) {
        if marked {
            self.marked_packets = self.marked_packets.wrapping_add(1);
            self.marked_since_ack += 1;
            self.ack_due |= !self.echo_congestion || self.marked_since_ack >= MARKS_PER_ACK;
        }
        self.echo_congestion = marked;
    }

    /// RFC 8257 section 3.2: data that are marked otherwise than those before are acknowledged at
    /// once. What still waits for its acknowledgment gets one of its own, so that the sender's count
    /// of marked octets is exact (the section's "two ACKs").
    fn echo_each(&mut self, marked: bool) {
        if marked == self.echo_congestion {
            return;
        }
        if self.pending > 0 {
            self.earlier = Some(Earlier { ack: self.next, echo: self.echo });
            self.acked = self.next;
            self.pending = 0;
            self.ack_timer = Time::NEVER;
        }
        self.echo_congestion = marked;
        self.ack_due = true;
    }

    /// The next segment to send at `now`, none if nothing is due. Poll until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        let flags = if self.syn_ack_due {
            self.syn_ack_due = false;
            Flags::SYN | Flags::ACK
        } else if !self.ack_due && !self.fin_due {
            return None;
        } else if let Some(earlier) = self.earlier.take() {
            return Some(self.acknowledge_earlier(now, earlier));
        } else if self.fin_due || (self.is_complete() && !self.fin_acked) {
            self.start_fin_timer(now);
            Flags::ACK | Flags::FIN
        } else {
            Flags::ACK
        };
        Some(self.acknowledge(now, flags))
    }

    /// Octets `start .. end` have arrived, a FIN included.
    fn take(&mut self, now: Time, start: u64, end: u64) {
        if end <= self.next {
            // RFC 5681 section 4.2: an old segment is acknowledged at once, and so is what lies
            // ahead of a gap or fills one.
            self.counters.duplicates += 1;
            self.duplicate = (start, end);
            self.ack_due = true;
            self.quick = self.config.quick_acks;
        } else if start > self.next {
            self.counters.out_of_order += 1;
            self.ack_due = true;
            self.hold(start, end);
        } else {
            // RFC 2883 section 4: of a segment that brings new data too, the first part that has come before.
            if start < self.next {
                self.duplicate = (start, self.next);
            } else if let Some(ahead) = &self.ahead
                && let Some(range) = ahead.ranges.first_ending_above(start)
                && range.0 < end
            {
                self.duplicate = (range.0, range.1.min(end));
            }
            self.next = end;
            if self.has_gap() {
                self.ack_due = true;
                self.take_from_ahead();
            }
            self.pending += 1;
            if self.pending >= self.config.ack_every || self.quick > 0 {
                self.ack_due = true;
            } else if self.ack_timer == Time::NEVER {
                self.ack_timer = now.saturating_add(self.config.ack_delay);
            }
        }
    }

    /// Keeps `start .. end`, which lies ahead of a gap.
    fn hold(&mut self, start: u64, end: u64) {
        let (mut covered, mut again) = (start, None);
        let ahead = self.ahead.get_or_insert_default();
        ahead.ranges.insert(start, end, |from, to| {
            if from > covered {
                again.get_or_insert((covered, from));
            }
            covered = to;
        });
        if covered < end {
            again.get_or_insert((covered, end));
        }
        self.duplicate = again.unwrap_or(self.duplicate);
        self.counters.duplicates += u64::from(again == Some((start, end)));
        let range = ahead.ranges.first_ending_above(start).expect("it was just put there");
        let mut latest = [start, 0, 0, 0];
        let mut len = 1;
        for &octet in &ahead.latest[..ahead.latest_len] {
            if (octet < range.0 || octet >= range.1) && len < latest.len() {
                latest[len] = octet;
                len += 1;
            }
        }
        ahead.latest = latest;
        ahead.latest_len = len;
    }

    /// Takes what has become the next in order.
    fn take_from_ahead(&mut self) {
        let Some(ahead) = &mut self.ahead else { return };
        while let Some((start, end)) = ahead.ranges.first_ending_above(self.next) {
            if start > self.next {
                break;
            }
            self.next = end;
        }
        ahead.ranges.remove_below(self.next, |_, _| ());
    }

    fn start_fin_timer(&mut self, now: Time) {
        self.fin_due = false;
        // The receiver measures no round-trip time: its timer keeps to the initial timeout.
        let back_off = 1 << self.fins_sent.min(MAX_FINS);
        let after = Span(self.config.initial_rto.0.saturating_mul(back_off));
        self.fins_sent += 1;
        self.fin_timer = now.saturating_add(after.min(self.config.max_rto));
    }

    #[inline]
    fn acknowledge(&mut self, now: Time, mut flags: Flags) -> Segment {
        if self.config.ecn && self.config.ecn_feedback == EcnFeedback::Accurate {
            flags |= Flags::of_ace(self.marked_packets);
            self.marked_since_ack = 0;
        } else if self.echo_congestion {
            flags |= Flags::ECE;
        }
        self.ack_due = false;
        self.ack_timer = Time::NEVER;
        if self.pending > 0 {
            self.quick = self.quick.saturating_sub(1);
        }
        self.pending = 0;
        self.acked = self.next;
        self.counters.acks_sent += 1;
        Segment {
            ack: self.next,
            ts_ecr: self.echo,
            window: self.offer.field(),
            sack: if self.has_blocks() { self.blocks() } else { SackBlocks::NONE },
            ..Segment::empty(now, flags)
        }
    }

    /// What waited when the marks changed: in order, so there was no gap, and there are no blocks.
    fn acknowledge_earlier(&mut self, now: Time, earlier: Earlier) -> Segment {
        self.counters.acks_sent += 1;
        let flags = if self.echo_congestion { Flags::ACK } else { Flags::ACK | Flags::ECE };
        let (ack, ts_ecr, window) = (earlier.ack, earlier.echo, self.offer.field());
        Segment { ack, ts_ecr, window, ..Segment::empty(now, flags) }
    }

    /// Whether something lies ahead of a gap.
    #[inline]
    fn has_gap(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| !ahead.ranges.is_empty())
    }

    /// Whether something has arrived again or ahead of a gap.
    fn has_blocks(&self) -> bool {
        self.has_gap() || self.duplicate != (0, 0)
    }

    /// The blocks of a selective acknowledgment: the ranges that changed last, the latest first
    /// (RFC 2018 section 4), then the lowest of the others. A duplicate comes first (RFC 2883).
    fn blocks(&mut self) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let (start, end) = std::mem::take(&mut self.duplicate);
        if self.config.recovery.has_reports() && start < end {
            let offset = |octet: u64| octet.cast_signed() - self.next.cast_signed();
            blocks.push_duplicate(offset(start), offset(end));
        }
        let Some(ahead) = &self.ahead else { return blocks };
        if ahead.ranges.is_empty() || !self.config.recovery.has_sack() {
            return blocks;
        }
        let most = self.config.sack_blocks as usize;
        for &octet in &ahead.latest[..ahead.latest_len] {
            if octet < self.next || blocks.as_slice().len() == most {
                continue;
            }
            let range = ahead.ranges.first_ending_above(octet).expect("ranges only grow");
            blocks.push(range.0 - self.next, range.1 - self.next);
        }
        let told = blocks;
        for (start, end) in ahead.ranges.iter().take(2 * SackBlocks::MAX) {
            if blocks.as_slice().len() == most {
                break;
            }
            let is_told = |&(from, _): &(u32, u32)| u64::from(from) == start - self.next;
            if !told.as_slice().iter().any(is_told) {
                blocks.push(start - self.next, end - self.next);
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests;
