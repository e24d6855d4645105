//! Packets that never wait for a link, any number of which is on it at once. It only counts them.

use units::Time;

use super::{Drop, Link, Loss, Passage, Traits, later};

/// Packets on a link that did not wait for it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Across {
    /// Their number.
    pub(super) packets: u64,
    /// Their bytes.
    pub(super) bytes: u64,
}

impl Link {
    /// A packet sets out at `now`, whatever else is on the link: when it is on the wire. A link that is down refuses it.
    ///
    /// The transmitter has been busy for all of its length from now on, besides for others at the same time.
    pub fn set_out(&mut self, now: Time, bytes: u32) -> Result<Passage, Drop> {
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        if !self.is_up() {
            return Err(self.refuse(Drop::Down, bytes));
        }
        let length = self.time_to_send(bytes);
        let end = later(now, length);
        self.rare.counters.busy += length.0;
        self.rare.across.packets += 1;
        self.rare.across.bytes += u64::from(bytes);
        Ok(Passage { start: now, end, arrives: self.counted(now, end) + self.delay })
    }

    /// A packet that has set out is at the far end, or why not.
    pub fn come_across(&mut self, bytes: u32) -> Result<(), Drop> {
        self.rare.across.packets -= 1;
        self.rare.across.bytes -= u64::from(bytes);
        if !self.is_up() {
            self.drop(Drop::Down, bytes);
            self.rare.counters.bytes_lost += u64::from(bytes);
            return Err(Drop::Down);
        }
        if self.traits.has(Traits::LOSES) && self.rare.loss.as_mut().is_some_and(Loss::strikes) {
            self.drop(Drop::Loss, bytes);
            return Err(Drop::Loss);
        }
        self.packets_out += 1;
        self.bytes_out += u64::from(bytes);
        Ok(())
    }

    /// Whether packets are on it that did not wait for it.
    pub fn is_crossed(&self) -> bool {
        self.rare.across.packets > 0
    }
}
