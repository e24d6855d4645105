//! Packets that pass a link as light, on one of its channels: it is not the link that says when. It only counts them.

use units::Span;

use super::{Drop, Link};

impl Link {
    /// A packet has passed.
    pub fn let_pass(&mut self, bytes: u32) {
        self.packets_in += 1;
        self.packets_out += 1;
        self.bytes_in += u64::from(bytes);
        self.bytes_out += u64::from(bytes);
    }

    /// A packet was on a channel while the link was down.
    pub fn break_off(&mut self, bytes: u32) {
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        self.drop(Drop::Down, bytes);
        self.rare.counters.bytes_lost += u64::from(bytes);
    }

    /// One of its channels was busy for so long.
    pub fn count_busy(&mut self, time: Span) {
        self.rare.counters.busy += time.0;
    }
}
