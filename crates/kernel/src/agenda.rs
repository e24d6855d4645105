//! The agenda: the queue of future events.
//!
//! *Stable*: entries of equal time leave in the order in which they entered. *Monotone*: an entry
//! before the last one that left is refused. Entries cannot be cancelled; a timer is a deadline in
//! its owner.
//!
//! It is implemented as a calendar queue (R. Brown, "Calendar queues", Communications of the ACM
//! 31(10), 1988). Time is divided into buckets of equal width; an event in the near future is in
//! the bucket of its time, unsorted, and a bit map marks the non-empty buckets. The first of them
//! is removed as a whole and sorted: its entries are *due*, and entries before the next bucket are
//! inserted among them. Entries beyond the last bucket are *far*: they wait in *laps* of as much time as half of the
//! buckets, and enter these when a lap is near. Entries beyond the last lap are *late* and go into a binary heap, and so
//! do entries that would have to be inserted among many due ones, but for those of the present
//! instant, which follow each other. Times stay exact: the width determines where an entry waits,
//! never when it leaves.
//!
//! The width adapts to the event rate of the run: periodically it is set to a quarter or a half of the
//! mean time between entries, and wider if more entries wait in buckets than there are buckets. So most
//! buckets that hold something hold one entry, for any link rates: to find the next of them costs the
//! same over any number of empty ones, and the order of two has to be found.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use units::{Span, Time};

/// Buckets: a word of bits for each 64, and one word that marks the non-zero ones of these.
const BUCKETS: u64 = 64 * 64;
/// Buckets of a lap.
const LAP: u64 = BUCKETS / 2;
/// Laps: a word of bits.
const LAPS: u64 = 64;
/// Up to this many due entries are inserted one by one; with more a heap is faster.
const FEW: usize = 32;
/// The width of a bucket is reviewed after this many entries.
const TUNED_AFTER: u32 = 4_096;
/// The initial width, as a power of two: about 1 µs.
const FIRST_SHIFT: u32 = 20;
/// The largest: half a minute.
const LAST_SHIFT: u32 = 45;
/// No entry.
const NONE: u32 = u32::MAX;

/// The place of an entry among those of equal time.
///
/// Reserving an order and entering later under it lets a link keep its own queue and enter only its
/// head into the agenda, with ties broken as if every packet had been entered when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub u64);

impl Order {
    /// Reserved orders are above this value. Those below can be used for an order that does not
    /// depend on the time of the request, ahead of all others.
    pub const FIRST_RESERVED: Self = Self(1 << 48);

    /// Whether it is the next one: no entry of the same instant leaves between the two.
    #[inline]
    pub fn follows(self, other: Self) -> bool {
        self.0 == other.0 + 1
    }
}

/// Future events, in order of time and, at equal times, of entry.
#[derive(Debug, Clone)]
pub struct Agenda<E> {
    /// The entry that leaves next, apart from those that are late or present; [`Time::NEVER`] says that there is none, which
    /// is so where the buckets are empty: laps may have some then.
    first: Entry<E>,
    /// The other entries of the buckets before `next`, those that go first at the back.
    due: Vec<Entry<E>>,
    /// The time of the first entry that is late or present.
    late_time: Time,
    now: Time,
    pending: usize,
    /// Entries until the width is looked at.
    until_tuned: u32,
    /// The width of a bucket, as a power of two.
    shift: u32,
    /// The number of the first bucket that is not due, counted from time zero.
    next: u64,
    /// Which words of `full` have a bit.
    words: u64,
    /// By bucket, a bit: whether it holds something.
    full: [u64; 64],
    /// By bucket: one of its entries.
    heads: Box<[[u32; 64]; 64]>,
    /// The entries of all buckets and laps, each with the next one there, or of those that are free.
    soon: Vec<Entry<E>>,
    free: u32,
    /// The first bucket of the first lap that holds something, the maximum of the type if none does.
    far_from: u64,
    /// By lap, a bit: whether it holds something.
    full_laps: u64,
    /// By lap: one of its entries.
    laps: Box<[u32; 64]>,
    /// The entries of all laps.
    far: usize,
    late: BinaryHeap<Reverse<Entry<E>>>,
    /// Entries of the present instant, in order, that came when many were due.
    present: VecDeque<Entry<E>>,
    order: u64,
    /// When the width was looked at.
    tuned: Time,
}

