//! The forwarding equivalence class: packets that share an ingress and an egress edge, with the path
//! that their bursts take and the counters of these.

use units::{NodeId, Span, Time};

use super::{Burst, FecCounters};
use crate::record::Spans;

/// A forwarding equivalence class.
#[derive(Debug, Clone)]
pub struct Fec {
    /// The edge where its packets are assembled.
    pub ingress: NodeId,
    /// The edge where its bursts are disassembled.
    pub egress: NodeId,
    /// The shortest path: the fibres from ingress to egress, by their numbers.
    pub path: Vec<u32>,
    /// The delay of the shortest path, with the input delays of the nodes between.
    pub delay: Span,
    /// The counters of the bursts released since measuring began.
    pub counters: FecCounters,
    /// The counters of those released before.
    earlier: FecCounters,
    /// The number of the first burst that is measured.
    first_measured: u64,
    /// The bytes of its bursts at the end of the first fibre, if they are counted.
    pub spans: Option<Spans>,
}

impl Fec {
    /// A class without bursts, whose path has a delay; its bytes are counted in spans of this length.
    pub fn new(
        (ingress, egress): (NodeId, NodeId),
        (path, delay): (Vec<u32>, Span),
        span: Option<Span>,
    ) -> Self {
        Self {
            ingress,
            egress,
            path,
            delay,
            counters: FecCounters::default(),
            earlier: FecCounters::default(),
            first_measured: 0,
            spans: span.map(Spans::new),
        }
    }

    /// A burst reaches the end of its first fibre with its first bit.
    #[inline]
    pub fn end_first_link(&mut self, at: Time, bytes: u64) {
        if let Some(spans) = &mut self.spans {
            spans.add(at, bytes);
        }
    }

    /// Bursts from this number on are measured. All events of a burst count in the period of its release,
    /// so that the counters of the measured period balance.
    pub fn begin_measuring(&mut self, first_measured: u64) {
        self.earlier = self.earlier.plus(&std::mem::take(&mut self.counters));
        self.first_measured = first_measured;
    }

    /// The counters that a burst belongs to.
    #[inline]
    pub fn counters_of(&mut self, burst: &Burst) -> &mut FecCounters {
        if burst.number < self.first_measured { &mut self.earlier } else { &mut self.counters }
    }

    /// The counters of all bursts of the run.
    pub fn counters_of_all(&self) -> FecCounters {
        self.earlier.plus(&self.counters)
    }
}
