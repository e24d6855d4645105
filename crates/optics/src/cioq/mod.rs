//! The fabric of a CIOQ switch: virtual output queues, slots and cells, without events.
//!
//! The caller reports when a packet has arrived and which output it takes ([`Cioq::offer`]); the
//! switch returns when to check again ([`Cioq::due`]) and which packets are reassembled at their
//! outputs ([`Cioq::advance`]). Slot `k` begins at `k` times its length; a packet that arrives at
//! that instant may be matched in it, and one whose last cell leaves in it is at its output when it
//! ends.
//!
//! Slots are computed retroactively, and most of them in bulk. The inputs that request one output
//! and no other form its *round*: a round-robin scheduler serves one of them in each slot, so that
//! the end of each packet is known at once. With other schedulers this holds for a round of one.
//! Only inputs with several requests are matched slot by slot, and idle slots cost nothing.

mod queues;
mod wide;

use queues::{Queues, Waiting};
use random::Stream;
use units::{Span, Time};
pub use wide::{CioqSwitch, MOST_PORTS};

use crate::scheduling::{Arbiter, Mask, PerPort, Requests};
use crate::spec::SchedulerSpec;

/// The parameters of a fabric.
#[derive(Debug, Clone)]
pub struct Fabric {
    /// The number of input line cards.
    pub inputs: u32,
    /// By output: the virtual output queue that its packets wait in at each input. Outputs of a bundle
    /// may share one (AS-VOQ); the queue's number is that of an output.
    pub queue_of: Box<[u32]>,
    /// How long a slot lasts.
    pub slot: Span,
    /// Bytes of a packet in a cell.
    pub payload: u32,
    /// The scheduler that matches inputs with outputs.
    pub scheduler: SchedulerSpec,
}

/// A packet that is reassembled at its output.
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
#[derive(Debug, Clone)]
pub struct Cioq<const W: usize, P> {
    slot: u64,
    payload: u32,
    /// The first slot that is not computed.
    next: u64,
    queues: Queues<P>,
    requests: Requests<W>,
    arbiter: Arbiter<W>,
    /// Inputs with a request.
    active: Mask<W>,
    /// Those that are served in rounds.
    in_rounds: Mask<W>,
    /// By input in a round.
    turns: PerPort<Turn, W>,
    /// By output with a round: its first slot.
    since: PerPort<u64, W>,
    /// No later than the first end of a packet in a round.
    first_end: u64,
    pairs: Vec<(u32, u32)>,
    changes: Vec<Change>,
    /// What is reassembled and not yet taken: what the caller takes at once, but for that of a slot which is not over.
    done: Vec<Done<P>>,
}

/// An input in a round.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// The slot after the last one of its packet.
    end: u64,
    output: u32,
    /// The place of its queue.
    queue: u32,
    /// Inputs in the round.
    inputs: u32,
}

/// A packet has crossed the fabric, and the request of its input has changed.
#[derive(Debug, Clone, Copy)]
struct Change {
    input: u32,
    output: u32,
    /// The request of the next packet.
    behind: Option<u32>,
}

impl<const W: usize, P: Copy> Cioq<W, P> {
    /// An empty fabric; its scheduler draws from `stream`.
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
            in_rounds: Mask::default(),
            turns: PerPort::new(Turn { end: NEVER, output: 0, queue: 0, inputs: 1 }),
            since: PerPort::new(0),
            first_end: NEVER,
            pairs: Vec::new(),
            changes: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Computes all slots that began before `now`, and takes the packets that are reassembled at their outputs by
    /// then, in this order; packets that arrive now do not take part in those slots.
    #[inline(always)]
    pub fn advance(&mut self, now: Time, mut take: impl FnMut(&Done<P>)) {
        if self.next * self.slot < now.0 {
            self.settle(now.0.div_ceil(self.slot));
        }
        let mut taken = 0;
        while let Some(done) = self.done.get(taken).filter(|done| done.at <= now) {
            take(done);
            taken += 1;
        }
        if taken == self.done.len() {
            self.done.clear();
        } else {
            self.done.drain(..taken);
        }
    }

