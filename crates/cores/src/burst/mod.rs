//! Burst switching: a header precedes each burst and reserves a channel at each node.
//!
//! An ingress edge sends each burst an offset after its header, which requests exactly the time of the
//! burst (JET): `ingress`. A core router acts on headers: once one has been processed it reserves a
//! channel of the next fibre for exactly the time of its burst, which passes with its **first** bit and is
//! never stored (cut-through; `forwarding = "store-and-forward"` adds the burst's length at each node
//! instead). The instants:
//!
//! ```text
//! header: last bit in + processing                           must not be later than
//! burst:  first bit left the fibre before + propagation + input delay
//! ```
//!
//! Assumptions: headers are processed in parallel, each in the same time; a reservation takes
//! effect at once; a burst whose header finds no idle control channel does not request a data
//! channel; equal instants are served in the order in which the headers were sent.

pub mod check;
mod ingress;

use optics::{AssemblySpec, BurstCoreSpec, ControlSpec, Forwarding, Request, Switch};
use plan::OpticalPlan;
use plan::spec::NodeKind;
use plan::table::{Column, Sums};
use plan::topology::Graph;
use units::NodeId;
use wire::context::Context;
use wire::event::BurstInstant;
use wire::optical::{BurstId, FAR, FecCounters, Lost, NONE, ReservationRow};

use super::seam::BurstCore;

/// Why bursts are lost, in the order of the tables' columns.
const CAUSES: [Lost; 6] =
    [Lost::Random, Lost::Ingress, Lost::Contention, Lost::Control, Lost::Late, Lost::Down];

/// The core routers of a burst-switched network, and how its edges send bursts into it.
#[derive(Debug, Clone)]
pub struct BurstSwitches {
    core: BurstCoreSpec,
    control: ControlSpec,
    assembly: AssemblySpec,
    /// The routers' remedies against contention, by their number.
    switches: Vec<Switch>,
    /// For each node of the graph: its number among the routers, or [`NONE`].
    switch_of: Vec<u32>,
}

impl BurstSwitches {
    /// The core routers of a graph.
    pub fn new(core: &BurstCoreSpec, plan: &OpticalPlan, graph: &Graph) -> Self {
        let mut cores = Self {
            core: core.clone(),
            control: plan.control,
            assembly: plan.assembly.clone(),
            switches: Vec::new(),
            switch_of: vec![NONE; graph.nodes.len()],
        };
        for (at, _) in graph.nodes.iter().enumerate().filter(|(_, n)| n.kind == NodeKind::Core) {
            cores.switch_of[at] = u32::try_from(cores.switches.len()).expect("ids have 32 bits");
            cores.switches.push(Switch::new(core));
        }
        cores
    }

    fn switch(&mut self, node: NodeId) -> &mut Switch {
        &mut self.switches[self.switch_of[node.index()] as usize]
    }

    /// A header has been processed: its burst requests a channel of the next fibre.
    fn on_header(&mut self, context: &mut Context, id: BurstId) {
        let now = context.now();
        let optical = context.optical_mut();
        if optical.bursts.get(id.0).doomed {
            return context.lose_burst(id, Lost::Down);
        }
        let burst = optical.bursts.get_mut(id.0);
        let path = &optical.fecs[burst.fec].path;
        let here = &mut optical.fibres[burst.fibre as usize];
        here.leave(now, burst);
        let node = here.to;
        let arrives = burst.start + here.delay;
        let mut start = arrives + self.core.input_delay;
        if self.core.forwarding == Forwarding::StoreAndForward {
            start += burst.length;
        }
        burst.hop += 1;
        let number = path[usize::from(burst.hop)];
        burst.fibre = number;
        let burst = *burst;
        if burst.hop == 1 {
            optical.fecs[burst.fec].end_first_link(arrives, burst.bytes);
        }
        let next = &mut optical.fibres[number as usize];
        next.enter(&burst);
        optical.log.ask(burst.number, number, now);
        if !next.up {
            return context.lose_burst(id, Lost::Down);
        }
        if now > start {
            return context.lose_burst(id, Lost::Late);
        }
        if next.control.ready(now).is_none_or(|ready| ready >= FAR) {
            return context.lose_burst(id, Lost::Control);
        }
        next.data.forget(now);
        let switch = self.switch(node);
        switch.forget(now);
        let request = Request { start, length: burst.length, channel: burst.channel };
        let Some(grant) = switch.reserve(&mut next.data, request) else {
            return context.lose_burst(id, Lost::Contention);
        };
        next.note(now, id, &burst, (grant.channel, grant.start));
        let granted = optical.bursts.get_mut(id.0);
        (granted.start, granted.channel) = (grant.start, grant.channel);
        if let Some(row) = optical.log.reservation(burst.number) {
            row.granted = Some((grant.channel, grant.start, grant.start + burst.length));
            row.fibre_delay = grant.fibre_delay;
            row.converted = grant.converted;
        }
        context.granted(id);
        self.send_header(context, id);
    }

    /// Sends the header of a burst to the end of its current fibre.
    fn send_header(&self, context: &mut Context, id: BurstId) {
        let now = context.now();
        let optical = context.optical_mut();
        let burst = *optical.bursts.get(id.0);
        if burst.doomed {
            return context.lose_burst(id, Lost::Down);
        }
        let path = &optical.fecs[burst.fec].path;
        let fibre = &mut optical.fibres[burst.fibre as usize];
        let Some((channel, sent)) = fibre.control.send(now, fibre.header) else {
            return context.lose_burst(id, Lost::Control);
        };
        fibre.count_header(channel, sent);
        let last = usize::from(burst.hop) + 1 == path.len();
        let (delay, header) = (fibre.delay, fibre.header);
        if let Some(row) = optical.log.reservation(burst.number) {
            row.header_sent = Some(sent);
        }
        if last {
            let arrives = burst.start + burst.length + delay + self.core.input_delay;
            context.fly(id, (arrives, burst.channel), None);
        } else {
            let processed = sent + header + delay + self.control.processing;
            context.fly(id, (processed, channel), Some(BurstInstant::Header));
        }
    }
}

impl BurstCore for BurstSwitches {
    fn launch(&mut self, context: &mut Context, id: BurstId) {
        self.reserve_first(context, id);
    }

    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant) {
        match instant {
            BurstInstant::HeaderDue => self.send_header(context, id),
            BurstInstant::Header => self.on_header(context, id),
            BurstInstant::FirstBit => unreachable!("core routers act on headers"),
        }
    }

    fn causes(&self) -> &'static [Lost] {
        &CAUSES
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
}
