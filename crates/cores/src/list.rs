//! The list of all kinds of core.

use plan::spec::CoreSpec;
use plan::table::{Column, Sums, Table};
use plan::topology::Graph;
use plan::{Plan, Shortcut};
use random::Seed;
use units::{LinkId, NodeId, Span, Time};
use wire::context::Context;
use wire::event::BurstInstant;
use wire::optical::{BurstId, FecCounters, Lost, ReservationRow};
use wire::packet::PacketId;

use super::burst::BurstSwitches;
use super::cioq::CioqSwitches;
use super::circuit::CircuitNodes;
use super::hybrid::{HybridCounters, HybridSwitches};
use super::output_queued::OutputQueuedSwitches;
use super::packet::PacketSwitches;
use super::rwa::LightpathNodes;
use super::seam::{BurstCore, Core, Place, Signal};

/// What a core node is in the table of switches and in the energy model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Account {
    /// Nothing: nodes that switch bursts are not modelled.
    None,
    /// It stores every packet that it forwards, in the queues of its links.
    Electronic,
    /// What passed as light, and what through the buffer of a hybrid switch with this number of
    /// azimuths.
    Hybrid(HybridCounters, usize),
}

/// The core nodes of a world that switch packets one by one.
#[derive(Debug, Clone)]
pub enum Cores {
    /// It has none.
    None,
    /// Hybrid switches.
    Hybrid(HybridSwitches),
    /// CIOQ switches.
    Cioq(CioqSwitches),
    /// Output-queued switches.
    OutputQueued(OutputQueuedSwitches),
    /// Circuit switches, and the racks behind them.
    Circuit(Box<CircuitNodes>),
    /// Racks, and the mesh of fibres between them.
    Lightpath(Box<LightpathNodes>),
}

/// The core nodes of a world with edges.
#[derive(Debug, Clone)]
pub enum BurstCores {
    /// Core routers that switch bursts.
    Burst(BurstSwitches),
    /// Core routers that switch optical packets.
    Packet(PacketSwitches),
}

/// Does something with the cores of any kind, or something else if there are none.
macro_rules! dispatch {
    ($cores:expr, $core:ident => $do:expr, none => $none:expr) => {
        match $cores {
            Cores::None => $none,
            Cores::Hybrid($core) => $do,
            Cores::Cioq($core) => $do,
            Cores::OutputQueued($core) => $do,
            Cores::Circuit($core) => $do,
            Cores::Lightpath($core) => $do,
        }
    };
    ($cores:expr, $core:ident => $do:expr) => {
        match $cores {
            BurstCores::Burst($core) => $do,
            BurstCores::Packet($core) => $do,
        }
    };
}

impl Cores {
    /// What was counted at a core, by its number, since measuring began.
    pub fn account(&self, number: u32) -> Account {
        let of_rack = |is_one| if is_one { Account::Electronic } else { Account::None };
        match self {
            Self::None => Account::None,
            Self::Cioq(_) | Self::OutputQueued(_) => Account::Electronic,
            Self::Circuit(cores) => of_rack(cores.is_rack(number)),
            Self::Lightpath(cores) => of_rack(cores.is_rack(number)),
            Self::Hybrid(cores) => Account::Hybrid(cores.counters(number), cores.azimuths(number)),
        }
    }