impl<E: Copy + Default> Default for Agenda<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy + Default> Agenda<E> {
    /// An empty agenda, with the clock at zero.
    pub fn new() -> Self {
        Self {
            first: Entry::default(),
            due: Vec::new(),
            late_time: Time::NEVER,
            now: Time::ZERO,
            pending: 0,
            until_tuned: TUNED_AFTER,
            shift: FIRST_SHIFT,
            next: 0,
            words: 0,
            full: [0; 64],
            heads: Box::new([[NONE; 64]; 64]),
            soon: Vec::new(),
            free: NONE,
            far_from: u64::MAX,
            full_laps: 0,
            laps: Box::new([NONE; 64]),
            far: 0,
            late: BinaryHeap::new(),
            present: VecDeque::new(),
            order: Order::FIRST_RESERVED.0,
            tuned: Time::ZERO,
        }
    }

    /// The time of the entry that was removed last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many entries are pending.
    pub fn len(&self) -> usize {
        self.pending
    }

    /// Whether no entries are pending.
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

    /// Takes back the place that was reserved last.
    #[inline]
    pub fn take_back(&mut self, order: Order) {
        debug_assert_eq!(self.order, order.0, "the last one");
        self.order -= 1;
    }

    /// Enters an event under a place reserved before. Panics when `time` lies in the past.
    #[inline(always)]
    pub fn enter_as(&mut self, time: Time, order: Order, event: E) {
        self.pending += 1;
        let bucket = time.0 >> self.shift;
        let at = self.free;
        // Its fields are written one by one where they stay: an entry that is passed as a whole is read in other parts than
        // it was written in, and the processor waits for that.
        if bucket.wrapping_sub(self.next) < BUCKETS
            && !self.is_drained()
            && let Some(entry) = self.soon.get_mut(at as usize)
        {
            self.free = entry.next;
            entry.time = time;
            entry.order = order;
            entry.event = event;
            self.join(bucket, at);
        } else {
            self.put(time, order, event);
        }
    }

    /// Puts an entry where it belongs.
    #[inline(never)]
    fn put(&mut self, time: Time, order: Order, event: E) {
        assert!(time >= self.now, "an event in the past");
        let bucket = time.0 >> self.shift;
        let entry = Entry { time, order, event, next: NONE };
        if time == Time::NEVER {
            self.put_late(entry);
        } else if bucket < self.next {
            self.put_among_due(entry);
        } else if bucket - self.next < BUCKETS {
            self.put_soon(bucket, entry);
        } else {
            self.put_far(bucket, entry);
        }
    }

    /// Puts an entry behind the last bucket, unless all are empty: then they begin now.
    #[cold]
    fn put_far(&mut self, bucket: u64, entry: Entry<E>) {
        if self.is_drained() && self.full_laps == 0 {
            self.next = self.now.0 >> self.shift;
        }
        let lap = bucket / LAP;
        if bucket - self.next < BUCKETS {
            self.put_soon(bucket, entry);
        } else if lap - self.next / LAP < LAPS {
            self.full_laps |= 1 << (lap % LAPS);
            self.far_from = self.far_from.min(lap * LAP);
            self.far += 1;
            self.laps[place_of_lap(lap)] =
                self.keep(Entry { next: self.laps[place_of_lap(lap)], ..entry });
        } else {
            self.put_late(entry);
        }
    }

