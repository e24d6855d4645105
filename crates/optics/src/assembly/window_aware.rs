//! Several queues, between which the congestion windows are balanced.
//!
//! Hosts write their windows where the edge reads them, outside of packets: an oracle, since no real edge knows them. A
//! stamp in each packet would make packets longer for all, for one policy.

use units::{Span, Time};

use super::assigned::{Asking, Assign, Assigned, Queues};
use crate::spec::AssemblySpec;

/// Several queues. With its first packet in a cycle a flow goes to the queue whose flows'
/// congestion windows have the smallest sum, and stays with it until the cycle ends. The paper
/// `sync` proposes this without defining it: a lost burst then affects the smallest possible part
/// of the windows.
pub type WindowAware = Assigned<Least>;

/// The queue with the smallest sum; ties to the lowest number.
#[derive(Debug, Clone, Copy)]
pub struct Least;

impl WindowAware {
    /// Queues without flows.
    pub fn new(spec: &AssemblySpec) -> Self {
        Self::with(Least, spec)
    }
}

impl Assign for Least {
    /// Where a flow is matters while packets wait, no longer than the timeout.
    const REMEMBERED: Span = Span::from_secs(1);

    fn assign(&mut self, _: Time, _: Asking, queues: &Queues) -> u32 {
        let mut least = (u64::MAX, 0);
        for queue in 0..queues.count() {
            least = least.min((queues.inside(queue).1, queue));
            if least.0 == 0 {
                break;
            }
        }
        least.1
    }
}
