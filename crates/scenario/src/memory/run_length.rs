//! The course of a run, as far as its memory depends on it: how long its budget of events lasts, which flows exist at once
//! and how many end, and how many packets are under way.
//!
//! Traffic is a fluid: each entry has a rate, which divides among links as `offered` says. What comes to a link beyond its
//! rate fills its queue.

use plan::Plan;
use plan::routing::Routing;
use plan::spec::{Change, NodeKind, Until};
use units::NodeId;

use super::entry::{self, Keeps};
use super::fluid::{Flows, Fluid, Pace};
use super::links::{narrow, narrowest, rate, room, way};

/// Rounds in which what links let through is passed on to the next ones.
const ROUNDS: usize = 8;
/// Into how many parts the budget of events is divided at least, in each of which entries keep their pace.
const PARTS: f64 = 64.0;
/// Steps in which the flows of an entry start whose starts are drawn.
const STEPS: u32 = 16;
/// Into how many spans a run is divided at most at which entries start and stop and rates change: each entry is looked at in
/// each.
const SPANS: usize = 1_000;

/// The course of a run.
pub(super) struct Course {
    /// How long it lasts, in seconds.
    pub(super) seconds: f64,
    /// What entries want of each link, as a share of its rate.
    pub(super) loads: Vec<f64>,
    /// By entry.
    pub(super) flows: Vec<Flows>,
    /// The most packets in the network.
    pub(super) packets: f64,
    /// Those of them, lost ones included, of which a sender keeps an account.
    pub(super) kept: f64,
    /// Packets that sources give to the network in all, and their bytes.
    pub(super) sent: f64,
    pub(super) sent_bytes: f64,
}

impl Course {
    /// The course of a plan.
    pub(super) fn of(plan: &Plan) -> Self {
        let routing = Routing::new(&plan.graph, plan.metric, 0);
        let links = &plan.graph.links;
        let rates: Vec<f64> = links.iter().map(|link| rate(plan, link, link.rate)).collect();
        // What entries want does not end with a slow beginning of a link.
        let best = best(plan, &rates);
        let routers = entry::routers(plan);
        let fluids = plan.traffic.iter().map(|entry| {
            let parts = entry::parts(entry, &routers).into_iter();
            parts.map(|part| Fluid::new(plan, entry, &routing, &best, part)).collect::<Vec<_>>()
        });
        let (counts, fluids): (Vec<usize>, Vec<_>) = fluids.map(|it| (it.len(), it)).unzip();
        let mut fluids: Vec<Fluid> = fluids.into_iter().flatten().collect();
        let loads = share(&mut fluids, &best);
        let seconds = spend(plan, &mut fluids, &rates);
        let most = plan.max_events as f64;
        let mut flows = fluids.iter().map(|fluid| fluid.flows(most));
        let flows = counts.iter().map(|&parts| flows.by_ref().take(parts).sum()).collect();
        let sent = fluids.iter().map(|fluid| fluid.done.sent.min(most)).sum();
        let bytes = fluids.iter().map(|fluid| fluid.done.sent * fluid.wire / 8.0).sum();
        let (packets, kept) = packets(plan, &fluids, &rates);
        let limit = if fluids.iter().any(Fluid::is_in_bursts) {
            f64::INFINITY
        } else {
            2.0 * most + fluids.iter().map(Fluid::at_start).sum::<f64>()
        };
        Self {
            seconds,
            loads,
            flows,
            packets: packets.min(limit),
            kept: kept.min(limit),
            sent,
            sent_bytes: bytes,
        }
    }
}

/// The highest rate that each link has in the run.
fn best(plan: &Plan, rates: &[f64]) -> Vec<f64> {
    let mut best = rates.to_vec();
    for (_, link, change) in &plan.changes {
        if let Change::Rate { rate: channel } = change {
            let at = link.index();
            best[at] = best[at].max(rate(plan, &plan.graph.links[at], *channel));
        }
    }
    best
}

