//! The circuit switches of a world, and their racks.

use std::collections::VecDeque;

use kernel::prefetch;
use optics::circuit::{Decider, Frame, Routes, Schedule, Slot, Timing, opera, rotor, slots_of};
use optics::{
    CircuitCoreSpec, CircuitSchedule, DemandSpec, RackForwarding, ShortFlowsSpec, ShortWay, TellBy,
    WithoutCircuit,
};
use plan::spec::NodeKind;
use plan::topology::Graph;
use plan::{Plan, Shortcut};
use random::Seed;
use units::{Bytes, LinkId, NodeId, Rate, Span, Time};
use wire::chain::Chain;
use wire::context::Context;
use wire::link::Timing as Sending;
use wire::optical::NONE;

use super::channel_planes::{Plane, Wiring, number, planes};
use super::counters::{RackCounters, SwitchCounters};
use super::epochs::Epochs;
use super::queue::ShortQueue;
use super::static_timing;

/// An instant as a number that may be subtracted.
pub(super) fn ps(time: Time) -> i64 {
    i64::try_from(time.0).expect("a run is shorter than a hundred days")
}

/// How many whole bytes a link sends in a span.
pub(super) fn bytes_in(span: Span, rate: Rate) -> u64 {
    let bytes = u128::from(span.0) * u128::from(rate.0) / 8_000_000_000_000;
    u64::try_from(bytes).expect("fewer than in a run")
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A circuit switch.
    Switch,
    /// A rack, by its number.
    Rack(u32),
}

/// What all racks know.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub schedule: Schedule,
    pub forwarding: RackForwarding,
    /// How long after the beginning of a circuit, and before its end, nothing is sent, in picoseconds.
    pub guard: i64,
    /// The capacity of a queue in bytes.
    pub capacity: u64,
    /// The bytes in a queue above which a packet with ECN is marked.
    pub mark_above: u64,
    /// What applies to short flows, if some are.
    pub short: Option<ShortRules>,
    /// What is done with packets without a circuit.
    pub without_circuit: WithoutCircuit,
    /// The capacity of a queue in bytes while a circuit is near or there, and how long before that it is near, in
    /// picoseconds.
    pub prebuffer: Option<(u64, i64)>,
    /// What hosts are told, if they are.
    pub told: Option<Told>,
    /// When racks learn of circuits, if these follow demand; else they know them all.
    pub epochs: Option<Epochs>,
    /// The numbers of alarms that each rack has: one for each link to a switch, circuit switches first.
    pub alarms: u32,
    /// How long all links to circuit switches send, if it is known throughout the run, and nothing but racks decides on when
    /// they are free.
    pub timing: Option<Sending>,
    /// How long after it was sent the first bit of a packet is at a switch, if packets may pass when they are sent.
    pub passed_after: Option<Span>,
    /// Whether racks send right away where that changes nothing.
    pub is_prompt: bool,
}

/// What hosts are told of circuits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    /// How it is told.
    pub by: TellBy,
    /// How long it takes; as long as the delay of a host's link without it.
    pub delay: Option<Span>,
    /// How long before a circuit opens it is told, in picoseconds.
    pub ahead: i64,
}

/// What all racks know of short flows.
#[derive(Debug, Clone)]
pub(super) struct ShortRules {
    /// Files of less than that are short; all packets go at once without it.
    pub below: Option<u64>,
    /// The capacity of a queue in bytes.
    pub capacity: u64,
    /// The bytes in a queue above which a packet with ECN is marked.
    pub mark_above: u64,
    /// What is left of a packet that does not fit, if anything is.
    pub trim: Option<u32>,
    /// Their ways over circuits; none if they go by packet switches.
    pub routes: Option<Routes>,
}

impl ShortRules {
    fn new(spec: &ShortFlowsSpec, schedule: &Schedule) -> Self {
        let small = |bytes: Bytes| u32::try_from(bytes.0).expect("limited by the schema");
        Self {
            below: spec.below.map(|bytes| bytes.0),
            capacity: spec.queue().0,
            mark_above: spec.mark_above.map_or(u64::MAX, |bytes| bytes.0),
            trim: spec.trim.map(small),
            routes: (spec.over == ShortWay::Circuits).then(|| Routes::new(schedule)),
        }
    }
}

impl Rules {
    /// How long a link to a circuit switch sends so many bytes.
    #[inline]
    pub(super) fn length(&self, context: &Context, link: LinkId, bytes: u32) -> Span {
        match self.timing {
            Some(timing) => timing.of(bytes, || context.link(link).rate()),
            None => context.link(link).time_to_send(bytes),
        }
    }

