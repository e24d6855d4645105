//! A node of a packet-switched network: core routers, and edge routers for what they release and
//! what passes through them.
//!
//! Nothing is reserved ahead. An optical packet asks for an output when its **first** bit is there
//! and holds it for its length (cut-through); packets come when they come (unslotted). One whose
//! output is busy, or down, is helped by the node's remedies in their order, or lost:
//!
//! ```text
//! first bit leaves    first bit in + input delay (+ a fibre delay line)
//! output is held      [first bit leaves, + length + guard)
//! ```
//!
//! At its ingress edge a packet has no wavelength yet and leaves on any; with
//! `assembly.when-busy = "wait"` it waits there, in electronic memory, until its output is free. Those
//! that wait hold the output for when they leave, against light that passes through too.
//!
//! Assumptions: an ingress edge has as many fibre delay lines as it needs; with waiting, a short
//! packet may fill a void before a longer one of its class; reading a header and setting the switch
//! take the input delay and nothing else; the header's own length is part of the packet's or of the
//! guard; equal instants are served in the order in which the packets were sent.

use std::mem;

use optics::{Arrival, Deflection, PortOrder, Remedy, Way, WhenBusy};
use units::{NodeId, Span};

use crate::event::Event;
use crate::fabric::Fabric;
use crate::optical::{BurstId, FAR, Lost, NONE, Optical};

/// An optical packet at a node.
#[derive(Clone, Copy)]
struct Visit {
    id: BurstId,
    node: NodeId,
    /// The node before; none at its ingress edge.
    before: Option<NodeId>,
    arrival: Arrival,
}

/// An optical packet leaves its assembly queue.
pub fn launch(fabric: &mut Fabric, id: BurstId) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = *optical.bursts.get(id.0);
    let rules = optical.rules();
    let (when_busy, guard) = (rules.assembly.when_busy, rules.packet_core().guard);
    let fec = &optical.fecs[burst.fec as usize];
    let (node, fibre) = (fec.ingress, &optical.fibres[fec.path[0] as usize]);
    let mut start = now;
    if when_busy == WhenBusy::Wait && fibre.up {
        start = fibre.data.earliest(now, burst.length + guard);
    }
    optical.bursts.get_mut(id.0).ready = start;
    if let Some(trails) = &mut optical.switching.trails {
        trails.begin(id);
    }
    let arrival = Arrival { start, length: burst.length, channel: None };
    forward(fabric, Visit { id, node, before: None, arrival });
}

/// The first bit of an optical packet is at a node that it passes through.
pub fn on_first_bit(fabric: &mut Fabric, id: BurstId) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = optical.bursts.get_mut(id.0);
    if burst.doomed {
        return fabric.lose_burst(id, Lost::Down);
    }
    let fibre = &mut optical.fibres[burst.fibre as usize];
    fibre.leave(burst);
    burst.hop += 1;
    let (burst, before, node) = (*burst, Some(fibre.from), fibre.to);
    if burst.hop == 1 {
        optical.fecs[burst.fec as usize].end_first_link(now, burst.bytes);
    }
    let start = now + optical.rules().packet_core().input_delay;
    let arrival = Arrival { start, length: burst.length, channel: Some(burst.channel) };
    forward(fabric, Visit { id, node, before, arrival });
}

/// An optical packet asks for an output: that of the shortest way, then what the remedies find.
fn forward(fabric: &mut Fabric, visit: Visit) {
    let Visit { id, node, before, arrival } = visit;
    let optical = &mut fabric.optical;
    let preferred = optical.shortest_way(node, before, id);
    let burst = optical.bursts.get_mut(id.0);
    burst.fibre = preferred;
    let (hop, number) = (u32::from(burst.hop), burst.number);
    optical.log.ask(number, preferred, fabric.now);
    let deflection = optical.rules().packet_core().deflection;
    if matches!(deflection, Some(Deflection::Ports { hop_limit, .. }) if hop >= hop_limit) {
        return lose(fabric, id, Lost::Hops);
    }
    if let Some(trails) = &mut optical.switching.trails {
        trails.pass(id, node);
    }
    let fibre = &optical.fibres[preferred as usize];
    let (up, in_time) = (fibre.up, arrival.start < FAR);
    let free = in_time && optical.is_open(id, before, fibre);
    let switch = &mut optical.switching.at_mut(node).switch;
    switch.forget(fabric.now);
    let direct = free.then(|| switch.direct(arrival, &fibre.data)).flatten();
    if let Some(way) = direct {
        leave(fabric, visit, preferred, &way);
    } else if let Some((fibre, way)) = in_time.then(|| remedy(optical, visit, preferred)).flatten()
    {
        leave(fabric, visit, fibre, &way);
    } else if matches!(deflection, Some(Deflection::Abstract { .. })) {
        deflect_beside(fabric, visit);
    } else {
        let busy = if visit.before.is_none() { Lost::Ingress } else { Lost::Contention };
        lose(fabric, id, if up { busy } else { Lost::Down });
    }
}

