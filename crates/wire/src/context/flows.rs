//! What is stored for each flow, by its id.

use units::{FlowId, NodeId, Time};

use super::{Context, Failure};
use crate::event::{Event, Life};
use crate::record::{FlowCounts, Synchronization};
use crate::trace::{Trace, TracedFlow};

/// A new flow with its id.
#[derive(Debug, Clone, Copy)]
pub struct NewFlow {
    /// Its number in the order of creation.
    pub number: u64,
    /// Which of the flows that have used the id.
    pub life: Life,
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source.
    pub from: NodeId,
    /// The sink.
    pub to: NodeId,
    /// The hash that chooses among equal-cost paths.
    pub hash: u16,
}

impl Context {
    /// Assigns an id to a flow: the next one, or a free one.
    pub fn begin_flow(&mut self, id: FlowId, flow: NewFlow) {
        let NewFlow { number, life, traffic, from, to, hash } = flow;
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.begin(id);
        }
        self.spread.begin(id, number);
        self.losses.begin(id);
        if let Some(frontier) = &mut self.frontier {
            frontier.begin(id, from);
        }
        if let Some(trace) = &mut self.trace {
            trace.begin(id, TracedFlow { number, traffic, from, to });
        }
        let at = id.index();
        if let Some(sizes) = &mut self.sizes {
            sizes.resize(sizes.len().max(at + 1), u64::MAX);
            sizes[at] = u64::MAX;
        }
        if at < self.lives.len() {
            self.lives[at] = life;
            self.hashes[at] = hash;
            self.counts[at] = FlowCounts::default();
        } else {
            self.lives.push(life);
            self.hashes.push(hash);
            self.counts.push(FlowCounts::default());
            self.windows.push(0);
        }
    }

    /// A flow has ended.
    pub fn end_flow(&mut self, id: FlowId) {
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.end(id);
        }
    }

    /// Which of the flows that have used an id has it now.
    #[inline]
    pub fn life(&self, id: FlowId) -> Life {
        self.lives[id.index()]
    }

    /// The count of a flow.
    #[inline]
    pub fn count(&self, flow: FlowId) -> &FlowCounts {
        &self.counts[flow.index()]
    }

    /// The counts of all flows, by id.
    pub fn counts(&self) -> &[FlowCounts] {
        &self.counts
    }

    /// When measuring begins.
    #[inline]
    pub fn measured_from(&self) -> Time {
        self.measured_from
    }

    /// From now on hosts report their congestion windows.
    pub fn report_windows(&mut self) {
        self.reports_windows = true;
    }

    /// A sender reports its congestion window in octets, if an edge needs it.
    #[inline]
    pub fn report_window(&mut self, id: FlowId, window: impl FnOnce() -> u64) {
        if self.reports_windows {
            self.windows[id.index()] = window();
        }
    }

    /// The congestion window that a flow last reported, in octets.
    #[inline]
    pub fn window(&self, id: FlowId) -> u64 {
        self.windows[id.index()]
    }

    /// How many octets a flow has to send in all: the maximum of the type as long as that is not known.
    #[inline]
    pub fn size(&self, id: FlowId) -> u64 {
        self.sizes.as_ref().expect("sizes are kept")[id.index()]
    }

    /// The size of a flow is known; its sink learns it, which may be in another part.
    pub fn note_size(&mut self, flow: FlowId, to: NodeId, bytes: u64) {
        if let Some(sizes) = &mut self.sizes {
            sizes[flow.index()] = bytes;
        }
        self.pass_size(flow, to, bytes);
    }

    /// The run ends when this number of files is delivered; with zero it does not end early.
    pub fn await_files(&mut self, files: u64) {
        self.files_awaited = files;
    }

    /// A file of a flow that exists from the start is delivered, or a listed flow has ended.
    pub fn file_delivered(&mut self) {
        if self.files_awaited > 0 {
            self.files_awaited -= 1;
            if self.files_awaited == 0 {
                self.wake(self.now, Event::Stop);
            }
        }
    }

    /// A part of the run cannot go on: the run ends. Only the first failure counts.
    #[cold]
    pub fn fail(&mut self, failure: impl FnOnce(Time) -> Failure) {
        if self.failure.is_none() {
            self.failure = Some(Box::new(failure(self.now)));
            self.wake(self.now, Event::Stop);
        }
    }

    /// Why the run cannot go on, if so.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }

    /// What flows share, if it is recorded.
    pub fn synchronization(&self) -> Option<&Synchronization> {
        self.synchronization.as_deref()
    }

    /// The same, for sampling between events.
    pub fn synchronization_mut(&mut self) -> Option<&mut Synchronization> {
        self.synchronization.as_deref_mut()
    }

    /// Packets recorded one by one, if they are.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_deref()
    }

    /// The same, to drop rows of it.
    pub fn trace_mut(&mut self) -> Option<&mut Trace> {
        self.trace.as_deref_mut()
    }

    /// Records packets from now on.
    pub fn set_trace(&mut self, trace: Trace) {
        self.is_watched = true;
        self.trace = Some(Box::new(trace));
    }
}
