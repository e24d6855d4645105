//! The edge router of an optical burst-switched network.
//!
//! Towards the core it gathers packets into bursts, in the assembly queues of each forwarding
//! equivalence class, and sends each burst after its header (JET: the header asks for exactly the
//! time of the burst).
//! From the core it takes bursts apart, packet by packet in their order, when the **last** bit is
//! in. Electronic packets come with their last bit, as at a router. An edge may end flows itself:
//! their packets enter the queue at the instant at which the transport sends them.
//!
//! Assumptions: the egress edge needs no header to receive a burst; the ingress edge takes no time
//! to make one; memory is without limit. An edge that waits reserves the data channel at once and the
//! control channel when the header is to leave: only where headers last longer than the bursts that
//! wait can a header find its channel taken then, and come late.

use optics::{AbstractPath, Candidates, Cause, CoreSpec, Deflection, Policy, Seen, WhenBusy};
use units::{NodeId, Time};

use super::{burst_core, packet_core};
use crate::event::Event;
use crate::fabric::Fabric;
use crate::optical::{Burst, BurstId, FAR, Fec, LOCAL, Lost, UNKNOWN};
use crate::packet::{Marks, PacketId};
use crate::routing::mix;

/// A packet is at an edge: into an assembly queue, or on by an electronic link.
#[inline]
pub fn accept(fabric: &mut Fabric, edge: u32, packet: PacketId) {
    let transit = fabric.packets.transit(packet);
    let (to, bytes) = (transit.to, transit.bytes);
    let mut class = fabric.optical.edges[edge as usize].fec_of[fabric.routing.home(to)];
    if class == UNKNOWN {
        class = classify(fabric, edge, to);
    }
    if class == LOCAL {
        let node = fabric.optical.edges[edge as usize].node;
        let hash = hash_of(node, fabric.routing.home(to));
        let link = fabric.routing.next_link(node, to, hash);
        return fabric.send(link, packet);
    }
    let now = fabric.now;
    let seen = seen(fabric, class, packet);
    let fec = &mut fabric.optical.fecs[class as usize];
    let mut place = fec.policy.place(now, seen);
    let number = place.queue;
    if let Some(cause) = fec.queue(number).assembly.make_room(now, bytes) {
        close(fabric, class, number, cause);
        place = fabric.optical.fecs[class as usize].policy.reopen(now, number, seen);
    }
    let Fabric { optical, packets, .. } = &mut *fabric;
    let fec = &mut optical.fecs[class as usize];
    fec.append(number, now, packets, packet);
    match fec.queues[number as usize].assembly.on_packet(now, place.since, bytes) {
        Some(cause) => {
            fec.policy.on_release(number);
            close(fabric, class, number, cause);
        }
        None => arm(fabric, class, number),
    }
}

/// What the policy of a class sees of a packet.
#[inline]
fn seen(fabric: &Fabric, class: u32, packet: PacketId) -> Seen {
    let policy = &fabric.optical.fecs[class as usize].policy;
    if matches!(policy, Policy::MixedFlow(_)) {
        return Seen { flow: 0, life: 0, resent: false, window: 0 };
    }
    let flow = fabric.packets.body(packet).flow;
    let marks = fabric.packets.transit(packet).marks;
    // An acknowledgment that is lost makes no window smaller.
    let windowed = policy.reads_windows() && !marks.has(Marks::BACKWARD);
    Seen {
        flow: flow.0,
        life: fabric.lives[flow.index()].0,
        resent: marks.has(Marks::RESENT),
        window: if windowed { fabric.windows[flow.index()] } else { 0 },
    }
}

/// Enters the timer of an assembly queue unless an earlier look at it is there.
#[inline]
fn arm(fabric: &mut Fabric, class: u32, number: u32) {
    let queue = &mut fabric.optical.fecs[class as usize].queues[number as usize];
    if let Some(due) = queue.assembly.alarm().filter(|&due| due < queue.armed) {
        queue.armed = due;
        fabric.wake(due, Event::Assembly(class, number));
    }
}

/// The timer of an assembly queue may be due.
pub fn on_timer(fabric: &mut Fabric, class: u32, number: u32) {
    let now = fabric.now;
    let fec = &mut fabric.optical.fecs[class as usize];
    let queue = &mut fec.queues[number as usize];
    if queue.armed == now {
        queue.armed = Time::NEVER;
    }
    if queue.assembly.on_deadline(now) {
        fec.policy.on_release(number);
        close(fabric, class, number, Cause::Timer);
    } else {
        arm(fabric, class, number);
    }
}

