//! CoDel (RFC 8289): packets are dropped, or marked, when the time that they wait has been above a target for an
//! interval; the next ones the sooner, the more there were.
//!
//! The names in brackets are those of the pseudo-code in section 5.

use units::{Span, Time};

use super::Discarded;
use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets};

/// Within so many intervals a queue that begins to drop again goes on where it stopped (section 5.6).
const MEMORY: u64 = 16;

/// The parameters of CoDel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// `TARGET`.
    pub(super) target: Span,
    /// `INTERVAL`.
    pub(super) interval: Span,
    /// Whether packets that can carry a mark are marked.
    pub(super) ecn: bool,
}

/// The state of one queue.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Codel {
    count: u64,
    last_count: u64,
    dropping: bool,
    drop_next: Time,
    first_above: Option<Time>,
    /// The largest packet so far (`maxpacket`).
    largest: u64,
}

impl Codel {
    /// The packet that leaves next, and whether it is marked; packets that are dropped before it are discarded.
    pub(super) fn take(
        &mut self,
        terms: &Terms,
        now: Time,
        (queue, packets): (&mut Chain, &mut Packets),
        discarded: &mut Discarded,
    ) -> Option<(PacketId, bool)> {
        let (mut next, mut is_above) = self.next(terms, now, queue, packets);
        if self.dropping {
            self.dropping &= is_above;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if let Some(marked) = Self::marked(terms, next, packets) {
                    self.drop_next = control_law(self.drop_next, terms, self.count);
                    return Some(marked);
                }
                discarded.push(packets, next?);
                (next, is_above) = self.next(terms, now, queue, packets);
                self.dropping = is_above;
                if is_above {
                    self.drop_next = control_law(self.drop_next, terms, self.count);
                }
            }
        } else if is_above {
            let marked = Self::marked(terms, next, packets);
            if marked.is_none() {
                discarded.push(packets, next?);
                next = self.next(terms, now, queue, packets).0;
            }
            self.dropping = true;
            let delta = self.count.saturating_sub(self.last_count);
            let is_recent = now.since(self.drop_next).0 < MEMORY * terms.interval.0;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = control_law(now, terms, self.count);
            self.last_count = self.count;
            if marked.is_some() {
                return marked;
            }
        }
        next.map(|id| (id, false))
    }

    /// The packet, marked, where it can carry a mark and marks are used.
    fn marked(terms: &Terms, id: Option<PacketId>, packets: &Packets) -> Option<(PacketId, bool)> {
        let capable = |id: &PacketId| packets.transit(*id).marks.has(Marks::ECN_CAPABLE);
        id.filter(capable).filter(|_| terms.ecn).map(|id| (id, true))
    }

    /// `dodequeue`: the next packet, and whether it may be dropped (`ok_to_drop`).
    fn next(
        &mut self,
        terms: &Terms,
        now: Time,
        queue: &mut Chain,
        packets: &Packets,
    ) -> (Option<PacketId>, bool) {
        let Some(id) = queue.pop(packets) else {
            self.first_above = None;
            return (None, false);
        };
        let transit = packets.transit(id);
        self.largest = self.largest.max(u64::from(transit.bytes));
        if now.since(transit.arrives) < terms.target || queue.bytes() <= self.largest {
            self.first_above = None;
            return (Some(id), false);
        }
        let since = *self.first_above.get_or_insert(now.saturating_add(terms.interval));
        (Some(id), now >= since)
    }
}

/// `control_law`: the next drop is an interval over the square root of the count later.
fn control_law(at: Time, terms: &Terms, count: u64) -> Time {
    at.saturating_add(terms.interval.scaled(1.0 / libm::sqrt(count as f64)))
}
