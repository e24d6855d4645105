//! The segments in flight, each with the instant at which it was sent last (RFC 8985 section 5.2).
//!
//! They are in the order of their octets. Those neither sacked nor lost are also linked in the order of
//! their sending, so that missing segments sent before a given one are found without reading the others.

use std::collections::VecDeque;

use units::{Span, Time};

use crate::tcp::recovery::state::News;

/// No segment.
const NONE: u64 = u64::MAX;

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(super) struct Sent {
    pub(super) start: u64,
    pub(super) end: u64,
    /// When it was sent last (`Segment.xmit_ts`), and the number of that transmission.
    pub(super) at: Time,
    pub(super) transmission: u64,
    /// It was sent more than once (`Segment.retransmitted`).
    pub(super) resent: bool,
    /// It is deemed lost and has not been sent again (`Segment.lost`).
    lost: bool,
    sacked: bool,
    /// Whether it was sent last in the present network, of two that take turns.
    pub(super) here: bool,
    /// The one sent before it, and after it, of those of which no more is known.
    before: u64,
    after: u64,
}

impl Sent {
    fn octets(&self) -> u64 {
        self.end - self.start
    }
}

/// All segments in flight.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    all: VecDeque<Sent>,
    /// The number of the first; those behind follow by one.
    first: u64,
    /// Transmissions so far.
    transmissions: u64,
    /// The one sent first, and last, of those of which no more is known.
    oldest: u64,
    latest: u64,
    /// No segment before this number is lost.
    unlost_before: u64,
    /// Octets of the segments that are lost, and of those that are sacked, and how many these are.
    lost: u64,
    sacked: u64,
    sacked_count: u64,
    /// Octets of those of the other network of which no more is known.
    elsewhere: u64,
    /// Kept where something asks for it.
    pub(super) news: Option<Box<News>>,
}

impl Segments {
    pub(super) fn new() -> Self {
        Self {
            all: VecDeque::new(),
            first: 0,
            transmissions: 0,
            oldest: NONE,
            latest: NONE,
            unlost_before: 0,
            lost: 0,
            sacked: 0,
            sacked_count: 0,
            elsewhere: 0,
            news: None,
        }
    }

    /// Transmissions so far.
    pub(super) fn transmissions(&self) -> u64 {
        self.transmissions
    }

    /// Whether some are lost and wait to be sent again.
    pub(super) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Octets that have left the network, or are deemed to have: sacked or lost.
    pub(super) fn gone(&self) -> u64 {
        self.lost + self.sacked
    }

    /// Octets of the other network that have not left it, nor are deemed to have.
    pub(super) fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// The present network is now the other one, and that is the present one.
    pub(super) fn change_network(&mut self) {
        self.elsewhere = 0;
        for segment in &mut self.all {
            segment.here = !segment.here;
            if !segment.here && !segment.lost && !segment.sacked {
                self.elsewhere += segment.octets();
            }
        }
    }

    /// Octets that are deemed lost, or were and have been sent again, and those sent again that are deemed to
    /// be in the network.
    pub(super) fn lost_and_resent(&self) -> (u64, u64) {
        let (mut lost, mut resent) = (0, 0);
        for segment in self.all.iter().filter(|segment| !segment.sacked) {
            if segment.lost || segment.resent {
                lost += segment.octets();
            }
            if segment.resent && !segment.lost {
                resent += segment.octets();
            }
        }
        (lost, resent)
    }