/// The seconds for which the budget of events lasts; each entry is told how many of them it is active.
fn spend(plan: &Plan, fluids: &mut [Fluid], rates: &[f64]) -> f64 {
    let (warmup, end) = (plan.warmup.as_secs_f64(), plan.duration.as_secs_f64());
    let mut now_rates = rates.to_vec();
    let of = |fluid: &Fluid, rates: &[f64]| narrowest(way(&fluid.shares), rates);
    let mut rooms: Vec<f64> = fluids.iter().map(|fluid| of(fluid, rates)).collect();
    let tries: Vec<Vec<f64>> = fluids.iter().map(|fluid| fluid.tries(end)).collect();
    let mut changes: Vec<_> = plan.changes.iter().collect();
    changes.sort_by_key(|change| change.0);
    let instants = instants(plan, fluids, &tries);
    let most = plan.max_events as f64;
    let (mut left, mut changes) = (most, changes.into_iter().peekable());
    for span in instants.windows(2) {
        let (from, to) = (span[0], span[1]);
        let mut is_new = false;
        while let Some((_, link, change)) = changes.next_if(|change| change.0.as_secs_f64() <= from)
        {
            let at = link.index();
            now_rates[at] = match change {
                Change::Down => 0.0,
                Change::Up => rates[at],
                Change::Rate { rate: channel } => rate(plan, &plan.graph.links[at], *channel),
            };
            is_new = true;
        }
        if is_new {
            rooms = fluids.iter().map(|fluid| of(fluid, &now_rates)).collect();
        }
        let begin = |fluid: &Fluid| {
            (fluid.share_begun(to) - fluid.share_begun(from)) * fluid.first_events()
        };
        // Where the first packets of flows are sent again from this instant on, each takes an event.
        let again = |fluid: &Fluid, tries: &[f64]| {
            let times = tries.iter().filter(|&&at| from <= at && at < to).count() as f64;
            times * (fluid.most * fluid.begun - fluid.open(from - fluid.start))
        };
        let starts = fluids.iter().zip(&tries);
        left -= starts.map(|(fluid, tries)| begin(fluid) + again(fluid, tries)).sum::<f64>();
        let is_active = |fluid: &Fluid| fluid.start <= from && from < fluid.stop;
        let asleep = files(fluids.iter().filter(|fluid| !is_active(fluid)));
        let (mut active, rooms): (Vec<&mut Fluid>, Vec<f64>) =
            fluids.iter_mut().zip(&rooms).filter(|(fluid, _)| is_active(fluid)).unzip();
        for fluid in &mut active {
            fluid.begun = fluid.share_begun(to);
        }
        let mut now = from;
        while now < to {
            let paces: Vec<Pace> =
                active.iter().zip(&rooms).map(|(fluid, &room)| fluid.pace(room, now)).collect();
            let events: f64 = paces.iter().map(|pace| pace.events).sum();
            let steady = active.iter().zip(&paces).map(|(fluid, pace)| fluid.steady(pace, now));
            let steady = steady.fold(to - now, f64::min);
            let step = steady.min(most / PARTS / events.max(1e-300));
            let lasts = step.min((left / events.max(1e-300)).max(0.0));
            for (fluid, pace) in active.iter_mut().zip(&paces) {
                fluid.go_on(pace, now, lasts, warmup);
            }
            left -= events * lasts;
            let (all, delivered) = files(active.iter().map(|fluid| &**fluid));
            let is_over = match plan.until {
                Until::Duration => false,
                Until::FirstFile => delivered >= 1.0,
                Until::AllFiles => all > 0.0 && delivered >= all && asleep.1 >= asleep.0,
            };
            if lasts < step || is_over {
                return now + lasts;
            }
            // A step may be too small to change the clock.
            now = (now + step).max(now.next_up());
        }
    }
    end
}

