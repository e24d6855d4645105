//! What a kind of core defines: the hooks that the network calls.
//!
//! No hook has a default, so that the compiler leads whoever adds a kind.

use plan::check::Findings;
use plan::table::{Column, Sums, Table};
use plan::topology::Graph;
use units::{LinkId, NodeId, Span, Time};
use wire::context::Context;
use wire::event::BurstInstant;
use wire::optical::{BurstId, FecCounters, Lost, ReservationRow};
use wire::packet::PacketId;

use crate::check::Around;
use crate::list::Account;

/// What the options of a kind of core require of a scenario.
pub trait Rules {
    /// The keys of the core's own section, and those of others that do not apply to it.
    fn section(&self, around: &Around<'_>, to: &mut dyn Findings);

    /// The nodes and links that it is to switch.
    fn network(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings);

    /// Keys that have no effect with it.
    fn effects(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings);
}

/// Where a packet is.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// Its number among the cores.
    pub number: u32,
    /// The link on which the packet arrived.
    pub link: LinkId,
}

/// What a core signals to the sender of a flow about the path to its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The path never changes, so no signal follows.
    Steady,
    /// Whether the fast path (a circuit) is there, or near.
    Path {
        /// Whether it is.
        open: bool,
        /// The instant of the next signal, or [`Time::NEVER`]: the state does not change before.
        next: Time,
        /// Whether acknowledgments carry the state, too.
        with_acks: bool,
    },
}

/// The core nodes of a network that switch packets one by one, all of one kind: what happens at them, what they
/// contain, and their counters.
pub trait Core {
    /// A packet is at a core: with its last bit, or with its first bit where
    /// [`CoreFacts::acts_on_first_bit`](plan::spec::CoreFacts::acts_on_first_bit) says so.
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId);

    /// A core, by its number, is woken, or updated, as it requested.
    fn on_alarm(&mut self, context: &mut Context, number: u32);

    /// A link works again.
    fn on_link_up(&mut self, context: &mut Context, link: LinkId);

    /// Does deferred work before the core is observed. It changes no result.
    fn catch_up(&mut self, context: &mut Context);

    /// The measured counters start here.
    fn begin_measuring(&mut self);

    /// What was counted at a core, by its number, since measuring began.
    fn account(&self, number: u32) -> Account;

    /// Packets in the cores.
    fn inside(&self) -> u64;

    /// Checks conservation: packets in = out + lost + inside, for every core.
    fn check_conservation(&self) -> Result<(), String>;

    /// Its own tables, and the sums of each.
    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)>;

    /// Passes the counters of the whole run in a fixed order, for a digest.
    fn words(&self, put: &mut dyn FnMut(u64));

    /// What it signals now to a sender at a host about the path to another host; `link` is the delay of the sender's link.
    /// Most kinds have no signals.
    fn signal(&self, _now: Time, _ends: (NodeId, NodeId), _link: Span) -> Option<Signal> {
        None
    }

    /// Cells that have crossed its fabrics since measuring began, where it switches cells.
    fn cells(&self) -> u64 {
        0
    }
}

/// The core nodes of a network with edges, all of one kind: they switch bursts, or optical packets. What is on its way
/// is counted by its forwarding equivalence class.
pub trait BurstCore {
    /// An ingress edge has released a burst, which is to leave.
    fn launch(&mut self, context: &mut Context, id: BurstId);

    /// A burst, or its header, is at a node that switches it.
    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant);

    /// Why bursts, or optical packets, are lost, in the order of the tables' columns.
    fn causes(&self) -> &'static [Lost];

    /// The columns that it adds to the table of classes, one row per class.
    fn class_columns(&self, rows: &[FecCounters]) -> Vec<Column>;

    /// The same of all classes together.
    fn class_sums(&self, sum: &FecCounters) -> Sums;

    /// The columns that it adds to the table of reservations.
    fn reservation_columns(&self, rows: &[ReservationRow]) -> Vec<Column>;
}
