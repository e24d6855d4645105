//! The list of all kinds of core: the only file of this crate, beside their folders, that names them.

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
use super::ideal::IdealSwitches;
use super::lightpath::LightpathNodes;
use super::output_queued::OutputQueuedSwitches;
use super::packet::PacketSwitches;
use super::seam::{BurstCore, Core, Place, Rules, Signal};

/// What a core node is in the table of switches and in the energy model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Account {
    /// Nothing: nodes that switch bursts are not modelled.
    None,
    /// It is electronic from end to end: its links count all that it forwards.
    Electronic,
    /// What passed as light, and what through the buffer of a hybrid switch with this number of
    /// azimuths.
    Hybrid(HybridCounters, usize),
}

/// Declares the cores that switch packets one by one, and what calls those of any kind.
macro_rules! cores {
    ($($(#[$about:meta])* $Kind:ident($Nodes:ty),)+) => {
        /// The core nodes of a world that switch packets one by one.
        #[derive(Debug, Clone)]
        pub enum Cores {
            /// It has none.
            None,
            $($(#[$about])* $Kind($Nodes),)+
        }

        /// Does something with the cores of any kind, or something else if there are none.
        macro_rules! dispatch {
            ($cores:expr, $core:ident => $do:expr, none => $none:expr) => {
                match $cores {
                    Cores::None => $none,
                    $(Cores::$Kind($core) => $do,)+
                }
            };
        }
    };
}

cores! {
    /// Hybrid switches.
    Hybrid(HybridSwitches),
    /// CIOQ switches.
    Cioq(CioqSwitches),
    /// Output-queued switches.
    OutputQueued(OutputQueuedSwitches),
    /// Ideal switches.
    Ideal(IdealSwitches),
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

/// Does something with the cores of a network with edges, of any kind.
macro_rules! with_bursts {
    ($cores:expr, $core:ident => $do:expr) => {
        match $cores {
            BurstCores::Burst($core) => $do,
            BurstCores::Packet($core) => $do,
        }
    };
}

/// What the options of each kind require of a scenario.
pub(crate) fn rules(core: &CoreSpec) -> &dyn Rules {
    match core {
        CoreSpec::Burst(core) => core,
        CoreSpec::Packet(core) => core,
        CoreSpec::Hybrid(core) => core,
        CoreSpec::Cioq(core) => core,
        CoreSpec::OutputQueued(core) => core,
        CoreSpec::Ideal(core) => core,
        CoreSpec::Circuit(core) => core,
        CoreSpec::Lightpath(core) => core,
    }
}

/// The cores of a plan: those that switch packets one by one, and those of a network with edges.
pub fn build(plan: &Plan, seed: Seed) -> (Cores, Option<BurstCores>) {
    let (graph, steady, edges) = (&plan.graph, plan.changes.is_empty(), plan.optical.as_ref());
    let Some(core) = plan.core() else { return (Cores::None, None) };
    let cores = match core {
        CoreSpec::Burst(core) => {
            let switches = edges.map(|edges| BurstSwitches::new(core, edges, graph));
            return (Cores::None, switches.map(BurstCores::Burst));
        }
        CoreSpec::Packet(core) => {
            let switches = edges.map(|_| PacketSwitches::new(core, plan, seed));
            return (Cores::None, switches.map(BurstCores::Packet));
        }
        CoreSpec::Hybrid(core) => Cores::Hybrid(HybridSwitches::new(core, graph)),
        CoreSpec::Cioq(core) => {
            let in_bulk = steady && plan.takes(Shortcut::Arrears);
            Cores::Cioq(CioqSwitches::new(core, graph, seed, in_bulk))
        }
        CoreSpec::OutputQueued(core) => {
            Cores::OutputQueued(OutputQueuedSwitches::new(core, graph, seed, steady))
        }
        CoreSpec::Ideal(_) => Cores::Ideal(IdealSwitches),
        CoreSpec::Circuit(core) => Cores::Circuit(Box::new(CircuitNodes::new(core, plan, seed))),
        CoreSpec::Lightpath(core) => {
            Cores::Lightpath(Box::new(LightpathNodes::new(core, (graph, plan.metric), seed)))
        }
    };
    (cores, None)
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

    fn account(&self, number: u32) -> Account {
        dispatch!(self, core => core.account(number), none => Account::None)
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

    fn signal(&self, now: Time, ends: (NodeId, NodeId), link: Span) -> Option<Signal> {
        dispatch!(self, core => core.signal(now, ends, link), none => None)
    }

    fn cells(&self) -> u64 {
        dispatch!(self, core => core.cells(), none => 0)
    }
}

impl BurstCore for BurstCores {
    fn launch(&mut self, context: &mut Context, id: BurstId) {
        with_bursts!(self, core => core.launch(context, id));
    }

    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant) {
        with_bursts!(self, core => core.on_burst(context, id, instant));
    }

    fn causes(&self) -> &'static [Lost] {
        with_bursts!(self, core => core.causes())
    }

    fn class_columns(&self, rows: &[FecCounters]) -> Vec<Column> {
        with_bursts!(self, core => core.class_columns(rows))
    }

    fn class_sums(&self, sum: &FecCounters) -> Sums {
        with_bursts!(self, core => core.class_sums(sum))
    }

    fn reservation_columns(&self, rows: &[ReservationRow]) -> Vec<Column> {
        with_bursts!(self, core => core.reservation_columns(rows))
    }
}
