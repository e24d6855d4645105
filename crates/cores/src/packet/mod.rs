//! A node of a packet-switched network: core routers, and edge routers for packets that they
//! release and transit packets.
//!
//! Nothing is reserved ahead. An optical packet requests an output when its **first** bit arrives
//! and holds it for its length (cut-through); arrivals are unslotted. For a packet whose output is
//! busy or down, the node's remedies are tried in their order; if none helps it is lost:
//!
//! ```text
//! first bit leaves    first bit in + input delay (+ a fibre delay line)
//! output is held      [first bit leaves, + length + guard)
//! ```
//!
//! Deflected packets may take the channels that others need, whose packets are deflected then, too: a
//! network can be stuck in a state with twice the load. Where channels are reserved, deflected packets
//! leave them free.
//!
//! At its ingress edge a packet has no wavelength yet and leaves on any; with `assembly.when-busy =
//! "wait"` it waits there, in electronic memory, until its output is free. Waiting packets reserve the
//! output for the time of their departure, also against transit packets.
//!
//! Assumptions: an ingress edge has as many fibre delay lines as it needs; with waiting, a short
//! packet may fill a void before a longer one of its class; reading a header and setting the switch
//! take the input delay and nothing else; the header's own length is part of the packet's or of the
//! guard; equal instants are served in the order in which the packets were sent.

pub mod check;
mod nodes;
mod ports;
mod report;
mod visited_nodes;

use std::mem;

pub use nodes::PacketSwitches;
use optics::{Arrival, Deflection, PortOrder, Remedy, Way, WhenBusy};
use plan::table::{Column, Sums};
use units::{NodeId, Span};
use wire::context::Context;
use wire::event::{BurstInstant, Event};
use wire::optical::{BurstId, FAR, FecCounters, Lost, NONE, Optical, ReservationRow};

use super::seam::BurstCore;

/// An optical packet at a node.
#[derive(Clone, Copy)]
struct Visit {
    id: BurstId,
    node: NodeId,
    /// The node before; none at its ingress edge.
    before: Option<NodeId>,
    arrival: Arrival,
}

impl PacketSwitches {
    /// The first bit of an optical packet is at a transit node.
    fn on_first_bit(&mut self, context: &mut Context, id: BurstId) {
        let now = context.now();
        let optical = context.optical_mut();
        let burst = optical.bursts.get_mut(id.0);
        if burst.doomed {
            return context.lose_burst(id, Lost::Down);
        }
        let fibre = &mut optical.fibres[burst.fibre as usize];
        fibre.leave(now, burst);
        burst.hop += 1;
        let (burst, before, node) = (*burst, Some(fibre.from), fibre.to);
        if burst.hop == 1 {
            optical.fecs[burst.fec].end_first_link(now, burst.bytes);
        }
        let start = now + self.core.input_delay;
        let (length, channel) = (burst.length, Some(burst.channel));
        let arrival = Arrival { start, length, channel, deflected: burst.deflections > 0 };
        self.forward(context, Visit { id, node, before, arrival });
    }

    /// An optical packet requests an output: that of the shortest path, then what the remedies
    /// find.
    fn forward(&mut self, context: &mut Context, visit: Visit) {
        let Visit { id, node, before, arrival } = visit;
        let now = context.now();
        let optical = context.optical_mut();
        let preferred = self.shortest_way(optical, (node, before), id);
        let burst = optical.bursts.get_mut(id.0);
        burst.fibre = preferred;
        let (hop, number) = (u32::from(burst.hop), burst.number);
        optical.log.ask(number, preferred, now);
        let deflection = self.core.deflection;
        if matches!(deflection, Some(Deflection::Ports { hop_limit, .. }) if hop >= hop_limit) {
            return lose(context, id, Lost::Hops);
        }
        if let Some(trails) = &mut self.trails {
            trails.pass(id, node);
        }
        let fibre = &optical.fibres[preferred as usize];
        let (up, in_time) = (fibre.up, arrival.start < FAR);
        let free = in_time && self.is_open(id, before, fibre);
        let switch = &mut self.at_mut(node).switch;
        switch.forget(now);
        let direct = free.then(|| switch.direct(arrival, &fibre.data)).flatten();
        if let Some(way) = direct {
            self.leave(context, visit, preferred, &way);
        } else if let Some((fibre, way)) =
            in_time.then(|| self.remedy(optical, visit, preferred)).flatten()
        {
            self.leave(context, visit, fibre, &way);
        } else if matches!(deflection, Some(Deflection::Abstract { .. })) {
            self.deflect_beside(context, visit);
        } else {
            let busy = if visit.before.is_none() { Lost::Ingress } else { Lost::Contention };
            lose(context, id, if up { busy } else { Lost::Down });
        }
    }