    /// Whether a rack wants all slots that lead to one for which something is stored, and no others, of a schedule that is
    /// known; and no link is free earlier than it was before.
    pub(super) fn wants_what_is_stored(&self) -> bool {
        self.timing.is_some() && self.forwarding == RackForwarding::Direct && self.epochs.is_none()
    }

    /// How long racks send in a slot.
    pub(super) fn usable(&self) -> Span {
        Span(self.schedule.light().0 - 2 * self.guard.unsigned_abs())
    }
}

/// A link from a rack to a circuit switch: a cache line of what is read of all links when a packet of a short flow chooses
/// one, and another of the rest.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Uplink {
    /// When the link is free, if nothing but the rack decides on that.
    pub free_at: Time,
    /// What the rack adds to its clock to know when light that it sends is at the switch, in picoseconds: the
    /// delay of the link, and the error of the clock.
    pub lead: i64,
    /// Packets of short flows that go by this link.
    pub short: ShortQueue,
    /// The link.
    pub link: LinkId,
    /// When the agenda wakes it.
    pub due: Time,
    /// A later instant for which the agenda has an alarm, too, from before an earlier one was entered.
    pub later: Time,
    /// The slot of the switch that was last asked for: of the present, or of when the link is free.
    pub slot: Slot,
    /// When the first slot ends, from that on, that leads to a rack for which something is stored; never if none does, in the
    /// past if it is not known.
    pub wanted: i64,
}

const _: () = assert!(size_of::<Uplink>() == 128);

impl Uplink {
    /// When it is free.
    #[inline]
    pub(super) fn free_at(&self, context: &Context, rules: &Rules) -> Time {
        if rules.timing.is_none() {
            return context.link(self.link).free_at();
        }
        debug_assert_eq!(self.free_at, context.link(self.link).free_at());
        self.free_at
    }

    /// How long it may still send in its slot, which is the present one.
    #[inline]
    pub(super) fn left(&self, context: &Context, rules: &Rules) -> Span {
        let closes = self.slot.window.closes - rules.guard;
        Span((closes - ps(context.now()) - self.lead).max(0).unsigned_abs())
    }
}

/// RotorLB: what a rack may send by a switch for the rack at the other end to pass on.
#[derive(Debug, Clone)]
pub(super) struct Offered {
    /// The slot in which the rack made its last offer.
    pub slot: i64,
    /// For which racks how many bytes may still be sent in that slot.
    pub over: Vec<(u32, u64)>,
    /// Which of them is next.
    pub next: usize,
}

/// A link from a rack to an electronic switch, where packets without a circuit use it.
#[derive(Debug, Clone)]
pub(super) struct PacketLink {
    /// The link.
    pub link: LinkId,
    /// When the agenda wakes it.
    pub due: Time,
}

/// A rack: what a packet that passes touches is together.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Rack {
    /// Its links to the switches, by their numbers.
    pub uplinks: Box<[Uplink]>,
    /// Its number.
    pub number: u32,
    /// Short flows: the switch that comes first among links on which as much waits.
    pub turn: u32,
    /// Packets in `own`.
    pub waiting: u64,
    /// Packets in `relayed`.
    pub passing_on: u64,
    /// Bytes in all queues.
    pub bytes: u64,
    /// Its node.
    pub node: NodeId,
    /// Its counters.
    pub counters: RackCounters,
    /// RotorLB: what it has offered by each switch.
    pub offered: Box<[Offered]>,
    /// Packets of its own hosts, by the rack of their destination.
    pub own: Box<[Chain]>,
    /// Packets of other racks, by the rack of their destination.
    pub relayed: Box<[Chain]>,
    /// For each rack: whether packets for it are in one of those queues.
    pub stored: Box<[bool]>,
    /// Valiant: its own queues with packets, in the order in which they take turns.
    pub turns: VecDeque<u32>,
    /// Its links to electronic switches.
    pub beside: Box<[PacketLink]>,
    /// Without a circuit: its own queues with packets, in the order in which they take turns, and some without.
    pub order: VecDeque<u32>,
    /// For each rack, whether it is in `order`.
    pub ordered: Box<[bool]>,
    /// Its counters when measuring began.
    pub before: RackCounters,
}

