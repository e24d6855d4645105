//! A hybrid opto-electronic switch: it acts on the **first** bit of a packet (cut-through).
//!
//! A packet whose azimuth is free passes as light and holds it for its length. One whose azimuth is
//! busy goes to the shared buffer, if an electronic input is free, and is sent again from there; else
//! it is lost. [`optics::HybridSwitch`] has the rules of the buffer.
//!
//! Ties: a packet that waits goes before one that comes at the same instant, so whoever comes first
//! lets the buffer send what it can. While the head of an azimuth's queue is not stored yet, or no
//! electronic output is free, the azimuth is free for light.
//!
//! Assumptions: reading a header and setting the switch take no time; a link that fails does not cut
//! a packet whose first bit has passed it; what waits for an azimuth that is down stays.

use optics::Fate;
use units::{LinkId, NodeId, Time};

use crate::event::Event;
use crate::fabric::Fabric;
use crate::hybrid::HybridNode;
use crate::link::{Drop, Link};
use crate::packet::PacketId;
use crate::record::trace::Cause;

/// The first bit of a packet is at a switch.
#[inline]
pub fn on_first_bit(fabric: &mut Fabric, node: NodeId, number: u32, id: PacketId) {
    let link = fabric.next_link(node, id);
    // Nothing may leave the buffer before the alarm that is entered.
    if fabric.hybrids.nodes[number as usize].armed <= fabric.now {
        serve(fabric, number);
    }
    let bytes = fabric.packets.transit(id).bytes;
    let azimuth = &fabric.links[link.index()];
    let counters = &mut fabric.hybrids.nodes[number as usize].counters;
    counters.packets_in += 1;
    if !azimuth.is_up() {
        counters.lost_down += 1;
    } else if azimuth.free_at() > fabric.now {
        return contend(fabric, number, link, id);
    } else {
        counters.packets_through += 1;
        counters.bytes_through += u64::from(bytes);
    }
    fabric.send(link, id);
}

/// A packet finds its azimuth busy.
fn contend(fabric: &mut Fabric, number: u32, link: LinkId, id: PacketId) {
    let now = fabric.now;
    let bytes = fabric.packets.transit(id).bytes;
    let length = fabric.links[link.index()].time_to_send(bytes);
    let azimuth = fabric.hybrids.azimuth_of(link);
    let HybridNode { switch, counters, .. } = &mut fabric.hybrids.nodes[number as usize];
    let fate = switch.store(now, id, azimuth, (length, bytes));
    match fate {
        Fate::Stored => {
            counters.packets_buffered += 1;
            counters.bytes_buffered += u64::from(bytes);
            counters.buffer_max = counters.buffer_max.max(switch.len());
            counters.buffer_max_bytes = counters.buffer_max_bytes.max(switch.bytes());
            arm(fabric, number);
            return;
        }
        Fate::NoPort => counters.lost_ports += 1,
        Fate::Full => counters.lost_full += 1,
    }
    fabric.links[link.index()].turn_away(bytes);
    fabric.refuse(id, (link, now), Cause::Link(Drop::Contention));
}

/// The buffer of a switch may have something to send.
pub fn on_alarm(fabric: &mut Fabric, number: u32) {
    let node = &mut fabric.hybrids.nodes[number as usize];
    if node.armed == fabric.now {
        node.armed = Time::NEVER;
    }
    serve(fabric, number);
}

/// The buffer sends what it can.
pub fn serve(fabric: &mut Fabric, number: u32) {
    let now = fabric.now;
    loop {
        let HybridNode { switch, counters, azimuths, .. } =
            &mut fabric.hybrids.nodes[number as usize];
        let Some(stored) = switch.release(now, free_at(&fabric.links, azimuths)) else { break };
        counters.release(now - stored.came);
        let link = azimuths[stored.azimuth as usize];
        fabric.send(link, stored.packet);
    }
    arm(fabric, number);
}

/// Enters an alarm unless an earlier one is there: that one will look again.
fn arm(fabric: &mut Fabric, number: u32) {
    let HybridNode { switch, azimuths, armed, .. } = &mut fabric.hybrids.nodes[number as usize];
    let due = switch.due(free_at(&fabric.links, azimuths));
    if let Some(due) = due.filter(|due| due < armed) {
        *armed = due;
        fabric.wake(due, Event::Buffer(number));
    }
}

/// When an azimuth is free, never while it is down.
fn free_at(links: &[Link], azimuths: &[LinkId]) -> impl Fn(u32) -> Time {
    |azimuth| {
        let link = &links[azimuths[azimuth as usize].index()];
        if link.is_up() { link.free_at() } else { Time::NEVER }
    }
}