    /// Puts the entries of the first lap that has any into buckets, of which those up to it are empty or in use.
    #[cold]
    fn enter_lap(&mut self) {
        let lap = self.far_from / LAP;
        self.next = self.next.max(self.far_from - LAP);
        self.full_laps &= !(1 << (lap % LAPS));
        let after = self.full_laps.rotate_right((lap % LAPS) as u32).trailing_zeros();
        self.far_from = if self.full_laps == 0 { u64::MAX } else { (lap + u64::from(after)) * LAP };
        let mut at = std::mem::replace(&mut self.laps[place_of_lap(lap)], NONE);
        while let Some(&Entry { time, next, .. }) = self.soon.get(at as usize) {
            self.join(time.0 >> self.shift, at);
            self.far -= 1;
            at = next;
        }
    }

    /// The first entry of the laps.
    #[cold]
    fn first_far(&self) -> Option<&Entry<E>> {
        let lap = place_of_lap(self.far_from / LAP);
        let after = |at: u32| self.soon.get(at as usize);
        let first = after(self.laps[lap]).filter(|_| self.full_laps > 0);
        std::iter::successors(first, |entry| after(entry.next)).min_by_key(|entry| entry.key())
    }

    /// Whether no entry is in a bucket or due.
    #[inline]
    fn is_drained(&self) -> bool {
        self.first.time == Time::NEVER
    }

    fn put_among_due(&mut self, entry: Entry<E>) {
        if self.is_drained() {
            self.first = entry;
        } else if self.due.len() >= FEW {
            self.put_beside(entry);
        } else {
            self.insert_due(entry);
        }
    }

    /// Inserts an entry among few that are due, of which one is the first.
    #[inline]
    fn insert_due(&mut self, mut entry: Entry<E>) {
        if entry.key() < self.first.key() {
            std::mem::swap(&mut entry, &mut self.first);
        }
        let mut place = self.due.len();
        self.due.push(entry);
        while place > 0 && self.due[place - 1].key() < entry.key() {
            self.due[place] = self.due[place - 1];
            place -= 1;
        }
        self.due[place] = entry;
    }

    #[inline]
    fn put_soon(&mut self, bucket: u64, entry: Entry<E>) {
        let at = self.keep(entry);
        self.join(bucket, at);
        if self.is_drained() {
            self.refill();
        }
    }

    /// Keeps an entry of a bucket or a lap; where.
    #[inline]
    fn keep(&mut self, entry: Entry<E>) -> u32 {
        let at = self.free;
        if let Some(free) = self.soon.get_mut(at as usize) {
            self.free = free.next;
            *free = entry;
            return at;
        }
        self.soon.push(entry);
        u32::try_from(self.soon.len() - 1).expect("fewer than 2^32 entries")
    }

    /// An entry that is kept joins a bucket.
    #[inline(always)]
    fn join(&mut self, bucket: u64, at: u32) {
        let place = place_of(bucket);
        let (word, bit) = (place / 64, place % 64);
        let head = &mut self.heads[word as usize][bit as usize];
        self.soon[at as usize].next = std::mem::replace(head, at);
        self.full[word as usize] |= 1 << bit;
        self.words |= 1 << word;
    }

    /// Puts an entry beside many that are due.
    fn put_beside(&mut self, entry: Entry<E>) {
        let is_last = self.present.back().is_none_or(|last| last.order < entry.order);
        if entry.time == self.now && is_last {
            self.present.push_back(entry);
            self.late_time = self.now;
        } else {
            self.put_late(entry);
        }
    }

    #[cold]
    fn put_late(&mut self, entry: Entry<E>) {
        self.late.push(Reverse(entry));
        self.late_time = self.late_time.min(entry.time);
    }