/// The hash by which an edge chooses among equal paths to a router. It is one for all packets, so
/// that bursts stay in order, and no packet of a class goes another way.
fn hash_of(edge: NodeId, home: usize) -> u64 {
    mix(mix(u64::from(edge.0)) ^ home as u64)
}

/// Finds the class of a destination, made when its first packet comes.
#[cold]
fn classify(fabric: &mut Fabric, edge: u32, to: NodeId) -> u32 {
    let home = fabric.routing.home(to);
    let class = match walk(fabric, edge, to) {
        None => LOCAL,
        Some((egress, fibres)) => class_of(fabric, edge, egress, fibres),
    };
    fabric.optical.edges[edge as usize].fec_of[home] = class;
    class
}

/// The edge where bursts for a destination are taken apart, and the fibres that lead to it; `None`
/// where the way is electronic. It is the first edge on the way, or in a packet-switched network,
/// whose edges switch too, the last one before the way becomes electronic.
fn walk(fabric: &Fabric, edge: u32, to: NodeId) -> Option<(u32, Vec<u32>)> {
    let Fabric { optical, routing, .. } = fabric;
    let ingress = optical.edges[edge as usize].node;
    let home = routing.home(to);
    let passes_edges = optical.rules().core.is_packet();
    let (mut path, mut at, mut end) = (Vec::new(), ingress, None);
    while home != routing.home(at) && (passes_edges || end.is_none()) {
        let link = routing.next_link(at, to, hash_of(ingress, home));
        let Some(fibre) = optical.fibre_of(link) else { break };
        path.push(fibre);
        at = optical.fibres[fibre as usize].to;
        if let Some(egress) = optical.edge_of(at) {
            end = Some((egress, path.len()));
        }
    }
    let (egress, fibres) = end?;
    path.truncate(fibres);
    Some((egress, path))
}

/// The class between two edges. Its path is that to the egress itself, whichever destination behind
/// it was asked for first; where that one is electronic, of equal paths, it is the one `found`.
fn class_of(fabric: &mut Fabric, ingress: u32, egress: u32, found: Vec<u32>) -> u32 {
    let known = fabric.optical.edges[ingress as usize].fec_to[egress as usize];
    if known != UNKNOWN {
        return known;
    }
    let node = fabric.optical.edges[egress as usize].node;
    let path = match walk(fabric, ingress, node) {
        // Of equal paths this one leads over another edge: bursts end there.
        Some((end, path)) if end != egress => return class_of(fabric, ingress, end, path),
        Some((_, path)) => path,
        None => found,
    };
    let optical = &mut fabric.optical;
    let (from, to) = (&optical.edges[ingress as usize], &optical.edges[egress as usize]);
    let class = optical.fecs.len();
    let stream = |what| optical.seed.stream(&format!("fec/{}/{}/{what}", from.name, to.name));
    let streams = (stream("loss"), stream("allocation"));
    let spec = &optical.rules().assembly;
    let mut fec = Fec::new((from.node, to.node), path, spec, streams, optical.span);
    if let CoreSpec::Packet(core) = &optical.rules().core {
        fec.delay = optical.delay(&fec.path);
        if let Some(Deflection::Abstract { mean, deviation, hold, congestion }) = core.deflection {
            let streams = (stream("deflection-cost"), stream("congestion"));
            fec.beside = Some(AbstractPath::new((mean, deviation), hold, congestion, streams));
        }
    }
    optical.fecs.push(fec);
    let class = u32::try_from(class).expect("fewer classes than pairs of edges");
    optical.edges[ingress as usize].fec_to[egress as usize] = class;
    class
}

