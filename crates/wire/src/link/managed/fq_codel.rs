//! FQ-CoDel (RFC 8290): a queue with CoDel for each flow, served by deficit round robin, queues that have just begun
//! first.
//!
//! `Deviation:` the hash is of the flow's number, the direction and a salt, not of five fields of a header.

use std::collections::VecDeque;

use plan::spec::queue::{codel, fq_codel};
use random::{Stream, mix};
use units::Time;

use super::codel::Control;
use super::{Discarded, Leaving, Queue, Room, flow_of};
use crate::chain::Chain;
use crate::packet::{PacketId, Packets, Transit};

/// The most packets that are dropped at once from the longest queue when there is no room (section 4.1.3).
const MOST_DROPPED: u32 = 64;

/// Which list a queue is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    New,
    Old,
}

#[derive(Debug, Clone)]
struct Flow {
    queue: Chain,
    codel: Control,
    /// Bytes that it may send before another's turn.
    deficit: i64,
    list: List,
}

/// The queues.
#[derive(Debug, Clone)]
pub(in crate::link) struct FqCodel {
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    terms: codel::Options,
    quantum: i64,
    salt: u64,
}

impl FqCodel {
    /// It takes from `stream` an input of the hash that spreads flows over queues.
    pub(in crate::link) fn new(options: &fq_codel::Options, mut stream: Stream) -> Self {
        let &fq_codel::Options { limit, target, interval, ecn, flows, quantum } = options;
        let flow =
            Flow { queue: Chain::EMPTY, codel: Control::default(), deficit: 0, list: List::None };
        Self {
            flows: vec![flow; flows as usize],
            new: VecDeque::new(),
            old: VecDeque::new(),
            terms: codel::Options { limit, target, interval, ecn },
            quantum: i64::try_from(quantum.0).expect("limited by the schema"),
            salt: stream.next_u64(),
        }
    }

    fn queue_of(&self, packets: &Packets, id: PacketId) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "below the number of flows")]
        let flow = (mix(flow_of(packets, id) ^ self.salt) % self.flows.len() as u64) as usize;
        flow
    }

    /// The first queue of its list goes behind all others.
    fn be_old(&mut self, at: u32, is_new: bool) {
        if is_new { &mut self.new } else { &mut self.old }.pop_front();
        self.flows[at as usize].list = List::Old;
        self.old.push_back(at);
    }
}

impl Queue for FqCodel {
    fn put(&mut self, _now: Time, packets: &mut Packets, id: PacketId) {
        let at = self.queue_of(packets, id);
        let flow = &mut self.flows[at];
        flow.queue.push(packets, id);
        if flow.list == List::None {
            flow.list = List::New;
            flow.deficit = self.quantum;
            self.new.push_back(u32::try_from(at).expect("few flows"));
        }
    }

    /// There is room for each packet: others make it.
    fn room(&self, _packet: &Transit, _fits: bool) -> Room {
        Room::Whole
    }

    /// Half of the packets of the longest queue are discarded, from its head.
    fn make_room(&mut self, packets: &mut Packets, out: &mut Discarded) -> bool {
        // Packets may have no bytes on the wire (`header = "0 B"`): then a queue that holds some is the longest.
        let longest =
            self.flows.iter_mut().max_by_key(|flow| (flow.queue.bytes(), !flow.queue.is_empty()));
        let Some(flow) = longest else { return false };
        let most = (flow.queue.len() / 2).clamp(1, MOST_DROPPED);
        for _ in 0..most {
            let Some(id) = flow.queue.pop(packets) else { break };
            out.push(packets, id);
        }
        true
    }

