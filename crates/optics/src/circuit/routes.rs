//! Ways over several circuits: in each slice of time those that are the shortest.
//!
//! A slice begins when a switch is lit again, and ends when the next one is, so that one switch alone goes
//! dark in it, at its end. The circuits of all others last through it, and only those are on a way (Opera,
//! NSDI 2020, section 3.2).

use std::ops::Range;

use super::schedule::Schedule;

/// The most switches of a network with such ways.
pub const MOST_SWITCHES: u32 = 32;

/// The entries that are kept, unless two slices have more.
const KEPT: usize = 1 << 24;

/// A slice of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Its number.
    pub number: i64,
    /// The number of the slot of the switch that was lit last.
    slot: i64,
    /// That switch.
    last: i64,
    /// The switch that goes dark at its end, if one does.
    goes_dark: i64,
}

impl Slice {
    /// The slot of a switch that lasts through it, if one does.
    pub fn slot_of(&self, switch: u32) -> Option<i64> {
        let switch = i64::from(switch);
        (switch != self.goes_dark).then_some(self.slot - i64::from(switch > self.last))
    }
}

impl Schedule {
    /// The slice at an instant. Those of staggered switches follow each other; of others it is
    /// meaningful only if [they stay](Self::stays).
    pub fn slice_at(&self, at: i64) -> Slice {
        let since = at - self.dark;
        let slot = since.div_euclid(self.slot);
        let rest = since - slot * self.slot;
        let begun = self.switches.partition_point(|rotation| rotation.phase <= rest);
        self.slice_after(slot, count(begun) - 1)
    }

    /// When a slice begins and the next one does.
    pub fn lasts(&self, slice: &Slice) -> Range<i64> {
        let lit =
            |switch: usize, slot: i64| self.switches[switch].phase + slot * self.slot + self.dark;
        let last = usize::try_from(slice.last).expect("a switch");
        let next = (last + 1) % self.switches.len();
        lit(last, slice.slot)..lit(next, slice.slot + i64::from(next == 0))
    }

    /// The slice of a number.
    pub fn slice(&self, number: i64) -> Slice {
        let switches = count(self.switches.len());
        self.slice_after(number.div_euclid(switches), number.rem_euclid(switches))
    }

    /// The slice that begins when a switch is lit in a slot: the first one, that always has phase zero, or a later one.
    fn slice_after(&self, slot: i64, last: i64) -> Slice {
        let switches = count(self.switches.len());
        let next = if last + 1 == switches { 0 } else { last + 1 };
        let goes_dark = if self.stays() { -1 } else { next };
        Slice { number: slot * switches + last, slot, last, goes_dark }
    }

    /// Whether nothing ever changes: no switch has a second slot, and none goes dark.
    pub fn stays(&self) -> bool {
        self.dark == 0 && self.switches.iter().all(|rotation| rotation.matchings.len() == 1)
    }

    /// The number of slices after which all begins anew.
    pub fn slices(&self) -> i64 {
        let lengths = self.switches.iter().map(|rotation| count(rotation.matchings.len()));
        lengths.fold(1, common_multiple) * count(self.switches.len())
    }

    /// A slice in which some rack cannot reach another one, if there is one, with two such racks. As many lights
    /// come to a rack as leave it, so that one that reaches all is reached from all.
    pub fn cut_slice(&self) -> Option<(i64, u32, u32)> {
        (0..self.slices()).find_map(|slice| {
            let lit = self.slice(slice);
            let mut reached = vec![false; self.racks];
            let mut open = vec![0];
            while let Some(rack) = open.pop() {
                if !std::mem::replace(&mut reached[rack as usize], true) {
                    let far_end = |switch| self.far_end(switch, lit.slot_of(switch)?, rack);
                    open.extend(self.switches().filter_map(far_end));
                }
            }
            let cut = reached.iter().position(|reached| !reached)?;
            Some((slice, 0, u32::try_from(cut).expect("a number of racks")))
        })
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).expect("a number of switches or slots")
}

fn common_multiple(a: i64, b: i64) -> i64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}

/// The links on shortest ways, computed for a slice and a destination when they are first asked for.
#[derive(Debug, Clone)]
pub struct Routes {
    racks: usize,
    slices: i64,
    /// How many slices are kept.
    places: usize,
    /// The slice that is now.
    lit: Lit,
    /// For each place and destination: the slice of which `next` is, or −1.
    of: Box<[i64]>,
    /// For each place, destination and rack: the switches that are on a shortest way, one bit each.
    next: Box<[u32]>,
    /// Racks that are reached, while ways are computed, in the order of their distance.
    reached: Vec<u32>,
    /// Their distances.
    distance: Vec<u32>,
}

