//! A queue for each flow, served in turn: deficit round robin (Shreedhar and Varghese 1996).
//!
//! Unlike FQ-CoDel it has no hash, so that two flows never share a turn, no first turn for those that begin, and it
//! drops nothing while there is room.

use std::collections::{BTreeMap, VecDeque};

use plan::spec::queue::fair;
use units::Time;

use super::{Discarded, Leaving, Queue, Room, flow_of};
use crate::chain::Chain;
use crate::packet::{PacketId, Packets, Transit};

#[derive(Debug, Clone)]
struct Flow {
    queue: Chain,
    /// Bytes that it may send before another's turn.
    deficit: i64,
}

/// The queues of flows of which packets wait, each direction of a connection by itself.
#[derive(Debug, Clone)]
pub(in crate::link) struct Fair {
    flows: BTreeMap<u64, Flow>,
    turns: VecDeque<u64>,
    quantum: i64,
}

impl Fair {
    pub(in crate::link) fn new(options: &fair::Options) -> Self {
        let quantum = i64::try_from(options.quantum.0).expect("limited by the schema");
        Self { flows: BTreeMap::new(), turns: VecDeque::new(), quantum }
    }
}

impl Queue for Fair {
    fn put(&mut self, _now: Time, packets: &mut Packets, id: PacketId) {
        let key = flow_of(packets, id);
        let flow = self.flows.entry(key).or_insert_with(|| {
            self.turns.push_back(key);
            Flow { queue: Chain::EMPTY, deficit: self.quantum }
        });
        flow.queue.push(packets, id);
    }

    /// There is room for each packet: others make it.
    fn room(&self, _packet: &Transit, _fits: bool) -> Room {
        Room::Whole
    }

    /// The flow with the most bytes loses its first packet, so that none is crowded out by another.
    fn make_room(&mut self, packets: &mut Packets, out: &mut Discarded) -> bool {
        let queues = self.flows.values_mut().map(|flow| &mut flow.queue);
        let longest = queues.max_by_key(|queue| (queue.bytes(), queue.len()));
        if let Some(id) = longest.and_then(|queue| queue.pop(packets)) {
            out.push(packets, id);
        }
        true
    }

    fn take(&mut self, _now: Time, packets: &mut Packets, _out: &mut Discarded) -> Leaving {
        loop {
            let &key = self.turns.front()?;
            let flow = self.flows.get_mut(&key).expect("each flow has one turn");
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                self.turns.rotate_left(1);
                continue;
            }
            let taken = flow.queue.pop(packets);
            if let Some(id) = taken {
                // Packets may have no bytes on the wire (`header = "0 B"`).
                flow.deficit -= i64::from(packets.transit(id).bytes.max(1));
            }
            if flow.queue.is_empty() {
                self.flows.remove(&key);
                self.turns.pop_front();
            }
            if taken.is_some() {
                return taken.map(|id| (id, false));
            }
        }
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        self.flows.values().for_each(|flow| visit(&flow.queue));
    }

    fn branch(&mut self, _key: u64) {}
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use plan::spec::queue::fair::Options;
    use units::Bytes;

    use crate::link::managed::bench::{Bench, MS};

    fn fair(packets: u32) -> QueueSpec {
        QueueSpec::Fair(Options { limit: Limit::packets(packets), quantum: Bytes(1000) })
    }

    #[test]
    fn flows_get_the_same_share_in_bytes_whatever_they_send() {
        for packets in [10_000, 100] {
            let share = Bench::small_beside_large(fair(packets));
            assert!((share - 1.0).abs() < 0.01, "{share}");
        }
    }

    /// The first packet goes at once, and its flow then waits like the others.
    #[test]
    fn flows_take_turns() {
        let mut bench = Bench::new(fair(10));
        for (flow, count) in [(1, 4), (2, 1), (3, 3)] {
            (0..count).for_each(|_| bench.offer(0, (flow, 1000, 0)));
        }
        bench.run_to(1000 * MS);
        let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).collect();
        assert_eq!(order, [1, 1, 2, 3, 1, 3, 1, 3]);
    }

    /// A turn of 1000 B: one packet of 1500 B is sent on credit, and each third turn is left out.
    #[test]
    fn a_turn_that_took_too_much_is_paid_back() {
        let mut bench = Bench::new(fair(100));
        (0..7).for_each(|_| bench.offer(0, (1, 1500, 0)));
        (0..9).for_each(|_| bench.offer(0, (2, 1000, 0)));
        bench.run_to(1000 * MS);
        let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).take(12).collect();
        assert_eq!(order, [1, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1]);
    }

    #[test]
    fn the_flow_with_the_most_bytes_loses_its_first_packet() {
        let mut bench = Bench::new(fair(6));
        (0..5).for_each(|_| bench.offer(0, (1, 500, 0)));
        (0..6).for_each(|_| bench.offer(0, (2, 1000, 0)));
        bench.run_to(1000 * MS);
        // Four of flow 1 have 2000 B, so that of flow 2 two remain, with as many.
        assert_eq!((bench.dropped.len(), bench.refused), (4, 0));
        assert!(bench.dropped.iter().all(|&(_, flow)| flow == 2));
    }
}