impl Rack {
    /// Prefetches what a packet that passes touches.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch(&self.uplinks);
        prefetch(&self.counters);
        prefetch(&self.counters.short_wait_sum);
    }

    /// Matchings were decided: what was known of slots may be wrong.
    pub(super) fn forget_slots(&mut self) {
        self.uplinks.iter_mut().for_each(|uplink| uplink.slot = Slot::NONE);
    }

    /// Packets in its queues.
    pub(super) fn packets(&self) -> u64 {
        let stored = self.own.iter().chain(&self.relayed).map(|queue| u64::from(queue.len()));
        stored.chain(self.uplinks.iter().map(|uplink| uplink.short.packets())).sum()
    }
}

/// What decides on matchings.
#[derive(Debug, Clone)]
pub(super) struct Demand {
    /// The rule, with its state.
    pub decider: Decider,
    /// When it does.
    pub epochs: Epochs,
    /// The first slot of the next epoch that is decided on, if one is.
    pub next: Option<i64>,
}

/// When a scenario has matchings decided.
fn epochs(demand: &DemandSpec) -> Epochs {
    Epochs { slots: i64::from(demand.epoch), report: ps(Time::ZERO + demand.report) }
}

impl Demand {
    /// What decides by a scenario's rule, if its circuits follow demand.
    fn new(spec: &CircuitCoreSpec, schedule: &Schedule, rate: Rate) -> Option<Self> {
        let demand = spec.demand.as_ref()?;
        let frame = Frame {
            switches: schedule.switches().len(),
            slots: demand.epoch as usize,
            slot: bytes_in(schedule.light(), rate),
        };
        Some(Self {
            decider: Decider::new(demand.rule, frame, schedule.racks()),
            epochs: epochs(demand),
            next: None,
        })
    }
}

/// A circuit switch, or one channel of it.
#[derive(Debug, Clone)]
pub(super) struct Switch {
    /// Which it is.
    pub plane: Plane,
    /// The link to each rack.
    pub outputs: Box<[LinkId]>,
    /// When the first bit of the last packet comes that did not pass when it was sent.
    pub awaited: Time,
    /// Its counters.
    pub counters: SwitchCounters,
    /// Its counters when measuring began.
    pub before: SwitchCounters,
}

/// A slot of a circuit switch.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotRow {
    /// The switch.
    pub switch: Plane,
    /// When light first passes it.
    pub opens: Time,
    /// When all must have passed.
    pub closes: Time,
    /// The racks that it joins: from which to which light goes.
    pub joins: Vec<(NodeId, NodeId)>,
}

/// All circuit switches and racks.
#[derive(Debug, Clone)]
pub struct CircuitNodes {
    /// What each is, by its number among the cores.
    pub(super) roles: Box<[Role]>,
    /// The racks.
    pub(super) racks: Vec<Rack>,
    /// The circuit switches.
    pub(super) switches: Vec<Switch>,
    /// What all racks know.
    pub(super) rules: Rules,
    /// What decides on circuits, if they follow demand.
    pub(super) demand: Option<Demand>,
    /// For each node the number of the rack to which it is attached, or [`NONE`].
    pub(super) home: Box<[u32]>,
    /// For each link between a rack and a switch the number of the rack, or [`NONE`].
    pub(super) rack_of: Box<[u32]>,
    /// For each of these links the number of the switch, or [`NONE`].
    pub(super) switch_of: Box<[u32]>,
    /// For each link the number of the rack at its far end, or [`NONE`].
    pub(super) rack_behind: Box<[u32]>,
    /// RotorLB: what is known while an offer is considered.
    pub(super) offers: Offers,
}

/// An offer of RotorLB. Nothing of it is kept: the lists are not made anew each time.
#[derive(Debug, Clone, Default)]
pub(super) struct Offers {
    /// For each rack: what was accepted for it elsewhere.
    pub accepted: Vec<u64>,
    /// What is offered for the others, then what is accepted of it.
    pub given: Vec<u64>,
    /// While it is shared out.
    pub sorted: Vec<u64>,
}

/// The racks or the circuit switches of a graph, in the order of their ids.
pub(super) fn nodes(graph: &Graph, kind: NodeKind) -> Vec<NodeId> {
    let ids = (0..graph.nodes.len()).map(NodeId::at);
    ids.filter(|id| graph.nodes[id.index()].kind == kind).collect()
}