    /// Makes the entries of the first bucket that has any due, where none is.
    #[inline(always)]
    fn refill(&mut self) {
        if self.words == 0 {
            self.first.time = Time::NEVER;
            return;
        }
        let (mut word, mut bit, mut bucket) = self.first_full();
        if bucket >= self.far_from {
            (word, bit, bucket) = self.enter_laps();
        }
        let full = &mut self.full[word as usize % 64];
        *full &= !(1 << bit);
        if *full == 0 {
            self.words &= !(1 << word);
        }
        self.next = bucket + 1;
        let head = &mut self.heads[word as usize % 64][bit as usize % 64];
        let first = std::mem::replace(head, NONE);
        let entry = &mut self.soon[first as usize];
        let at = std::mem::replace(&mut entry.next, self.free);
        self.free = first;
        self.first = *entry;
        if at != NONE {
            self.refill_more(at);
        }
    }

    /// Enters laps until the first bucket that has something is before the others; which that is.
    #[cold]
    fn enter_laps(&mut self) -> (u32, u32, u64) {
        loop {
            self.enter_lap();
            let (word, bit, bucket) = self.first_full();
            if bucket < self.far_from {
                return (word, bit, bucket);
            }
        }
    }

    /// The other entries of a bucket, of which one is due.
    #[inline(never)]
    fn refill_more(&mut self, mut at: u32) {
        let mut count = 1;
        while let Some(slot) = self.soon.get_mut(at as usize) {
            let entry = *slot;
            slot.next = self.free;
            self.free = std::mem::replace(&mut at, entry.next);
            count += 1;
            if count > FEW {
                self.due.push(entry);
            } else {
                // Those that entered last come first, so that what is of one instant is in order.
                self.insert_due(entry);
            }
        }
        if count > FEW {
            self.due.push(self.first);
            self.due.sort_unstable_by_key(|entry| Reverse(entry.key()));
            self.first = self.due.pop().expect("many");
        }
    }

    /// The first bucket that holds something, where one does: its word, its bit there, and its number.
    #[inline]
    fn first_full(&self) -> (u32, u32, u64) {
        let start = place_of(self.next);
        let ahead = self.full[start as usize / 64] >> (start % 64) << (start % 64);
        let (word, bits) = if ahead != 0 {
            (start / 64, ahead)
        } else {
            // The word where it began comes last, with the buckets before.
            let after = start / 64 + 1;
            let word = (after + self.words.rotate_right(after % 64).trailing_zeros()) % 64;
            (word, self.full[word as usize])
        };
        let bit = bits.trailing_zeros();
        (word, bit, self.next + u64::from((word * 64 + bit).wrapping_sub(start)) % BUCKETS)
    }

    /// The first entry that is in a bucket or a lap, or due.
    fn first_soon(&self) -> Option<&Entry<E>> {
        if self.is_drained() { self.first_far() } else { Some(&self.first) }
    }

    /// The time of the next entry.
    pub fn next_time(&self) -> Option<Time> {
        let due = self.first_soon().map_or(Time::NEVER, |entry| entry.time);
        (self.pending > 0).then(|| due.min(self.late_time))
    }

    /// The time of the next entry, or one that is not before it where that is late or in no bucket.
    #[inline]
    pub fn next_due(&self) -> Time {
        self.first.time
    }

    /// Whether an entry leaves before one of this time and place would.
    #[inline]
    pub fn is_before(&self, time: Time, order: Order) -> bool {
        let is_due = self.first_soon().is_some_and(|entry| entry.key() < (time, order));
        is_due || self.late_time <= time && self.is_late_before(time, order)
    }

    #[cold]
    fn is_late_before(&self, time: Time, order: Order) -> bool {
        let late = self.late.peek().map(|Reverse(late)| late);
        let firsts = late.into_iter().chain(self.present.front());
        firsts.into_iter().any(|entry| entry.key() < (time, order))
    }

    /// The entry that is probably taken next, for prefetching its data: the next one, apart from those that are entered
    /// before it is taken or that are late. If there is none it is any.
    #[inline]
    pub fn peek(&self) -> E {
        self.first.event
    }

