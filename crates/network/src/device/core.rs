//! What every kind of core answers.

use units::{LinkId, NodeId};

use crate::context::Context;
use crate::event::BurstInstant;
use crate::optical::{BurstId, FecCounters, Lost, ReservationRow};
use crate::packet::PacketId;
use crate::table::{Column, Sums, Table};
use crate::topology::Graph;

/// Where a packet is.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// Its number among the cores.
    pub number: u32,
    /// The link by which the packet has come.
    pub link: LinkId,
}

/// The core nodes of a network, all of one kind: what happens at them, what is in them, and what was
/// counted. No method has a default: who adds a kind decides each.
pub trait Core {
    /// A packet is at a core by an electronic link: with its last bit, or with its first bit where
    /// [`CoreSpec::acts_on_first_bit`](crate::spec::CoreSpec::acts_on_first_bit) says so.
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId);

    /// An ingress edge has released a burst, which is to leave.
    fn launch(&mut self, context: &mut Context, id: BurstId);

    /// A burst, or its header, is at a node that switches it.
    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant);

    /// A core, by its number, has asked to be woken, or looked at, now.
    fn on_alarm(&mut self, context: &mut Context, number: u32);

    /// A link works again.
    fn on_link_up(&mut self, context: &mut Context, link: LinkId);

    /// What may have been put off is to be done, since somebody looks. It changes no run.
    fn catch_up(&mut self, context: &mut Context);

    /// Counters count from here on.
    fn begin_measuring(&mut self);

    /// Packets in the cores, those in bursts not counted.
    fn inside(&self) -> u64;

    /// Checks conservation: packets in = out + lost + inside, for every core.
    fn check_conservation(&self) -> Result<(), String>;

    /// Tables of its own, and the sums of each.
    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)>;

    /// Why bursts, or optical packets, are lost, in the order of the tables' columns.
    fn causes(&self) -> &'static [Lost];

    /// What the table of classes has beside what edges count, one row a class.
    fn class_columns(&self, rows: &[FecCounters]) -> Vec<Column>;

    /// The same of all classes together.
    fn class_sums(&self, sum: &FecCounters) -> Sums;

    /// What the table of reservations has beside what is known of any.
    fn reservation_columns(&self, rows: &[ReservationRow]) -> Vec<Column>;

    /// Gives the counters of the whole run in a fixed order, for a digest.
    fn words(&self, put: &mut dyn FnMut(u64));
}