/// The schedule of a core with so many racks and switches.
pub(super) fn schedule(spec: &CircuitCoreSpec, racks: usize, switches: usize) -> Schedule {
    let timing =
        Timing { slot: spec.slot, reconfiguration: spec.reconfiguration, phases: spec.phases() };
    let (racks, switches) = (number(racks), number(switches));
    match spec.schedule {
        CircuitSchedule::Rotor => Schedule::new(&rotor(racks, switches), timing),
        CircuitSchedule::Opera => Schedule::new(&opera(racks, switches, spec.draw()), timing),
        CircuitSchedule::Explicit => {
            Schedule::new(spec.matchings.as_ref().expect("checked"), timing)
        }
        CircuitSchedule::Demand => {
            let epoch = spec.demand.as_ref().expect("checked").epoch;
            Schedule::on_demand((racks, switches), epoch, timing)
        }
    }
}

/// The clock error of a rack in picoseconds.
fn error(spec: &CircuitCoreSpec, name: &str, seed: Seed) -> i64 {
    if spec.skew == Span::ZERO {
        return 0;
    }
    let share = 2.0 * seed.stream(&format!("core/skew/{name}")).uniform() - 1.0;
    #[expect(clippy::cast_possible_truncation, reason = "an hour at most")]
    let error = (spec.skew.0 as f64 * share) as i64;
    error
}

impl Rack {
    /// A rack without packets, with its links to the switches.
    fn new(
        (number, node): (u32, NodeId),
        [links, beside]: [&[LinkId]; 2],
        (graph, racks): (&Graph, usize),
        error: i64,
    ) -> Self {
        let uplink = |&link: &LinkId| Uplink {
            free_at: Time::ZERO,
            link,
            lead: ps(Time::ZERO + graph.links[link.index()].delay) + error,
            due: Time::NEVER,
            later: Time::NEVER,
            slot: Slot::NONE,
            wanted: i64::MIN,
            short: ShortQueue::EMPTY,
        };
        let offered = Offered { slot: i64::MIN, over: Vec::new(), next: 0 };
        let empty: Box<[Chain]> = vec![Chain::EMPTY; racks].into();
        Self {
            node,
            number,
            uplinks: links.iter().map(uplink).collect(),
            offered: vec![offered; links.len()].into(),
            beside: beside.iter().map(|&link| PacketLink { link, due: Time::NEVER }).collect(),
            order: VecDeque::new(),
            ordered: vec![false; racks].into(),
            own: empty.clone(),
            relayed: empty,
            stored: vec![false; racks].into(),
            waiting: 0,
            passing_on: 0,
            bytes: 0,
            turns: VecDeque::new(),
            turn: 0,
            counters: RackCounters::default(),
            before: RackCounters::default(),
        }
    }
}

impl CircuitNodes {
    /// The circuit switches and racks of a graph.
    pub fn new(spec: &CircuitCoreSpec, plan: &Plan, seed: Seed) -> Self {
        let graph = &plan.graph;
        let (racks, switches) = (nodes(graph, NodeKind::Rack), planes(graph));
        let mut number_of = vec![NONE; graph.nodes.len()];
        for (at, node) in (0..).zip(&racks) {
            number_of[node.index()] = at;
        }
        let mut cores: Vec<NodeId> =
            racks.iter().copied().chain(nodes(graph, NodeKind::Core)).collect();
        cores.sort_unstable();
        let role_of = |node: &NodeId| match number_of[node.index()] {
            NONE => Role::Switch,
            rack => Role::Rack(rack),
        };
        let roles = cores.iter().map(role_of).collect();
        let wiring = Wiring::new(graph, &number_of, racks.len(), &switches);
        let home = graph.homes().into_iter().map(|home| number_of[home.index()]).collect();
        let most_beside = wiring.beside.iter().map(Vec::len).max().unwrap_or(0);
        let rack = |(at, &node): (u32, &NodeId)| {
            let error = error(spec, graph.node_name(node), seed);
            let links = [&wiring.uplinks, &wiring.beside].map(|links| &*links[at as usize]);
            Rack::new((at, node), links, (graph, racks.len()), error)
        };
        // All links of circuit switches have one rate.
        let rate = graph.links[wiring.uplinks[0][0].index()].rate;
        let links = [&wiring.uplinks, &wiring.outputs].map(|links| links.iter().flatten().copied());
        let timing = static_timing::are_plain(plan, links[0].clone()).then(|| Sending::new(rate));
        // Circuits on demand may be decided after a packet was sent.
        let passed_after = static_timing::delay(plan, links).filter(|_| spec.demand.is_none());
        let switch = |(&plane, outputs): (&Plane, Vec<LinkId>)| Switch {
            plane,
            awaited: Time::ZERO,
            outputs: outputs.into(),
            counters: SwitchCounters::default(),
            before: SwitchCounters::default(),
        };
        let schedule = schedule(spec, racks.len(), switches.len());
        let demand = Demand::new(spec, &schedule, rate);
        let short = spec.short_flows.as_ref().map(|short| ShortRules::new(short, &schedule));
        Self {
            roles,
            racks: (0..).zip(&racks).map(rack).collect(),
            switches: switches.iter().zip(wiring.outputs).map(switch).collect(),
            rules: Rules {
                schedule,
                forwarding: spec.forwarding,
                guard: ps(Time::ZERO + spec.guard),
                capacity: spec.rack_queue.0,
                mark_above: spec.mark_above.map_or(u64::MAX, |bytes| bytes.0),
                short,
                without_circuit: spec.without_circuit,
                prebuffer: spec
                    .prebuffer
                    .map(|larger| (larger.queue.0, ps(Time::ZERO + larger.ahead))),
                told: spec.tell_hosts.map(|told| Told {
                    by: told.by,
                    delay: told.delay,
                    ahead: ps(Time::ZERO + told.ahead),
                }),
                epochs: spec.demand.as_ref().map(epochs),
                alarms: number(switches.len() + most_beside),
                timing,
                passed_after,
                is_prompt: plan.takes(Shortcut::PromptRacks),
            },
            demand,
            home,
            rack_of: wiring.rack_of,
            switch_of: wiring.plane_of,
            rack_behind: graph.links.iter().map(|link| number_of[link.to.index()]).collect(),
            offers: Offers::default(),
        }
    }

