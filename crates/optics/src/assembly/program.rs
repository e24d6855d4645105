//! An assembly policy of one's own, as a program of `extension`.
//!
//! The program sees what the built-in policies see, the packet and the flows in each queue, and draws from
//! the stream that they draw from. Cycles, the order within a flow and the release of bursts are not its
//! matter. A program that cannot go on leaves flows in the first queue; the caller finds the [`Fault`] and
//! ends the run.

use std::sync::Arc;

use extension::{Entry, Fault, Field, Hook, Host, Interface, Method, Outcome, Program, Record};
use extension::{State, Type, Wanted};
use random::Stream;
use units::{Span, Time};

use super::assigned::{Asking, Assign, Assigned, Queues};
use super::flows::SILENT;
use crate::spec::AssemblySpec;

/// Several queues, to which a program assigns flows.
pub type OwnQueues = Assigned<Own>;

/// What a program does, by number.
struct Do;

impl Do {
    const FLOWS: u8 = 0;
    const WINDOWS: u8 = 1;
    const BELOW: u8 = 2;
}

const QUEUES: Record = Record {
    name: "queues",
    fields: &[Field::read("count", Type::Number)],
    methods: &[
        Method {
            name: "flows",
            wants: &[Wanted::Value(Type::Number)],
            gives: Some(Type::Number),
            number: Do::FLOWS,
        },
        Method {
            name: "windows",
            wants: &[Wanted::Value(Type::Number)],
            gives: Some(Type::Number),
            number: Do::WINDOWS,
        },
    ],
};

const DRAW: Record = Record {
    name: "draw",
    fields: &[],
    methods: &[Method {
        name: "below",
        wants: &[Wanted::Value(Type::Number)],
        gives: Some(Type::Number),
        number: Do::BELOW,
    }],
};

static PACKET: Record = Record {
    name: "packet",
    fields: &[
        Field::read("now", Type::Time),
        Field::read("flow", Type::Number),
        Field::read("known", Type::Truth),
        Field::read("queue", Type::Number),
        Field::read("lost", Type::Truth),
        Field::read("resent", Type::Truth),
        Field::read("window", Type::Number),
    ],
    methods: &[],
};

/// The register of the packet's first field.
const SEEN: usize = QUEUES.fields.len() + DRAW.fields.len();

const ASSIGN: &str = "assign";

static INTERFACE: Interface = Interface {
    standing: &[QUEUES, DRAW],
    hooks: &[Hook { name: ASSIGN, takes: Some(&PACKET), gives: Some(Type::Number) }],
    constants: &[],
    declarations: &[],
    earlier: None,
};

/// A program with its hook.
#[derive(Debug)]
pub struct AssignHooks {
    program: Program,
    assign: Option<Entry>,
}

impl AssignHooks {
    /// Whether it says where flows go.
    pub fn is_complete(&self) -> bool {
        self.assign.is_some()
    }
}

impl extension::Hooks for AssignHooks {
    fn interface() -> &'static Interface {
        &INTERFACE
    }

    fn of(program: Program) -> Self {
        Self { assign: program.entry(ASSIGN), program }
    }

    fn program(&self) -> &Program {
        &self.program
    }
}

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
            Ok(Outcome::Value(bits)) => queue_of(f64::from_bits(bits), queues),
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
fn queue_of(number: f64, queues: &Queues) -> Result<u32, Option<Fault>> {
    let is_one = number >= 0.0 && number < f64::from(queues.count()) && number.fract() == 0.0;
    if is_one { Ok(number as u32) } else { Err(None) }
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
            let is_whole = (1.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
            if !is_whole {
                return Err(format!("draw.below({number}); accepted a whole number from 1"));
            }
            return Ok((self.stream.below(number as u64) as f64).to_bits());
        }
        let most = self.queues.count() - 1;
        let Ok(queue) = queue_of(number, self.queues) else {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_lies_where_the_policy_writes_it() {
        assert_eq!((INTERFACE.place("queues"), INTERFACE.place("packet")), (0, SEEN));
    }
}
