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

use crate::anycast::{Arrears, CioqNode};
use crate::event::Event;
use crate::fabric::Fabric;
use crate::packet::PacketId;
use crate::record::trace::Cause;

/// The last bit of a packet is in at a switch, over this link.
#[inline]
pub fn on_last_bit(fabric: &mut Fabric, node: NodeId, number: u32, came_by: LinkId, id: PacketId) {
    let now = fabric.now;
    let picked = fabric.picked(node, came_by, id);
    if fabric.anycast.cioq[number as usize].outlets.looks_at_queues() {
        catch_up(fabric, number);
    }
    let transit = fabric.packets.transit(id);
    let CioqNode { fabric: cells, outlets, input_buffer, .. } =
        &mut fabric.anycast.cioq[number as usize];
    let (input, bytes) = (picked.input, transit.bytes);
    let output = outlets.choose(picked, transit, |port, _| cells.bytes_in_queue(input, port));
    // Before a packet is lost, what others have left behind is looked at.
    let full = cells.bytes_at(input) + u64::from(bytes) > *input_buffer;
    if full || !cells.waits_behind(now, input, output) {
        catch_up(fabric, number);
    }
    let CioqNode { fabric: cells, cards, input_buffer, .. } =
        &mut fabric.anycast.cioq[number as usize];
    let card = &mut cards[input as usize];
    card.came(bytes);
    if cells.bytes_at(input) + u64::from(bytes) > *input_buffer {
        card.loses();
        let link = fabric.anycast.cioq[number as usize].outlets.link(output);
        return fabric.refuse(id, (link, now), Cause::LineCard);
    }
    card.joins(bytes, cells.bytes_for(input, output));
    if let Some(end) = cells.offer(now, (input, output), id, bytes) {
        let busy = busy(fabric, &fabric.anycast.cioq[number as usize], output);
        let due = end.max(busy);
        arm(fabric, number, due);
    }
}

/// A packet may be through the fabric.
///
/// Each packet has an alarm no later than the instant at which it must join the queue of its output, or
/// one ahead of it with the same output has. So nothing is to be entered when others are through early;
/// when an alarm rings, there may be packets that it was for but are not through.
#[inline]
pub fn on_alarm(fabric: &mut Fabric, number: u32) {
    let alarm = fabric.anycast.cioq[number as usize].alarms.pop();
    debug_assert_eq!(alarm, Some(fabric.now), "the first alarm rings");
    catch_up(fabric, number);
    let switch = &fabric.anycast.cioq[number as usize];
    if let Some(due) = switch.fabric.due(|output| busy(fabric, switch, output)) {
        arm(fabric, number, due);
    }
}

/// Settles the slots that are over, and lets packets that are through join the queues of their outputs.
/// When it is done changes no run.
#[inline]
pub fn catch_up(fabric: &mut Fabric, number: u32) {
    let now = fabric.now;
    fabric.anycast.cioq[number as usize].fabric.advance(now);
    loop {
        let switch = &mut fabric.anycast.cioq[number as usize];
        let Some(done) = switch.fabric.take_done(now) else { return };
        switch.cards[done.input as usize].done(done.cells, done.at - done.came);
        let link = switch.outlets.link(done.output);
        debug_assert!(
            done.at == now || fabric.links[link.index()].free_at() >= now,
            "what joins in arrears finds the link busy"
        );
        fabric.join(link, done.at, done.packet);
    }
}

/// Until when a packet that is through may join the queue of its output in arrears.
///
/// It waits there anyway as long as the link is busy with others, and a link computes when a packet leaves
/// from when it joined. Only a queue that may be full meanwhile must know at once, or one that does more
/// than drop at the tail.
#[inline]
fn busy(fabric: &Fabric, switch: &CioqNode, output: u32) -> Time {
    let (now, link) = (fabric.now, &fabric.links[switch.outlets.link(output).index()]);
    let Arrears { span, bytes, packets } = switch.arrears;
    let has_room = link.has_room(bytes, packets)
        || link.has_room_after_arrivals(now, (bytes, packets), &fabric.packets);
    if has_room { link.free_at().min(now + span) } else { Time::ZERO }
}

/// Enters an alarm unless one as early is there: that one will look again.
#[inline]
fn arm(fabric: &mut Fabric, number: u32, due: Time) {
    let alarms = &mut fabric.anycast.cioq[number as usize].alarms;
    if alarms.last().is_none_or(|first| due < *first) {
        alarms.push(due);
        fabric.wake(due, Event::Cells(number));
    }
}
