//! The agenda: what happens next.
//!
//! *Stable*: entries of equal time leave in the order in which they entered. *Monotone*: an entry
//! before the last one that left is refused. There is no cancelling, a timer is a deadline in its
//! owner.
//!
//! Behind it stand two lanes. What happens soon is in a tournament tree: every entry sits in a
//! leaf, every inner node holds the smaller of its two children, the root is next. A node is one
//! integer, the time since a base above the number of the leaf, so that an operation replays one
//! path from leaf to root with one conditional move a level; only where two times are equal are the
//! orders of entry looked up. What happens later than the horizon waits in a binary heap and moves
//! over when the horizon does, so the hundreds of retransmission timers of a run do not deepen the
//! tree through which its packets go.
//!
//! Trade-offs: the cost is log₂ of the *largest* number of entries that were ever pending soon; the
//! common pair "take one, enter one" costs a single replay, because the leaf of the entry that left
//! is kept open for the next that comes; an entry that is not among the next stops its replay after
//! two levels in the mean.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::{Span, Time};

/// Bits of a node that name the leaf.
const LEAF_BITS: u32 = 22;
/// The most entries pending soon.
const LEAVES: u32 = 1 << LEAF_BITS;
/// The largest time in a node. Empty leaves have times just below it, each its own.
const TIME_MAX: u64 = (1 << (64 - LEAF_BITS)) - 1;
/// How far ahead the tree looks at most. The head of a busy link is always nearer than this, most
/// retransmission timers are farther.
const HORIZON: Span = Span(1 << 35);
/// How far from its base a tree counts.
const WINDOW: Span = Span(1 << 40);
/// Nodes from here on are those of empty leaves.
const NO_ENTRY: u64 = empty(LEAVES);
/// No leaf stands open.
const NONE: u32 = u32::MAX;

/// The place of an entry among those of equal time.
///
/// Reserving an order and entering later under it lets a link keep its own queue and show the
/// agenda its head alone, with ties decided as if every packet had been entered when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub u64);

/// What is to happen, in order of time and, within a time, of entry.
#[derive(Debug)]
pub struct Agenda<E> {
    /// Node 1 is the root, the children of node `n` are `2n` and `2n + 1`, the leaves start at
    /// `capacity`.
    nodes: Vec<u64>,
    /// What the leaves stand for.
    entries: Vec<(Order, E)>,
    /// Leaves that hold nothing.
    free: Vec<u32>,
    /// The leaf of the entry that left last, its path not yet replayed; or [`NONE`].
    open: u32,
    capacity: u32,
    /// The time that nodes count from.
    base: Time,
    /// Entries at this time or later are in `far`.
    horizon: Time,
    /// When the horizon is to be moved.
    refresh: Time,
    far: BinaryHeap<Reverse<Far<E>>>,
    pending: usize,
    order: u64,
    now: Time,
}

impl<E: Copy> Default for Agenda<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> Agenda<E> {
    /// Nothing to happen, the clock at zero.
    pub fn new() -> Self {
        Self {
            nodes: vec![empty(0); 2],
            entries: Vec::new(),
            free: Vec::new(),
            open: NONE,
            capacity: 1,
            base: Time::ZERO,
            horizon: Time::ZERO + HORIZON,
            refresh: Time::ZERO + HORIZON / 2,
            far: BinaryHeap::new(),
            pending: 0,
            order: 0,
            now: Time::ZERO,
        }
    }

    /// The time of the entry that left last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many entries are pending.
    pub fn len(&self) -> usize {
        self.pending
    }

    /// Whether nothing is to happen any more.
    pub fn is_empty(&self) -> bool {
        self.pending == 0
    }

    /// Enters an event. Panics when `time` lies before the last entry that left.
    #[inline]
    pub fn enter(&mut self, time: Time, event: E) {
        let order = self.reserve();
        self.enter_as(time, order, event);
    }

    /// Reserves the next place among entries of equal time, to be used with [`Self::enter_as`].
    #[inline]
    pub fn reserve(&mut self) -> Order {
        self.order += 1;
        Order(self.order)
    }

    /// Enters an event under a place reserved before. Panics when `time` lies in the past.
    #[inline]
    pub fn enter_as(&mut self, time: Time, order: Order, event: E) {
        assert!(time >= self.now, "an event in the past");
        self.pending += 1;
        if time < self.horizon {
            self.enter_soon(time, order, event);
        } else {
            self.enter_late(time, order, event);
        }
    }

    #[cold]
    fn enter_late(&mut self, time: Time, order: Order, event: E) {
        self.far.push(Reverse(Far { time, order, event }));
    }

