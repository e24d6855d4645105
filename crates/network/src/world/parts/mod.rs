//! Parts of a network that advance side by side, each a world of its own on its own thread.
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
use random::Seed;
use units::LinkId;

use self::team::{Report, Team};
use super::{Progress, SOME, World};
use crate::context::Part;
use crate::observe::Sampler;
use crate::partition::Partition;
use crate::plan::{Plan, Shortcut};

/// The other parts.
#[derive(Debug)]
pub(super) struct Parts {
    partition: Arc<Partition>,
    others: Vec<World>,
    /// The events of all parts.
    events: u64,
    /// Whether this part answers for all.
    gathered: bool,
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
        let (events, gathered) = (0, false);
        first.parts = Some(Box::new(Parts { partition, others, events, gathered }));
        first
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
        let removes = thread::scope(|scope| {
            for (world, at) in parts.others.iter_mut().zip(1..) {
                scope.spawn(move || world.work(team, at, until));
            }
            self.work(team, 0, until)
        });
        parts.events = self.own_events() + parts.others.iter().map(Self::own_events).sum::<u64>();
        removes
    }

    /// Advances a part with the others until all together have executed so many events, or the run stops, or flows that
    /// have ended are to be removed. Returns whether they are to be removed.
    fn work(&mut self, team: &Team, me: usize, until: u64) -> bool {
        let _guard = team.guard();
        let mut pause = None;
        let mut round = 0;
        loop {
            let found = Report {
                next: self.network.horizon(),
                events: self.own_events(),
                ended: self.workload.lingering(),
                stop: self.stop,
            };
            let flows = &mut self.workload.flows;
            let all = team.exchange((me, round), found, &mut self.network, |parcel| {
                for (flow, bytes) in parcel.sizes.drain(..) {
                    flows[flow.index()].learn_size(bytes);
                }
                for (flow, seq, first_bit) in parcel.first_sent.drain(..) {
                    flows[flow.index()].learn_first_sent(seq, first_bit);
                }
            });
            self.settle_losses();
            if let Some(at) = pause.take().filter(|_| all.stop.is_none()) {
                self.network.set_now(at);
                let removes = at == self.next_reap && all.ended >= SOME;
                self.pause(at);
                if removes && self.stop.is_none() {
                    return true;
                }
            }
            self.stop = self.stop.or(all.stop);
            if self.stop.is_none() && all.events >= self.limits.events {
                self.stop = Some(Stop::Budget);
            }
            if self.stop.is_some() {
                self.end();
                return false;
            }
            if all.events >= until {
                return false;
            }
            let next_pause = self.next_pause();
            let limit = all.next.saturating_add(team.lookahead).min(next_pause);
            pause = (limit == next_pause).then_some(limit);
            let done = self.run_before(limit, u64::MAX);
            let spent = self.watch.after_slice(done, self.network.now(), &self.limits);
            self.stop = self.stop.or(spent);
            round += 1;
        }
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