    /// Takes the next entry if its time is at most `limit`.
    #[inline(always)]
    pub fn take_until(&mut self, limit: Time) -> Option<(Time, E)> {
        let is_next = self.first.time < self.late_time && self.first.time <= limit;
        if !is_next && !self.bring_first(limit) {
            return None;
        }
        let (time, event) = (self.first.time, self.first.event);
        if let Some(entry) = self.due.pop() {
            self.first = entry;
        } else {
            self.refill();
        }
        self.now = time;
        self.pending -= 1;
        self.until_tuned -= 1;
        if self.until_tuned == 0 {
            self.tune();
        }
        Some((time, event))
    }

    /// Makes the next entry the first where it may be a late one, or one of the present instant; whether there is one up to
    /// `limit`.
    #[cold]
    fn bring_first(&mut self, limit: Time) -> bool {
        if self.is_drained() && self.full_laps > 0 {
            self.refill_from_laps(limit);
        }
        let due = Some(self.first).filter(|_| !self.is_drained());
        let late = self.late.peek().map(|Reverse(late)| *late);
        let firsts = (0..).zip([due, self.present.front().copied(), late]);
        let firsts = firsts.filter_map(|(at, first)| Some((at, first?)));
        let Some((at, first)) = firsts.min_by_key(|(_, first)| first.key()) else { return false };
        if first.time > limit {
            return false;
        }
        if at > 0 {
            if at == 1 {
                self.present.pop_front();
            } else {
                self.late.pop();
            }
            self.due.extend(due);
            self.first = first;
            let late = self.late.peek().map_or(Time::NEVER, |Reverse(late)| late.time);
            self.late_time = self.present.front().map_or(late, |first| first.time);
        }
        true
    }

    /// Makes entries of the first lap due where all buckets are empty, unless others come first.
    fn refill_from_laps(&mut self, limit: Time) {
        let first = self.first_far().expect("a lap that holds something").time;
        if first <= self.late_time && first <= limit {
            self.enter_lap();
            self.refill();
        }
    }

    /// Sets the width of the buckets to the recent event rate, if that has changed.
    #[cold]
    fn tune(&mut self) {
        let Span(passed) = self.now - self.tuned;
        self.tuned = self.now;
        self.until_tuned = TUNED_AFTER;
        let pace = (passed / u64::from(TUNED_AFTER)).max(1);
        // What waits elsewhere is not in the buckets, whatever their width.
        let near = self.pending - self.far - self.late.len();
        let crowd = (near as u64 * 4 / BUCKETS).max(1);
        let shift = (pace.ilog2().saturating_sub(1) + crowd.ilog2()).min(LAST_SHIFT);
        if shift.abs_diff(self.shift) < 2 {
            return;
        }
        let begin = self.next << self.shift;
        self.shift = shift;
        // What is due stays so: no bucket begins before it ends.
        self.next = begin.div_ceil(1 << shift);
        for Entry { time, order, event, .. } in self.take_soon() {
            self.put(time, order, event);
        }
    }

    /// Gives events another time, where `to` says one, which is not in the past. Their places among events of equal time
    /// stay. It takes as long as all pending entries take to enter.
    pub fn reschedule(&mut self, mut to: impl FnMut(E) -> Option<Time>) {
        let mut entries = self.take_soon();
        entries.extend(Some(self.first).filter(|_| !self.is_drained()));
        self.first.time = Time::NEVER;
        entries.append(&mut self.due);
        entries.extend(self.present.drain(..));
        entries.extend(std::mem::take(&mut self.late).into_iter().map(|Reverse(entry)| entry));
        self.late_time = Time::NEVER;
        self.next = self.now.0 >> self.shift;
        for Entry { time, order, event, .. } in entries {
            self.put(to(event).unwrap_or(time), order, event);
        }
    }