    /// Computes the slots before `until`.
    #[inline(never)]
    fn settle(&mut self, until: u64) {
        while self.next < until {
            let competing = self.active.without(self.in_rounds);
            if !competing.is_empty() {
                self.next += 1;
                self.match_slot(competing);
            } else if self.active.is_empty() {
                self.next = until;
                self.first_end = NEVER;
                return;
            } else {
                self.next = until.min(self.first_end);
            }
            if self.first_end == self.next {
                self.end_turns();
            }
            if !self.changes.is_empty() {
                self.change();
            }
        }
    }

    /// Matches the inputs that compete for the slot before `next`.
    fn match_slot(&mut self, competing: Mask<W>) {
        let number = self.next - 1;
        if let Some(input) = competing.only() {
            let output = self.arbiter.slot_of_one(number, input, self.requests.row(input));
            return self.send(input, output);
        }
        self.arbiter.slot(number, &self.requests, competing, &mut self.pairs);
        for at in 0..self.pairs.len() {
            let (input, output) = self.pairs[at];
            self.send(input, output);
        }
    }

    /// A cell of the first packet in a queue crosses in the slot before `next`.
    #[inline(always)]
    fn send(&mut self, input: u32, output: u32) {
        let queue = self.queues.place(input, output);
        let left = self.queues.left_mut(queue);
        *left -= 1;
        if *left == 0 {
            let behind = self.end(input, output, queue);
            if behind != Some(output) {
                self.changes.push(Change { input, output, behind });
            }
        }
    }

    /// The packets in rounds whose last slot is the one before `next`.
    fn end_turns(&mut self) {
        self.first_end = NEVER;
        for input in self.in_rounds {
            let Turn { mut end, output, queue, inputs } = self.turns.get(input);
            if end == self.next {
                match self.end(input, output, queue) {
                    None if inputs == 1 => {
                        self.arbiter.took_turns(output, Mask::one(input), 1);
                        self.in_rounds.clear(input);
                        self.requests.clear(input, output);
                        self.active.clear(input);
                        continue;
                    }
                    None => {
                        self.leave(input, output);
                        continue;
                    }
                    // The input has just had its turn.
                    Some(same) if same == output => {
                        let cells = self.queues.left(queue);
                        end = self.next + u64::from(cells) * u64::from(inputs);
                        self.turns.at(input).end = end;
                    }
                    behind => {
                        self.changes.push(Change { input, output, behind });
                        continue;
                    }
                }
            }
            self.first_end = self.first_end.min(end);
        }
    }

    /// The last cell of a packet has left; returns the request of the next packet.
    #[inline(always)]
    fn end(&mut self, input: u32, output: u32, queue: u32) -> Option<u32> {
        let (gone, behind) = self.queues.pop(queue, input);
        let at = Time(self.next * self.slot);
        let Waiting { packet, cells, came, .. } = gone;
        self.done.push(Done { packet, input, output, cells, came, at });
        behind
    }

    /// An input in a round with others has no request any more.
    fn leave(&mut self, input: u32, output: u32) {
        self.dissolve(output);
        self.requests.clear(input, output);
        self.active.clear(input);
        self.form(output, self.requests.column(output));
    }

    /// Inputs take over the requests of the packets that follow those which have crossed.
    fn change(&mut self) {
        for at in 0..self.changes.len() {
            let Change { input, output, .. } = self.changes[at];
            if self.in_rounds.has(input) {
                self.dissolve(output);
            }
            self.requests.clear(input, output);
        }
        for at in 0..self.changes.len() {
            let Change { input, behind, .. } = self.changes[at];
            match behind {
                Some(output) => self.ask(input, output),
                None if self.requests.row(input).is_empty() => self.active.clear(input),
                None => {}
            }
        }
        self.changes.clear();
        self.classify();
    }

