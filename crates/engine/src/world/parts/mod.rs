//! Parts of a network that advance side by side, each a world of its own on its own thread, or all on one in turns.
//!
//! Each part has the whole plan, but simulates only its nodes, the links that start there and the ends of flows there.
//! All parts advance by the lookahead beyond the earliest event of any, then exchange what has crossed, and so on
//! ([`team`]). They pause together for observations. At the end the first part takes what the others have counted
//! ([`gather`]), and answers for all.
//!
//! That the results are those of one thread, bit for bit, rests on this: events of one node are executed in the same
//! order, since what arrives over a far link has a place of its own among the events of its instant; random streams
//! belong to links and flows; transfers are drawn in all parts, in one order, and removed when all are at one instant; and what
//! is counted is added up in whole numbers, or in the order of flows.

mod gather;
mod team;

use std::sync::Arc;
use std::thread;

use kernel::Stop;
use plan::partition::Partition;
use plan::{Plan, Shortcut};
use random::Seed;
use units::{LinkId, Time};
use wire::context::Part;

use self::team::{Report, Team};
use super::{Progress, SOME, World};
use crate::observe::Sampler;

/// The other parts.
#[derive(Debug)]
pub(super) struct Parts {
    partition: Arc<Partition>,
    others: Vec<World>,
    /// The events of all parts.
    events: u64,
    /// Whether this part answers for all.
    gathered: bool,
    /// Whether each advances on its own thread; else one after the other on this.
    side_by_side: bool,
}

/// Where a part is among exchanges.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    /// The number of the next one.
    round: u64,
    /// At which instant all pause then, if they do.
    pause: Option<Time>,
}

