//! Changes of a link during a run: down, up, another rate.
//!
//! Arrivals are computed when packets are queued, so a change recomputes those of the waiting
//! packets, under new places in the agenda. The event entered for a packet that has been moved
//! finds, at its time, that nothing is due.

use kernel::Order;
use units::{Rate, Time};

use super::timing::Timing;
use super::{Drop, Link, Traits, later};
use crate::packet::{PacketId, Packets, Transit};

impl Link {
    /// Takes the link down: packets on the wire or in transmission are lost and returned, waiting
    /// packets stay. No packet enters until the link is up again.
    pub fn go_down(&mut self, now: Time, packets: &Packets) -> Vec<PacketId> {
        if !self.is_up() {
            return Vec::new();
        }
        self.settle(now, packets);
        let mut lost = Vec::new();
        while self.len > self.waiting {
            let (packet, Transit { bytes, .. }) = self.pop(packets.transits());
            self.drop(Drop::Down, bytes);
            self.rare.counters.bytes_lost += u64::from(bytes);
            lost.push(packet);
        }
        self.traits.0 &= !Traits::UP;
        if self.free_at > now {
            self.free_at = now;
        }
        lost
    }

    /// Puts the link up again: waiting packets start to leave.
    pub fn go_up(&mut self, now: Time, packets: &mut Packets, orders: impl FnMut() -> Order) {
        if !self.is_up() {
            self.traits.0 |= Traits::UP;
            self.idle += now - self.free_at;
            self.free_at = now;
            self.reschedule(now, packets, orders);
            self.settle(now, packets);
        }
    }

    /// Changes the rate for packets whose transmission starts at `now` or later.
    pub fn set_rate(
        &mut self,
        now: Time,
        rate: Rate,
        packets: &mut Packets,
        orders: impl FnMut() -> Order,
    ) {
        self.settle(now, packets);
        self.rare.rate = rate;
        self.timing = Timing::new(rate);
        if self.is_up() && self.waiting > 0 {
            self.reschedule(self.next_start, packets, orders);
        }
    }

    /// Recomputes when the waiting packets leave, the first of them at `start`, and their waiting
    /// times.
    fn reschedule(
        &mut self,
        mut start: Time,
        packets: &mut Packets,
        mut orders: impl FnMut() -> Order,
    ) {
        if self.waiting == 0 {
            return;
        }
        let (mut id, mut before) = (self.first_waiting, self.next_start);
        self.next_start = start;
        self.rare.counters.waits_moved = true;
        let since = self.accepted() - self.rare.accepted_before;
        for left in (1..=self.waiting).rev() {
            let moved = i128::from(start.0) - i128::from(before.0);
            self.rare.counters.wait_sum += moved;
            if u64::from(left) > since {
                self.rare.counters.moved_before += moved;
            }
            before = self.end_of(packets.transit(id));
            let transit = packets.transit_mut(id);
            let first = start;
            start = later(first, self.time_to_send(transit.bytes));
            transit.arrives = self.counted(first, start) + self.delay;
            transit.order = orders();
            id = transit.next;
        }
        self.free_at = start;
    }
}