    /// An input requests an output. The inputs concerned compete until requests are classified.
    fn ask(&mut self, input: u32, output: u32) {
        if self.in_rounds.has(input) {
            self.dissolve(self.turns.get(input).output);
        }
        if !(self.requests.column(output) & self.in_rounds).is_empty() {
            self.dissolve(output);
        }
        self.requests.set(input, output);
        self.active.set(input);
    }

    /// Determines which of the competing requests form rounds.
    fn classify(&mut self) {
        let (mut several, mut outputs) = (Mask::<W>::EMPTY, Mask::<W>::EMPTY);
        for input in self.active.without(self.in_rounds) {
            match self.requests.row(input).only() {
                Some(output) => outputs.set(output),
                None => several.set(input),
            }
        }
        for output in outputs {
            let round = self.requests.column(output);
            let served = self.arbiter.takes_turns() || round.only().is_some();
            if served && (round & several).is_empty() {
                self.form(output, round);
            }
        }
    }

    /// From `next` on, the inputs that request an output request no other.
    fn form(&mut self, output: u32, round: Mask<W>) {
        *self.since.at(output) = self.next;
        self.in_rounds = self.in_rounds | round;
        if let Some(input) = round.only() {
            let queue = self.queues.place(input, output);
            let end = self.next + u64::from(self.queues.left(queue));
            return self.take_turn(input, Turn { end, output, queue, inputs: 1 });
        }
        let inputs = round.len();
        let mut turn = self.next;
        for input in self.arbiter.turns(output, round).take(inputs as usize) {
            turn += 1;
            let queue = self.queues.place(input, output);
            let rest = self.queues.left(queue) - 1;
            let end = turn + u64::from(rest) * u64::from(inputs);
            self.take_turn(input, Turn { end, output, queue, inputs });
        }
    }

    /// An input is in a round from now on.
    #[inline(always)]
    fn take_turn(&mut self, input: u32, turn: Turn) {
        *self.turns.at(input) = turn;
        self.first_end = self.first_end.min(turn.end);
    }

    /// Dissolves the round of an output.
    fn dissolve(&mut self, output: u32) {
        let round = self.requests.column(output);
        for input in round {
            // Of the packet behind one that is through the queue knows.
            let turn = self.turns.get(input);
            if turn.end > self.next {
                *self.queues.left_mut(turn.queue) = self.left_in(turn);
            }
        }
        self.arbiter.took_turns(output, round, self.next - self.since.get(output));
        self.in_rounds = self.in_rounds.without(round);
    }

    /// Cells that the packet of an input in a round has left.
    #[inline]
    fn left_in(&self, Turn { end, inputs, .. }: Turn) -> u32 {
        let slots = u32::try_from(end - self.next).expect("a packet's cells, once for each input");
        if inputs == 1 { slots } else { slots.div_ceil(inputs) }
    }

    /// Cells that the first packet in a queue of an input has left.
    #[inline(always)]
    fn left(&self, input: u32, queue: u32) -> u32 {
        let turn = self.turns.get(input);
        let in_round = self.in_rounds.has(input) && turn.queue == queue;
        if in_round { self.left_in(turn) } else { self.queues.left(queue) }
    }

    /// Whether a packet that arrives now certainly finds another one ahead of it in its queue,
    /// whose last slot has not begun. Then it changes no request, and slots need not be computed
    /// before it is offered.
    #[inline]
    pub fn waits_behind(&self, now: Time, input: u32, output: u32) -> bool {
        let queue = self.queues.place(input, output);
        !self.queues.is_empty(queue) && (self.end_of_head(input, queue) - 1) * self.slot >= now.0
    }