    /// Takes the entries of all buckets out.
    fn take_soon(&mut self) -> Vec<Entry<E>> {
        let mut entries = Vec::new();
        while self.words != 0 {
            let word = self.words.trailing_zeros() as usize;
            self.words &= self.words - 1;
            let mut bits = std::mem::take(&mut self.full[word]);
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let first = std::mem::replace(&mut self.heads[word][bit], NONE);
                self.take_list(first, &mut entries);
            }
        }
        for lap in std::mem::replace(&mut *self.laps, [NONE; 64]) {
            self.take_list(lap, &mut entries);
        }
        self.soon.clear();
        self.free = NONE;
        (self.full_laps, self.far_from, self.far) = (0, u64::MAX, 0);
        entries
    }

    /// Copies an entry and all behind it.
    fn take_list(&self, mut at: u32, entries: &mut Vec<Entry<E>>) {
        while let Some(entry) = self.soon.get(at as usize) {
            entries.push(*entry);
            at = entry.next;
        }
    }
}

/// The place of a bucket among all: they are used again and again.
#[inline]
fn place_of(bucket: u64) -> u32 {
    (bucket % BUCKETS) as u32
}

/// The place of a lap among all: they are used again and again, too.
#[inline]
fn place_of_lap(lap: u64) -> usize {
    (lap % LAPS) as usize
}

/// An entry.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    time: Time,
    order: Order,
    event: E,
    /// The next one in its bucket or lap, or of those that are free.
    next: u32,
}

impl<E: Default> Default for Entry<E> {
    /// None.
    fn default() -> Self {
        Self { time: Time::NEVER, order: Order(0), event: E::default(), next: NONE }
    }
}

