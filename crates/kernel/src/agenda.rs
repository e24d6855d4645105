//! The agenda: what happens next.
//!
//! *Stable*: entries of equal time leave in the order in which they entered. *Monotone*: an entry
//! before the last one that left is refused. There is no cancelling, a timer is a deadline in its
//! owner.
//!
//! Behind it stand two lanes. What happens soon is in a tournament tree of four: every entry sits in
//! a leaf, every group of four shares half a cache line, the smallest of a group stands in the group
//! above. A node is one integer, the time since a base above the number of the leaf, so that an
//! operation replays one path from leaf to root with conditional moves alone. Nodes of equal time
//! compare by their leaf, which means nothing; so when the entry that leaves is not alone at its
//! instant, all that are due then are taken out and handed on in the order of their entry. What is
//! to happen late goes into a binary heap, so the hundreds of retransmission timers of a run do not
//! deepen the tree through which its packets go.
//!
//! Trade-offs: the cost is log₄ of the *largest* number of entries that were ever pending soon. An
//! entry that leaves replays a whole path; one that enters stops at the first node that it does not
//! win, after one or two levels in the mean. Ties cost a replay each and a small sort.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::{Span, Time};

/// Bits of a node that name the leaf.
const LEAF_BITS: u32 = 22;
/// The most entries pending soon.
const LEAVES: u32 = 1 << LEAF_BITS;
/// The largest time in a node. Empty leaves have times just below it, each its own.
const TIME_MAX: u64 = (1 << (64 - LEAF_BITS)) - 1;
/// What is this far ahead is late. The head of a busy link is always nearer, timers are farther.
const LATE: Span = Span(1 << 34);
/// How far from their base nodes may count: what is soon fits in behind it.
const WINDOW: Span = Span(1 << 41);
/// Nodes from here on are those of empty leaves.
const NO_ENTRY: u64 = empty(LEAVES);

/// The place of an entry among those of equal time.
///
/// Reserving an order and entering later under it lets a link keep its own queue and show the
/// agenda its head alone, with ties decided as if every packet had been entered when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub u64);

impl Order {
    /// Reserved places lie beyond this. Those below are free to whoever wants a place that does not
    /// hang on when it is asked for, ahead of all others.
    pub const FIRST_RESERVED: Self = Self(1 << 32);

    /// Whether it is the next one: no entry of the same instant leaves between the two.
    #[inline]
    pub fn follows(self, other: Self) -> bool {
        self.0 == other.0 + 1
    }
}

/// Four nodes beside each other.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Group([u64; 4]);

