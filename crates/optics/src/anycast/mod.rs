//! Anycast switching: over which lightpath of a bundle a packet leaves.
//!
//! Each policy has a file. With a bundle of one lightpath there is no choice, for any policy.

mod destination;
mod e_jsq;
mod ecmp;
mod flowlet;
mod ideal_jsq;
mod jsvoq;
mod program;
mod random;
mod round_robin;
mod ties;

use ::random::Stream;
use extension::Fault;
use units::{Span, Time};

use crate::{AnycastPolicy, AnycastRule};
use e_jsq::EJsq;
pub use flowlet::FLOWLETS_BYTES;
use flowlet::Flowlets;
use program::Own;
use round_robin::RoundRobin;

/// A packet that is to leave over a bundle.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The time of the decision.
    pub now: Time,
    /// The input on which it arrived.
    pub input: u32,
    /// The bundle; those of a switch are numbered from 0, and have no output in common.
    pub bundle: u32,
    /// The outputs of the bundle in the order of its lightpaths, at least one.
    pub ports: &'a [u32],
    /// The packet's size.
    pub bytes: u32,
    /// Which of the ports the hash of its flow picks.
    pub hashed: u32,
    /// The place of its destination among those beyond the bundle.
    pub rank: u32,
    /// Its flow: any number, of which the 17 lowest bits should tell flows and directions apart.
    pub flow: u32,
}

/// The numbers of inputs, outputs and bundles of a switch.
#[derive(Debug, Clone, Copy)]
pub struct Ports {
    /// Inputs, each a line card that decides independently.
    pub inputs: u32,
    /// Outputs.
    pub outputs: u32,
    /// Bundles.
    pub bundles: u32,
}

/// The policy of a switch, with the state of its inputs.
#[derive(Debug, Clone)]
pub struct Anycast {
    memory: Memory,
    /// Used for all random choices.
    draws: Stream,
}

#[derive(Debug, Clone)]
enum Memory {
    Ecmp,
    Destination,
    Random,
    RoundRobin(RoundRobin),
    Jsvoq,
    EJsq(EJsq),
    Flowlet(Flowlets),
    IdealJsq,
    Program(Box<Own>),
}

impl Anycast {
    /// The initial state, with nothing sent. A program has no errors.
    pub fn new(rule: AnycastRule<'_>, ports: Ports, draws: Stream) -> Self {
        let memory = match rule.policy {
            AnycastPolicy::Ecmp => Memory::Ecmp,
            AnycastPolicy::Destination => Memory::Destination,
            AnycastPolicy::Random => Memory::Random,
            AnycastPolicy::RoundRobin => Memory::RoundRobin(RoundRobin::new(ports)),
            AnycastPolicy::Jsvoq => Memory::Jsvoq,
            AnycastPolicy::EJsq => Memory::EJsq(EJsq::new(ports)),
            AnycastPolicy::Flowlet => {
                Memory::Flowlet(Flowlets::new(rule.flowlet_gap.unwrap_or(Span::ZERO)))
            }
            AnycastPolicy::IdealJsq => Memory::IdealJsq,
            AnycastPolicy::Program => {
                let program = rule.program.expect("a check requires a program");
                Memory::Program(Box::new(Own::new(program, ports)))
            }
        };
        Self { memory, draws }
    }

    /// Which of the ports the packet takes: an index. It counts as sent.
    ///
    /// `pending` gives the value of an output that a policy compares: the bytes in the packet's
    /// input's queue for it (`jsvoq`), or the picoseconds until it would be free (`ideal-jsq`); a program
    /// may compare either.
    #[inline]
    pub fn choose(&mut self, ask: &Ask<'_>, pending: impl Fn(u32) -> u64) -> u32 {
        debug_assert!((ask.hashed as usize) < ask.ports.len(), "the hash picks one of the ports");
        if ask.ports.len() <= 1 {
            return 0;
        }
        match &mut self.memory {
            Memory::Ecmp => ecmp::choose(ask),
            Memory::Destination => destination::choose(ask),
            Memory::Random => random::choose(ask, &mut self.draws),
            Memory::RoundRobin(round_robin) => round_robin.choose(ask),
            Memory::Jsvoq => jsvoq::choose(ask, pending, &mut self.draws),
            Memory::EJsq(e_jsq) => e_jsq.choose(ask, &mut self.draws),
            Memory::Flowlet(flowlets) => flowlets.choose(ask, &mut self.draws),
            Memory::IdealJsq => ideal_jsq::choose(ask, pending),
            Memory::Program(own) => own.choose(ask, pending, &mut self.draws),
        }
    }

    /// Whether it compares the queues of an input.
    #[inline]
    pub fn looks_at_queues(&self) -> bool {
        match &self.memory {
            Memory::Jsvoq => true,
            Memory::Program(own) => own.looks_at_queues(),
            Memory::Ecmp
            | Memory::Destination
            | Memory::Random
            | Memory::RoundRobin(_)
            | Memory::EJsq(_)
            | Memory::Flowlet(_)
            | Memory::IdealJsq => false,
        }
    }

    /// Whether the packets of an input for a bundle wait in one queue (AS-VOQ), of which only the
    /// head requests its assigned port.
    #[inline]
    pub fn shares_queue(&self) -> bool {
        match &self.memory {
            Memory::EJsq(_) => true,
            Memory::Program(own) => own.shares_queue(),
            Memory::Ecmp
            | Memory::Destination
            | Memory::Random
            | Memory::RoundRobin(_)
            | Memory::Jsvoq
            | Memory::Flowlet(_)
            | Memory::IdealJsq => false,
        }
    }

    /// Why its program cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        match &self.memory {
            Memory::Program(own) => own.fault(),
            Memory::Ecmp
            | Memory::Destination
            | Memory::Random
            | Memory::RoundRobin(_)
            | Memory::Jsvoq
            | Memory::EJsq(_)
            | Memory::Flowlet(_)
            | Memory::IdealJsq => None,
        }
    }
}

/// How many ports a bundle has, which are lightpaths of one link.
#[inline]
fn degree(ask: &Ask<'_>) -> u32 {
    u32::try_from(ask.ports.len()).expect("as many ports as have numbers")
}
