//! Importance splitting: how often a link loses something that it almost never loses.
//!
//! The fuller a queue, the nearer a loss. Levels of filling divide the way there into regions. Each time that the run,
//! its *base trial*, rises above a level, the world is copied: so many *retrials* go on from there with other random
//! numbers, and end when they fall below that level again. Of these some rise above the next level and are copied in
//! turn. What is met in a region counts for one over the product of the factors of the levels below it, so that every
//! estimate is unbiased, wherever the levels are, and however much retrials are alike. This is RESTART (M. and
//! J. Villén-Altamirano, "RESTART: a method for accelerating rare event simulations", ITC-13, 1991; M. J. Garvels,
//! "The splitting method in rare event simulation", thesis, Twente, 2000, chapter 2).
//!
//! The base trial is the run itself: what else is recorded does not change. Levels are looked at after each event.
//! What a source offers next has been drawn before: it is drawn again where the time to it does not depend on the past,
//! as that of a Poisson process, and else is the same for all retrials of a trial.

mod pilot;
mod tally;
mod watch;

use random::{Seed, Stream};
use units::{Span, Time};

pub use self::tally::{Estimate, Region, Tally};
use pilot::Pilot;
use plan::{Period, SplittingPlan};
use watch::{Seen, Watch};

use super::{Course, Ended, Quantiles, Sampler, World};

/// Where a trial is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The region in which it is.
    region: usize,
    /// The region whose lower end ends it; 0 for the base trial.
    floor: usize,
    /// What it had met when it was looked at last.
    seen: Seen,
}

/// A copy of the world at the instant at which a trial entered a region from below.
#[derive(Debug)]
struct Copied {
    world: Box<World>,
    region: usize,
    seen: Seen,
    /// Retrials that have not begun.
    left: u32,
}

/// The trials of a run.
#[derive(Debug)]
pub(super) struct Splitting {
    watch: Watch,
    tally: Tally,
    base: Place,
    /// The part of the measured period in which the base trial is.
    batch: usize,
    /// The retrial in progress.
    current: Option<(Box<World>, Place)>,
    /// Those to come, the next one last.
    copied: Vec<Copied>,
    /// Gives each retrial its random numbers.
    keys: Stream,
    /// How often levels were met, while they are searched for.
    met: Option<pilot::Met>,
    /// Searches for the levels.
    pilot: Option<Box<Pilot>>,
    /// Events of all retrials.
    events: u64,
}

impl Splitting {
    /// The trials of a world that is about to measure.
    fn new(world: &World, plan: &SplittingPlan, seed: Seed) -> Self {
        let levels: Vec<_> = plan.levels.iter().map(|&level| (level, plan.factor)).collect();
        let watch = Watch::new(world, plan.link);
        let pilot = plan.levels.is_empty().then(|| Box::new(Pilot::new(world, plan, watch, seed)));
        let keys = seed.stream("splitting");
        Self { pilot, ..Self::with(world, watch, (&levels, world.plan.period()), keys) }
    }

    /// The same with given levels.
    fn with(
        world: &World,
        watch: Watch,
        (levels, period): (&[(u64, u32)], Period),
        keys: Stream,
    ) -> Self {
        Self {
            watch,
            tally: Tally::new(levels, period),
            base: Place { region: 0, floor: 0, seen: watch.seen(world) },
            batch: 0,
            current: None,
            copied: Vec::new(),
            keys,
            met: None,
            pilot: None,
            events: 0,
        }
    }

    /// Whether there is something to do before the base trial goes on.
    fn is_busy(&self) -> bool {
        self.pilot.is_some() || self.current.is_some() || !self.copied.is_empty()
    }

    /// Looks at a trial after an event; whether it goes on.
    #[inline]
    fn look(&mut self, place: &mut Place, world: &mut World) -> bool {
        let seen = self.watch.seen(world);
        let is_new = seen != place.seen;
        if !is_new && place.region == 0 {
            return true;
        }
        let level = self.watch.level(world);
        let above = &self.tally.regions[1..];
        let region = above.partition_point(|region| region.level <= level);
        if is_new {
            let offered = seen.offered - place.seen.offered;
            let met = (offered, seen.lost - place.seen.lost);
            self.tally.count((place.region, region), self.batch, met);
            if let Some(levels) = &mut self.met {
                levels.count(level, offered, self.tally.regions[place.region].weight);
            }
        }
        place.seen = seen;
        while place.region < region {
            place.region += 1;
            self.copy(place.region, seen, world);
        }
        place.region = region;
        region >= place.floor
    }

    /// A trial has entered a region from below.
    #[cold]
    fn copy(&mut self, region: usize, seen: Seen, world: &World) {
        let entered = &mut self.tally.regions[region];
        entered.trials += u64::from(entered.factor);
        let left = entered.factor - 1;
        if left > 0 {
            self.copied.push(Copied { world: Box::new(world.copied()), region, seen, left });
        }
    }

