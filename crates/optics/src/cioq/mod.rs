//! The fabric of a CIOQ switch: virtual output queues, slots and cells, without events.
//!
//! Whoever calls says when a packet is in and which output it takes ([`Cioq::offer`]); the switch says
//! when to look again ([`Cioq::due`]) and which packets are together again at their outputs
//! ([`Cioq::take_done`]). Slot `k` begins at `k` times its length; a packet that comes at that instant
//! may be asked for in it, and one whose last cell goes in it is at its output when it ends.
//!
//! Slots are settled in arrears, and most of them in bulk. A request is *alone* when it is the only one
//! of its input and the only one for its output: a scheduler grants it in every slot until its packet
//! is through, so the end is known at once. Only inputs that compete are matched slot by slot, and idle
//! slots cost nothing.

mod queues;
mod wide;

use std::collections::VecDeque;

use queues::Queues;
use random::Stream;
use units::{Span, Time};
pub use wide::{CioqSwitch, MOST_PORTS};

use crate::scheduling::{Arbiter, Mask, Requests};
use crate::spec::SchedulerSpec;

/// How a fabric is made.
#[derive(Debug, Clone)]
pub struct Fabric {
    /// Line cards that packets come in by.
    pub inputs: u32,
    /// By output: the virtual output queue that its packets wait in at each input. Outputs of a bundle
    /// may share one (AS-VOQ); the queue's number is that of an output.
    pub queue_of: Box<[u32]>,
    /// How long a slot lasts.
    pub slot: Span,
    /// Bytes of a packet in a cell.
    pub payload: u32,
    /// What matches inputs with outputs.
    pub scheduler: SchedulerSpec,
}

/// A packet that is together again at its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done<P> {
    /// The packet.
    pub packet: P,
    /// Where it came in.
    pub input: u32,
    /// Where it goes out.
    pub output: u32,
    /// Its cells.
    pub cells: u32,
    /// When it came in.
    pub came: Time,
    /// When its last cell was in.
    pub at: Time,
}

/// No slot.
const NEVER: u64 = u64::MAX;

/// A fabric with its virtual output queues; `W` words have a bit for each port.
#[derive(Debug)]
pub struct Cioq<const W: usize, P> {
    slot: u64,
    payload: u32,
    /// The first slot that is not settled.
    next: u64,
    queues: Queues<P>,
    requests: Requests<W>,
    arbiter: Arbiter<W>,
    /// Inputs that ask for something.
    active: Mask<W>,
    /// Those whose request is alone.
    alone: Mask<W>,
    /// Those of them that the scheduler has not been told of.
    untold: Mask<W>,
    /// By input that is alone: the slot after the last one of its packet, and the output.
    ends: Box<[(u64, u32)]>,
    /// The first of these.
    first_end: u64,
    pairs: Vec<(u32, u32)>,
    done: VecDeque<Done<P>>,
}

impl<const W: usize, P: Copy> Cioq<W, P> {
    /// A fabric at rest; `stream` is what its scheduler draws from.
    pub fn new(fabric: &Fabric, stream: Stream) -> Self {
        let outputs = u32::try_from(fabric.queue_of.len()).expect("limited by the schema");
        Self {
            slot: fabric.slot.0,
            payload: fabric.payload,
            next: 0,
            queues: Queues::new(fabric.inputs, fabric.queue_of.clone()),
            requests: Requests::new(fabric.inputs, outputs),
            arbiter: Arbiter::new(&fabric.scheduler, fabric.inputs, outputs, stream),
            active: Mask::default(),
            alone: Mask::default(),
            untold: Mask::default(),
            ends: vec![(NEVER, 0); fabric.inputs as usize].into_boxed_slice(),
            first_end: NEVER,
            pairs: Vec::new(),
            done: VecDeque::new(),
        }
    }

