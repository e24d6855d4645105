//! Why a run needs one thread.

use std::fmt::{self, Display, Formatter};

use optics::{Deflection, Loops, Policy, Timer};
use random::Seed;
use units::{LinkId, NodeId, Span};

use crate::spec::{ChannelsSpec, NodeKind, Until};
use crate::{Between, OpticalPlan, Plan, TrafficPlan, TransportPlan};

/// Why a run is not partitioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// One thread is asked for.
    OneThread,
    /// No links between routers are far, or all traffic is on one side of them.
    NoFarLinks,
    /// Too little happens in the delay of the links between its parts.
    Lookahead(Span),
    /// Optical packets are deflected in a way that depends on those at other nodes, or on where they have been.
    Deflection,
    /// Fibres change.
    Fibres,
    /// Edges know what happens elsewhere: losses, or the windows of hosts.
    Oracle,
    /// Headers take no time on the wire, so that several come at once.
    Headers,
    /// Many events have the same instant: the timers of edges are periodic, or these are the ends of acknowledged flows.
    Ties,
    /// The run ends when files are delivered.
    Until,
    /// What flows share is recorded.
    Synchronization,
    /// The displacement of packets is measured.
    Reordering,
    /// Flows begin when others end, or between hosts that have none at that moment.
    Ends,
    /// Flows that are acknowledged are stopped.
    Stop,
    /// The number of events is limited.
    Budget,
    /// Packets or bursts are recorded one by one.
    Record,
    /// Rare losses are estimated.
    Splitting,
}

impl Display for Obstacle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lookahead(delay) => {
                return write!(f, "too little happens in {delay}, the delay between its parts");
            }
            Self::OneThread => "one thread is asked for",
            Self::NoFarLinks => {
                "it has no links of 10 us or more between routers that would divide its traffic"
            }
            Self::Deflection => {
                "optical packets are deflected beside the network, or without loops"
            }
            Self::Fibres => "fibres change during the run",
            Self::Oracle => "edges know of losses, or of the windows of hosts, as they occur",
            Self::Headers => "headers take no time to send",
            Self::Ties => {
                "edges have periodic timers or are the ends of acknowledged flows, so that many events tie"
            }
            Self::Until => "it ends when files are delivered",
            Self::Synchronization => "what flows share is recorded",
            Self::Reordering => "the displacement of packets is measured",
            Self::Ends => "flows begin when others end, or between hosts that have none then",
            Self::Stop => "flows that are acknowledged have a time to stop",
            Self::Budget => "the number of its events is limited",
            Self::Record => "packets or bursts are recorded one by one",
            Self::Splitting => "rare losses are estimated",
        })
    }
}

/// What in a plan needs the events of all nodes in one order, if anything does.
pub(super) fn of(plan: &Plan) -> Option<Obstacle> {
    let obstacles = [
        (plan.until != Until::Duration, Obstacle::Until),
        (plan.synchronization.is_some(), Obstacle::Synchronization),
        (plan.traffic.iter().any(|traffic| traffic.reordering), Obstacle::Reordering),
        (depends_on_ends(plan), Obstacle::Ends),
        (plan.traffic.iter().any(withdraws), Obstacle::Stop),
        (plan.max_events < u64::MAX, Obstacle::Budget),
        (plan.bursts_recorded > 0, Obstacle::Record),
        (plan.splitting.is_some(), Obstacle::Splitting),
    ];
    let found = obstacles.into_iter().find_map(|(is_one, obstacle)| is_one.then_some(obstacle));
    found.or_else(|| of_edges(plan))
}

/// What in an optical network with edges needs the events of all nodes in one order, if anything does.
pub(super) fn of_edges(plan: &Plan) -> Option<Obstacle> {
    let OpticalPlan { assembly, core, control } = plan.optical.as_ref()?;
    let channels = |link: LinkId| plan.graph.links[link.index()].channels;
    let policy = Policy::new(assembly, Seed(0).stream(""));
    let deflects = core.facts().deflection.is_some_and(|deflection| match deflection {
        Deflection::Abstract { .. } => true,
        Deflection::Ports { loops, .. } => loops == Loops::Loopless,
    });
    let mut fibres = plan.graph.links.iter().filter_map(|link| link.channels);
    let at_once = |fibre: ChannelsSpec| fibre.control_rate.time_to_send(control.header).0 == 0;
    let obstacles = [
        (deflects, Obstacle::Deflection),
        (plan.changes.iter().any(|&(_, link, _)| channels(link).is_some()), Obstacle::Fibres),
        (policy.wants_losses() || policy.reads_windows(), Obstacle::Oracle),
        (!core.facts().is_packet && fibres.any(at_once), Obstacle::Headers),
        (assembly.timer == Timer::Interval, Obstacle::Ties),
        (plan.traffic.iter().any(|traffic| answers_at_edges(plan, traffic)), Obstacle::Ties),
    ];
    obstacles.into_iter().find_map(|(is_one, obstacle)| is_one.then_some(obstacle))
}

/// Whether it depends on the ends of flows when others begin, or between which hosts.
pub(super) fn depends_on_ends(plan: &Plan) -> bool {
    plan.traffic.iter().any(|TrafficPlan { between, source, .. }| {
        let draws_idle = matches!(between, Between::Random { .. }) && source.starts_more();
        draws_idle || source.closed_loop().is_some() || source.graph().is_some()
    })
}

/// Whether an edge is itself an end of flows that are acknowledged. What passes between two edges takes sums of few times,
/// so that much of it ties.
fn answers_at_edges(plan: &Plan, traffic: &TrafficPlan) -> bool {
    let is_edge = |node: &NodeId| plan.graph.nodes[node.index()].kind == NodeKind::Edge;
    let has_edge = match &traffic.between {
        Between::Pairs(pairs) => pairs.iter().any(|(from, to)| is_edge(from) || is_edge(to)),
        Between::Any { from, to } => from.iter().chain(to).any(is_edge),
        Between::Random { from, to } => from.iter().chain(to).any(|member| is_edge(&member.host)),
    };
    has_edge && !matches!(traffic.transport, TransportPlan::Udp { .. })
}

/// Whether a sink learns of the end of a flow only when that is stopped.
fn withdraws(traffic: &TrafficPlan) -> bool {
    traffic.stop.is_some() && !matches!(traffic.transport, TransportPlan::Udp { .. })
}
