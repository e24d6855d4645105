//! The receiver: the end that the data go to.

use std::collections::VecDeque;
use std::sync::Arc;

use units::Time;

use super::config::MessageOptions;
use super::wire::{About, Answer, BITS, Data, Feedback};
use crate::segment::{Flags, Segment};

/// The end that the data go to.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: Arc<MessageOptions>,
    /// The first number that has not come.
    next: u64,
    /// Which packets have come, 64 in a word; the first word has [`Self::next`].
    seen: VecDeque<u64>,
    /// Octets that have come.
    delivered: u64,
    /// Packets since the last answer.
    unanswered: u32,
    /// An answer was asked for while packets were missing: one is due when none is.
    asked: bool,
    /// The number after the last that has come.
    end: u64,
    answer: Option<Answer>,
    /// Credit: packets granted so far, those that are wanted in all, and whether an answer is due.
    granted: u64,
    wanted: u64,
    grants: bool,
}

impl Receiver {
    /// A receiver to which nothing has come.
    pub fn new(options: Arc<MessageOptions>) -> Self {
        Self {
            options,
            next: 0,
            seen: VecDeque::new(),
            delivered: 0,
            unanswered: 0,
            asked: false,
            end: 0,
            answer: None,
            granted: 0,
            wanted: 0,
            grants: false,
        }
    }

    /// The options of the connection.
    #[inline]
    pub fn options(&self) -> &MessageOptions {
        &self.options
    }

    /// Octets that have come, in whatever order, each counted once.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether the sender wants credit that is not granted yet.
    pub fn wants_credit(&self) -> bool {
        self.granted < self.wanted
    }

    /// Grants credit for a packet.
    pub fn grant(&mut self) {
        if self.wants_credit() {
            self.granted += 1;
            self.grants = true;
        }
    }

    /// A packet has come from the sender, marked if it met congestion.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment, marked: bool) {
        let data = Data::of(segment);
        self.want(data.wanted);
        // A grant may have been lost.
        self.grants |= self.options.credits && data.asks;
        let (number, entropy, first_bit) = (data.number, data.entropy, data.first_bit);
        let is_new = !self.has(number);
        if segment.flags.has(Flags::TRIMMED) && is_new {
            // It will be sent again, for which the sender has to have credit.
            self.wanted += u64::from(self.options.credits);
            let about = About { next: self.next, entropy, marked, first_bit };
            self.answer = Some(Answer::Nack { number, about });
            return;
        }
        let is_first = self.delivered == 0;
        if is_new {
            self.delivered += u64::from(data.len);
            self.take(number);
        }
        self.end = self.end.max(number + 1);
        self.asked |= data.asks;
        let is_whole = self.next == self.end;
        self.unanswered += 1;
        let at_once = marked || data.asks || is_first || !is_new || (self.asked && is_whole);
        self.asked &= !is_whole;
        if at_once || self.unanswered >= self.options.answer_every {
            self.unanswered = 0;
            let about = About { next: self.next, entropy, marked, first_bit };
            self.answer = Some(Answer::Feedback(self.feedback(about, number)));
        }
    }

    /// So many packets are wanted in all, modulo 2¹⁶: those that are granted are at most half of that behind.
    fn want(&mut self, wanted: u16) {
        if self.options.credits {
            #[expect(clippy::cast_possible_truncation, reason = "modulo 2¹⁶")]
            let more = wanted.wrapping_sub(self.wanted as u16);
            if more < 1 << 15 {
                self.wanted += u64::from(more);
            }
        }
    }

    /// The word of a number, and its bit.
    fn place(&self, number: u64) -> Option<(usize, u64)> {
        let word = (number / BITS).checked_sub(self.next / BITS)?;
        Some((usize::try_from(word).ok()?, 1 << (number % BITS)))
    }

    /// Whether a packet has come.
    fn has(&self, number: u64) -> bool {
        number < self.next
            || self
                .place(number)
                .is_some_and(|(word, bit)| self.seen.get(word).is_some_and(|seen| seen & bit != 0))
    }

    /// A packet comes for the first time.
    fn take(&mut self, number: u64) {
        let (word, bit) = self.place(number).expect("it has not come, so it is not before");
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        self.seen[word] |= bit;
        while let Some(&first) = self.seen.front() {
            let from = self.next % BITS;
            let run = u64::from((first >> from).trailing_ones());
            self.next += run;
            if from + run < BITS {
                break;
            }
            self.seen.pop_front();
        }
    }

    /// What has come around a packet: the 64 from the first that has not come, or as many times 64 later as there
    /// are until the packet.
    fn feedback(&self, about: About, number: u64) -> Feedback {
        let block = number.saturating_sub(about.next) / BITS;
        let block = u16::try_from(block).unwrap_or(u16::MAX);
        let first = about.next + u64::from(block) * BITS;
        let word = |number| {
            let place = self.place(number);
            place.and_then(|(word, _)| self.seen.get(word)).copied().unwrap_or(0)
        };
        let from = first % BITS;
        let mut bits = word(first) >> from;
        if from > 0 {
            bits |= word(first + BITS) << (BITS - from);
        }
        Feedback { about, block, bits }
    }

    /// The next answer, sent at `now`; none if nothing is due. Poll until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        if let Some(answer) = self.answer.take() {
            return Some(answer.segment(now));
        }
        if !self.grants {
            return None;
        }
        self.grants = false;
        Some(Answer::Credit { granted: self.granted }.segment(now))
    }
}