    /// The slot after the last one of the first packet in a queue of an input, at the earliest.
    #[inline(always)]
    fn end_of_head(&self, input: u32, queue: u32) -> u64 {
        self.next + u64::from(self.left(input, queue))
    }

    /// A packet of this many bytes has arrived at an input and takes an output; past slots have
    /// been computed, or it [waits behind](Self::waits_behind) another one. Returns the bytes in
    /// its queue before it, and a lower bound of the time at which it has crossed; nothing if another
    /// one for its output crosses before it.
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        (input, output): (u32, u32),
        packet: P,
        bytes: u32,
    ) -> (u64, Option<Time>) {
        let cells = bytes.div_ceil(self.payload).max(1);
        debug_assert!(
            self.next * self.slot >= now.0 || self.waits_behind(now, input, output),
            "slots that are over"
        );
        let queue = self.queues.place(input, output);
        let new = Waiting::new(packet, output, (bytes, cells), now);
        let (found, is_first) = self.queues.push(queue, input, new);
        if !is_first {
            let end = self.end_of_head(input, queue) + u64::from(cells);
            return (found, self.queues.are_shared().then(|| Time(end * self.slot)));
        }
        let end = self.next + u64::from(cells);
        let others = self.requests.column(output);
        let is_free = self.requests.row(input).is_empty();
        if is_free && others.is_empty() {
            self.requests.set(input, output);
            self.active.set(input);
            self.in_rounds.set(input);
            *self.since.at(output) = self.next;
            self.take_turn(input, Turn { end, output, queue, inputs: 1 });
        } else {
            let joins =
                is_free && self.arbiter.takes_turns() && !(others & self.in_rounds).is_empty();
            self.ask_beside(input, output, joins);
        }
        (found, Some(Time(end * self.slot)))
    }

    /// An input requests an output; it `joins` the round of that, or may change which requests form rounds.
    #[inline(never)]
    fn ask_beside(&mut self, input: u32, output: u32, joins: bool) {
        self.ask(input, output);
        if joins {
            self.form(output, self.requests.column(output));
        } else {
            self.classify();
        }
    }

    /// When to check next: never later than the first packet has crossed, except for those whose
    /// output is `busy` until later, which may join its queue retroactively.
    #[inline]
    pub fn due(&self, busy: impl Fn(u32) -> Time) -> Option<Time> {
        let mut due = Time::NEVER;
        // Outputs that are busy until then: none of their packets is due before.
        let mut later = Mask::<W>::EMPTY;
        let mut consider = |end: Time, output: u32| {
            if end >= due || later.has(output) {
                return;
            }
            let busy = busy(output);
            due = due.min(end.max(busy));
            if busy >= due {
                later.set(output);
            }
        };
        for done in &self.done {
            consider(done.at, done.output);
        }
        for input in self.active {
            for output in self.requests.row(input) {
                let queue = self.queues.place(input, output);
                let mut end = self.end_of_head(input, queue);
                consider(Time(end * self.slot), output);
                for (output, cells) in self.queues.behind(queue) {
                    end += u64::from(cells);
                    consider(Time(end * self.slot), output);
                }
            }
        }
        (due != Time::NEVER).then_some(due)
    }

    /// Bytes of an input's queue for an output that have not crossed the fabric in the slots
    /// computed so far.
    pub fn bytes_in_queue(&self, input: u32, output: u32) -> u64 {
        let queue = self.queues.place(input, output);
        let Some((bytes, cells)) = self.queues.content(queue) else { return 0 };
        let gone = cells - self.left(input, queue);
        bytes.saturating_sub(u64::from(gone) * u64::from(self.payload))
    }

    /// Bytes in all queues of an input, of packets that have not crossed.
    #[inline]
    pub fn bytes_at(&self, input: u32) -> u64 {
        self.queues.bytes_at(input)
    }

    /// Packets inside: waiting, or reassembled and not yet taken.
    pub fn len(&self) -> usize {
        self.queues.len() + self.done.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
