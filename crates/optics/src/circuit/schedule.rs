//! A schedule of circuits: for each circuit switch a round of matchings, one in each slot.
//!
//! Times are those at the switch, in picoseconds from the start of the run; the slot that begins at the
//! start of the run, plus the phase of the switch, has the number 0, and earlier ones negative numbers.

use std::ops::Range;

use units::{Span, Time};

use crate::spec::Phases;

/// How long slots and reconfigurations take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// From the beginning of a reconfiguration to that of the next.
    pub slot: Span,
    /// How long a switch is dark at the beginning of a slot.
    pub reconfiguration: Span,
    /// When the slots of the switches begin.
    pub phases: Phases,
}

/// When light passes a switch in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first instant.
    pub opens: i64,
    /// The instant at which the last bit must be through.
    pub closes: i64,
}

/// A slot of a switch, as long as no matching of it is decided anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Its number.
    pub number: i64,
    /// When light passes.
    pub window: Window,
    /// The number of its matching.
    matching: u32,
}

impl Slot {
    /// None that any instant is in.
    pub const NONE: Self = Self {
        number: i64::MIN,
        window: Window { opens: i64::MIN, closes: i64::MIN },
        matching: 0,
    };
}

/// Which racks are joined when.
#[derive(Debug, Clone)]
pub struct Schedule {
    pub(super) slot: i64,
    pub(super) dark: i64,
    pub(super) racks: usize,
    /// For each matching, and each rack: the rack to which its light goes, itself if to none.
    matchings: Box<[Matching]>,
    pub(super) switches: Box<[Rotation]>,
    /// The switches that join a rack to another, once for each slot, all of a pair together.
    ways: Box<[u32]>,
    /// For each pair, by source and destination: the first of its ways; one more at the end.
    first_way: Box<[u32]>,
    /// If matchings are decided one after the other: up to which slot.
    decided: Option<Decided>,
}

/// Matchings that are decided: the first one joins nothing, then those of each switch, by slots modulo their number.
#[derive(Debug, Clone)]
struct Decided {
    /// The first slot of which nothing is known.
    until: i64,
    /// How many slots of a switch are kept.
    kept: i64,
    /// For each of these matchings, whether it is the same as in the slot before.
    stays: Box<[bool]>,
}

impl Decided {
    /// The number of a slot's matching.
    #[cold]
    fn number(&self, switch: u32, slot: i64) -> u32 {
        if !(self.until - self.kept..self.until).contains(&slot) {
            return 0;
        }
        let place = 1 + i64::from(switch) * self.kept + slot.rem_euclid(self.kept);
        u32::try_from(place).expect("a place")
    }

    /// Whether a slot of a switch has the matching of the one before.
    fn stays(&self, switch: u32, slot: i64) -> bool {
        self.stays[self.number(switch, slot) as usize]
    }
}

#[derive(Debug, Clone)]
struct Matching {
    to: Box<[u32]>,
    from: Box<[u32]>,
}

/// The matchings that a switch sets one after the other.
#[derive(Debug, Clone)]
pub(super) struct Rotation {
    /// When its slot 0 begins.
    pub phase: i64,
    /// The numbers of those of its slots.
    pub matchings: Box<[u32]>,
    /// For each rack, and each of those slots: the rack to which its light goes, itself if to none. What one slot joins
    /// is together in its matching, what one rack is joined to is together here.
    far_ends: Box<[u32]>,
}

impl Rotation {
    /// The place of a slot among those of a round.
    #[inline]
    fn place(&self, slot: i64) -> usize {
        #[expect(clippy::cast_possible_wrap, reason = "a length")]
        let place = slot.rem_euclid(self.matchings.len() as i64);
        #[expect(
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation,
            reason = "below a length"
        )]
        let place = place as usize;
        place
    }

    /// The far ends of a rack, in the slots of a round.
    #[inline]
    fn of(&self, rack: u32) -> &[u32] {
        let slots = self.matchings.len();
        &self.far_ends[rack as usize * slots..][..slots]
    }
}

