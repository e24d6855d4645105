//! An assembly policy of one's own, as a program of `extension`.
//!
//! The program sees what the built-in policies see, the packet and the flows in each queue, and draws from
//! the stream that they draw from. Cycles, the order within a flow and the release of bursts are not its
//! matter. A program that cannot go on leaves flows in the first queue; the caller finds the [`Fault`] and
//! ends the run.

use std::sync::Arc;

use extension::{Fault, Host, Outcome, State};
use random::Stream;
use units::{Span, Time};

use super::assigned::{Asking, Assign, Assigned, Queues};
use super::flows::SILENT;
use crate::program::{AssignHooks, Do, SEEN};
use crate::spec::AssemblySpec;

/// Several queues, to which a program assigns flows.
pub type OwnQueues = Assigned<Own>;

/// A program and its state for one class.
#[derive(Debug, Clone)]
pub struct Own {
    hooks: Arc<AssignHooks>,
    state: State,
    stream: Stream,
    fault: Option<Box<Fault>>,
}

impl OwnQueues {
    /// Queues without flows. The spec has a program without errors; draws come from the stream.
    pub fn new(spec: &AssemblySpec, stream: Stream) -> Self {
        let own = spec.program.as_deref().cloned().unwrap_or_default();
        let hooks = Arc::clone(own.source.compiled().expect("a check finds its errors"));
        let state = hooks.program.state(&own.parameters);
        let mut this = Self::with(Own { hooks, state, stream, fault: None }, spec);
        let Own { hooks, state, stream, fault } = &mut this.rule;
        state.registers[0] = f64::from(this.queues.count()).to_bits();
        let mut hands = Hands { queues: &this.queues, stream };
        *fault = hooks.program.begin(state, &mut hands).err().map(Box::new);
        this
    }

    /// Why the program cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.rule.fault.as_deref()
    }
}

impl Assign for Own {
    const REMEMBERED: Span = SILENT;

    fn assign(&mut self, now: Time, flow: Asking, queues: &Queues) -> u32 {
        let Self { hooks, state, stream, fault } = self;
        let Some(entry) = hooks.assign.filter(|_| fault.is_none()) else { return 0 };
        let Asking { seen: packet, before, lost } = flow;
        let seen = &mut state.registers[SEEN..];
        seen[0] = now.0;
        seen[1] = f64::from(packet.flow).to_bits();
        seen[2] = u64::from(before.is_some());
        seen[3] = before.map_or(-1.0, f64::from).to_bits();
        seen[4] = u64::from(lost);
        seen[5] = u64::from(packet.resent);
        seen[6] = (packet.window as f64).to_bits();
        let outcome = hooks.program.call(entry, state, &mut Hands { queues, stream });
        let found = match outcome {
            Ok(Outcome::Value(bits)) => queue_of(f64::from_bits(bits), queues).ok_or(None),
            Ok(Outcome::Done) => Err(None),
            Err(fault) => Err(Some(fault)),
        };
        found.unwrap_or_else(|why| {
            let problem = || {
                let most = queues.count() - 1;
                format!("assign returns no queue; accepted a whole number from 0 to {most}")
            };
            let why = why.unwrap_or_else(|| hooks.program.fault_of(entry, problem()));
            *fault = Some(Box::new(why));
            0
        })
    }
}

/// The queue of a number.
fn queue_of(number: f64, queues: &Queues) -> Option<u32> {
    whole(number).filter(|&queue| queue < queues.count())
}

/// A number that is whole and has 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn whole(number: f64) -> Option<u32> {
    let is_one = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    is_one.then_some(number as u32)
}

/// What a program may ask.
struct Hands<'a> {
    queues: &'a Queues,
    stream: &'a mut Stream,
}

impl Host for Hands<'_> {
    fn call(&mut self, method: u8, registers: &mut [u64], at: usize) -> Result<u64, String> {
        let number = f64::from_bits(registers[at]);
        if method == Do::BELOW {
            let Some(count) = whole(number).filter(|&count| count > 0) else {
                return Err(format!("draw.below({number}); accepted a whole number from 1"));
            };
            return Ok((self.stream.below(u64::from(count)) as f64).to_bits());
        }
        let most = self.queues.count() - 1;
        let Some(queue) = queue_of(number, self.queues) else {
            return Err(format!("no queue {number}; accepted a whole number from 0 to {most}"));
        };
        let (flows, windows) = self.queues.inside(queue);
        let found = match method {
            Do::FLOWS => f64::from(flows),
            Do::WINDOWS => windows as f64,
            other => unreachable!("method {other} of queues"),
        };
        Ok(found.to_bits())
    }
}