/// What is to happen, in order of time and, within a time, of entry.
#[derive(Debug)]
pub struct Agenda<E> {
    /// Slot `s` of the tree is place `s % 4` of group `s / 4` and holds the smallest of group
    /// `s + 1`, or an entry if it is a leaf. Group 0 is the root's.
    groups: Vec<Group>,
    /// The smallest node of all.
    root: u64,
    /// The first slot that is a leaf.
    first_leaf: u32,
    /// What the leaves stand for.
    entries: Vec<(Order, E)>,
    /// Leaves that hold nothing.
    free: Vec<u32>,
    /// Entries that are due now, those that go first at the back.
    due: Vec<(Order, E)>,
    capacity: u32,
    /// The time that nodes count from.
    base: Time,
    /// What is to happen late.
    late: BinaryHeap<Reverse<Late<E>>>,
    /// The time of the first late entry.
    late_time: Time,
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
            groups: vec![Group([empty(0), empty(1), empty(2), empty(3)])],
            root: empty(3),
            first_leaf: 0,
            entries: Vec::new(),
            free: Vec::new(),
            due: Vec::new(),
            capacity: 4,
            base: Time::ZERO,
            late: BinaryHeap::new(),
            late_time: Time::NEVER,
            pending: 0,
            order: Order::FIRST_RESERVED.0,
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
        if time - self.now < LATE && self.has_room() {
            self.enter_soon(time, order, event);
        } else {
            self.enter_late(time, order, event);
        }
    }

    /// Whether a leaf can be had: what finds none is late, however soon it is.
    #[inline]
    fn has_room(&self) -> bool {
        !self.free.is_empty() || self.entries.len() < LEAVES as usize
    }

    #[cold]
    fn enter_late(&mut self, time: Time, order: Order, event: E) {
        self.late.push(Reverse(Late { time, order, event }));
        self.late_time = self.late_time.min(time);
    }

    /// The time of the next entry.
    pub fn next_time(&self) -> Option<Time> {
        if !self.due.is_empty() {
            return Some(self.now);
        }
        let soon = (self.root < NO_ENTRY).then(|| self.time_of(self.root));
        let late = self.late.peek().map(|Reverse(late)| late.time);
        soon.into_iter().chain(late).min()
    }

    /// What is probably taken next, to bring near what it needs: the next entry but for those that
    /// are entered before it is taken, or wait far ahead.
    #[inline]
    pub fn peek(&self) -> Option<&E> {
        if self.due.is_empty() {
            let next = self.root < NO_ENTRY;
            return next.then(|| &self.entries[leaf_of(self.root) as usize].1);
        }
        self.due.last().map(|(_, event)| event)
    }

    /// Takes the next entry if its time is at most `limit`.
    #[inline(always)]
    pub fn take_until(&mut self, limit: Time) -> Option<(Time, E)> {
        let node = self.root;
        let time = self.time_of(node);
        if node >= NO_ENTRY || time >= self.late_time || !self.due.is_empty() {
            return self.take_slowly(limit);
        }
        if time > limit {
            return None;
        }
        self.pending -= 1;
        self.now = time;
        let entry = self.remove(node);
        if (self.root ^ node) < u64::from(LEAVES) {
            return self.take_tied(time, entry);
        }
        Some((time, entry.1))
    }

    /// The first of an entry and those that tie with it.
    fn take_tied(&mut self, time: Time, entry: (Order, E)) -> Option<(Time, E)> {
        let other = self.remove(self.root);
        let (first, last) = if entry.0 < other.0 { (entry, other) } else { (other, entry) };
        self.due.push(last);
        if self.time_of(self.root) != time && self.late_time != time {
            // Mostly there are two.
            return Some((time, first.1));
        }
        self.due.push(first);
        self.gather(time);
        self.due.pop().map(|(_, event)| (time, event))
    }

    /// The same where the next entry may be late, or one of those that are due.
    #[cold]
    fn take_slowly(&mut self, limit: Time) -> Option<(Time, E)> {
        let time = self.next_time()?;
        if time > limit {
            return None;
        }
        self.pending -= 1;
        self.now = time;
        if self.due.is_empty() {
            self.gather(time);
        }
        self.due.pop().map(|(_, event)| (time, event))
    }

    /// Moves all entries of this time to those that are due, whichever lane they are in.
    #[cold]
    fn gather(&mut self, time: Time) {
        while self.root < NO_ENTRY && self.time_of(self.root) == time {
            let entry = self.remove(self.root);
            self.due.push(entry);
        }
        while self.late_time == time
            && let Some(Reverse(Late { order, event, .. })) = self.late.pop()
        {
            self.due.push((order, event));
            self.late_time = self.late.peek().map_or(Time::NEVER, |Reverse(late)| late.time);
        }
        self.due.sort_unstable_by_key(|&(order, _)| Reverse(order));
    }

    /// Takes the entry of a node out of the tree.
    #[inline]
    fn remove(&mut self, node: u64) -> (Order, E) {
        let leaf = leaf_of(node);
        let entry = self.entries[leaf as usize];
        self.replay(leaf, empty(leaf));
        self.free.push(leaf);
        entry
    }

    /// Lets the nodes count from now.
    #[cold]
    fn rebase(&mut self) {
        let shift = self.now - self.base;
        let nodes = self.groups.iter_mut().flat_map(|group| &mut group.0);
        for node in nodes.chain([&mut self.root]) {
            if *node < NO_ENTRY {
                *node -= shift.0 << LEAF_BITS;
            }
        }
        self.base = self.now;
    }

    #[inline]
    fn enter_soon(&mut self, time: Time, order: Order, event: E) {
        if time == self.now && !self.due.is_empty() {
            self.enter_due(order, event);
            return;
        }
        if time - self.base >= WINDOW {
            self.rebase();
        }
        let leaf = match self.free.pop() {
            Some(leaf) => {
                self.entries[leaf as usize] = (order, event);
                leaf
            }
            None => self.grow(order, event),
        };
        self.rise(leaf, ((time - self.base).0 << LEAF_BITS) | u64::from(leaf));
    }

    /// Enters an event among those that are due now.
    #[cold]
    fn enter_due(&mut self, order: Order, event: E) {
        let place = self.due.partition_point(|&(other, _)| other > order);
        self.due.insert(place, (order, event));
    }

    /// A leaf that was never used, deepening the tree when there is none.
    #[cold]
    fn grow(&mut self, order: Order, event: E) -> u32 {
        let leaf = u32::try_from(self.entries.len()).expect("there is room");
        self.entries.push((order, event));
        if leaf == self.capacity {
            let slots = self.groups.iter().flat_map(|group| group.0);
            let old: Vec<u64> = slots.skip(self.first_leaf as usize).collect();
            self.first_leaf += self.capacity;
            self.capacity *= 4;
            let groups = (self.first_leaf + self.capacity) as usize / 4;
            self.groups = vec![Group([u64::MAX; 4]); groups];
            for leaf in (0..self.capacity).rev() {
                self.replay(leaf, old.get(leaf as usize).copied().unwrap_or(empty(leaf)));
            }
        }
        leaf
    }

    /// Writes a leaf and the winners above it, up to the root.
    #[inline]
    fn replay(&mut self, leaf: u32, node: u64) {
        let mut slot = (self.first_leaf + leaf) as usize;
        let mut winner = node;
        loop {
            let (Group(nodes), place) = (&mut self.groups[slot / 4], slot % 4);
            nodes[place] = winner;
            // The others alone are read, and where they stand is known beforehand: no read has to wait
            // for the write below it, so the levels overlap.
            let others = nodes[place ^ 1].min(nodes[place ^ 2]).min(nodes[place ^ 3]);
            winner = winner.min(others);
            if slot < 4 {
                break;
            }
            slot = slot / 4 - 1;
        }
        self.root = winner;
    }

    /// Writes a leaf that was empty and the nodes above it that it wins.
    #[inline]
    fn rise(&mut self, leaf: u32, node: u64) {
        let mut slot = (self.first_leaf + leaf) as usize;
        while node < self.groups[slot / 4].0[slot % 4] {
            self.groups[slot / 4].0[slot % 4] = node;
            if slot < 4 {
                self.root = self.root.min(node);
                return;
            }
            slot = slot / 4 - 1;
        }
    }

    /// The time in a node.
    #[inline]
    fn time_of(&self, node: u64) -> Time {
        Time(self.base.0 + (node >> LEAF_BITS))
    }
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

