//! The partition of a network into parts that advance side by side, each on its own thread.
//!
//! Parts are separated at *far* links: what is sent on one arrives so much later that the part at its far end may
//! go on without knowing of it. The smallest delay of a link between two parts is the *lookahead* of the run
//! (K. M. Chandy and J. Misra, IEEE Transactions on Software Engineering 5(5), 1979): all parts may advance by it
//! before they exchange what has crossed.
//!
//! Results do not depend on the partition: whether a link is far depends on the scenario alone, and what arrives over
//! a far link goes before all else of its instant, in the order of links.

mod assign;
mod load;
mod obstacle;
#[cfg(test)]
mod tests;

use units::{LinkId, NodeId, Span};

use crate::Plan;
use crate::routing::Routing;
use crate::spec::NodeKind;

use assign::Assignment;
use load::Load;
pub use obstacle::Obstacle;

/// The shortest delay of a far link: 2 km of fibre.
pub const FAR: Span = Span::from_us(10);
/// The largest share of one part, over that of a fair one, at which a longer lookahead is preferred to a better balance.
const BALANCED: f64 = 1.1;
/// The largest share of one part of the work that is worth the exchange.
const WORTHWHILE: f64 = 0.85;
/// The events of a part in a lookahead that are worth the exchange: it takes about as long as a hundred of them (10 µs).
const FEW_EVENTS: f64 = 100.0;
/// The bits of a link for one event: half of a packet, since an acknowledgment comes back.
const PACKET: f64 = 6_000.0;
/// The number of lookaheads that are tried.
const TRIED: usize = 24;

/// Which links are far: electronic ones between routers, without changes and random loss; in an optical network with edges
/// its fibres alone, if it can be divided; none where flows begin when others end.
///
/// Nothing that is only observed counts here: results do not depend on it.
pub fn far_links(plan: &Plan) -> Vec<bool> {
    let graph = &plan.graph;
    let is_router = |node: NodeId| graph.nodes[node.index()].kind == NodeKind::Router;
    let divides = !obstacle::depends_on_ends(plan) && obstacle::of_edges(plan).is_none();
    let has_edges = plan.optical.is_some();
    let links = graph.links.iter().enumerate().map(|(at, link)| {
        divides
            && link.delay >= FAR
            && link.loss.is_none()
            && if has_edges {
                link.channels.is_some()
            } else {
                is_router(link.from) && is_router(link.to)
            }
            && plan.changes.iter().all(|&(_, changed, _)| changed != LinkId::at(at))
    });
    links.collect()
}

/// Which node is in which part.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The part of each node; cores without edges are in part 0.
    parts: Vec<u32>,
    /// The part of the first node of each link.
    links: Vec<u32>,
    /// The number of parts.
    count: u32,
    /// The smallest delay of a link between two parts.
    lookahead: Span,
    /// The expected work of each part, as a share of all.
    shares: Vec<f64>,
    /// The events of a part in a lookahead, as far as flows have their shares of links.
    events: f64,
}

impl Partition {
    /// A partition into at most so many parts for a run, or why one thread is faster.
    ///
    /// # Errors
    /// If there is no [partition](Self::new), or so little happens in its lookahead that exchanges take longer.
    pub fn for_run(plan: &Plan, threads: usize) -> Result<Self, Obstacle> {
        let found = Self::new(plan, threads)?;
        if found.events < FEW_EVENTS {
            Err(Obstacle::Lookahead(found.lookahead))
        } else {
            Ok(found)
        }
    }

    /// A partition into at most so many parts, or why there is none.
    ///
    /// # Errors
    /// If something in the plan needs one order of all events, or the network has no far links between parts of it.
    pub fn new(plan: &Plan, threads: usize) -> Result<Self, Obstacle> {
        if threads < 2 {
            return Err(Obstacle::OneThread);
        }
        if let Some(obstacle) = obstacle::of(plan) {
            return Err(obstacle);
        }
        let graph = &plan.graph;
        let routing = Routing::new(graph, plan.metric, 0);
        let load = Load::of(plan, &routing);
        let far = far_links(plan);
        let delays = graph.links.iter().zip(&far).filter(|(_, far)| **far);
        let mut lookaheads: Vec<Span> = delays.map(|(link, _)| link.delay).collect();
        lookaheads.sort_unstable();
        lookaheads.dedup();
        let few = lookaheads.len().div_ceil(TRIED).max(1);
        let mut best: Option<Self> = None;
        for &least in lookaheads.iter().rev().step_by(few) {
            let whole = |at: usize| !far[at] || graph.links[at].delay < least;
            let Some(found) = Assignment::new(graph, &load, whole).divide(threads) else {
                continue;
            };
            let found = Self::of(plan, found, &load);
            if best.as_ref().is_none_or(|best| found.largest() < best.largest()) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.largest() * threads as f64 <= BALANCED) {
                break;
            }
        }
        best.filter(|best| best.largest() <= WORTHWHILE).ok_or(Obstacle::NoFarLinks)
    }

    /// The partition with these parts of the nodes.
    fn of(plan: &Plan, parts: Vec<u32>, load: &Load) -> Self {
        let count = parts.iter().max().map_or(1, |last| last + 1);
        let mut shares = vec![0.0; count as usize];
        for (&part, load) in parts.iter().zip(&load.nodes) {
            shares[part as usize] += load;
        }
        let sum: f64 = shares.iter().sum();
        for share in &mut shares {
            *share /= sum;
        }
        let links = plan.graph.links.iter().map(|link| parts[link.from.index()]).collect();
        let between = plan
            .graph
            .links
            .iter()
            .filter(|link| parts[link.from.index()] != parts[link.to.index()]);
        let lookahead = between.map(|link| link.delay).min().unwrap_or(Span::ZERO);
        let events = load.bits / PACKET * lookahead.as_secs_f64() / f64::from(count);
        Self { parts, links, count, lookahead, shares, events }
    }

    /// The number of parts.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The part in which a link starts, which has its queue.
    pub fn part_of(&self, link: LinkId) -> u32 {
        self.links[link.index()]
    }

    /// The part of a node.
    #[inline]
    pub fn part(&self, node: NodeId) -> u32 {
        self.parts[node.index()]
    }

    /// How far all parts may advance before they exchange what has crossed.
    pub fn lookahead(&self) -> Span {
        self.lookahead
    }

    /// The expected work of each part, as a share of all.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The expected work of the part with the most, as a share of all: no run is faster than one thread by more than its
    /// inverse.
    pub fn largest(&self) -> f64 {
        self.shares.iter().copied().fold(0.0, f64::max)
    }
}
