//! Packet trimming (M. Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
//! performance", SIGCOMM 2017, section 3.1; UEC specification 1.0): a packet of a message transport that finds the
//! queue full loses its data, and what is left goes before all data, as acknowledgments do.
//!
//! Data are marked when they leave, the more of them wait the more likely (Kmin and Kmax of RED on the length itself).
//!
//! `Deviation:` NDP trims the packet at the end of the queue instead of the one that comes half of the times, and
//! gives data a turn after ten headers.

use plan::spec::queue::trimming;
use random::Stream;
use units::Time;

use super::{Discarded, Leaving, Queue, Room};
use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets, Transit};

/// Both queues.
#[derive(Debug, Clone)]
pub(in crate::link) struct Trimming {
    /// The bytes that are left of a packet.
    header: u32,
    /// The most packets without data that wait.
    headers: u32,
    /// The shares of the limit between which data are marked more and more likely.
    mark: (f64, f64),
    /// The limit of data, and whether it is in bytes.
    limit: (u64, bool),
    urgent: Chain,
    data: Chain,
    draws: Stream,
}

impl Trimming {
    pub(in crate::link) fn new(
        options: &trimming::Options,
        limit: (u64, bool),
        draws: Stream,
    ) -> Self {
        let &trimming::Options { header, headers, mark_from, mark_until, .. } = options;
        let header = u32::try_from(header.0).expect("limited by the schema");
        let (mark, urgent, data) = ((mark_from, mark_until), Chain::EMPTY, Chain::EMPTY);
        Self { header, headers, mark, limit, urgent, data, draws }
    }

    /// The share of the limit, in packets or in bytes, that data use.
    fn content(&self) -> u64 {
        if self.limit.1 { self.data.bytes() } else { u64::from(self.data.len()) }
    }
}

impl Queue for Trimming {
    /// The limit is that of data alone.
    fn room(&self, packet: &Transit, _fits: bool) -> Room {
        let has_header_room = self.urgent.len() < self.headers;
        if packet.marks.has(Marks::URGENT) {
            return if has_header_room { Room::Whole } else { Room::None };
        }
        let more = if self.limit.1 { u64::from(packet.bytes) } else { 1 };
        if self.content() + more <= self.limit.0 {
            Room::Whole
        } else if packet.marks.has(Marks::SPRAYED) && has_header_room {
            Room::Header(self.header.min(packet.bytes))
        } else {
            Room::None
        }
    }

    fn put(&mut self, _now: Time, packets: &mut Packets, id: PacketId) {
        let urgent = packets.transit(id).marks.has(Marks::URGENT);
        if urgent { &mut self.urgent } else { &mut self.data }.push(packets, id);
    }

    fn take(&mut self, _now: Time, packets: &mut Packets, _out: &mut Discarded) -> Leaving {
        if let Some(id) = self.urgent.pop(packets) {
            return Some((id, false));
        }
        let content = self.content() as f64 / self.limit.0 as f64;
        let id = self.data.pop(packets)?;
        let (from, until) = self.mark;
        let capable = packets.transit(id).marks.has(Marks::ECN_CAPABLE);
        let mark = capable
            && content > from
            && (content >= until || self.draws.chance((content - from) / (until - from)));
        Some((id, mark))
    }

    /// What has no data goes first, and waits for as little as there is of that.
    fn goes_first(&self, has_data: bool) -> Option<bool> {
        Some(!has_data)
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        visit(&self.urgent);
        visit(&self.data);
    }

    fn branch(&mut self, key: u64) {
        self.draws.branch(key);
    }
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::trimming::Options;
    use units::Bytes;

    use super::*;
    use crate::link::managed::bench::{Bench, MS};

    /// Room for three packets of data and two without.
    fn trimming((mark_from, mark_until): (f64, f64)) -> QueueSpec {
        let (packets, header) = (Some(3), Bytes(50));
        QueueSpec::Trimming(Options {
            packets,
            bytes: None,
            header,
            headers: 2,
            mark_from,
            mark_until,
        })
    }

    const SPRAYED: u8 = Marks::SPRAYED | Marks::ECN_CAPABLE;

    /// Seven packets at once: the first leaves, three wait, two lose their data and go before those three, and for the last
    /// there is no room. 50 B are sent in 50 us.
    #[test]
    fn a_packet_that_finds_the_queue_full_loses_its_data_and_goes_first() {
        let mut bench = Bench::new(trimming((1.0, 1.0)));
        (1..=7).for_each(|flow| bench.offer(0, (flow, 1000, SPRAYED)));
        bench.run_to(100 * MS);
        let sent = [(0, 1), (1000, 5), (1050, 6), (1100, 2), (2100, 3), (3100, 4)];
        assert_eq!(bench.sent, sent);
        assert_eq!((bench.trimmed, bench.refused, bench.marked.len()), (2, 1, 0));
        let counted = bench.link.counters(Time(100 * MS), &bench.packets);
        assert_eq!((counted.trimmed, counted.bytes_dropped, counted.dropped_queue), (2, 2900, 1));
    }

    #[test]
    fn packets_without_data_go_first_and_those_of_other_transports_are_dropped() {
        let mut bench = Bench::new(trimming((1.0, 1.0)));
        (1..=4).for_each(|flow| bench.offer(0, (flow, 1000, 0)));
        bench.offer(0, (5, 60, SPRAYED | Marks::URGENT));
        bench.offer(0, (6, 1000, Marks::ECN_CAPABLE));
        bench.run_to(100 * MS);
        assert_eq!(bench.sent, [(0, 1), (1000, 5), (1060, 2), (2060, 3), (3060, 4)]);
        assert_eq!((bench.trimmed, bench.refused), (0, 1));
    }

    /// Three wait when the first of them leaves, then two and one: all, half and none of the limit's share from ⅓ to ⅔ and
    /// on.
    #[test]
    fn data_are_marked_by_the_share_of_the_limit_that_waits() {
        let mut halves = 0;
        let rounds = 1000;
        let mut bench = Bench::new(trimming((1.0 / 3.0, 1.0)));
        for round in 0..rounds {
            bench.marked.clear();
            (1..=4).for_each(|flow| bench.offer(round * 10 * MS, (flow, 1000, SPRAYED)));
            bench.run_to((round + 1) * 10 * MS - 1);
            // The first leaves at once, before any other comes.
            assert!(
                bench.marked.first() == Some(&2) && !bench.marked.contains(&4),
                "{:?}",
                bench.marked
            );
            halves += usize::from(bench.marked.contains(&3));
        }
        // 500 with a deviation of 16.
        assert!((440..560).contains(&halves), "{halves}");
    }
}
