//! Several queues, to which flows are assigned anew (DMQ).

use random::Stream;
use units::{Span, Time};

use super::cycles::Cycles;
use super::flows::{Flows, SILENT};
use super::{Place, Seen};
use crate::spec::{AllocationRule, AssemblySpec, LossKnown};

/// Several queues. A flow draws one of them with equal probability, and stays with it while packets
/// of it wait there and the cycle lasts. Then it draws again: always, or only after a loss.
#[derive(Debug, Clone)]
pub struct DynamicQueues {
    queues: u32,
    /// Whether a flow draws in each cycle, else only after a loss.
    proactive: bool,
    loss_known: LossKnown,
    cycles: Cycles,
    flows: Flows<Allocation>,
    stream: Stream,
}

/// Where a flow is.
#[derive(Debug, Clone, Copy)]
struct Allocation {
    queue: u32,
    /// The cycle of the queue for which it holds.
    cycle: u32,
    /// Whether the flow lost data since it drew.
    lost: bool,
}

impl DynamicQueues {
    /// Queues without flows.
    pub fn new(spec: &AssemblySpec, stream: Stream) -> Self {
        let proactive = spec.allocation.unwrap_or_default() == AllocationRule::Proactive;
        // What was drawn for one cycle matters while packets wait, no longer than the timeout.
        let silent = if proactive { Span::from_secs(1) } else { SILENT };
        Self {
            queues: spec.queues.unwrap_or(1),
            proactive,
            loss_known: spec.loss_known.unwrap_or_default(),
            cycles: Cycles::new(spec),
            flows: Flows::new(silent + spec.timeout()),
            stream,
        }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        self.cycles.pass(now);
        let Self { queues, cycles, stream, .. } = self;
        let mut draw = || {
            let queue = stream.below(u64::from(*queues));
            u32::try_from(queue).expect("below a number of 32 bits")
        };
        let known = self.flows.get(now, seen.flow, seen.life);
        let queue = if let Some(flow) = known {
            flow.lost |= seen.resent && self.loss_known == LossKnown::Resent;
            let holds = cycles.holds(flow.queue, flow.cycle);
            if !holds && (self.proactive || std::mem::take(&mut flow.lost)) {
                flow.queue = draw();
            }
            flow.cycle = cycles.number(flow.queue);
            flow.queue
        } else {
            let queue = draw();
            let cycle = cycles.number(queue);
            self.flows.insert(seen.flow, seen.life, Allocation { queue, cycle, lost: false });
            queue
        };
        Place { queue, since: cycles.enter(now, queue) }
    }

    /// The packet that was just placed has pushed out the burst of its queue.
    pub fn reopen(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        self.cycles.release(queue);
        let flow = self.flows.get(now, seen.flow, seen.life).expect("the packet was placed");
        flow.cycle = self.cycles.number(queue);
        Place { queue, since: self.cycles.enter(now, queue) }
    }

    /// The burst of a queue has left.
    pub fn on_release(&mut self, queue: u32) {
        self.cycles.release(queue);
    }

    /// A burst with a data packet of the flow was lost.
    pub fn on_loss(&mut self, flow: u32) {
        if let Some(flow) = self.flows.latest(flow) {
            flow.lost = true;
        }
    }

    /// Whether the policy uses notifications of losses.
    pub fn wants_losses(&self) -> bool {
        !self.proactive && self.loss_known == LossKnown::AtOnce
    }
}