/// An entry in the heap.
#[derive(Debug, Clone, Copy)]
struct Late<E> {
    time: Time,
    order: Order,
    event: E,
}

impl<E> PartialEq for Late<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}

impl<E> Eq for Late<E> {}

impl<E> PartialOrd for Late<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Late<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}

const _: () = assert!(WINDOW.0 + LATE.0 < TIME_MAX - LEAVES as u64, "entries go before empties");

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
    fn peek_is_the_next_of_different_times_and_of_one_time() {
        let mut agenda = Agenda::new();
        assert_eq!(agenda.peek(), None);
        for (time, event) in [(9, 4), (3, 1), (5, 2), (5, 3)] {
            agenda.enter(Time(time), event);
        }
        let mut seen = Vec::new();
        while let Some(&next) = agenda.peek() {
            seen.push(next);
            agenda.take_until(Time::NEVER);
        }
        // Of those that tie in the tree the first to be taken is not known before.
        assert!(seen == [1, 2, 3, 4] || seen == [1, 3, 3, 4], "{seen:?}");
    }

    #[test]
    #[should_panic(expected = "an event in the past")]
    fn the_past_is_refused() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(7), 1);
        agenda.take_until(Time::NEVER);
        agenda.enter(Time(6), 2);
    }

    /// Mostly short and often equal, some around and beyond the limits of the two lanes.
    fn delays() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..50, 0..2 * LATE.0, Just(LATE.0), Just(LATE.0 - 1), 0..1u64 << 50]
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
