//! An anycast policy of one's own, as a program of `extension`.
//!
//! The program sees what the built-in policies see: the packet, the queues of its input or when outputs
//! would be free, and the stream that they draw from. Its variables are those of one input and bundle,
//! because each input decides independently.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::random::Stream;
use extension::Fault;

use super::{Ask, Ports, degree};
use crate::program::{Do, Hands, Hooks, Lightpaths, Running, SEEN_OF_LIGHTPATHS};
use crate::spec::AnycastProgram;

/// A program with its variables for each input and bundle.
#[derive(Debug, Clone)]
pub(super) struct Own {
    hooks: Arc<Hooks<Lightpaths>>,
    parameters: BTreeMap<String, f64>,
    looks_at_queues: bool,
    /// By input and bundle, from its first packet on.
    running: Box<[Option<Running<Lightpaths>>]>,
    bundles: u32,
    /// The first of all.
    fault: Option<Box<Fault>>,
}

impl Own {
    /// The spec has a program without errors.
    pub(super) fn new(spec: &AnycastProgram, ports: Ports) -> Self {
        let hooks = spec.source.compiled().expect("a check finds its errors");
        let pairs = ports.inputs as usize * ports.bundles as usize;
        Self {
            hooks: Arc::clone(hooks),
            parameters: spec.parameters.clone(),
            looks_at_queues: hooks.looks_at_queues(),
            running: vec![None; pairs].into(),
            bundles: ports.bundles,
            fault: None,
        }
    }

    /// Whether it reads the queues of inputs.
    #[inline]
    pub(super) fn looks_at_queues(&self) -> bool {
        self.looks_at_queues
    }

    /// Whether the packets of an input for a bundle wait in one queue.
    pub(super) fn shares_queue(&self) -> bool {
        self.hooks.shares_queue()
    }

    /// Why the program cannot go on, if so.
    #[inline]
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    pub(super) fn choose(
        &mut self,
        ask: &Ask<'_>,
        pending: impl Fn(u32) -> u64,
        draws: &mut Stream,
    ) -> u32 {
        let mut hands = Hands::<_, Lightpaths>::new(draws, |method, place| {
            let value = pending(ask.ports[place as usize]);
            match method {
                Do::QUEUED => value as f64,
                Do::WAIT => seconds(value),
                other => unreachable!("method {other} of lightpaths"),
            }
        });
        let at = ask.input as usize * self.bundles as usize + ask.bundle as usize;
        let running = self.running[at].get_or_insert_with(|| {
            let mut running = Running::new(&self.hooks, &self.parameters, degree(ask));
            running.begin(&mut hands);
            running
        });
        let seen = [
            ask.now.0,
            f64::from(ask.flow).to_bits(),
            f64::from(ask.bytes).to_bits(),
            f64::from(ask.hashed).to_bits(),
            f64::from(ask.rank).to_bits(),
            f64::from(ask.input).to_bits(),
        ];
        let chosen = running.choose((SEEN_OF_LIGHTPATHS, seen), &mut hands);
        if let Some(fault) = running.fault().filter(|_| self.fault.is_none()) {
            self.fault = Some(Box::new(fault.clone()));
        }
        chosen
    }
}

/// Picoseconds in seconds; the most is that of an output that is down.
fn seconds(picoseconds: u64) -> f64 {
    if picoseconds == u64::MAX { f64::INFINITY } else { picoseconds as f64 / 1e12 }
}