    fn take(&mut self, now: Time, packets: &mut Packets, out: &mut Discarded) -> Leaving {
        loop {
            let is_new = !self.new.is_empty();
            let at = *if is_new { &self.new } else { &self.old }.front()?;
            let flow = &mut self.flows[at as usize];
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                self.be_old(at, is_new);
                continue;
            }
            let both = (&mut flow.queue, &mut *packets);
            if let Some(taken) = flow.codel.take(&self.terms, now, both, out) {
                flow.deficit -= i64::from(packets.transit(taken.0).bytes);
                return Some(taken);
            }
            // A queue that has just begun goes behind the others once, so that no flow can stay new.
            if is_new && !self.old.is_empty() {
                self.be_old(at, is_new);
            } else {
                flow.list = List::None;
                if is_new { &mut self.new } else { &mut self.old }.pop_front();
            }
        }
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        self.flows.iter().for_each(|flow| visit(&flow.queue));
    }

    fn branch(&mut self, _key: u64) {}
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use plan::spec::queue::fq_codel::Options;
    use units::Bytes;

    use crate::link::managed::bench::{Bench, MS, US};

    fn fq_codel(limit: Limit) -> QueueSpec {
        QueueSpec::FqCodel(Options { limit, ecn: false, ..Options::default() })
    }

    #[test]
    fn flows_get_the_same_share_in_bytes_whatever_they_send() {
        let share = Bench::small_beside_large(fq_codel(Limit::packets(10_000)));
        assert!((share - 1.0).abs() < 0.01, "{share}");
    }

    /// A packet each 50 ms beside a greedy flow waits for the packet on the wire at most: 1 ms.
    #[test]
    fn a_sparse_flow_does_not_wait_for_a_greedy_one() {
        let mut bench = Bench::new(fq_codel(Limit::packets(10_000)));
        for at in (0..1_000_000).step_by(500) {
            bench.offer(at * US, (1, 1000, 0));
            if at % 50_000 == 25_500 {
                bench.offer(at * US, (2, 1000, 0));
            }
        }
        let sparse: Vec<u64> = bench.sent.iter().filter(|s| s.1 == 2).map(|s| s.0).collect();
        assert_eq!(sparse.len(), 20);
        assert!(sparse.iter().all(|at| (at - 25_500) % 50_000 <= 1000), "{sparse:?}");
    }

    #[test]
    fn without_room_the_longest_queue_loses_half_and_the_other_nothing() {
        let mut bench = Bench::new(fq_codel(Limit::packets(100)));
        (0..3).for_each(|_| bench.offer(0, (2, 1000, 0)));
        (0..99).for_each(|_| bench.offer(0, (1, 1000, 0)));
        // One of flow 2 is on the wire; 101 others would wait.
        assert_eq!(bench.dropped.len(), 49);
        assert!(bench.dropped.iter().all(|&(_, flow)| flow == 1));
        assert_eq!(bench.refused, 0);
    }

    /// Three packets of 1000 B, which last longer than those of 100 B in front of them.
    #[test]
    fn a_limit_in_bytes_holds_after_each_packet() {
        let mut bench = Bench::new(fq_codel(Limit::bytes(Bytes(5000))));
        bench.offer(0, (9, 1000, 0));
        for flow in 0..10 {
            (0..4).for_each(|_| bench.offer(0, (flow, 100, 0)));
        }
        for flow in 0..10 {
            bench.offer(0, (flow, 1000, 0));
            let waiting = bench.link.managed().unwrap().bytes();
            assert!(waiting <= 5000, "{waiting} B wait");
        }
    }

    /// Acknowledgments of a TCP without headers: the first one is sent, four wait, and each other one costs an old one.
    #[test]
    fn packets_without_bytes_are_dropped_too() {
        let mut bench = Bench::new(fq_codel(Limit::packets(4)));
        bench.offer(0, (9, 1000, 0));
        (0..8).for_each(|_| bench.offer(0, (1, 0, 0)));
        assert_eq!(bench.link.managed().unwrap().len(), 4);
    }

    /// Spraying gives each packet of a flow a hash of its own.
    #[test]
    fn packets_of_a_flow_stay_in_one_queue_whatever_their_hashes() {
        let mut bench = Bench::new(fq_codel(Limit::packets(10_000)));
        bench.offer(0, (1, 1000, 0));
        for hash in 0..100 {
            bench.offer_as(0, (1, 100, 0), hash);
        }
        bench.run_to(1000 * MS);
        let order: Vec<u16> = bench.sent[1..].iter().map(|sent| sent.1).collect();
        assert!(order.is_sorted(), "{order:?}");
        // A flow that begins later does not wait for a turn of each packet.
        let mut bench = Bench::new(fq_codel(Limit::packets(10_000)));
        (0..100).for_each(|hash| bench.offer_as(0, (1, 1000, 0), hash));
        bench.run_to(20 * MS);
        (0..2).for_each(|_| bench.offer_as(20 * MS, (2, 1000, 0), 200));
        bench.run_to(1000 * MS);
        let last = bench.sent.iter().filter(|sent| sent.1 == 200).map(|sent| sent.0).max().unwrap();
        assert!(last <= 24_000, "{last} us");
    }
}