    /// The time of the next entry.
    pub fn next_time(&mut self) -> Option<Time> {
        self.settle();
        if self.time_of(self.nodes[1]) >= self.refresh {
            self.refresh();
        }
        let root = self.nodes[1];
        (root < NO_ENTRY).then(|| self.time_of(root))
    }

    /// Takes the next entry if its time is at most `limit`.
    #[inline]
    pub fn take_until(&mut self, limit: Time) -> Option<(Time, E)> {
        self.settle();
        let mut root = self.nodes[1];
        if self.time_of(root) >= self.refresh {
            // Moving the horizon may bring an entry that goes before.
            self.refresh();
            root = self.nodes[1];
        }
        let time = self.time_of(root);
        if time > limit || root >= NO_ENTRY {
            return None;
        }
        self.open = leaf_of(root);
        self.pending -= 1;
        self.now = time;
        Some((time, self.entries[leaf_of(root) as usize].1))
    }

    /// Moves the horizon when the next entry lies far on the way to it, or when none is left before
    /// it.
    #[cold]
    fn refresh(&mut self) {
        let root = self.nodes[1];
        if root < NO_ENTRY {
            self.move_horizon(self.time_of(root));
        } else if let Some(Reverse(first)) = self.far.peek() {
            self.move_horizon(first.time);
        }
    }

    /// Closes a leaf left open.
    #[inline]
    fn settle(&mut self) {
        if self.open != NONE {
            let leaf = self.open;
            self.open = NONE;
            self.replay(leaf, empty(leaf));
            self.free.push(leaf);
        }
    }

    /// Moves the horizon to lie [`HORIZON`] beyond `next`, the time of the next entry, and what is
    /// before it into the tree.
    fn move_horizon(&mut self, next: Time) {
        if next.since(self.base) > WINDOW / 2 {
            self.rebase(next);
        }
        self.horizon = next.saturating_add(HORIZON);
        self.refresh = next.saturating_add(HORIZON / 2);
        while let Some(Reverse(first)) = self.far.peek() {
            if first.time >= self.horizon {
                return;
            }
            if let Some(Reverse(Far { time, order, event })) = self.far.pop() {
                self.enter_soon(time, order, event);
            }
        }
    }

    /// Lets the nodes count from `base`.
    fn rebase(&mut self, base: Time) {
        let shift = base - self.base;
        for node in &mut self.nodes {
            if *node < NO_ENTRY {
                *node -= shift.0 << LEAF_BITS;
            }
        }
        self.base = base;
    }

    #[inline]
    fn enter_soon(&mut self, time: Time, order: Order, event: E) {
        let key = (time - self.base).0 << LEAF_BITS;
        if self.open != NONE {
            let leaf = self.open;
            self.open = NONE;
            self.entries[leaf as usize] = (order, event);
            self.replay(leaf, key | u64::from(leaf));
        } else if let Some(leaf) = self.free.pop() {
            self.entries[leaf as usize] = (order, event);
            self.rise(leaf, key | u64::from(leaf));
        } else {
            let leaf = self.grow(order, event);
            self.rise(leaf, key | u64::from(leaf));
        }
    }

    /// A leaf that was never used, doubling the tree when there is none.
    #[cold]
    fn grow(&mut self, order: Order, event: E) -> u32 {
        let leaf = u32::try_from(self.entries.len()).expect("the assertion below is stricter");
        assert!(leaf < LEAVES, "more than {LEAVES} events pending");
        if leaf == self.capacity {
            let old = self.capacity as usize;
            let mut nodes: Vec<u64> = vec![u64::MAX; 4 * old];
            nodes[2 * old..3 * old].copy_from_slice(&self.nodes[old..]);
            for (place, leaf) in nodes[3 * old..].iter_mut().zip(leaf..) {
                *place = empty(leaf);
            }
            for at in (1..2 * old).rev() {
                nodes[at] = self.smaller(nodes[2 * at], nodes[2 * at + 1]);
            }
            self.nodes = nodes;
            self.capacity *= 2;
        }
        self.entries.push((order, event));
        leaf
    }

    /// Writes a leaf and the winners above it, up to the root.
    ///
    /// The mask changes nothing, as every index is below the length, a power of two; it is what
    /// shows the compiler that no check is needed.
    #[inline]
    fn replay(&mut self, leaf: u32, key: u64) {
        let nodes = self.nodes.as_mut_slice();
        let mask = nodes.len().wrapping_sub(1);
        let mut at = (self.capacity + leaf) as usize;
        let mut winner = key;
        nodes[at & mask] = key;
        while at > 1 {
            let other = nodes[(at ^ 1) & mask];
            winner = if (other ^ winner) < u64::from(LEAVES) {
                earlier(&self.entries, other, winner)
            } else {
                winner.min(other)
            };
            at >>= 1;
            nodes[at & mask] = winner;
        }
    }