    /// How many circuits a round has: in each slot of each switch one for each rack.
    pub fn circuits(spec: &CircuitCoreSpec, graph: &Graph) -> u64 {
        let (racks, switches) = (nodes(graph, NodeKind::Rack), planes(graph));
        let (count, all) = (number(racks.len()), number(switches.len()));
        let slots = match spec.schedule {
            CircuitSchedule::Explicit => {
                spec.matchings.iter().flatten().map(Vec::len).sum::<usize>() as u64
            }
            CircuitSchedule::Demand => {
                let epoch = spec.demand.as_ref().map_or(1, |demand| u64::from(demand.epoch));
                (2 * epoch + 2) * u64::from(all)
            }
            CircuitSchedule::Rotor => slots_of(count - 1, all) * u64::from(all),
            CircuitSchedule::Opera => slots_of(count, all) * u64::from(all),
        };
        slots * racks.len() as u64
    }

    /// How many bytes the ways of short flows take, if some are.
    pub fn bytes_of_ways(spec: &CircuitCoreSpec, graph: &Graph) -> u64 {
        let (racks, switches) = (nodes(graph, NodeKind::Rack), planes(graph));
        if spec.short_flows.as_ref().is_none_or(|short| short.over != ShortWay::Circuits) {
            return 0;
        }
        let slices = schedule(spec, racks.len(), switches.len()).slices();
        Routes::bytes(number(racks.len()), slices)
    }

    /// The slots of one round, one row for each switch and slot: the switch, when light passes it from the start of
    /// the run on, and the racks that it joins.
    pub fn round(spec: &CircuitCoreSpec, graph: &Graph) -> Vec<SlotRow> {
        let (racks, switches) = (nodes(graph, NodeKind::Rack), planes(graph));
        let schedule = schedule(spec, racks.len(), switches.len());
        let rows = schedule.switches().zip(&switches).flat_map(|(switch, &plane)| {
            let schedule = &schedule;
            (0..).take(schedule.slots(switch)).map(move |slot| (schedule, switch, plane, slot))
        });
        let row = |(schedule, switch, plane, slot): (&Schedule, u32, Plane, i64)| {
            let window = schedule.window(switch, slot);
            let far = |rack: &NodeId| {
                let from = number(racks.partition_point(|before| before < rack));
                let to = schedule.far_end(switch, slot, from)?;
                Some((*rack, racks[to as usize]))
            };
            SlotRow {
                switch: plane,
                opens: Time(window.opens.unsigned_abs()),
                closes: Time(window.closes.unsigned_abs()),
                joins: racks.iter().filter_map(far).collect(),
            }
        };
        rows.map(row).collect()
    }

    /// Whether a core, by its number, is a rack, which stores what it forwards.
    pub fn is_rack(&self, number: u32) -> bool {
        matches!(self.roles[number as usize], Role::Rack(_))
    }
}