/// A slice, with what is asked of it for each packet.
#[derive(Debug, Clone)]
struct Lit {
    /// When it lasts.
    lasts: Range<i64>,
    /// Its number in a round.
    number: i64,
    /// The first entry of its place.
    first: usize,
    /// For each switch when the slot ends that lasts through it, if one does.
    closes: Box<[i64]>,
}

impl Routes {
    /// No ways of a schedule yet.
    ///
    /// # Panics
    /// If it has more switches than [`MOST_SWITCHES`].
    pub fn new(schedule: &Schedule) -> Self {
        assert!(schedule.switches().end <= MOST_SWITCHES, "a bit for each switch");
        let (racks, slices) = (schedule.racks, schedule.slices());
        let places = Self::places(schedule.racks(), slices);
        let closes = vec![i64::MIN; schedule.switches.len()].into();
        Self {
            racks,
            slices,
            places,
            lit: Lit { lasts: 0..0, number: -1, first: 0, closes },
            of: vec![-1; places * racks].into(),
            next: vec![0; places * racks * racks].into(),
            reached: Vec::new(),
            distance: vec![u32::MAX; racks],
        }
    }

    /// How many bytes the ways of so many racks and slices take.
    pub fn bytes(racks: u32, slices: i64) -> u64 {
        let (places, racks) = (Self::places(racks, slices) as u64, u64::from(racks));
        places * racks * (4 * racks + 8)
    }

    /// How many slices are kept of so many racks and slices.
    fn places(racks: u32, slices: i64) -> usize {
        let most = (KEPT / (racks as usize * racks as usize)).max(2);
        usize::try_from(slices).map_or(most, |slices| most.min(slices))
    }

    /// The switches by which a shortest way leads from a rack to another one at an instant, one bit each; none if no way
    /// does.
    #[inline]
    pub fn next(&mut self, schedule: &Schedule, at: i64, (rack, to): (u32, u32)) -> u32 {
        if !self.lit.lasts.contains(&at) {
            self.light(schedule, at);
        }
        let entry = self.lit.first + to as usize;
        if self.of[entry] != self.lit.number {
            self.of[entry] = self.lit.number;
            self.fill(schedule, to, entry * self.racks);
        }
        self.next[entry * self.racks + rack as usize]
    }

    /// When the circuit ends of a switch that was on a way when ways were last asked for.
    #[inline]
    pub fn closes(&self, switch: u32) -> i64 {
        self.lit.closes[switch as usize]
    }

    /// Another slice is now.
    #[cold]
    fn light(&mut self, schedule: &Schedule, at: i64) {
        let slice = schedule.slice_at(at);
        let Lit { lasts, number, first, closes } = &mut self.lit;
        *lasts = schedule.lasts(&slice);
        *number = slice.number.rem_euclid(self.slices);
        *first = usize::try_from(*number).expect("a rest") % self.places * self.racks;
        for (switch, closes) in (0..).zip(closes) {
            if let Some(slot) = slice.slot_of(switch) {
                *closes = schedule.window(switch, slot).closes;
            }
        }
    }

    /// Goes back from a destination, breadth first, in the slice that is now.
    fn fill(&mut self, schedule: &Schedule, to: u32, first: usize) {
        let slice = schedule.slice(self.lit.number);
        let Self { racks, next, reached, distance, .. } = self;
        let next = &mut next[first..first + *racks];
        next.fill(0);
        distance.fill(u32::MAX);
        distance[to as usize] = 0;
        reached.clear();
        reached.push(to);
        let mut lit: [&[u32]; MOST_SWITCHES as usize] = [&[]; MOST_SWITCHES as usize];
        for (switch, near_ends) in schedule.switches().zip(&mut lit) {
            if let Some(slot) = slice.slot_of(switch) {
                *near_ends = schedule.near_ends(switch, slot);
            }
        }
        let lit = &lit[..schedule.switches.len()];
        let mut at = 0;
        while let Some(&rack) = reached.get(at) {
            at += 1;
            let further = distance[rack as usize] + 1;
            for (switch, near_ends) in lit.iter().enumerate() {
                let Some(&before) = near_ends.get(rack as usize) else { continue };
                let known = &mut distance[before as usize];
                if *known == u32::MAX {
                    *known = further;
                    reached.push(before);
                }
                next[before as usize] |= u32::from(*known == further) << switch;
            }
        }
    }
}
