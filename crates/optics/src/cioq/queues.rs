//! The virtual output queues (VOQs) of all inputs of a switch, first in, first out each.

use units::Time;

/// No packet.
const NONE: u32 = u32::MAX;

/// A packet that waits at an input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting<P> {
    pub(super) packet: P,
    pub(super) cells: u32,
    pub(super) bytes: u32,
    pub(super) output: u32,
    pub(super) came: Time,
    next: u32,
}

impl<P> Waiting<P> {
    /// A packet for an output, with so many bytes in so many cells.
    #[inline(always)]
    pub(super) fn new(packet: P, output: u32, (bytes, cells): (u32, u32), came: Time) -> Self {
        Self { packet, cells, bytes, output, came, next: NONE }
    }
}

/// A queue.
#[derive(Debug, Clone, Copy)]
struct Queue {
    head: u32,
    tail: u32,
    /// Cells of the first packet that have not left, if they are counted here.
    left: u32,
    bytes: u64,
}

const EMPTY: Queue = Queue { head: NONE, tail: NONE, left: 0, bytes: 0 };

/// The queues of all inputs, each with a [place](Self::place) among all.
#[derive(Debug, Clone)]
pub(super) struct Queues<P> {
    /// By output: its queue at each input.
    queue_of: Box<[u32]>,
    outputs: u32,
    shared: bool,
    /// `all[input · outputs + queue]`.
    all: Box<[Queue]>,
    /// By input: bytes of packets in all of its queues.
    bytes: Box<[u64]>,
    waiting: Vec<Waiting<P>>,
    free: u32,
    len: usize,
}

impl<P: Copy> Queues<P> {
    pub(super) fn new(inputs: u32, queue_of: Box<[u32]>) -> Self {
        let inputs = inputs as usize;
        let outputs = u32::try_from(queue_of.len()).expect("limited by the schema");
        Self {
            outputs,
            all: vec![EMPTY; inputs * queue_of.len()].into_boxed_slice(),
            shared: (0..).zip(&queue_of).any(|(output, queue)| output != *queue),
            queue_of,
            bytes: vec![0; inputs].into_boxed_slice(),
            waiting: Vec::new(),
            free: NONE,
            len: 0,
        }
    }

    /// The place of the queue in which an input has its packets for an output.
    #[inline]
    pub(super) fn place(&self, input: u32, output: u32) -> u32 {
        input * self.outputs + self.queue_of[output as usize]
    }

    /// Puts a packet into its queue, which is one of this input; returns the bytes there before, and whether it is the first.
    #[inline(always)]
    pub(super) fn push(&mut self, queue: u32, input: u32, new: Waiting<P>) -> (u64, bool) {
        let Waiting { bytes, cells, .. } = new;
        let at = if let Some(place) = self.waiting.get_mut(self.free as usize) {
            let at = std::mem::replace(&mut self.free, place.next);
            *place = new;
            at
        } else {
            self.waiting.push(new);
            u32::try_from(self.waiting.len() - 1).expect("fewer than there are packets")
        };
        self.len += 1;
        self.bytes[input as usize] += u64::from(bytes);
        let queue = &mut self.all[queue as usize];
        let found = queue.bytes;
        queue.bytes += u64::from(bytes);
        let before = std::mem::replace(&mut queue.tail, at);
        if before == NONE {
            queue.head = at;
            queue.left = cells;
            return (found, true);
        }
        self.waiting[before as usize].next = at;
        (found, false)
    }

    /// Removes the first packet of a queue, which is one of this input; also returns the output that the next one requests.
    #[inline(always)]
    pub(super) fn pop(&mut self, queue: u32, input: u32) -> (Waiting<P>, Option<u32>) {
        let queue = &mut self.all[queue as usize];
        let at = queue.head;
        let gone = self.waiting[at as usize];
        self.waiting[at as usize].next = std::mem::replace(&mut self.free, at);
        self.len -= 1;
        self.bytes[input as usize] -= u64::from(gone.bytes);
        queue.bytes -= u64::from(gone.bytes);
        queue.head = gone.next;
        let Some(behind) = self.waiting.get(gone.next as usize) else {
            queue.tail = NONE;
            return (gone, None);
        };
        queue.left = behind.cells;
        (gone, Some(behind.output))
    }

    /// Cells that the first packet of a queue has left.
    #[inline]
    pub(super) fn left(&self, queue: u32) -> u32 {
        self.all[queue as usize].left
    }

    /// The same, mutable.
    #[inline]
    pub(super) fn left_mut(&mut self, queue: u32) -> &mut u32 {
        &mut self.all[queue as usize].left
    }

    /// Bytes of the packets in a queue, and the cells of the first; nothing of an empty one.
    #[inline]
    pub(super) fn content(&self, queue: u32) -> Option<(u64, u32)> {
        let queue = &self.all[queue as usize];
        let head = self.waiting.get(queue.head as usize)?;
        Some((queue.bytes, head.cells))
    }

    /// Whether outputs share queues.
    pub(super) fn are_shared(&self) -> bool {
        self.shared
    }

    /// The outputs and cells of the packets after the first of a shared queue; in other queues all
    /// packets have the same output.
    #[inline(always)]
    pub(super) fn behind(&self, queue: u32) -> impl Iterator<Item = (u32, u32)> {
        let head = if self.shared { self.all[queue as usize].head } else { NONE };
        let mut next = self.waiting.get(head as usize).map_or(NONE, |head| head.next);
        std::iter::from_fn(move || {
            let waiting = self.waiting.get(next as usize)?;
            next = waiting.next;
            Some((waiting.output, waiting.cells))
        })
    }

    /// Whether no packet waits in a queue.
    #[inline]
    pub(super) fn is_empty(&self, queue: u32) -> bool {
        self.all[queue as usize].tail == NONE
    }

    /// Bytes of packets in all queues of an input.
    #[inline]
    pub(super) fn bytes_at(&self, input: u32) -> u64 {
        self.bytes[input as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}
