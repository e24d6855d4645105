//! The search for levels, by a run that is not counted.
//!
//! A copy of the world goes on from the start of measuring with the levels found so far, and counts how often each
//! level is met. The next level is the lowest that is met less often than the one before by the wanted factor. With
//! each search levels are reached that were too rare for the one before, up to losses. Estimates are unbiased for any
//! levels: the search only decides how much they vary.

use std::collections::BTreeMap;

use plan::{Period, SplittingPlan};
use random::{Seed, Stream};
use units::{Span, Time};

use super::watch::{Seen, Watch};
use super::{Splitting, World};

/// What the base trial of a first search is offered.
const FIRST: u64 = 5_000;
/// How often that is doubled if no level is found.
const DOUBLINGS: u32 = 4;
/// A level, or losses, that were met this often are known well enough.
const ENOUGH: u64 = 25;
/// Events between two looks at whether a search has been offered enough.
pub(super) const SLICE: u64 = 10_000;
/// A search takes no more than this, in runs.
const LONGEST: u64 = 1_000;
/// A level is met often enough to be the next by the wanted factor times this, since many lie far apart.
const SLACK: f64 = 1.5;
/// The most retrials of a level.
const MOST: f64 = 32.0;

/// How often levels were met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// By level: how often, and how often by weight.
    levels: BTreeMap<u64, (u64, f64)>,
}

impl Met {
    /// So much was offered at a level.
    pub(super) fn count(&mut self, level: u64, offered: u64, weight: f64) {
        let (count, weighted) = self.levels.entry(level).or_default();
        *count += offered;
        *weighted += offered as f64 * weight;
    }

    /// The levels from a given one on, each with how often it or a higher one was met.
    fn above(&self, least: u64) -> Vec<(u64, u64, f64)> {
        let (mut count, mut weighted) = (0, 0.0);
        let mut above: Vec<_> = self
            .levels
            .range(least..)
            .rev()
            .map(|(&level, &(more, weight))| {
                count += more;
                weighted += weight;
                (level, count, weighted)
            })
            .collect();
        above.reverse();
        above
    }
}

/// A search in progress.
#[derive(Debug)]
pub(super) struct Pilot {
    world: Box<World>,
    watch: Watch,
    factor: f64,
    levels: Vec<(u64, u32)>,
    keys: Stream,
    /// What the base trial had met when the present search began.
    since: Seen,
    /// What it is offered in a search.
    offers: u64,
    /// Searches in a row that have found nothing.
    in_vain: u32,
    is_over: bool,
}

impl Pilot {
    /// A search from the present state of a world.
    pub(super) fn new(world: &World, plan: &SplittingPlan, watch: Watch, seed: Seed) -> Self {
        let mut keys = seed.stream("splitting/pilot");
        let mut copy = Box::new(world.copied());
        copy.branch(keys.next_u64());
        // It ends when it is offered enough. A source may have nothing more to offer, or next to nothing, so that it ends
        // after so many times the run, too.
        copy.limits.end = Time(copy.limits.end.0.saturating_mul(LONGEST).min(1 << 62));
        let mut pilot = Self {
            since: watch.seen(&copy),
            world: copy,
            watch,
            factor: f64::from(plan.factor),
            levels: Vec::new(),
            keys,
            offers: FIRST,
            in_vain: 0,
            is_over: false,
        };
        pilot.begin();
        pilot
    }

    /// The levels, when the search is over.
    pub(super) fn levels(&self) -> Option<Vec<(u64, u32)>> {
        self.is_over.then(|| self.levels.clone())
    }

    fn begin(&mut self) {
        self.since = self.watch.seen(&self.world);
        // The searches have different random numbers.
        let key = self.keys.next_u64();
        let mut keys = self.keys.clone();
        keys.branch(key);
        let period = Period { begin: Time::ZERO, middle: Time::ZERO, end: Time::ZERO + Span(1) };
        let mut splitting = Splitting::with(&self.world, self.watch, (&self.levels, period), keys);
        splitting.met = Some(Met::default());
        self.world.splitting = Some(Box::new(splitting));
    }

    /// Continues for [`SLICE`] events, always as many: what is found must not depend on how the run is sliced.
    pub(super) fn advance(&mut self) {
        self.world.advance(SLICE);
        let offered = self.watch.seen(&self.world).offered - self.since.offered;
        let has_ended = self.world.stop.is_some();
        if !has_ended && (self.world.has_retrials() || offered < self.offers) {
            return;
        }
        let (found, lost) = self.find();
        if found {
            self.in_vain = 0;
        } else {
            self.in_vain += 1;
            self.offers *= 2;
        }
        self.is_over = has_ended || !found && (lost >= ENOUGH || self.in_vain > DOUBLINGS);
        if !self.is_over {
            self.begin();
        }
    }

    /// Appends the levels that were met often enough; whether there are any, and the losses that were met.
    fn find(&mut self) -> (bool, u64) {
        let splitting = self.world.splitting.take().expect("each search has one");
        let met = splitting.met.expect("which counts levels");
        let highest = self.levels.last().map_or(0, |&(level, _)| level);
        let mut above = met.above(highest).into_iter();
        let mut from = above.next().map_or(0.0, |(_, _, weighted)| weighted);
        let before = self.levels.len();
        for (level, count, weighted) in above {
            if count < ENOUGH {
                break;
            }
            if weighted * self.factor <= SLACK * from {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "small"
                )]
                let factor = (from / weighted).round().clamp(2.0, MOST) as u32;
                self.levels.push((level, factor));
                from = weighted;
            }
        }
        let lost = splitting.tally.regions.iter().map(|region| region.lost).sum();
        (self.levels.len() > before, lost)
    }
}