    /// Continues with retrials for about this number of events; returns how many there were.
    fn advance(&mut self, budget: u64) -> u64 {
        let mut done = 0;
        while done < budget {
            let Some((mut world, mut place)) = self.current.take().or_else(|| self.begin()) else {
                break;
            };
            let mut goes_on = true;
            while goes_on && done < budget {
                let until = world.limits.end;
                goes_on = world.run_before(until, 1) > 0 && world.stop.is_none();
                done += 1;
                // The last look counts what the last event has done.
                goes_on &= self.look(&mut place, &mut world);
            }
            if goes_on {
                self.current = Some((world, place));
            } else {
                debug_assert_eq!(world.check_conservation(), Ok(()), "in a retrial");
            }
        }
        self.events += done;
        done
    }

    /// The next retrial.
    fn begin(&mut self) -> Option<(Box<World>, Place)> {
        let from = self.copied.last_mut()?;
        let Copied { region, seen, .. } = *from;
        from.left -= 1;
        let is_last = from.left == 0;
        let mut world = if is_last {
            self.copied.pop().expect("there is one").world
        } else {
            Box::new(from.world.copied())
        };
        world.branch(self.keys.next_u64());
        let mut place = Place { region, floor: region, seen };
        // It may have risen by more than one level.
        self.look(&mut place, &mut world);
        Some((world, place))
    }
}

/// What was found of a link's losses.
#[derive(Debug, Clone, Copy)]
pub struct Rare<'a> {
    /// By region.
    pub tally: &'a Tally,
    /// Events of all retrials.
    pub events: u64,
}

impl World {
    /// What was found of a link's rare losses, if they are estimated.
    pub fn rare(&self) -> Option<Rare<'_>> {
        let splitting = self.splitting.as_deref()?;
        Some(Rare { tally: &splitting.tally, events: splitting.events })
    }

    /// Begins to estimate rare losses, if they are to be.
    pub(super) fn begin_splitting(&mut self) {
        if let Some(plan) = &self.plan.splitting {
            self.splitting = Some(Box::new(Splitting::new(self, plan, self.workload.seed)));
        }
    }

    /// A copy that records nothing.
    fn copied(&self) -> Self {
        let mut network = self.network.clone();
        network.stop_recording();
        let entries = self.plan.traffic.len();
        Self {
            plan: self.plan.clone(),
            network,
            workload: self.workload.clone(),
            delays: vec![Quantiles::default(); entries],
            idle: self.idle.clone(),
            ended: Ended::new(entries, self.plan.period()),
            course: Course::new(0, self.plan.period()),
            baseline: Some(Vec::new()),
            sampler: Sampler::new(Vec::new(), Span::from_ms(1)),
            quiet: Vec::new(),
            beside_events: 0,
            looks: 0,
            limits: self.limits,
            watch: self.watch,
            stop: self.stop,
            next_reap: self.next_reap,
            parts: None,
            splitting: None,
        }
    }

    /// From now on links and sources draw other random numbers; what edges, cores and transports draw stays.
    fn branch(&mut self, key: u64) {
        self.network.branch_links(key);
        self.workload.branch(&mut self.network, key);
    }

    /// Does what comes before the base trial goes on, for about this number of events; returns how many there were, 0 if
    /// there was nothing to do.
    pub(super) fn advance_retrials(&mut self, budget: u64) -> u64 {
        let Some(splitting) = &mut self.splitting else { return 0 };
        let Some(pilot) = &mut splitting.pilot else { return splitting.advance(budget) };
        pilot.advance();
        splitting.events += pilot::SLICE;
        if let Some(levels) = pilot.levels() {
            splitting.tally = Tally::new(&levels, self.plan.period());
            splitting.pilot = None;
        }
        pilot::SLICE
    }

    /// Whether retrials come before the base trial goes on.
    pub(super) fn has_retrials(&self) -> bool {
        self.splitting.as_ref().is_some_and(|splitting| splitting.is_busy())
    }

    /// [`run_before`](Self::run_before) as the base trial: it ends early if there are retrials to do.
    pub(super) fn run_base_before(&mut self, until: Time, budget: u64) -> u64 {
        let Some(mut splitting) = self.splitting.take() else {
            return self.run_before(until, budget);
        };
        let mut place = splitting.base;
        let mut done = 0;
        while done < budget && !splitting.is_busy() && self.run_before(until, 1) > 0 {
            done += 1;
            splitting.batch = splitting.tally.batch(self.network.now());
            splitting.look(&mut place, self);
        }
        splitting.base = place;
        self.splitting = Some(splitting);
        done
    }
}