    /// Segments that are sacked (`RACK.segs_sacked`).
    pub(super) fn sacked_segments(&self) -> u64 {
        self.sacked_count
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<&Sent> {
        self.all.back()
    }

    /// New octets are sent.
    pub(super) fn send(&mut self, start: u64, end: u64, at: Time) {
        let number = self.first + self.all.len() as u64;
        self.all.push_back(Sent {
            start,
            end,
            at,
            transmission: 0,
            resent: false,
            lost: false,
            sacked: false,
            here: true,
            before: NONE,
            after: NONE,
        });
        self.hang(number);
    }

    /// The segment that begins with this octet is sent again.
    pub(super) fn resend(&mut self, start: u64, at: Time) {
        let number = self.number_of(start);
        debug_assert_eq!(self.get(number).start, start, "segments keep their bounds");
        if self.get(number).lost {
            self.get_mut(number).lost = false;
            self.lost -= self.get(number).octets();
        } else if !self.get(number).sacked {
            self.take_out(number);
        } else {
            return;
        }
        let segment = self.get_mut(number);
        segment.at = at;
        segment.resent = true;
        segment.here = true;
        self.hang(number);
    }

    /// Everything below `ack` has arrived; `news` is told each segment that was not sacked.
    pub(super) fn acknowledge(&mut self, ack: u64, mut news: impl FnMut(&Sent)) {
        while let Some(&segment) = self.all.front().filter(|segment| segment.end <= ack) {
            if segment.sacked {
                self.sacked -= segment.octets();
                self.sacked_count -= 1;
            } else {
                news(&segment);
                self.note_arrival(self.first);
                if segment.lost {
                    self.lost -= segment.octets();
                } else {
                    self.take_out(self.first);
                }
            }
            self.all.pop_front();
            self.first += 1;
        }
        if let Some(first) = self.all.front_mut().filter(|first| first.start < ack) {
            let octets = ack - first.start;
            self.lost -= if first.lost { octets } else { 0 };
            self.sacked -= if first.sacked { octets } else { 0 };
            let is_open = !first.lost && !first.sacked;
            self.elsewhere -= if is_open && !first.here { octets } else { 0 };
            first.start = ack;
        }
    }

    /// `start .. end` has arrived, which was not known before; `news` is told each segment.
    pub(super) fn sack(&mut self, start: u64, end: u64, mut news: impl FnMut(&Sent)) {
        let mut number = self.number_of(start);
        while let Some(&segment) = self.look(number).filter(|segment| segment.end <= end) {
            if segment.start >= start && !segment.sacked {
                news(&segment);
                self.note_arrival(number);
                if segment.lost {
                    self.lost -= segment.octets();
                } else {
                    self.take_out(number);
                }
                let octets = segment.octets();
                let segment = self.get_mut(number);
                (segment.lost, segment.sacked) = (false, true);
                self.sacked += octets;
                self.sacked_count += 1;
            }
            number += 1;
        }
    }

    /// Deems lost what was sent before the transmission `newest`, and as long ago as `patience` says for it or longer
    /// (`RACK_detect_loss`). Tells `found` each of those, and returns when the last of the
    /// others will be lost.
    pub(super) fn find_lost(
        &mut self,
        newest: u64,
        now: Time,
        patience: impl Fn(&Sent) -> Span,
        mut found: impl FnMut(&Sent),
    ) -> Time {
        let mut deadline = Time::NEVER;
        let mut number = self.oldest;
        let earlier = |segment: &&Sent| segment.transmission < newest;
        while let Some(&segment) = self.look(number).filter(earlier) {
            let due = segment.at.saturating_add(patience(&segment));
            if due <= now {
                self.lose(number);
                found(&segment);
            } else {
                deadline = due;
            }
            number = segment.after;
        }
        deadline
    }

    /// Deems lost the first segment, and what was sent `patience` ago or more
    /// (`RACK_mark_losses_on_RTO`).
    pub(super) fn lose_by_timeout(&mut self, now: Time, patience: Span) {
        self.find_lost(u64::MAX, now, |_| patience, |_| {});
        if self.all.front().is_some_and(|first| !first.lost && !first.sacked) {
            self.lose(self.first);
        }
    }

    /// Deems nothing lost: those that were are again among the segments in flight, in the order of their sending.
    pub(super) fn lose_nothing(&mut self) {
        if self.lost == 0 {
            return;
        }
        self.lost = 0;
        let mut open = Vec::new();
        for (number, segment) in (self.first..).zip(&mut self.all) {
            if segment.lost && !segment.here {
                self.elsewhere += segment.octets();
            }
            segment.lost = false;
            if !segment.sacked {
                open.push((segment.transmission, number));
            }
        }
        open.sort_unstable();
        (self.oldest, self.latest) = (NONE, NONE);
        for &(_, number) in &open {
            self.join(self.latest, number);
            self.join(number, NONE);
        }
    }

    /// The first segment that is lost.
    pub(super) fn first_lost(&mut self) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        self.unlost_before = self.unlost_before.max(self.first);
        loop {
            let segment = self.look(self.unlost_before)?;
            if segment.lost {
                return Some((segment.start, segment.end));
            }
            self.unlost_before += 1;
        }
    }

    fn lose(&mut self, number: u64) {
        self.take_out(number);
        self.get_mut(number).lost = true;
        self.lost += self.get(number).octets();
        self.unlost_before = self.unlost_before.min(number);
        if let Some(news) = &mut self.news {
            news.lost.push(number);
        }
    }

    fn note_arrival(&mut self, number: u64) {
        if let Some(news) = &mut self.news {
            news.arrived.push(number);
        }
    }

    /// The number of the segment that this octet is in, or that follows it.
    fn number_of(&self, octet: u64) -> u64 {
        self.first + self.all.partition_point(|segment| segment.end <= octet) as u64
    }

    fn look(&self, number: u64) -> Option<&Sent> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get(place)
    }

    fn get(&self, number: u64) -> &Sent {
        self.look(number).expect("it is in flight")
    }

    fn get_mut(&mut self, number: u64) -> &mut Sent {
        let place = usize::try_from(number - self.first).expect("it is in flight");
        &mut self.all[place]
    }

    /// Hangs a segment behind all sent before it: it is sent now.
    fn hang(&mut self, number: u64) {
        self.transmissions += 1;
        let (transmission, before) = (self.transmissions, self.latest);
        let segment = self.get_mut(number);
        (segment.transmission, segment.before) = (transmission, before);
        self.join(before, number);
        self.join(number, NONE);
    }

    /// Takes a segment out of those of which no more is known.
    fn take_out(&mut self, number: u64) {
        let segment = *self.get(number);
        if !segment.here {
            self.elsewhere -= segment.octets();
        }
        self.join(segment.before, segment.after);
    }

    /// Lets one follow the other.
    fn join(&mut self, before: u64, after: u64) {
        match before {
            NONE => self.oldest = after,
            _ => self.get_mut(before).after = after,
        }
        match after {
            NONE => self.latest = before,
            _ => self.get_mut(after).before = before,
        }
    }
}
