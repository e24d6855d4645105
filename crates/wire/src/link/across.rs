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

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use units::{Rate, Span};

    use super::*;
    use crate::link::tests::link_at;
    use crate::packet::Packets;

    /// 1000 B take 1 µs, and 10 µs of delay.
    fn link() -> Link {
        let queue = QueueSpec::packets(1);
        link_at(Rate(8_000_000_000), Span::from_us(10), (queue, None))
    }

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn any_number_of_packets_is_on_a_link_at_once() {
        let (mut link, none) = (link(), Packets::default());
        for _ in 0..5 {
            let Passage { start, end, arrives } = link.set_out(us(3), 1_000).unwrap();
            assert_eq!((start, end, arrives), (us(3), us(4), us(14)));
        }
        assert_eq!(link.inside(&none), (5, 5_000));
        assert_eq!(link.counters(us(3), &none).busy, 5_000_000);
        for _ in 0..2 {
            link.come_across(1_000).unwrap();
        }
        assert_eq!((link.inside(&none), link.packets_out()), ((3, 3_000), 2));
        // Its queue is as empty as before.
        assert_eq!((link.waiting(us(3), &none), link.wait_ahead(us(3))), (0, Span::ZERO));
    }

    #[test]
    fn a_packet_arrives_with_its_first_bit_where_that_counts() {
        let passage = link().with_first_bit().set_out(us(3), 1_000).unwrap();
        assert_eq!((passage.end, passage.arrives), (us(4), us(13)));
    }

    #[test]
    fn a_link_that_is_down_takes_none_and_loses_those_on_it() {
        let (mut link, none) = (link(), Packets::default());
        link.set_out(us(3), 1_000).unwrap();
        assert!(link.go_down(us(4), &none).is_empty() && link.is_crossed());
        assert_eq!(link.come_across(1_000), Err(Drop::Down));
        assert_eq!(link.set_out(us(5), 1_000).map(|_| ()), Err(Drop::Down));
        let found = link.counters(us(6), &none);
        assert_eq!((found.packets_in, found.dropped_down, found.refused), (2, 2, 1));
        assert_eq!((found.bytes_lost, found.bytes_dropped, found.inside()), (1_000, 2_000, 0));
        assert!(!link.is_crossed());
    }
}
