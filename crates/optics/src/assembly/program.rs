//! An assembly policy of one's own, as a program of `extension`.
//!
//! The program sees what the built-in policies see, the packet and the flows in each queue, and draws from
//! the stream that they draw from. Cycles, the order within a flow and the release of bursts are not its
//! matter.

use extension::Fault;
use random::Stream;
use units::{Span, Time};

use super::assigned::{Asking, Assign, Assigned, Queues};
use super::flows::SILENT;
use crate::program::{self, Do, Hands, Running, SEEN_OF_QUEUES};
use crate::spec::AssemblySpec;

/// Several queues, to which a program assigns flows.
pub type OwnQueues = Assigned<Own>;

/// A program and its state for one class.
#[derive(Debug, Clone)]
pub struct Own {
    running: Running<program::Queues>,
    stream: Stream,
}

impl OwnQueues {
    /// Queues without flows. The spec has a program without errors; draws come from the stream.
    pub fn new(spec: &AssemblySpec, stream: Stream) -> Self {
        let own = spec.program.as_deref().cloned().unwrap_or_default();
        let hooks = own.source.compiled().expect("a check finds its errors");
        let running = Running::new(hooks, &own.parameters, spec.queues.unwrap_or(1));
        let mut this = Self::with(Own { running, stream }, spec);
        let Own { running, stream } = &mut this.rule;
        running.begin(&mut hands(&this.queues, stream));
        this
    }

    /// Why the program cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.rule.running.fault()
    }
}

impl Assign for Own {
    const REMEMBERED: Span = SILENT;

    fn assign(&mut self, now: Time, flow: Asking, queues: &Queues) -> u32 {
        let Asking { seen: packet, before, lost } = flow;
        let seen = [
            now.0,
            f64::from(packet.flow).to_bits(),
            u64::from(before.is_some()),
            before.map_or(-1.0, f64::from).to_bits(),
            u64::from(lost),
            u64::from(packet.resent),
            (packet.window as f64).to_bits(),
        ];
        self.running.choose((SEEN_OF_QUEUES, seen), &mut hands(queues, &mut self.stream))
    }
}

/// What a program may ask of these queues.
fn hands<'a>(
    queues: &'a Queues,
    stream: &'a mut Stream,
) -> Hands<'a, impl Fn(u8, u32) -> f64, program::Queues> {
    Hands::new(stream, |method, queue| {
        let (flows, windows) = queues.inside(queue);
        match method {
            Do::FLOWS => f64::from(flows),
            Do::WINDOWS => windows as f64,
            other => unreachable!("method {other} of queues"),
        }
    })
}
