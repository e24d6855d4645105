//! Toy switches: they send a packet on when its last bit has arrived.

pub mod check;

use units::LinkId;

use super::core::{Core, Place};
use wire::context::Context;
use wire::event::BurstInstant;
use wire::optical::{BurstId, FecCounters, Lost, ReservationRow};
use wire::packet::PacketId;
use plan::spec::NodeKind;
use plan::table::{Column, Sum, Sums, Table, counts, texts};
use plan::topology::Graph;

/// What happened at a switch, in the whole run.
#[derive(Debug, Clone, Copy, Default)]
struct ToySwitch {
    packets_in: u64,
    packets_out: u64,
    /// Packets that came before measuring began.
    before: u64,
}

/// The toy switches of a world, by their number.
#[derive(Debug, Clone)]
pub struct ToyCores {
    switches: Vec<ToySwitch>,
}

impl ToyCores {
    /// The switches of a graph, at which nothing has happened.
    pub fn new(graph: &Graph) -> Self {
        Self { switches: vec![ToySwitch::default(); cores(graph).count()] }
    }
}

/// The names of the core nodes, by their number.
fn cores(graph: &Graph) -> impl Iterator<Item = &str> {
    let cores = graph.nodes.iter().filter(|node| node.kind == NodeKind::Core);
    cores.map(|node| node.name.as_str())
}

impl Core for ToyCores {
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let switch = &mut self.switches[at.number as usize];
        switch.packets_in += 1;
        let link = context.next_link(at.node, id);
        context.send(link, id);
        switch.packets_out += 1;
    }

    fn launch(&mut self, _: &mut Context, _: BurstId) {
        unreachable!("toy switches have no edges")
    }

    fn on_burst(&mut self, _: &mut Context, _: BurstId, _: BurstInstant) {
        unreachable!("toy switches switch no bursts")
    }

    fn on_alarm(&mut self, _: &mut Context, _: u32) {
        unreachable!("toy switches set no alarm")
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    fn catch_up(&mut self, _: &mut Context) {}

    fn begin_measuring(&mut self) {
        self.switches.iter_mut().for_each(|switch| switch.before = switch.packets_in);
    }

    fn inside(&self) -> u64 {
        0
    }

    fn check_conservation(&self) -> Result<(), String> {
        match self.switches.iter().find(|switch| switch.packets_in != switch.packets_out) {
            Some(switch) => Err(format!("a packet stayed in a toy switch: {switch:?}")),
            None => Ok(()),
        }
    }

    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)> {
        let rows: Vec<(&str, u64)> = cores(graph)
            .zip(&self.switches)
            .map(|(name, switch)| (name, switch.packets_in - switch.before))
            .collect();
        let columns = vec![
            texts("switch", "its name", &rows, |(name, _)| (*name).to_owned()),
            counts("packets", "packets that it sent on", &rows, |&(_, packets)| packets),
        ];
        let packets = rows.iter().map(|(_, packets)| packets).sum();
        vec![(Table { name: "toy-switches", columns }, vec![("packets", Sum::U64(packets))])]
    }

    fn causes(&self) -> &'static [Lost] {
        &[]
    }

    fn class_columns(&self, _: &[FecCounters]) -> Vec<Column> {
        Vec::new()
    }

    fn class_sums(&self, _: &FecCounters) -> Sums {
        Vec::new()
    }

    fn reservation_columns(&self, _: &[ReservationRow]) -> Vec<Column> {
        Vec::new()
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        self.switches.iter().for_each(|switch| put(switch.packets_in));
    }
}
