//! The forwarding equivalence class: packets that share an ingress and an egress edge, with the path
//! that their bursts take and the counters of these.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use units::{FlowId, NodeId, Span, Time};

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
    /// When its first packet came, and of which flow that was.
    first: (Time, FlowId),
    /// The bytes of its bursts at the end of the first fibre, if they are counted.
    pub spans: Option<Spans>,
}

impl Fec {
    /// A class without bursts, whose path has a delay; its bytes are counted in spans of this length.
    pub fn new(
        (ingress, egress): (NodeId, NodeId),
        (path, delay): (Vec<u32>, Span),
        first: (Time, FlowId),
        span: Option<Span>,
    ) -> Self {
        Self {
            ingress,
            egress,
            path,
            delay,
            counters: FecCounters::default(),
            earlier: FecCounters::default(),
            first,
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

    /// Bursts are measured from now on. All events of a burst count in the period of its release, so that the
    /// counters of the measured period balance.
    pub fn begin_measuring(&mut self) {
        self.earlier = self.earlier.plus(&std::mem::take(&mut self.counters));
    }

    /// The counters that a burst belongs to.
    #[inline]
    pub fn counters_of(&mut self, burst: &Burst) -> &mut FecCounters {
        if burst.early { &mut self.earlier } else { &mut self.counters }
    }

    /// The counters of all bursts of the run.
    pub fn counters_of_all(&self) -> FecCounters {
        self.earlier.plus(&self.counters)
    }

    /// The same class as another part of the network gets to know it: no burst of it has been there.
    #[must_use]
    pub fn abroad(&self) -> Self {
        Self {
            path: self.path.clone(),
            counters: FecCounters::default(),
            earlier: FecCounters::default(),
            spans: self.spans.as_ref().map(Spans::emptied),
            ..*self
        }
    }

    /// Adds what another part of the network has counted of the class.
    fn absorb(&mut self, other: &Self) {
        self.counters = self.counters.plus(&other.counters);
        self.earlier = self.earlier.plus(&other.earlier);
        if let (Some(spans), Some(more)) = (&mut self.spans, &other.spans) {
            spans.absorb(more);
        }
    }
}

/// Marks the number of a class whose ingress edge is in another part of the network.
const FOREIGN: u32 = 1 << 31;

/// The classes of a network, or of a part of it.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    /// Those that are assembled here, in the order of their first packets.
    own: Vec<Fec>,
    /// Those of other parts, as far as their bursts have come here.
    foreign: Vec<Fec>,
    /// The numbers of all of these by ingress and egress edge.
    numbers: BTreeMap<(NodeId, NodeId), u32>,
}

impl Index<u32> for Classes {
    type Output = Fec;

    #[inline]
    fn index(&self, class: u32) -> &Fec {
        if class & FOREIGN == 0 {
            &self.own[class as usize]
        } else {
            &self.foreign[(class ^ FOREIGN) as usize]
        }
    }
}

impl IndexMut<u32> for Classes {
    #[inline]
    fn index_mut(&mut self, class: u32) -> &mut Fec {
        if class & FOREIGN == 0 {
            &mut self.own[class as usize]
        } else {
            &mut self.foreign[(class ^ FOREIGN) as usize]
        }
    }
}

impl Classes {
    /// The number of classes that are assembled here.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether none is assembled here.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The classes that are assembled here, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Fec> {
        self.own.iter()
    }

    /// The same, mutable, and those of other parts.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Fec> {
        self.own.iter_mut().chain(&mut self.foreign)
    }

    /// The classes in an order that does not depend on who came first at one instant in different places: of their
    /// first packets, those of one instant by flow and ingress edge.
    pub fn in_order(&self) -> Vec<&Fec> {
        let mut classes: Vec<&Fec> = self.own.iter().collect();
        classes.sort_by_key(|fec| (fec.first, fec.ingress));
        classes
    }

    /// A new class of which the first packet has come; its number.
    pub fn add(&mut self, fec: Fec) -> u32 {
        let class = number(self.own.len());
        self.numbers.insert((fec.ingress, fec.egress), class);
        self.own.push(fec);
        class
    }

    /// A class of which another part tells, since the first burst comes from there; its number.
    pub fn learn(&mut self, fec: Fec) -> u32 {
        *self.numbers.entry((fec.ingress, fec.egress)).or_insert_with(|| {
            self.foreign.push(fec);
            number(self.foreign.len() - 1) | FOREIGN
        })
    }

    /// Takes the classes of another part.
    pub(super) fn append(&mut self, other: &mut Self) {
        for fec in other.own.drain(..) {
            self.add(fec);
        }
        self.foreign.append(&mut other.foreign);
    }

    /// Each class gets what was counted of it where it is foreign.
    pub(super) fn settle(&mut self) {
        for fec in std::mem::take(&mut self.foreign) {
            // Each is assembled somewhere, and that has taken the place of the foreign number.
            let class = self.numbers[&(fec.ingress, fec.egress)];
            self[class].absorb(&fec);
        }
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).ok().filter(|&at| at < FOREIGN).expect("fewer classes than pairs of edges")
}
