//! One way of a link of the slow twin.

use std::collections::VecDeque;

use super::{Pipe, Queue};

/// One way of a link.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rate: u64,
    delay: u64,
    queue: Queue,
    /// The lightpath, and how many there are.
    pub(super) place: (usize, usize),
    free: u64,
    /// When those that wait begin, and their bytes.
    waiting: VecDeque<(u64, u64)>,
    pub(super) last: Option<(u64, usize)>,
    pub(super) packets_in: u64,
    pub(super) packets_out: u64,
    pub(super) bytes_out: u64,
    pub(super) dropped: u64,
    pub(super) waits: u64,
    pub(super) longest_wait: u64,
}

impl Wire {
    /// Nothing has happened yet.
    pub(super) fn new((from, to): (usize, usize), pipe: &Pipe, place: (usize, usize)) -> Self {
        Self {
            from,
            to,
            rate: pipe.rate,
            delay: pipe.delay,
            queue: pipe.queue,
            place,
            free: 0,
            waiting: VecDeque::new(),
            last: None,
            packets_in: 0,
            packets_out: 0,
            bytes_out: 0,
            dropped: 0,
            waits: 0,
            longest_wait: 0,
        }
    }

    /// Offers a packet; when it arrives at the far end.
    pub(super) fn offer(&mut self, now: u64, bytes: u64) -> Option<u64> {
        self.packets_in += 1;
        while self.waiting.front().is_some_and(|(start, _)| *start <= now) {
            self.waiting.pop_front();
        }
        let full = match self.queue {
            Queue::Endless => false,
            Queue::Bytes(most) => self.waiting.iter().map(|w| w.1).sum::<u64>() + bytes > most,
            Queue::Packets(most) => self.waiting.len() as u64 >= most,
        };
        if self.free > now && full {
            self.dropped += 1;
            return None;
        }
        let start = now.max(self.free);
        if start > now {
            self.waiting.push_back((start, bytes));
        }
        self.waits += start - now;
        self.longest_wait = self.longest_wait.max(start - now);
        // Rates are chosen so that nothing is to be rounded.
        assert_eq!(bytes * 8_000_000 % self.rate, 0, "a whole number of ps");
        self.free = start + bytes * 8_000_000 / self.rate;
        self.packets_out += 1;
        self.bytes_out += bytes;
        Some(self.free + self.delay)
    }
}
