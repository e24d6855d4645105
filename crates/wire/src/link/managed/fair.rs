//! A queue for each flow, served in turn: deficit round robin (Shreedhar and Varghese 1996).
//!
//! Unlike FQ-CoDel it has no hash, so that two flows never share a turn, no first turn for those that begin, and it
//! drops nothing while there is room.

use std::collections::{BTreeMap, VecDeque};

use super::{Discarded, flow_of};
use crate::chain::Chain;
use crate::packet::{PacketId, Packets};

#[derive(Debug, Clone)]
struct Flow {
    queue: Chain,
    /// Bytes that it may send before another's turn.
    deficit: i64,
}

/// The queues of flows of which packets wait, each direction of a connection by itself.
#[derive(Debug, Clone)]
pub(super) struct Fair {
    flows: BTreeMap<u64, Flow>,
    turns: VecDeque<u64>,
    quantum: i64,
}

impl Fair {
    pub(super) fn new(quantum: i64) -> Self {
        Self { flows: BTreeMap::new(), turns: VecDeque::new(), quantum }
    }

    /// A packet comes in.
    pub(super) fn put(&mut self, packets: &mut Packets, id: PacketId) {
        let key = flow_of(packets, id);
        let flow = self.flows.entry(key).or_insert_with(|| {
            self.turns.push_back(key);
            Flow { queue: Chain::EMPTY, deficit: self.quantum }
        });
        flow.queue.push(packets, id);
    }

    /// There is no room: the flow with the most bytes loses its first packet, so that none is crowded out by another.
    pub(super) fn make_room(&mut self, packets: &mut Packets, discarded: &mut Discarded) {
        let queues = self.flows.values_mut().map(|flow| &mut flow.queue);
        let longest = queues.max_by_key(|queue| (queue.bytes(), queue.len()));
        if let Some(id) = longest.and_then(|queue| queue.pop(packets)) {
            discarded.push(packets, id);
        }
    }

    /// The packet that leaves next.
    pub(super) fn take(&mut self, packets: &Packets) -> Option<PacketId> {
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
                return taken;
            }
        }
    }

    /// Packets that wait.
    pub(super) fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.flows.values().map(|flow| &flow.queue)
    }
}
