//! Burst assembly: in which queue a packet waits, and when the burst of a queue is released.
//!
//! A [`Policy`] knows the flows of a class and an [`Assembly`] the burst of one queue; the caller
//! keeps the packets, the queues and the alarms. For each packet:
//!
//! ```
//! use optics::{Assembly, Cause, Policy, Seen, Thresholds};
//! use units::Time;
//!
//! struct Class {
//!     policy: Policy,
//!     thresholds: Thresholds,
//!     queues: Vec<Assembly>,
//! }
//!
//! impl Class {
//!     fn on_packet(&mut self, now: Time, seen: Seen, bytes: u32) {
//!         let mut place = self.policy.place(now, seen);
//!         let queue = place.queue as usize;
//!         if queue >= self.queues.len() {
//!             self.queues.resize_with(queue + 1, || Assembly::new(self.thresholds));
//!         }
//!         // The packet may push out the burst that is there. It stays with its queue, whose other
//!         // flows are free, and opens the next cycle.
//!         if let Some(cause) = self.queues[queue].make_room(now, bytes) {
//!             self.close(queue, cause);
//!             place = self.policy.reopen(now, place.queue, seen);
//!         }
//!         // Here the caller appends the packet to those of the queue.
//!         match self.queues[queue].on_packet(now, place.since, bytes) {
//!             Some(cause) => {
//!                 self.close(queue, cause);
//!                 self.policy.on_release(place.queue);
//!             }
//!             None => { /* Set the alarm to self.queues[queue].alarm(). */ }
//!         }
//!     }
//!
//!     fn on_alarm(&mut self, now: Time, queue: u32) {
//!         if self.queues[queue as usize].on_deadline(now) {
//!             self.close(queue as usize, Cause::Timer);
//!             self.policy.on_release(queue);
//!         }
//!     }
//!
//!     fn close(&mut self, queue: usize, cause: Cause) {
//!         // The packets of the queue leave as a burst.
//!     }
//! }
//! ```
//!
//! Queues are numbered from 0: below [`AssemblySpec::queues`](crate::AssemblySpec::queues), or below
//! the most flows that have waited at once where each has its own; with timers that run on, below the
//! most that were active at once.
//!
//! A burst is released when it is full or when its timer expires; the [`Thresholds`] define the
//! boundary cases. If each packet is a separate burst there is one queue, which the first packet
//! fills.
//!
//! A packet and an alarm at one instant may be handled in either order. The bursts are the same,
//! with one exception: a flow whose packet is handled first stays with its queue for another cycle,
//! whereas it would be free to move if the alarm were handled first.

mod active_flows;
mod assigned;
mod cycles;
mod dynamic_queues;
mod flows;
mod mixed_flow;
mod per_flow;
mod place;
mod policy;
mod program;
mod queue;
mod static_queues;
mod window_aware;

pub use active_flows::ActiveFlows;
pub use assigned::{Asking, Assign, Assigned, Queues};
pub use dynamic_queues::DynamicQueues;
pub use mixed_flow::MixedFlow;
pub use per_flow::PerFlow;
pub use place::{Place, Seen};
pub use policy::Policy;
pub use program::{Own, OwnQueues};
pub use queue::Assembly;
pub use static_queues::StaticQueues;
pub use window_aware::{Least, WindowAware};

use units::{Bytes, Span};

use crate::spec::{AssemblySpec, Overflow, Timer};

/// When a burst is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// At this size; not by size if there is none.
    pub max_size: Option<Bytes>,
    /// Before or after a packet that exceeds it.
    pub overflow: Overflow,
    /// At the end of a time of this length: not zero with a periodic timer.
    pub timeout: Span,
    /// From when that is counted.
    pub timer: Timer,
}

impl Thresholds {
    /// The thresholds of every queue of a class.
    pub fn new(spec: &AssemblySpec) -> Self {
        if !spec.policy.facts().aggregates {
            return Self::filled_by_any_packet();
        }
        Self {
            max_size: spec.max_size,
            overflow: spec.overflow,
            timeout: spec.timeout(),
            timer: spec.timer,
        }
    }

    fn filled_by_any_packet() -> Self {
        Self {
            max_size: Some(Bytes::ZERO),
            overflow: Overflow::ThisBurst,
            timeout: Span::ZERO,
            timer: Timer::FirstPacket,
        }
    }
}

/// Why a burst was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It was full, or the next packet would have exceeded its maximum size. Also if each packet is
    /// a burst.
    Size,
    /// Its timer expired.
    Timer,
}