    /// Writes a leaf that was empty and the nodes above it that it wins.
    #[inline]
    fn rise(&mut self, leaf: u32, key: u64) {
        let mut at = (self.capacity + leaf) as usize;
        self.nodes[at] = key;
        while at > 1 {
            at >>= 1;
            if self.smaller(self.nodes[at], key) != key {
                return;
            }
            self.nodes[at] = key;
        }
    }

    /// The node of the entry that goes first.
    #[inline]
    fn smaller(&self, a: u64, b: u64) -> u64 {
        if (a ^ b) >> LEAF_BITS == 0 { earlier(&self.entries, a, b) } else { a.min(b) }
    }

    /// The time in a node.
    #[inline]
    fn time_of(&self, node: u64) -> Time {
        Time(self.base.0 + (node >> LEAF_BITS))
    }
}

/// Of two nodes of equal time the one whose entry goes first.
#[cold]
fn earlier<E>(entries: &[(Order, E)], a: u64, b: u64) -> u64 {
    let order = |node: u64| entries[leaf_of(node) as usize].0;
    if order(a) < order(b) { a } else { b }
}

/// The leaf in a node.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low bits are the leaf")]
fn leaf_of(node: u64) -> u32 {
    node as u32 & (LEAVES - 1)
}

/// The node of an empty leaf: later than any entry, at a time of its own so that it never ties.
#[inline]
const fn empty(leaf: u32) -> u64 {
    ((TIME_MAX - leaf as u64) << LEAF_BITS) | (leaf & (LEAVES - 1)) as u64
}

/// An entry beyond the horizon.
#[derive(Debug, Clone, Copy)]
struct Far<E> {
    time: Time,
    order: Order,
    event: E,
}

impl<E> PartialEq for Far<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}

impl<E> Eq for Far<E> {}

impl<E> PartialOrd for Far<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Far<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}

const _: () = assert!(WINDOW.0 + HORIZON.0 < TIME_MAX - LEAVES as u64, "entries go before empties");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drain(agenda: &mut Agenda<u32>) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| agenda.take_until(Time::NEVER)).map(|(t, e)| (t.0, e)).collect()
    }

    #[test]
    fn equal_times_leave_in_the_order_they_entered() {
        let mut agenda = Agenda::new();
        for event in 0..10 {
            agenda.enter(Time(5), event);
        }
        assert_eq!(drain(&mut agenda), (0..10).map(|e| (5, e)).collect::<Vec<_>>());
    }

    #[test]
    fn a_reserved_place_is_kept() {
        let mut agenda = Agenda::new();
        let first = agenda.reserve();
        agenda.enter(Time(5), 2);
        agenda.enter_as(Time(5), first, 1);
        assert_eq!(drain(&mut agenda), vec![(5, 1), (5, 2)]);
    }

    #[test]
    fn nothing_leaves_past_the_limit() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(7), 1);
        assert_eq!(agenda.take_until(Time(6)), None);
        assert_eq!(agenda.next_time(), Some(Time(7)));
        assert_eq!(agenda.take_until(Time(7)), Some((Time(7), 1)));
        assert!(agenda.is_empty());
        assert_eq!(agenda.next_time(), None);
    }

    #[test]
    #[should_panic(expected = "an event in the past")]
    fn the_past_is_refused() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(7), 1);
        agenda.take_until(Time::NEVER);
        agenda.enter(Time(6), 2);
    }

    /// Mostly short and often equal, some around and beyond the horizon and the window.
    fn delays() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..50, 0..2 * HORIZON.0, Just(HORIZON.0), Just(WINDOW.0), 0..1u64 << 50]
    }

    proptest! {
        /// The obvious twin: a list sorted by (time, order of entry).
        #[test]
        fn agenda_equals_a_sorted_list(steps in prop::collection::vec((delays(), 0u8..4), 1..400)) {
            let mut agenda = Agenda::new();
            let mut list: Vec<(u64, u32)> = Vec::new();
            for (event, &(delay, take)) in (0u32..).zip(&steps) {
                let time = agenda.now() + Span(delay);
                agenda.enter(time, event);
                list.push((time.0, event));
                for _ in 0..take {
                    list.sort_by_key(|&(time, event)| (time, event));
                    let expected = (!list.is_empty()).then(|| list.remove(0));
                    let got = agenda.take_until(Time::NEVER).map(|(t, e)| (t.0, e));
                    prop_assert_eq!(got, expected);
                }
                prop_assert_eq!(agenda.len(), list.len());
            }
            list.sort_by_key(|&(time, event)| (time, event));
            prop_assert_eq!(drain(&mut agenda), list);
        }
    }
}