/// What the node's remedies find for a packet: the fibre, and the way onto it. They begin with none at
/// all, which has just been tried: it is not worth an exception.
fn remedy(optical: &mut Optical, visit: Visit, preferred: u32) -> Option<(u32, Way)> {
    let Visit { id, node, before, arrival } = visit;
    let core = optical.rules().packet_core();
    if core.remedies.is_empty() {
        return None;
    }
    let deflects = core.deflection.filter(|_| core.remedies.contains(&Remedy::Deflect));
    let mut fibres = mem::take(&mut optical.switching.scratch);
    fibres.clear();
    fibres.push(preferred);
    if let Some(Deflection::Ports { order, .. }) = deflects {
        let egress = optical.egress_of(id);
        optical.switching.ports.know(&optical.fibres, egress);
        let others = optical.switching.ports.of(node, egress.0).iter().copied();
        fibres.extend(others.filter(|&other| other != preferred));
        if order == PortOrder::Random {
            optical.switching.at_mut(node).order.shuffle(&mut fibres[1..]);
        }
    }
    let way = optical.switching.at(node).switch.find(arrival, fibres.len(), |port| {
        let fibre = &optical.fibres[fibres[port] as usize];
        optical.is_open(id, before, fibre).then_some(&fibre.data)
    });
    let found = way.map(|way| (fibres[way.port], way));
    optical.switching.scratch = fibres;
    found
}

/// A packet leaves a node by a fibre.
fn leave(fabric: &mut Fabric, visit: Visit, number: u32, way: &Way) {
    let Visit { id, node, arrival, .. } = visit;
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let Optical { switching, fibres, .. } = optical;
    let (switch, fibre) = (&mut switching.at_mut(node).switch, &mut fibres[number as usize]);
    fibre.data.forget(now);
    switch.take(arrival, way, &mut fibre.data);
    let burst = optical.bursts.get_mut(id.0);
    let deflected = burst.fibre != number;
    (burst.start, burst.channel, burst.fibre) = (way.start, way.channel, number);
    let fec = &mut optical.fecs[burst.fec as usize];
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
    fabric.granted(id);
    fabric.wake(at, if ends { Event::Burst(id) } else { Event::FirstBit(id) });
}

/// A packet takes the abstract deflection path of its class, from a node of its shortest way to its
/// egress edge.
fn deflect_beside(fabric: &mut Fabric, visit: Visit) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = optical.bursts.get_mut(visit.id.0);
    let fec = &mut optical.fecs[burst.fec as usize];
    fec.counters_of(burst).switched.deflect(burst);
    if let Some(row) = optical.log.reservation(burst.number) {
        row.deflected = true;
    }
    let path = fec.beside.as_mut().expect("a class has the path that the scenario names");
    let (lost, cost) = (path.loses(), path.cost(now));
    if lost {
        return lose(fabric, visit.id, Lost::Deflected);
    }
    burst.fibre = NONE;
    optical.beside.enter(burst);
    let (burst, fec) = (*burst, &optical.fecs[burst.fec as usize]);
    let rest = optical.delay(&fec.path[usize::from(burst.hop)..]);
    let arrives = visit.arrival.start + rest + cost + burst.length;
    fabric.wake(arrives, Event::Burst(visit.id));
}

/// A packet is lost at a node, on the fibre that it asked for.
fn lose(fabric: &mut Fabric, id: BurstId, cause: Lost) {
    let optical = &mut fabric.optical;
    let burst = optical.bursts.get(id.0);
    optical.fibres[burst.fibre as usize].enter(burst);
    fabric.lose_burst(id, cause);
}
