//! What racks have in common, whatever leads on from them: what has room in their queues, and what is marked there.

use plan::check::{Findings, Flaw};
use units::Bytes;
use wire::chain::Chain;
use wire::context::Context;
use wire::packet::{Marks, PacketId};

/// What has room in a queue, and what is marked, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueLimits {
    /// Its capacity.
    pub capacity: u64,
    /// A packet with ECN that finds more than that is marked.
    pub mark_above: u64,
}

impl QueueLimits {
    /// A packet joins a queue now: whether it was marked, or none if it has no room.
    pub(super) fn join(
        self,
        context: &mut Context,
        queue: &mut Chain,
        id: PacketId,
    ) -> Option<bool> {
        let now = context.now();
        let packets = context.packets_mut();
        let transit = packets.transit_mut(id);
        if queue.bytes() + u64::from(transit.bytes) > self.capacity {
            return None;
        }
        transit.arrives = now;
        let is_marked = queue.bytes() > self.mark_above && transit.marks.has(Marks::ECN_CAPABLE);
        if is_marked {
            transit.marks.0 |= Marks::CONGESTION_EXPERIENCED;
        }
        queue.push(packets, id);
        Some(is_marked)
    }
}

/// A queue holds a packet, and marks before it is full.
pub(super) fn check(
    (key, limit): (&'static str, Bytes),
    (mark_key, mark_above): (&'static str, Option<Bytes>),
    packet: Bytes,
    to: &mut dyn Findings,
) {
    if limit < packet {
        let flaw = Flaw::new(key, "less than a packet").found(limit.to_string());
        to.mistake(flaw.accepted(format!("at least {packet}")), key);
    }
    if let Some(above) = mark_above.filter(|above| *above >= limit) {
        let name = key.rsplit('.').next().expect("a key has a name");
        let flaw = Flaw::new(mark_key, "never reached").found(above.to_string());
        to.mistake(flaw.accepted(format!("less than {name}, {limit}")), mark_key);
    }
}

/// Keys without effect where the choice of a path is that of a rack.
pub(super) fn no_choice_of_paths(why: &str, to: &mut dyn Findings) {
    let traffic = (0..).map(|at| format!("traffic.{at}.transport"));
    let traffic: Vec<String> = traffic.take_while(|key| to.is_written(key)).collect();
    let sprayed = traffic
        .iter()
        .flat_map(|key| ["spraying", "entropies"].map(|name| format!("{key}.{name}")));
    let routing = ["spread", "flowlet-gap"].map(|name| format!("routing.{name}"));
    for key in routing.into_iter().chain(sprayed) {
        to.no_effect(&key, why);
    }
}
