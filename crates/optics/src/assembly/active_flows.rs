//! A queue for each active flow, with a periodic timer (PF of the paper `ops`).

use units::{Span, Time};

use super::flows::SILENT;
use super::per_flow::Queues;
use super::{Place, Seen};
use crate::spec::AssemblySpec;

/// A queue for each flow while it is active: unlike [`PerFlow`](super::PerFlow) also while nothing
/// of it waits, for its intervals are counted from its first packet.
///
/// An edge is not notified when a flow ends. A flow that was silent for two minutes plus the
/// timeout counts as ended: its next packet is a first one. The queues of such flows are reclaimed
/// periodically. They are empty, since a packet waits no longer than the timeout.
#[derive(Debug, Clone)]
pub struct ActiveFlows {
    queues: Queues,
    /// The flow of each queue, unless the queue is free.
    flows: Vec<Option<Active>>,
    keep: Span,
    turn: Time,
}

/// When packets of a flow came.
#[derive(Debug, Clone, Copy)]
struct Active {
    first: Time,
    last: Time,
}

impl ActiveFlows {
    /// No flow has come yet.
    pub fn new(spec: &AssemblySpec) -> Self {
        let keep = SILENT + spec.timeout();
        Self { queues: Queues::default(), flows: Vec::new(), keep, turn: Time::ZERO }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        if now > self.turn {
            self.turn(now);
        }
        let queue = self.queues.of(seen);
        if queue as usize == self.flows.len() {
            self.flows.push(None);
        }
        let known = &mut self.flows[queue as usize];
        let first =
            known.filter(|flow| flow.is_known(now, self.keep)).map_or(now, |flow| flow.first);
        *known = Some(Active { first, last: now });
        Place { queue, since: first }
    }

    #[cold]
    fn turn(&mut self, now: Time) {
        for (queue, flow) in (0..).zip(&mut self.flows) {
            if flow.take_if(|flow| !flow.is_known(now, self.keep)).is_some() {
                self.queues.free(queue);
            }
        }
        self.turn = now.saturating_add(self.keep);
    }

    /// The packet that was just placed has pushed out the burst of its queue.
    pub fn reopen(&self, queue: u32) -> Place {
        let flow = self.flows[queue as usize].expect("the packet was placed");
        Place { queue, since: flow.first }
    }
}

impl Active {
    #[inline]
    fn is_known(&self, now: Time, keep: Span) -> bool {
        now <= self.last.saturating_add(keep)
    }
}
