//! The CIOQ switch: an electronic switch that queues at its inputs, moves cells and queues at its outputs.
//!
//! Store-and-forward: it acts on the **last** bit of a packet, which is when its input line card decides
//! on the output and cuts it into cells. The decisions are those of
//! [`optics::cioq`] and [`optics::anycast`]; the queue at the output is that of the
//! [`Link`](crate::link::Link).
//!
//! Ties: a packet whose last bit is in at the instant at which a slot begins is in for that slot,
//! whatever else happens at that instant; packets whose last cells are in at one instant join their
//! output queues in the order in which the scheduler matched them.

use units::{LinkId, NodeId, Time};

use crate::event::Event;
use crate::fabric::Fabric;
use crate::packet::PacketId;

/// The last bit of a packet is in at a switch, over this link.
#[inline]
pub fn on_last_bit(fabric: &mut Fabric, node: NodeId, number: u32, came_by: LinkId, id: PacketId) {
    let now = fabric.now;
    let picked = fabric.picked(node, came_by, id);
    let transit = fabric.packets.transit(id);
    let switch = &mut fabric.anycast.cioq[number as usize];
    let (input, bytes) = (picked.input, transit.bytes);
    if switch.outlets.looks_at_queues() {
        switch.fabric.advance(now);
    }
    let cells = &switch.fabric;
    let output =
        switch.outlets.choose(picked, transit, |port, _| cells.bytes_in_queue(input, port));
    let card = &mut switch.cards[input as usize];
    card.came(bytes);
    if switch.fabric.bytes_at(input) + u64::from(bytes) > switch.input_buffer {
        card.loses();
        return fabric.lose(id);
    }
    card.joins(bytes, switch.fabric.bytes_for(input, output));
    if let Some(due) = switch.fabric.offer(now, (input, output), id, bytes) {
        arm(fabric, number, due);
    }
}

/// A packet may be through the fabric.
#[inline]
pub fn on_alarm(fabric: &mut Fabric, number: u32) {
    let now = fabric.now;
    let switch = &mut fabric.anycast.cioq[number as usize];
    switch.alarms.retain(|alarm| *alarm != now);
    switch.fabric.advance(now);
    loop {
        let switch = &mut fabric.anycast.cioq[number as usize];
        let Some(done) = switch.fabric.take_done(now) else { break };
        debug_assert_eq!(done.at, now, "a packet is at its output when its last cell is");
        switch.cards[done.input as usize].done(done.cells, now - done.came);
        let link = switch.outlets.link(done.output);
        fabric.send(link, done.packet);
    }
    if let Some(due) = fabric.anycast.cioq[number as usize].fabric.due() {
        arm(fabric, number, due);
    }
}

/// Enters an alarm unless one as early is there: that one will look again.
#[inline]
fn arm(fabric: &mut Fabric, number: u32, due: Time) {
    let alarms = &mut fabric.anycast.cioq[number as usize].alarms;
    if alarms.iter().all(|alarm| due < *alarm) {
        alarms.push(due);
        fabric.wake(due, Event::Cells(number));
    }
}