    /// What the node's remedies find for a packet: the fibre, and the channel and delay on it. The first
    /// combination is that of no remedy, which has just been tried; excluding it would not be worth the
    /// code.
    fn remedy(&mut self, optical: &Optical, visit: Visit, preferred: u32) -> Option<(u32, Way)> {
        let Visit { id, node, before, arrival } = visit;
        if self.core.remedies.is_empty() {
            return None;
        }
        let deflects =
            self.core.deflection.filter(|_| self.core.remedies.contains(&Remedy::Deflect));
        let mut fibres = mem::take(&mut self.scratch);
        fibres.clear();
        fibres.push(preferred);
        if let Some(Deflection::Ports { order, .. }) = deflects {
            let egress = optical.egress_of(id);
            self.ports.know(&optical.fibres, egress);
            let others = self.ports.of(node, egress.0).iter().copied();
            fibres.extend(others.filter(|&other| other != preferred));
            if order == PortOrder::Random {
                self.at_mut(node).order.shuffle(&mut fibres[1..]);
            }
        }
        let way = self.at(node).switch.find(arrival, fibres.len(), |port| {
            let fibre = &optical.fibres[fibres[port] as usize];
            self.is_open(id, before, fibre).then_some(&fibre.data)
        });
        let found = way.map(|way| (fibres[way.port], way));
        self.scratch = fibres;
        found
    }

    /// A packet leaves a node by a fibre.
    fn leave(&mut self, context: &mut Context, visit: Visit, number: u32, way: &Way) {
        let Visit { id, node, arrival, .. } = visit;
        let now = context.now();
        let optical = context.optical_mut();
        let fibre = &mut optical.fibres[number as usize];
        fibre.data.forget(now);
        self.at_mut(node).switch.take(arrival, way, &mut fibre.data);
        let burst = optical.bursts.get_mut(id.0);
        let deflected = burst.fibre != number;
        (burst.start, burst.channel, burst.fibre) = (way.start, way.channel, number);
        let fec = &mut optical.fecs[burst.fec];
        let counters = &mut fec.counters_of(burst).switched;
        counters.converted += u64::from(way.converted);
        counters.delayed += u64::from(way.fibre_delay > Span::ZERO);
        if deflected {
            counters.deflect(burst);
        }
        fibre.enter(burst);
        fibre.note(now, id, burst, (way.channel, way.start));
        if let Some(row) = optical.log.reservation(burst.number) {
            row.fibre = number;
            row.granted = Some((way.channel, way.start, way.start + burst.length));
            row.fibre_delay = way.fibre_delay;
            row.converted = way.converted;
            row.deflected = deflected;
        }
        let arrives = way.start + fibre.delay;
        let ends = fibre.to == fec.egress;
        let at = if ends { arrives + burst.length } else { arrives };
        context.granted(id);
        context.fly(id, (at, way.channel), (!ends).then_some(BurstInstant::FirstBit));
    }

    /// A packet takes the abstract deflection path of its class, from a node of its shortest path to
    /// its egress edge.
    fn deflect_beside(&mut self, context: &mut Context, visit: Visit) {
        let (now, input_delay) = (context.now(), self.core.input_delay);
        let optical = context.optical_mut();
        let burst = optical.bursts.get_mut(visit.id.0);
        let fec = &mut optical.fecs[burst.fec];
        fec.counters_of(burst).switched.deflect(burst);
        if let Some(row) = optical.log.reservation(burst.number) {
            row.deflected = true;
        }
        let class = burst.fec;
        let path = self.beside(optical, class).expect("the path that the scenario names");
        let (lost, cost) = (path.loses(), path.cost(now));
        if lost {
            return lose(context, visit.id, Lost::Deflected);
        }
        let burst = optical.bursts.get_mut(visit.id.0);
        burst.fibre = NONE;
        optical.beside.enter(burst);
        let (burst, fec) = (*burst, &optical.fecs[class]);
        let rest = optical.delay(&fec.path[usize::from(burst.hop)..], input_delay);
        let arrives = visit.arrival.start + rest + cost + burst.length;
        context.wake(arrives, Event::Burst(visit.id));
    }
}

/// A packet is lost at a node, on the fibre that it requested.
fn lose(context: &mut Context, id: BurstId, cause: Lost) {
    let optical = context.optical_mut();
    let burst = optical.bursts.get(id.0);
    optical.fibres[burst.fibre as usize].enter(burst);
    context.lose_burst(id, cause);
}

impl BurstCore for PacketSwitches {
    fn launch(&mut self, context: &mut Context, id: BurstId) {
        let now = context.now();
        let optical = context.optical_mut();
        let burst = *optical.bursts.get(id.0);
        let fec = &optical.fecs[burst.fec];
        let (node, fibre) = (fec.ingress, &optical.fibres[fec.path[0] as usize]);
        let mut start = now;
        if self.when_busy == WhenBusy::Wait && fibre.up {
            start = fibre.data.earliest(now, burst.length + self.core.guard);
        }
        optical.bursts.get_mut(id.0).ready = start;
        if let Some(trails) = &mut self.trails {
            trails.begin(id);
        }
        let arrival = Arrival { start, length: burst.length, channel: None, deflected: false };
        self.forward(context, Visit { id, node, before: None, arrival });
    }

    fn on_burst(&mut self, context: &mut Context, id: BurstId, instant: BurstInstant) {
        match instant {
            BurstInstant::FirstBit => self.on_first_bit(context, id),
            BurstInstant::HeaderDue | BurstInstant::Header => {
                unreachable!("no headers run ahead of optical packets")
            }
        }
    }

    fn causes(&self) -> &'static [Lost] {
        &report::CAUSES
    }

    fn class_columns(&self, rows: &[FecCounters]) -> Vec<Column> {
        report::class_columns(&self.core, rows)
    }

    fn class_sums(&self, sum: &FecCounters) -> Sums {
        report::class_sums(&self.core, sum)
    }

    fn reservation_columns(&self, rows: &[ReservationRow]) -> Vec<Column> {
        report::reservation_columns(rows)
    }
}
