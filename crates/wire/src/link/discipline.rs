//! The list of all kinds of queue: the only file of this crate, with those of the kinds, that names them.

use plan::spec::QueueSpec;
use random::Stream;
use units::{Span, Time};

use super::bucket::Bucket;
use super::ecn_threshold::EcnThreshold;
use super::managed::{Any, Codel, DualPi2, Fair, FqCodel, Managed, Shaper, Trimming};
use super::pie::Pie;
use super::red::Red;

/// Queue management beyond drop-tail.
#[derive(Debug, Clone)]
pub(super) enum Discipline {
    DropTail,
    EcnThreshold(EcnThreshold),
    Red(Box<Red>),
    Pie(Box<Pie>),
    Policer(Bucket),
    /// Packets wait in front of the link.
    Managed(Box<Managed>),
}

impl Discipline {
    /// The queue of a scenario, with its limit, and its random streams by their names.
    pub(super) fn new(
        queue: &QueueSpec,
        limit: (u64, bool),
        stream: impl Fn(&str) -> Stream,
    ) -> Self {
        let managed = |kind| Self::Managed(Box::new(Managed::new(kind, limit)));
        match queue {
            QueueSpec::DropTail(_) => Self::DropTail,
            QueueSpec::Red(it) => Self::Red(Box::new(Red::new(it, stream("red")))),
            QueueSpec::Pie(it) => Self::Pie(Box::new(Pie::new(it, stream("pie")))),
            QueueSpec::EcnThreshold(it) => Self::EcnThreshold(EcnThreshold::new(it.mark_above)),
            QueueSpec::Policer(it) => Self::Policer(Bucket::new(it.rate, it.burst)),
            QueueSpec::Codel(it) => managed(Any::Codel(Codel::new(it))),
            QueueSpec::FqCodel(it) => managed(Any::FqCodel(FqCodel::new(it, stream("flows")))),
            QueueSpec::Fair(it) => managed(Any::Fair(Fair::new(it))),
            QueueSpec::DualPi2(it) => managed(Any::DualPi2(DualPi2::new(it))),
            QueueSpec::Trimming(it) => {
                managed(Any::Trimming(Trimming::new(it, limit, stream("flows"))))
            }
            QueueSpec::Shaper(it) => managed(Any::Shaper(Shaper::new(it))),
        }
    }

    /// The decision on a packet that arrives, also at a full queue.
    pub(super) fn judge(&mut self, packet: &Arriving) -> Verdict {
        match self {
            Self::DropTail => Verdict::Enqueue,
            Self::EcnThreshold(threshold) => threshold.judge(packet),
            Self::Red(red) => red.judge(packet),
            Self::Pie(pie) => pie.judge(packet),
            Self::Policer(bucket) => {
                let conforms = bucket.conforms(packet.now, packet.bytes);
                if conforms { Verdict::Enqueue } else { Verdict::Drop }
            }
            Self::Managed(_) => unreachable!("packets wait in front of the link"),
        }
    }

    /// From now on what is decided by chance is drawn anew.
    pub(super) fn branch(&mut self, key: u64) {
        match self {
            Self::DropTail | Self::EcnThreshold(_) | Self::Policer(_) => {}
            Self::Red(red) => red.branch(key),
            Self::Pie(pie) => pie.branch(key),
            Self::Managed(managed) => managed.branch(key),
        }
    }
}

/// A packet that arrives at a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arriving {
    pub(super) now: Time,
    pub(super) bytes: u32,
    /// Whether it can carry a mark.
    pub(super) is_capable: bool,
    /// The packets that it finds waiting, and their bytes.
    pub(super) waiting: (u32, u64),
    /// When the wire is free, or since when it has been: until then the packet would wait.
    pub(super) free_at: Time,
    /// The time of a typical transmission.
    pub(super) typical: Span,
}

/// What becomes of a packet that arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is accepted.
    Enqueue,
    /// It is accepted and marked.
    Mark,
    /// It is dropped.
    Drop,
}