    /// Settles all slots that began before `now`: what comes now has no part in them.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        if self.next * self.slot < now.0 {
            self.settle(now.0.div_ceil(self.slot));
        }
    }

    /// Settles the slots before `until`.
    fn settle(&mut self, until: u64) {
        while self.next < until {
            if self.active.is_empty() {
                self.next = until;
                return;
            }
            if !self.untold.is_empty() {
                for input in self.untold {
                    self.arbiter.alone(input, self.ends[input as usize].1);
                }
                self.untold = Mask::default();
            }
            let mut changed = false;
            if self.active == self.alone {
                self.next = until.min(self.first_end);
            } else {
                self.next += 1;
                changed = self.match_slot();
            }
            if self.first_end == self.next {
                changed |= self.end_alone();
            }
            if changed {
                self.classify();
            }
        }
    }

    /// Matches the inputs that compete for the slot before `next`; says whether requests changed.
    fn match_slot(&mut self) -> bool {
        let mut pairs = std::mem::take(&mut self.pairs);
        self.arbiter.slot(&self.requests, self.active.without(self.alone), &mut pairs);
        let mut changed = false;
        for &(input, output) in &pairs {
            let left = self.queues.left_mut(input, output);
            *left -= 1;
            if *left == 0 {
                changed |= self.end(input, output);
            }
        }
        self.pairs = pairs;
        changed
    }

    /// The packets that were alone and are through with the slot before `next`; says whether requests
    /// changed.
    fn end_alone(&mut self) -> bool {
        let (mut changed, mut first) = (false, NEVER);
        for input in self.alone {
            let (mut end, output) = self.ends[input as usize];
            if end == self.next {
                if self.end(input, output) {
                    // Nobody else asked for the output, so nobody else is concerned, unless the packet
                    // behind asks for another one.
                    self.alone.clear(input);
                    changed |= self.active.has(input);
                    continue;
                }
                end = self.next + u64::from(self.queues.left(input, output));
                self.ends[input as usize].0 = end;
            }
            first = first.min(end);
        }
        self.first_end = first;
        changed
    }

    /// The last cell of a packet has gone; says whether requests changed.
    fn end(&mut self, input: u32, output: u32) -> bool {
        let (gone, behind) = self.queues.pop(input, output);
        let at = Time(self.next * self.slot);
        let queues::Waiting { packet, cells, came, .. } = gone;
        self.done.push_back(Done { packet, input, output, cells, came, at });
        if behind == Some(output) {
            return false;
        }
        self.requests.clear(input, output);
        match behind {
            Some(other) => self.requests.set(input, other),
            None if self.requests.row(input).is_empty() => self.active.clear(input),
            None => {}
        }
        true
    }

    /// Finds out which requests are alone, after a change of them.
    fn classify(&mut self) {
        let (mut alone, mut first) = (Mask::default(), NEVER);
        for input in self.active {
            let row = self.requests.row(input);
            let Some(output) = row.only() else { continue };
            if self.requests.column(output).only().is_none() {
                continue;
            }
            alone.set(input);
            if !self.alone.has(input) {
                self.untold.set(input);
                let end = self.next + u64::from(self.queues.left(input, output));
                self.ends[input as usize] = (end, output);
            }
            first = first.min(self.ends[input as usize].0);
        }
        for input in self.alone.without(alone) {
            let (end, output) = self.ends[input as usize];
            *self.queues.left_mut(input, output) = self.slots_until(end);
            self.untold.clear(input);
        }
        self.alone = alone;
        self.first_end = first;
    }

    /// How many slots are to be settled before `end`, as cells of a packet.
    fn slots_until(&self, end: u64) -> u32 {
        u32::try_from(end - self.next).expect("as many as a packet has cells at most")
    }

    /// Whether a packet that comes now finds one ahead of it in its queue, for sure: one whose last slot
    /// has not begun. It changes no request then, and slots need not be settled before it is offered.
    #[inline]
    pub fn waits_behind(&self, now: Time, input: u32, output: u32) -> bool {
        !self.queues.is_empty(input, output)
            && (self.end_of_head(input, output) - 1) * self.slot >= now.0
    }

    /// The slot after the last one of the first packet in a queue, at the earliest.
    #[inline(always)]
    fn end_of_head(&self, input: u32, output: u32) -> u64 {
        match self.ends[input as usize] {
            (end, aim) if self.alone.has(input) && self.queues.are_one(aim, output) => end,
            _ => self.next + u64::from(self.queues.left(input, output)),
        }
    }

    /// A packet of so many bytes is in at an input and takes an output; slots that are over are settled,
    /// or it [waits behind](Self::waits_behind) another one. Also when it may be through,
    /// never later than it is; nothing where another one for its output is through before.
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        (input, output): (u32, u32),
        packet: P,
        bytes: u32,
    ) -> Option<Time> {
        let cells = bytes.div_ceil(self.payload).max(1);
        debug_assert!(
            self.next * self.slot >= now.0 || self.waits_behind(now, input, output),
            "slots that are over"
        );
        if !self.queues.push((input, output), packet, (bytes, cells), now) {
            let end = self.end_of_head(input, output) + u64::from(cells);
            return self.queues.are_shared().then(|| Time(end * self.slot));
        }
        let free = self.requests.row(input).is_empty() && self.requests.column(output).is_empty();
        let end = self.next + u64::from(cells);
        self.requests.set(input, output);
        self.active.set(input);
        if free {
            // It concerns nobody else.
            self.ends[input as usize] = (end, output);
            self.first_end = self.first_end.min(end);
            self.alone.set(input);
            self.untold.set(input);
        } else {
            self.classify();
        }
        Some(Time(end * self.slot))
    }

    /// When to look next: never later than the first packet is through, but for those whose output is
    /// `busy` until later, which may join its queue in arrears.
    #[inline]
    pub fn due(&self, busy: impl Fn(u32) -> Time) -> Option<Time> {
        let mut due = Time::NEVER;
        let mut consider = |end: Time, output: u32| due = due.min(end.max(busy(output)));
        for done in &self.done {
            consider(done.at, done.output);
        }
        for input in self.active {
            for output in self.requests.row(input) {
                let mut end = self.end_of_head(input, output);
                consider(Time(end * self.slot), output);
                for (output, cells) in self.queues.behind(input, output) {
                    end += u64::from(cells);
                    consider(Time(end * self.slot), output);
                }
            }
        }
        (due != Time::NEVER).then_some(due)
    }

    /// The next packet that is together again at its output by `now`.
    #[inline]
    pub fn take_done(&mut self, now: Time) -> Option<Done<P>> {
        self.done.front().is_some_and(|done| done.at <= now).then(|| self.done.pop_front())?
    }

    /// Bytes of an input's queue for an output that have not gone over the fabric, as far as slots are
    /// settled.
    pub fn bytes_in_queue(&self, input: u32, output: u32) -> u64 {
        let Some((bytes, cells)) = self.queues.content(input, output) else { return 0 };
        let left = self.slots_until(self.end_of_head(input, output));
        bytes.saturating_sub(u64::from(cells - left) * u64::from(self.payload))
    }

    /// Bytes in an input's queue for an output, of packets that are not through.
    #[inline]
    pub fn bytes_for(&self, input: u32, output: u32) -> u64 {
        self.queues.bytes_for(input, output)
    }

    /// Bytes in all queues of an input, of packets that are not through.
    #[inline]
    pub fn bytes_at(&self, input: u32) -> u64 {
        self.queues.bytes_at(input)
    }

    /// Packets inside: waiting, or through and not yet taken.
    pub fn len(&self) -> usize {
        self.queues.len() + self.done.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