impl<E> Entry<E> {
    #[inline]
    fn key(&self) -> (Time, Order) {
        (self.time, self.order)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn drain(agenda: &mut Agenda<u32>) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| agenda.take_until(Time::NEVER)).map(|(t, e)| (t.0, e)).collect()
    }

    #[test]
    fn a_place_that_is_taken_back_is_reserved_next() {
        let mut agenda = Agenda::<u32>::new();
        let first = agenda.reserve();
        agenda.take_back(first);
        assert_eq!(agenda.reserve(), first);
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
        for (time, event) in [(9, 4), (3, 1), (5, 2), (5, 3)] {
            agenda.enter(Time(time), event);
        }
        let mut seen = Vec::new();
        while !agenda.is_empty() {
            seen.push(agenda.peek());
            agenda.take_until(Time::NEVER);
        }
        assert_eq!(seen, [1, 2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "an event in the past")]
    fn the_past_is_refused() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(7), 1);
        agenda.take_until(Time::NEVER);
        agenda.enter(Time(6), 2);
    }

    /// Mostly short and often equal, some around the width of a bucket and that of all.
    fn delays() -> impl Strategy<Value = u64> {
        let (bucket, all) = (1u64 << FIRST_SHIFT, BUCKETS << FIRST_SHIFT);
        prop_oneof![
            0u64..50,
            0..4 * bucket,
            0..2 * all,
            Just(all),
            Just(all - 1),
            Just(bucket),
            0..1u64 << 50
        ]
    }

    proptest! {
        /// The reference implementation: a list sorted by (time, order of entry).
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

        /// Long enough for the width to change, at time scales from picoseconds to minutes,
        /// sometimes with no pending entries and sometimes with more than there are buckets.
        #[test]
        fn the_width_of_buckets_changes_nothing(
            phases in prop::collection::vec(
                ((0u32..48, 0u32..48), 0usize..6_000, any::<u64>()),
                1..5,
            ),
        ) {
            let mut agenda = Agenda::new();
            let mut twin = BTreeSet::new();
            let mut event = 0;
            for ((scale, coarse), kept, mut seed) in phases {
                for _ in 0..6_000 {
                    // Knuth's MMIX generator: the numbers only have to be spread widely.
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Many at one instant, sometimes: those that are entered for the present one among them.
                    let delay = (((seed >> 8) % (1 << scale)) >> coarse) << coarse;
                    let time = agenda.now() + Span(delay);
                    event += 1;
                    agenda.enter(time, event);
                    twin.insert((time, event));
                    while twin.len() > kept {
                        prop_assert_eq!(agenda.next_time(), twin.first().map(|first| first.0));
                        prop_assert_eq!(agenda.take_until(Time::NEVER), twin.pop_first());
                    }
                }
            }
            while let Some(first) = twin.pop_first() {
                prop_assert_eq!(agenda.take_until(Time::NEVER), Some(first));
            }
            prop_assert!(agenda.is_empty() && agenda.next_time().is_none());
        }
    }

    /// Places that were reserved before come before those of the present instant that were entered since.
    #[test]
    fn a_reserved_place_comes_first_in_a_crowd() {
        let mut agenda = Agenda::new();
        let early = agenda.reserve();
        (0..100).for_each(|event| agenda.enter(Time(5), event));
        let between = agenda.reserve();
        assert_eq!(agenda.take_until(Time::NEVER), Some((Time(5), 0)));
        (100..200).for_each(|event| agenda.enter(Time(5), event));
        agenda.enter_as(Time(5), between, 201);
        agenda.enter_as(Time(5), early, 202);
        let expected = [202].into_iter().chain(1..100).chain([201]).chain(100..200);
        assert!(drain(&mut agenda).into_iter().eq(expected.map(|event| (5, event))));
    }

    #[test]
    fn the_width_is_that_of_the_pace() {
        let mut agenda = Agenda::new();
        for (gap, shift) in [(1_000, 8), (1_000_000_000, 28), (70, 5)] {
            for _ in 0..3 * TUNED_AFTER {
                agenda.enter(agenda.now() + Span(gap), 0);
                agenda.take_until(Time::NEVER);
            }
            assert!(agenda.shift.abs_diff(shift) < 2, "{gap}: {}", agenda.shift);
        }
    }

    /// Timers beyond the buckets wait in laps, from which they come in order; the buckets begin now where nothing else is
    /// there.
    #[test]
    fn what_is_far_waits_in_laps() {
        let mut agenda = Agenda::new();
        let (bucket, all) = (1u64 << FIRST_SHIFT, BUCKETS << FIRST_SHIFT);
        let far = [3 * all + 5, 3 * all, 2 * all + bucket, 9 * all];
        (0..).zip(far).for_each(|(event, time)| agenda.enter(Time(time), event));
        assert!(agenda.is_drained() && agenda.late.is_empty());
        assert_eq!(agenda.next_time(), Some(Time(2 * all + bucket)));
        assert!(!agenda.is_before(Time(2 * all + bucket), Order(0)));
        assert!(agenda.is_before(Time(2 * all + bucket + 1), Order(0)));
        assert_eq!(agenda.take_until(Time(2 * all)), None);
        agenda.enter(Time(7), 4);
        let expected = [(7, 4), (far[2], 2), (far[1], 1), (far[0], 0), (far[3], 3)];
        assert_eq!(drain(&mut agenda), expected);
    }

    #[test]
    fn after_a_long_wait_the_buckets_begin_anew() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(1 << 50), 0);
        assert_eq!(agenda.late.len(), 1);
        agenda.take_until(Time::NEVER);
        agenda.enter(Time((1 << 50) + 1), 1);
        assert!(agenda.late.is_empty());
    }

    /// Entries for the current instant leave in the order of their entry, for any number of them.
    #[test]
    fn a_crowd_at_one_instant_leaves_in_order() {
        let mut agenda = Agenda::new();
        agenda.enter(Time(5), 0);
        agenda.enter(Time(6), u32::MAX);
        assert_eq!(agenda.take_until(Time::NEVER), Some((Time(5), 0)));
        (1..100_000).for_each(|event| agenda.enter(Time(5), event));
        let expected = (1..100_000).map(|event| (5, event)).chain([(6, u32::MAX)]);
        assert!(drain(&mut agenda).into_iter().eq(expected));
    }
}