/// The rounds of RotorNet: for each of `switches` the matchings of its slots. Matching m joins rack i to rack
/// i + m + 1 modulo `racks`.
pub fn rotor(racks: u32, switches: u32) -> Vec<Vec<Vec<u32>>> {
    let shifted = |shift: u32| (0..racks).map(|rack| (rack + shift) % racks).collect();
    share_out(&(1..racks).map(shifted).collect::<Vec<_>>(), switches)
}

/// Shares out matchings among switches, one after the other: for each of `switches` those of its slots.
pub(super) fn share_out(matchings: &[Vec<u32>], switches: u32) -> Vec<Vec<Vec<u32>>> {
    let count = u32::try_from(matchings.len()).expect("about as many as racks");
    let of = |switch: u32| -> Vec<Vec<u32>> {
        let nth = |slot: u64| u64::from(switch) + slot * u64::from(switches);
        let at = |slot: u64| usize::try_from(nth(slot) % u64::from(count)).expect("an index");
        (0..slots_of(count, switches)).map(|slot| matchings[at(slot)].clone()).collect()
    };
    (0..switches).map(of).collect()
}

/// The slots of a round in which switches share so many matchings: as many as it takes until each begins
/// anew.
pub fn slots_of(matchings: u32, switches: u32) -> u64 {
    u64::from(matchings / gcd(matchings, switches))
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A span as a number that may be subtracted.
fn ps(span: Span) -> i64 {
    i64::try_from(span.0).expect("a checked span")
}

impl Schedule {
    /// The schedule with these matchings: for each switch, and each of its slots, the rack to which each
    /// rack's light goes.
    ///
    /// # Panics
    /// If something in it is not a matching of the same racks, or a slot is not longer than its dark time.
    pub fn new(rounds: &[Vec<Vec<u32>>], timing: Timing) -> Self {
        let (slot, dark) = (ps(timing.slot), ps(timing.reconfiguration));
        assert!(dark < slot, "a slot with light");
        let racks = rounds[0][0].len();
        let mut matchings: Vec<Matching> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let mut switches = Vec::with_capacity(rounds.len());
        for (at, round) in rounds.iter().enumerate() {
            let mut rotation = Vec::with_capacity(round.len());
            for to in round {
                let number = *known.entry(to).or_insert_with(|| {
                    matchings.push(Matching::new(to, racks));
                    u32::try_from(matchings.len() - 1).expect("fewer than slots")
                });
                rotation.push(number);
            }
            let phase = match timing.phases {
                Phases::Together => 0,
                Phases::Staggered => {
                    let part = i128::from(slot) * at as i128 / rounds.len() as i128;
                    i64::try_from(part).expect("less than a slot")
                }
            };
            let far_end = |rack: usize| round.iter().map(move |to| to[rack]);
            let far_ends = (0..racks).flat_map(far_end).collect();
            switches.push(Rotation { phase, matchings: rotation.into(), far_ends });
        }
        let mut schedule = Self {
            slot,
            dark,
            racks,
            matchings: matchings.into(),
            switches: switches.into(),
            ways: Box::default(),
            first_way: Box::default(),
            decided: None,
        };
        schedule.gather_ways();
        schedule
    }

    /// A schedule whose matchings are decided one after the other, so many slots at once; none is yet.
    pub fn on_demand((racks, switches): (u32, u32), epoch: u32, timing: Timing) -> Self {
        let idle: Vec<u32> = (0..racks).collect();
        let mut schedule = Self::new(&vec![vec![idle.clone()]; switches as usize], timing);
        let kept = 2 * i64::from(epoch) + 2;
        let places = 1 + switches as usize * usize::try_from(kept).expect("a few slots");
        schedule.matchings = vec![Matching::new(&idle, idle.len()); places].into();
        schedule.decided = Some(Decided { until: 0, kept, stays: vec![false; places].into() });
        schedule
    }

    /// Sets matchings from a slot on, which is not before one that is decided: for each slot and each switch the rack
    /// to which each rack's light goes, itself if to none.
    ///
    /// # Panics
    /// If two racks send to one, or the schedule has its matchings from the start.
    pub fn decide(&mut self, first: i64, matchings: &[Vec<Vec<u32>>]) {
        let decided = self.decided.as_mut().expect("a schedule on demand");
        let idle: Vec<u32> = (0..).take(self.racks).collect();
        let skipped = vec![idle; self.switches.len()];
        let from = decided.until.max(first - decided.kept);
        let skipped = (from..first).map(|slot| (slot, &skipped));
        for (slot, switches) in skipped.chain((first..).zip(matchings)) {
            decided.until = slot + 1;
            for (switch, to) in (0..).zip(switches) {
                let [before, number] =
                    [slot - 1, slot].map(|slot| decided.number(switch, slot) as usize);
                decided.stays[number] = *self.matchings[before].to == **to;
                self.matchings[number] = Matching::new(to, self.racks);
            }
        }
    }

    /// The first slot of which no matching is decided, if they are decided one after the other.
    pub fn decided_until(&self) -> Option<i64> {
        self.decided.as_ref().map(|decided| decided.until)
    }

    /// Lists the switches of each pair: those that are counted first, in the order of pairs.
    fn gather_ways(&mut self) {
        let mut next = vec![0_u32; self.racks * self.racks + 1];
        self.each_circuit(|pair, _| next[pair + 1] += 1);
        for pair in 0..self.racks * self.racks {
            next[pair + 1] += next[pair];
        }
        self.first_way = next.clone().into();
        let mut ways = vec![0; next[self.racks * self.racks] as usize];
        self.each_circuit(|pair, switch| {
            ways[next[pair] as usize] = switch;
            next[pair] += 1;
        });
        self.ways = ways.into();
    }

    /// Passes the pair and the switch of each circuit of a round.
    fn each_circuit(&self, mut put: impl FnMut(usize, u32)) {
        for (switch, rotation) in (0..).zip(&self.switches) {
            for &number in &rotation.matchings {
                let to = self.matchings[number as usize].to.iter().enumerate();
                for (rack, &to) in to.filter(|(rack, to)| *rack != **to as usize) {
                    put(rack * self.racks + to as usize, switch);
                }
            }
        }
    }

    /// The number of racks.
    pub fn racks(&self) -> u32 {
        u32::try_from(self.racks).expect("fewer than there are nodes")
    }

    /// The switches.
    pub fn switches(&self) -> Range<u32> {
        0..u32::try_from(self.switches.len()).expect("fewer than there are nodes")
    }

    /// How many slots the round of a switch has.
    pub fn slots(&self, switch: u32) -> usize {
        match &self.decided {
            Some(decided) => usize::try_from(decided.kept).expect("a few slots"),
            None => self.switches[switch as usize].matchings.len(),
        }
    }

    /// The number of the slot of a switch at an instant.
    #[inline]
    pub fn slot_at(&self, switch: u32, at: i64) -> i64 {
        (at - self.switches[switch as usize].phase).div_euclid(self.slot)
    }

    /// When a slot of a switch begins.
    #[inline]
    pub fn begins(&self, switch: u32, slot: i64) -> i64 {
        self.switches[switch as usize].phase + slot * self.slot
    }

    /// When light passes a switch in a slot: from its reconfiguration on, or from its beginning if there is none
    /// because the switch keeps its matching.
    #[inline]
    pub fn window(&self, switch: u32, slot: i64) -> Window {
        let begins = self.begins(switch, slot);
        let dark = if self.decided.is_some() { self.decided_dark(switch, slot) } else { self.dark };
        Window { opens: begins + dark, closes: begins + self.slot }
    }

    /// How long a switch whose matchings are decided is dark in a slot.
    #[cold]
    fn decided_dark(&self, switch: u32, slot: i64) -> i64 {
        let stays = self.decided.as_ref().is_some_and(|decided| decided.stays(switch, slot));
        if stays { 0 } else { self.dark }
    }

    /// A slot of a switch, by its number.
    #[inline]
    pub fn slot(&self, switch: u32, number: i64) -> Slot {
        let window = self.window(switch, number);
        Slot { number, window, matching: self.matching_number(switch, number) }
    }

    /// Makes a slot of a switch, that is kept, the one at an instant.
    #[inline]
    pub fn bring(&self, kept: &mut Slot, switch: u32, at: i64) {
        if at >= kept.window.closes || at < kept.window.closes - self.slot {
            *kept = self.slot(switch, self.slot_at(switch, at));
        }
    }

    /// When the light of a slot whose matching is never decided anew may first pass, by when the last bit must be through.
    #[inline]
    pub fn opens(&self, closes: i64) -> i64 {
        closes - self.slot + self.dark
    }

    /// The rack to which a rack's light goes in a slot, if to any.
    #[inline]
    pub fn joined(&self, slot: &Slot, rack: u32) -> Option<u32> {
        let to = self.matchings[slot.matching as usize].to[rack as usize];
        (to != rack).then_some(to)
    }

    /// How long light passes a switch in a slot.
    pub fn light(&self) -> Span {
        Span(u64::try_from(self.slot - self.dark).expect("a slot with light"))
    }

    #[inline]
    fn matching(&self, switch: u32, slot: i64) -> &Matching {
        &self.matchings[self.matching_number(switch, slot) as usize]
    }

    #[inline]
    fn matching_number(&self, switch: u32, slot: i64) -> u32 {
        if let Some(decided) = &self.decided {
            return decided.number(switch, slot);
        }
        let rotation = &self.switches[switch as usize];
        rotation.matchings[rotation.place(slot)]
    }

    /// The rack to which a rack's light goes by a switch in a slot, if to any.
    #[inline]
    pub fn far_end(&self, switch: u32, slot: i64, rack: u32) -> Option<u32> {
        let to = self.matching(switch, slot).to[rack as usize];
        (to != rack).then_some(to)
    }

    /// The rack whose light comes to a rack by a switch in a slot, if any does.
    pub fn near_end(&self, switch: u32, slot: i64, rack: u32) -> Option<u32> {
        let from = self.near_ends(switch, slot)[rack as usize];
        (from != rack).then_some(from)
    }

    /// The rack to which light goes that enters a switch from a rack, if all of it passes: it begins at `first`, in this
    /// slot, and lasts for `length`.
    #[inline]
    pub fn passes(&self, slot: &Slot, rack: u32, (first, length): (Time, Span)) -> Option<u32> {
        let first = ps(Span(first.0));
        let Window { opens, closes } = slot.window;
        if first < opens || first + ps(length) > closes {
            return None;
        }
        self.joined(slot, rack)
    }

    /// For each rack the one whose light comes to it by a switch in a slot, itself if none does.
    pub(super) fn near_ends(&self, switch: u32, slot: i64) -> &[u32] {
        &self.matching(switch, slot).from
    }

    /// The first slot of a switch, not before `from`, in which a rack is joined to one that is wanted; none
    /// if no slot of a round is one.
    pub fn next_slot(
        &self,
        (switch, rack): (u32, u32),
        from: i64,
        mut wanted: impl FnMut(i64, u32) -> bool,
    ) -> Option<i64> {
        if self.decided.is_some() {
            return (from..)
                .take(self.slots(switch))
                .find(|&slot| self.far_end(switch, slot, rack).is_some_and(|to| wanted(slot, to)));
        }
        let rotation = &self.switches[switch as usize];
        let far_ends = rotation.of(rack);
        let (before, after) = far_ends.split_at(rotation.place(from));
        let in_turn = (from..).zip(after.iter().chain(before));
        in_turn
            .filter(|&(_, &to)| to != rack)
            .find(|&(slot, &to)| wanted(slot, to))
            .map(|(slot, _)| slot)
    }

    /// The switches by which a rack is joined to another in a round, once for each slot.
    pub fn ways(&self, rack: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let pair = rack as usize * self.racks + to as usize;
        let [first, last] = [self.first_way[pair], self.first_way[pair + 1]];
        self.ways[first as usize..last as usize].iter().copied()
    }
}

impl Matching {
    fn new(to: &[u32], racks: usize) -> Self {
        assert_eq!(to.len(), racks, "the same racks in all matchings");
        let mut from = vec![u32::MAX; racks];
        for (rack, &to) in (0..).zip(to).filter(|(rack, to)| rack != *to) {
            assert_eq!(from[to as usize], u32::MAX, "a matching");
            from[to as usize] = rack;
        }
        for (rack, from) in (0..).zip(&mut from).filter(|(_, from)| **from == u32::MAX) {
            *from = rack;
        }
        Self { to: to.into(), from: from.into() }
    }
}