    /// Cells that have crossed the fabrics of CIOQ switches since measuring began.
    pub fn cells(&self) -> u64 {
        match self {
            Self::Cioq(cores) => cores.cards().map(|card| card.counters().cells).sum(),
            Self::None
            | Self::Hybrid(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => 0,
        }
    }

    /// What the core signals now to a sender at a host about the path to another host, if it has signals for hosts;
    /// `link` is the delay of the sender's link.
    pub fn signal(&self, now: Time, ends: (NodeId, NodeId), link: Span) -> Option<Signal> {
        match self {
            Self::Circuit(cores) => cores.signal(now, ends, link),
            Self::None
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Lightpath(_) => None,
        }
    }

    /// The cores of a plan that switch packets one by one.
    pub fn new(plan: &Plan, seed: Seed) -> Self {
        let (graph, steady) = (&plan.graph, plan.changes.is_empty());
        match plan.core() {
            None | Some(CoreSpec::Burst(_) | CoreSpec::Packet(_)) => Self::None,
            Some(CoreSpec::Hybrid(core)) => Self::Hybrid(HybridSwitches::new(core, graph)),
            Some(CoreSpec::Cioq(core)) => Self::Cioq(CioqSwitches::new(
                core,
                graph,
                seed,
                steady && plan.takes(Shortcut::Arrears),
            )),
            Some(CoreSpec::OutputQueued(core)) => {
                Self::OutputQueued(OutputQueuedSwitches::new(core, graph, seed, steady))
            }
            Some(CoreSpec::Circuit(core)) => {
                Self::Circuit(Box::new(CircuitNodes::new(core, plan, seed)))
            }
            Some(CoreSpec::Lightpath(core)) => {
                Self::Lightpath(Box::new(LightpathNodes::new(core, (graph, plan.metric), seed)))
            }
        }
    }
}

impl BurstCores {
    /// The cores of a plan with edges.
    pub fn new(plan: &Plan, seed: Seed) -> Option<Self> {
        let optical = plan.optical.as_ref()?;
        Some(match &optical.core {
            CoreSpec::Burst(core) => Self::Burst(BurstSwitches::new(core, optical, &plan.graph)),
            CoreSpec::Packet(core) => Self::Packet(PacketSwitches::new(core, plan, seed)),
            CoreSpec::Hybrid(_)
            | CoreSpec::Cioq(_)
            | CoreSpec::OutputQueued(_)
            | CoreSpec::Circuit(_)
            | CoreSpec::Lightpath(_) => unreachable!("a core without edges"),
        })
    }
}

/// An event at a core is one that it requested or sent: without cores there is none.
impl Core for Cores {
    #[inline(always)]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        dispatch!(self, core => core.on_packet(context, at, id), none => unreachable!("no core"));
    }

    #[inline]
    fn on_alarm(&mut self, context: &mut Context, number: u32) {
        dispatch!(self, core => core.on_alarm(context, number), none => unreachable!("no core"));
    }

    fn on_link_up(&mut self, context: &mut Context, link: LinkId) {
        dispatch!(self, core => core.on_link_up(context, link), none => ());
    }

    fn catch_up(&mut self, context: &mut Context) {
        dispatch!(self, core => core.catch_up(context), none => ());
    }

    fn begin_measuring(&mut self) {
        dispatch!(self, core => core.begin_measuring(), none => ());
    }

    fn inside(&self) -> u64 {
        dispatch!(self, core => core.inside(), none => 0)
    }

    fn check_conservation(&self) -> Result<(), String> {
        dispatch!(self, core => core.check_conservation(), none => Ok(()))
    }

    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)> {
        dispatch!(self, core => core.tables(graph), none => Vec::new())
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        dispatch!(self, core => core.words(put), none => ());
    }
}

impl BurstCore for BurstCores {
    fn launch(&mut self, context: &mut Context, id: BurstId) {
        dispatch!(self, core => core.launch(context, id));
    }

    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant) {
        dispatch!(self, core => core.on_burst(context, id, instant));
    }

    fn causes(&self) -> &'static [Lost] {
        dispatch!(self, core => core.causes())
    }

    fn class_columns(&self, rows: &[FecCounters]) -> Vec<Column> {
        dispatch!(self, core => core.class_columns(rows))
    }

    fn class_sums(&self, sum: &FecCounters) -> Sums {
        dispatch!(self, core => core.class_sums(sum))
    }

    fn reservation_columns(&self, rows: &[ReservationRow]) -> Vec<Column> {
        dispatch!(self, core => core.reservation_columns(rows))
    }
}