impl World {
    /// Sets a world up whose parts advance side by side, with the results of [`new`](Self::new).
    pub fn in_parts(mut plan: Plan, seed: Seed, sampler: &Sampler, partition: Partition) -> Self {
        // Packets on quiet links to routers are processed late; they may go on to other parts.
        plan.without.push(Shortcut::QuietRouters);
        let (plan, partition) = (Arc::new(plan), Arc::new(partition));
        let build = |number: u32| {
            let part = Part { partition: Arc::clone(&partition), number };
            Self::of(Arc::clone(&plan), seed, sampler.clone(), Some(part))
        };
        let (build, asked) = (&build, kernel::asked());
        let count = u32::try_from(partition.count()).expect("few parts");
        let (mut first, others) = thread::scope(|scope| {
            let others: Vec<_> = (1..count)
                .map(|number| {
                    let asked = asked.clone();
                    scope.spawn(move || {
                        asked.into_iter().for_each(kernel::heed);
                        build(number)
                    })
                })
                .collect();
            let first = build(0);
            let join = |other: thread::ScopedJoinHandle<'_, Self>| {
                other.join().unwrap_or_else(|thrown| std::panic::resume_unwind(thrown))
            };
            (first, others.into_iter().map(join).collect())
        });
        let (events, gathered, side_by_side) = (0, false, true);
        let parts = Parts { partition, others, events, gathered, side_by_side };
        first.parts = Some(Box::new(parts));
        first
    }

    /// Sets whether parts advance from now on each on its own thread, or one after the other on that of the caller: which
    /// is faster depends on what else the machine does. No result depends on it.
    pub fn advance_side_by_side(&mut self, side_by_side: bool) {
        if let Some(parts) = &mut self.parts {
            parts.side_by_side = side_by_side;
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        1 + self.parts.as_ref().map_or(0, |parts| parts.others.len())
    }

    /// Continues on all threads for about this number of events, or to the end of the run.
    pub(super) fn advance_parts(&mut self, events: u64) -> Progress {
        let mut parts = self.parts.take().expect("there are parts");
        let until = parts.events.saturating_add(events);
        while self.stop.is_none() && parts.events < until {
            if self.work_together(&mut parts, until) {
                self.reap_parts(&mut parts.others, &parts.partition);
            }
        }
        if self.stop.is_some() && !parts.gathered {
            parts.gathered = true;
            self.gather(&mut parts.others, &parts.partition);
        }
        self.parts = Some(parts);
        self.progress()
    }

    /// Advances all parts until they have executed so many events, or the run stops, or flows that have ended are to be
    /// removed. Returns whether they are to be removed.
    fn work_together(&mut self, parts: &mut Parts, until: u64) -> bool {
        let team = &Team::new(parts.partition.count(), parts.partition.lookahead());
        let removes = if parts.side_by_side {
            thread::scope(|scope| {
                for (world, at) in parts.others.iter_mut().zip(1..) {
                    scope.spawn(move || world.work(team, at, until));
                }
                self.work(team, 0, until)
            })
        } else {
            let mut all: Vec<&mut Self> =
                std::iter::once(&mut *self).chain(&mut parts.others).collect();
            Self::work_in_turns(&mut all, team, until)
        };
        parts.events = self.own_events() + parts.others.iter().map(Self::own_events).sum::<u64>();
        removes
    }

    /// Advances a part with the others until all together have executed so many events, or the run stops, or flows that
    /// have ended are to be removed. Returns whether they are to be removed.
    fn work(&mut self, team: &Team, me: usize, until: u64) -> bool {
        let _guard = team.guard();
        let mut turn = Turn::default();
        loop {
            self.leave(team, me, turn);
            team.meet();
            if let Some(removes) = self.go_on(team, me, &mut turn, until) {
                return removes;
            }
        }
    }

    /// The same for all parts, on one thread.
    fn work_in_turns(all: &mut [&mut Self], team: &Team, until: u64) -> bool {
        let mut turns = vec![Turn::default(); all.len()];
        loop {
            for (me, (world, turn)) in all.iter_mut().zip(&turns).enumerate() {
                world.leave(team, me, *turn);
            }
            let mut over = None;
            for (me, (world, turn)) in all.iter_mut().zip(&mut turns).enumerate() {
                over = world.go_on(team, me, turn, until);
            }
            if let Some(removes) = over {
                return removes;
            }
        }
    }

    /// Leaves what this part has for the others.
    fn leave(&mut self, team: &Team, me: usize, turn: Turn) {
        let found = Report {
            next: self.network.horizon(),
            events: self.own_events(),
            ended: self.workload.lingering(),
            stop: self.stop,
        };
        team.leave((me, turn.round), found, &mut self.network);
    }

    /// Takes what the others have left for this part, and advances to the next exchange. Where it is over for all parts, whether
    /// flows that have ended are to be removed.
    fn go_on(&mut self, team: &Team, me: usize, turn: &mut Turn, until: u64) -> Option<bool> {
        let flows = &mut self.workload.flows;
        let all = team.take((me, turn.round), &mut self.network, |parcel| {
            for (flow, bytes) in parcel.sizes.drain(..) {
                flows[flow.index()].learn_size(bytes);
            }
            for (flow, seq, first_bit) in parcel.first_sent.drain(..) {
                flows[flow.index()].learn_first_sent(seq, first_bit);
            }
        });
        self.settle_losses();
        if let Some(at) = turn.pause.take().filter(|_| all.stop.is_none()) {
            self.network.set_now(at);
            let removes = at == self.next_reap && all.ended >= SOME;
            self.pause(at);
            if removes && self.stop.is_none() {
                return Some(true);
            }
        }
        self.stop = self.stop.or(all.stop);
        if self.stop.is_none() && all.events >= self.limits.events {
            self.stop = Some(Stop::Budget);
        }
        if self.stop.is_some() {
            self.end();
            return Some(false);
        }
        if all.events >= until {
            return Some(false);
        }
        let next_pause = self.next_pause();
        let limit = all.next.saturating_add(team.lookahead).min(next_pause);
        turn.pause = (limit == next_pause).then_some(limit);
        let done = self.run_before(limit, u64::MAX);
        let spent = self.watch.after_slice(done, self.network.now(), &self.limits);
        self.stop = self.stop.or(spent);
        turn.round += 1;
        None
    }

    /// The events of this part, or of a world without parts; a packet's arrival in another part is one of that, and the
    /// beginning of a flow, of which all parts know, is one of the first.
    pub(super) fn own_events(&self) -> u64 {
        self.watch.events + self.events_beside() - self.network.crossed()
    }

    /// The events of all parts.
    pub(super) fn events_of_parts(&self) -> Option<u64> {
        self.parts.as_ref().map(|parts| parts.events)
    }

    /// Decides which retransmissions were spurious.
    fn settle_losses(&mut self) {
        for (_, note) in self.network.take_notes() {
            let flow = &mut self.workload.flows[note.flow().index()];
            self.network.settle(note, &mut flow.spurious);
        }
    }

    /// The part that simulates a link.
    pub(super) fn where_is(&self, link: LinkId) -> &Self {
        let Some(parts) = &self.parts else { return self };
        self.numbered(parts, parts.partition.part_of(link))
    }

    /// The part with a number.
    fn numbered<'a>(&'a self, parts: &'a Parts, number: u32) -> &'a Self {
        (number as usize).checked_sub(1).map_or(self, |other| &parts.others[other])
    }

    /// Packets that have a copy in another part, where they arrive.
    pub(super) fn copies(&self) -> usize {
        let Some(parts) = &self.parts else { return 0 };
        let in_bursts: u64 = self.all_parts().map(|part| part.network.leaving().1).sum();
        let links = (0..self.plan.graph.links.len()).map(LinkId::at);
        let copies = links.map(|id| {
            let link = self.where_is(id).network.link(id);
            if !link.is_cut() {
                return 0;
            }
            let there = &self.numbered(parts, parts.partition.part(link.to)).network;
            there.link(id).inside(there.packets()).0
        });
        usize::try_from(copies.sum::<u64>() + in_bursts).expect("they are in memory")
    }

    /// All parts; the world itself if it has none.
    pub(super) fn all_parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.parts.iter().flat_map(|parts| &parts.others))
    }
}