/// The packets that wait become a burst.
fn close(fabric: &mut Fabric, class: u32, queue: u32, cause: Cause) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let fec = &mut optical.fecs[class as usize];
    let opened = fec.take(queue);
    let counters = &mut fec.counters;
    counters.bursts += 1;
    match cause {
        Cause::Size => counters.by_size += 1,
        Cause::Timer => counters.by_timer += 1,
    }
    counters.packets += u64::from(opened.packets);
    counters.bytes += opened.bytes;
    counters.wait += opened.waited(now);
    let struck = fec.strikes();
    let fibre = &optical.fibres[fec.path[0] as usize];
    let burst = Burst {
        number: optical.released,
        bytes: opened.bytes,
        length: fibre.length(opened.bytes),
        ready: now,
        start: now,
        fec: class,
        packets: opened.packets,
        first: opened.first,
        fibre: fec.path[0],
        hop: 0,
        channel: 0,
        deflections: 0,
        doomed: false,
    };
    optical.released += 1;
    optical.log.release(&burst, fec, (opened.since, now), cause == Cause::Size);
    let id = BurstId(optical.bursts.insert(burst));
    if let Some(synchronization) = &mut fabric.synchronization {
        synchronization.released(class, burst.number, &fabric.packets, burst.first);
    }
    if struck {
        fabric.lose_burst(id, Lost::Random);
    } else if fabric.optical.rules().core.is_packet() {
        packet_core::launch(fabric, id);
    } else {
        send(fabric, id);
    }
}

/// A burst asks for a data channel of the first fibre, an offset from now.
fn send(fabric: &mut Fabric, id: BurstId) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = *optical.bursts.get(id.0);
    let (offset, when_busy) = {
        let spec = &optical.rules().assembly;
        (spec.offset, spec.when_busy)
    };
    let occupied = burst.length + optical.rules().burst_core().guard;
    let number = optical.fecs[burst.fec as usize].path[0];
    let fibre = &mut optical.fibres[number as usize];
    fibre.enter(&burst);
    optical.log.ask(burst.number, number, now);
    if !fibre.up {
        return fabric.lose_burst(id, Lost::Down);
    }
    let Some(ready) = fibre.control.ready(now).filter(|&ready| ready < FAR) else {
        return fabric.lose_burst(id, Lost::Control);
    };
    let mut start = ready + offset;
    fibre.data.forget(now);
    let mut channel = fibre.data.find(Candidates::Any, start, occupied);
    if channel.is_none() && when_busy == WhenBusy::Wait {
        start = fibre.data.earliest(start, occupied);
        channel = fibre.data.find(Candidates::Any, start, occupied);
    }
    let Some(channel) = channel.filter(|_| start < FAR) else {
        return fabric.lose_burst(id, Lost::Ingress);
    };
    fibre.data.book(channel, start, occupied);
    fibre.note(now, id, &burst, (channel, start));
    let burst = optical.bursts.get_mut(id.0);
    (burst.start, burst.channel) = (start, channel);
    if let Some(row) = optical.log.reservation(burst.number) {
        row.granted = Some((channel, start, start + burst.length));
    }
    fabric.granted(id);
    // A header goes ahead by the offset, no more: it waits with a burst that waits for its channel.
    if start > ready + offset {
        fabric.wake(Time(start.0 - offset.0), Event::HeaderDue(id));
    } else {
        burst_core::send_header(fabric, id);
    }
}

/// The last bit of a burst is in: the node that it has reached and its first packet, unless it was lost
/// on the way.
pub fn take_burst(fabric: &mut Fabric, id: BurstId) -> Option<(NodeId, PacketId)> {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = *optical.bursts.get(id.0);
    if burst.doomed {
        fabric.lose_burst(id, Lost::Down);
        return None;
    }
    let fec = &mut optical.fecs[burst.fec as usize];
    let mut passed = u64::from(burst.hop);
    if let Some(fibre) = optical.fibres.get_mut(burst.fibre as usize) {
        fibre.leave(&burst);
        passed += 1;
        if burst.hop == 0 {
            fec.end_first_link(burst.start + fibre.delay, burst.bytes);
        }
    } else {
        optical.beside.leave(&burst);
    }
    let (shortest, node) = (burst.length + fec.delay, fec.egress);
    let counters = fec.counters_of(&burst);
    counters.switched.hops += passed;
    if burst.deflections > 0 {
        // Less than nothing where the shortest way by links takes longer than another.
        let taken = now.since(burst.ready).as_secs_f64();
        counters.switched.cost.add_seconds(taken - shortest.as_secs_f64());
    }
    counters.delivered += 1;
    counters.packets_delivered += u64::from(burst.packets);
    counters.bytes_delivered += burst.bytes;
    if let Some(row) = optical.log.burst(burst.number) {
        row.delivered = Some(now);
    }
    optical.bursts.release(id.0);
    Some((node, burst.first))
}
