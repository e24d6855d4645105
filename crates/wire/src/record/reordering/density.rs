//! The density of reordering (RFC 5236).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The displacement threshold of a study: a packet displaced by more counts as lost.
pub const THRESHOLD: u32 = 1024;

/// The number of packets by displacement: how many places they arrive late (negative: early).
///
/// Each packet that arrives gets a receive index: 1, 2, 3, … without the numbers of lost packets. Its
/// displacement is the index less its number (RFC 5236 section 4). Whether a number is lost is decided
/// when its index is due: it is, if it has not arrived by then and is not among the next packets (one
/// more than the threshold), for which the density waits. A packet that arrives after it was deemed
/// lost, arrives a second time, or is displaced by more than the threshold has no index.
#[derive(Debug, Clone)]
pub struct Density {
    threshold: u32,
    /// Packets that have no index yet, in the order of arrival.
    window: VecDeque<u64>,
    /// Packets that got an index below their number: they arrived before it was due.
    early: BTreeSet<u64>,
    /// The next receive index.
    index: u64,
    /// Packets with no displacement, and those by their displacement: most have none.
    in_place: u64,
    displaced: BTreeMap<i32, u64>,
}

impl Density {
    /// No packet yet.
    pub fn new(threshold: u32) -> Self {
        Self {
            threshold,
            window: VecDeque::new(),
            early: BTreeSet::new(),
            index: 1,
            in_place: 0,
            displaced: BTreeMap::new(),
        }
    }

    /// Packet `number`, from 1 on, arrives; the caller omits duplicates.
    pub fn arrived(&mut self, number: u64) {
        if number < self.index {
            return;
        }
        self.window.push_back(number);
        if self.window.len() > self.threshold as usize {
            self.place();
        }
    }

    /// Assigns an index to the oldest waiting packet.
    fn place(&mut self) {
        let Some(number) = self.window.pop_front() else { return };
        if number != self.index && !self.early.contains(&self.index) {
            self.skip_lost(number);
        }
        let displacement = self.index.cast_signed() - number.cast_signed();
        if displacement.unsigned_abs() > u64::from(self.threshold) {
            return;
        }
        match i32::try_from(displacement) {
            Ok(0) | Err(_) => self.in_place += 1,
            Ok(displacement) => *self.displaced.entry(displacement).or_default() += 1,
        }
        if number > self.index {
            self.early.insert(number);
        }
        self.early.remove(&self.index);
        self.index += 1;
    }

    /// Moves the index to the next number that has arrived, including `number`.
    fn skip_lost(&mut self, number: u64) {
        if self.window.contains(&self.index) {
            return;
        }
        let waiting = self.window.iter().copied().chain([number]);
        let early = self.early.range(self.index..).next().copied();
        let next = waiting.filter(|&number| number >= self.index).chain(early).min();
        // Without a further number that has arrived, nothing indicates that the next one is lost.
        self.index = next.unwrap_or(self.index);
    }

    /// The packets by their displacement; for waiting ones as if no packet came after them.
    pub fn displaced(&self) -> BTreeMap<i32, u64> {
        let mut rest = self.clone();
        while !rest.window.is_empty() {
            rest.place();
        }
        if rest.in_place > 0 {
            rest.displaced.insert(0, rest.in_place);
        }
        rest.displaced
    }

    /// Counts from here on; packets in flight stay.
    pub fn forget(&mut self) {
        self.in_place = 0;
        self.displaced.clear();
    }
}
