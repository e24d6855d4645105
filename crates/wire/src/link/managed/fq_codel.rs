//! FQ-CoDel (RFC 8290): a queue with CoDel for each flow, served by deficit round robin, queues that have just begun
//! first.
//!
//! `Deviation:` the hash is of the flow's number, the direction and a salt, not of five fields of a header.

use std::collections::VecDeque;

use random::mix;
use units::Time;

use super::codel::{Codel, Terms};
use super::{Discarded, flow_of};
use crate::chain::Chain;
use crate::packet::{PacketId, Packets};

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
    codel: Codel,
    /// Bytes that it may send before another's turn.
    deficit: i64,
    list: List,
}

/// The queues.
#[derive(Debug, Clone)]
pub(super) struct FqCodel {
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    terms: Terms,
    quantum: i64,
    salt: u64,
}

impl FqCodel {
    pub(super) fn new(flows: u32, quantum: i64, terms: Terms, salt: u64) -> Self {
        let flow =
            Flow { queue: Chain::EMPTY, codel: Codel::default(), deficit: 0, list: List::None };
        let flows = vec![flow; flows as usize];
        Self { flows, new: VecDeque::new(), old: VecDeque::new(), terms, quantum, salt }
    }

    fn queue_of(&self, packets: &Packets, id: PacketId) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "below the number of flows")]
        let flow = (mix(flow_of(packets, id) ^ self.salt) % self.flows.len() as u64) as usize;
        flow
    }

    /// A packet comes in.
    pub(super) fn put(&mut self, packets: &mut Packets, id: PacketId) {
        let at = self.queue_of(packets, id);
        let flow = &mut self.flows[at];
        flow.queue.push(packets, id);
        if flow.list == List::None {
            flow.list = List::New;
            flow.deficit = self.quantum;
            self.new.push_back(u32::try_from(at).expect("few flows"));
        }
    }

    /// There is no room: half of the packets of the longest queue are discarded, from its head.
    pub(super) fn make_room(&mut self, packets: &mut Packets, discarded: &mut Discarded) {
        // Packets may have no bytes on the wire (`header = "0 B"`): then a queue that holds some is the longest.
        let longest =
            self.flows.iter_mut().max_by_key(|flow| (flow.queue.bytes(), !flow.queue.is_empty()));
        let Some(flow) = longest else { return };
        let most = (flow.queue.len() / 2).clamp(1, MOST_DROPPED);
        for _ in 0..most {
            let Some(id) = flow.queue.pop(packets) else { return };
            discarded.push(packets, id);
        }
    }

    /// The packet that leaves next, and whether it is marked.
    pub(super) fn take(
        &mut self,
        now: Time,
        packets: &mut Packets,
        discarded: &mut Discarded,
    ) -> Option<(PacketId, bool)> {
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
            if let Some(taken) = flow.codel.take(&self.terms, now, both, discarded) {
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

    /// The first queue of its list goes behind all others.
    fn be_old(&mut self, at: u32, is_new: bool) {
        if is_new { &mut self.new } else { &mut self.old }.pop_front();
        self.flows[at as usize].list = List::Old;
        self.old.push_back(at);
    }

    /// Packets that wait.
    pub(super) fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.flows.iter().map(|flow| &flow.queue)
    }
}