/// The files of some entries, and those of them that are delivered.
fn files<'a>(fluids: impl Iterator<Item = &'a Fluid>) -> (f64, f64) {
    fluids.map(Fluid::files).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// When entries start, in steps, stop and try again, links change and measuring begins, and the two ends of the run, in seconds; of too many
/// some are left out.
fn instants(plan: &Plan, fluids: &[Fluid], tries: &[Vec<f64>]) -> Vec<f64> {
    let end = plan.duration.as_secs_f64();
    let mut instants: Vec<f64> = plan.changes.iter().map(|change| change.0.as_secs_f64()).collect();
    for fluid in fluids {
        let step = (fluid.last - fluid.start) / f64::from(STEPS);
        instants.extend((0..=STEPS).map(|at| fluid.start + f64::from(at) * step));
        instants.push(fluid.stop);
    }
    instants.extend(tries.iter().flatten());
    instants.extend([0.0, plan.warmup.as_secs_f64()]);
    instants.retain(|&at| at <= end);
    instants.sort_by(f64::total_cmp);
    instants.dedup();
    let each = instants.len().div_ceil(SPANS);
    let mut instants: Vec<f64> = instants.into_iter().step_by(each).chain([end]).collect();
    instants.dedup();
    instants
}

/// Lets entries that want more of a link than there is share it; what they want, as a share of each.
fn share(fluids: &mut [Fluid], rates: &[f64]) -> Vec<f64> {
    let load = |link: usize| -> f64 {
        fluids.iter().map(|fluid| fluid.carried * fluid.shares[link]).sum()
    };
    let loads: Vec<f64> = (0..rates.len()).map(|link| load(link) / rates[link]).collect();
    for fluid in fluids {
        fluid.carried /= way(&fluid.shares).map(|(at, _)| loads[at]).fold(1.0, f64::max);
    }
    loads
}

/// The packets of sources that wait for no answers: those that wait for each link, and those on wires.
fn unanswered(plan: &Plan, fluids: &[Fluid], rates: &[f64]) -> (Vec<f64>, f64) {
    let links = &plan.graph.links;
    let (mut waiting, mut flying) = (vec![0.0; links.len()], 0.0);
    let seconds = fluids.iter().map(|fluid| fluid.seconds).fold(0.0, f64::max);
    let fluids: Vec<&Fluid> = fluids.iter().filter(|fluid| !fluid.is_answered).collect();
    let come = arrivals(plan, &fluids, rates);
    for (at, link) in links.iter().enumerate() {
        let load: f64 = fluids.iter().map(|fluid| fluid.offered * fluid.shares[at]).sum();
        let count: f64 =
            fluids.iter().map(|fluid| fluid.offered * fluid.shares[at] / fluid.wire).sum();
        if load <= 0.0 {
            continue;
        }
        let bits = load / count;
        let excess = (come[at] - rates[at]).max(0.0) * seconds / bits;
        waiting[at] = excess.min(room(plan, link, bits));
        flying += come[at].min(rates[at]) / bits * link.delay.as_secs_f64().min(seconds);
    }
    (waiting, flying)
}

/// The most packets in the network, and those of which senders keep an account.
fn packets(plan: &Plan, fluids: &[Fluid], rates: &[f64]) -> (f64, f64) {
    let links = &plan.graph.links;
    let (mut waiting, mut flying) = unanswered(plan, fluids, rates);
    let mut kept = 0.0;
    for fluid in fluids.iter().filter(|fluid| fluid.is_answered) {
        let flows = fluid.flows(plan.max_events as f64).at_once;
        let arrived = fluid.done.arrived;
        // A handshake goes before the first window of TCP.
        let begun = flows * fluid.begun;
        let open = if fluid.starts > 0.0 {
            fluid.done.opened.min(begun)
        } else if fluid.leaps {
            begun
        } else if fluid.seconds > fluid.handshake {
            fluid.open(fluid.seconds).min(fluid.done.arrived)
        } else {
            0.0
        };
        let first = begun + open * (fluid.first_packets() - 1.0).max(0.0);
        let grown = flows * fluid.grown((first + arrived) / flows.max(1.0));
        let wanted = grown.min(flows * (fluid.size / fluid.data).max(1.0)).min(
            if fluid.offered.is_finite() && fluid.starts == 0.0 {
                fluid.offered / fluid.wire * fluid.seconds
            } else {
                f64::INFINITY
            },
        );
        let whole: Vec<(usize, f64)> = way(&fluid.shares).collect();
        let narrowest = narrow(&whole, rates);
        let times: f64 = narrowest.iter().map(|&at| fluid.shares[at]).sum();
        let wires: f64 = whole
            .iter()
            .map(|&(at, share)| share * fluid.carried / fluid.wire * links[at].delay.as_secs_f64())
            .sum();
        let free: f64 = narrowest
            .iter()
            .map(|&at| (room(plan, &links[at], fluid.wire) - waiting[at]).max(0.0))
            .sum();
        let free = free / times.max(1.0);
        // The first packets of all flows wait where they begin.
        let marked: f64 = narrowest.iter().map(|&at| fluid.marked(&links[at])).sum();
        // A packet waits for one of the narrowest links of its way.
        let marked = marked / times.max(1.0);
        let queued = (wanted - wires).clamp(0.0, free.min(marked + first).max(0.0));
        if free > 0.0 {
            let rooms = narrowest.iter().map(|&at| room(plan, &links[at], fluid.wire));
            let endless = rooms.filter(|room| room.is_infinite()).count();
            for &at in &narrowest {
                let room = (room(plan, &links[at], fluid.wire) - waiting[at]).max(0.0);
                let share = if room.is_finite() {
                    room / (free * times.max(1.0))
                } else {
                    1.0 / endless as f64
                };
                waiting[at] += queued * share;
            }
        }
        flying += wanted.min(wires);
        // Packets that are lost are kept as well, those of the first windows above all.
        let lost = (wanted - queued - wires).clamp(0.0, first);
        let under_way = queued + wanted.min(wires) + lost;
        kept += match fluid.keeps {
            // A flow has room for one.
            Keeps::Segments => (under_way - begun).max(0.0),
            Keeps::Messages => under_way,
            Keeps::Nothing => 0.0,
        };
    }
    (flying + waiting.iter().sum::<f64>(), kept)
}

/// What comes to each link, in b/s: what is sent, as far as earlier links let it through.
fn arrivals(plan: &Plan, fluids: &[&Fluid], rates: &[f64]) -> Vec<f64> {
    let links = &plan.graph.links;
    let sent: Vec<f64> = (0..links.len())
        .map(|at| fluids.iter().map(|fluid| fluid.offered * fluid.shares[at]).sum())
        .collect();
    let forwards = |node: NodeId| plan.graph.nodes[node.index()].kind != NodeKind::Host;
    let mut come = sent.clone();
    for _ in 0..ROUNDS {
        let (mut whole, mut through) =
            (vec![0.0; plan.graph.nodes.len()], vec![0.0; plan.graph.nodes.len()]);
        for (at, link) in links.iter().enumerate() {
            whole[link.to.index()] += sent[at];
            through[link.to.index()] += come[at].min(rates[at]);
        }
        for (at, link) in links.iter().enumerate() {
            let node = link.from.index();
            if forwards(link.from) && whole[node] > 0.0 {
                come[at] = sent[at] * through[node] / whole[node];
            }
        }
    }
    come
}
