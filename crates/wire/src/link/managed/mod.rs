//! Queues that decide when a packet leaves: which packet, whether it is dropped or marked first, and when.
//!
//! Ordinary links compute at once when a packet will reach the far end. Here this is not known before it leaves, so
//! that the packets wait in front of the link, and an event ([`Event::Serve`](crate::event::Event::Serve)) is due each
//! time that the transmitter becomes free and some wait.

#[cfg(test)]
pub(super) mod bench;

use units::{Span, Time};

use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets, Transit};

/// Declares the kinds: their modules, the state of any, and `with!`, which calls a hook of it.
macro_rules! managed {
    ($(mod $module:ident; use $Kind:ident;)+) => {
        $(mod $module; pub(super) use self::$module::$Kind;)+

        /// A queue of any kind.
        #[derive(Debug, Clone)]
        pub(super) enum Any {
            $($Kind($Kind),)+
        }

        macro_rules! with {
            ($any:expr, $queue:ident => $call:expr) => {
                match $any {
                    $(Any::$Kind($queue) => $call,)+
                }
            };
        }
    };
}

managed! {
    mod codel; use Codel;
    mod fq_codel; use FqCodel;
    mod fair; use Fair;
    mod dualpi2; use DualPi2;
    mod shaper; use Shaper;
    mod trimming; use Trimming;
}

/// The packet that leaves, if one does, and whether it is marked.
type Leaving = Option<(PacketId, bool)>;

/// A kind of queue that decides when a packet leaves. What waits has its instant of arrival in
/// [`arrives`](Transit::arrives), and is counted by [`Managed`].
trait Queue {
    /// A packet comes in, for which there is room.
    fn put(&mut self, now: Time, packets: &mut Packets, id: PacketId);

    /// The transmitter is free: what leaves; what is dropped before it goes into `out`.
    fn take(&mut self, now: Time, packets: &mut Packets, out: &mut Discarded) -> Leaving;

    /// Passes every chain of packets that wait.
    fn each_chain(&self, visit: &mut dyn FnMut(&Chain));

    /// From now on what is decided by chance is drawn anew.
    fn branch(&mut self, key: u64);

    /// When the next packet may leave, if one waits.
    fn ready(&mut self, now: Time, _packets: &Packets) -> Time {
        now
    }

    /// Whether there is room for a packet, which `fits` into the limit or not.
    fn room(&self, _packet: &Transit, fits: bool) -> Room {
        if fits { Room::Whole } else { Room::None }
    }

    /// The limit is exceeded: drops some that wait into `out`, if it makes room in this way.
    fn make_room(&mut self, _packets: &mut Packets, _out: &mut Discarded) -> bool {
        false
    }

    /// Whether a packet with data, or without, goes before all that wait in a full queue; none if it keeps waits short
    /// itself.
    fn goes_first(&self, _has_data: bool) -> Option<bool> {
        None
    }
}

/// Whether there is room for a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// There is.
    Whole,
    /// For so many of its bytes.
    Header(u32),
    /// There is none.
    None,
}

/// What tells a packet's flow from others, and its two directions from each other. The hash by which paths are chosen
/// would not do: with spraying, packets of a flow differ in it.
fn flow_of(packets: &Packets, id: PacketId) -> u64 {
    let backward = u64::from(packets.transit(id).marks.has(Marks::BACKWARD));
    u64::from(packets.body(id).flow.0) << 1 | backward
}

/// Packets that are dropped, for whoever owns them.
#[derive(Debug, Clone)]
pub(super) struct Discarded(Chain);

impl Discarded {
    fn push(&mut self, packets: &mut Packets, id: PacketId) {
        self.0.push(packets, id);
    }
}

/// What the queue lets go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    /// Nothing waits.
    Nothing,
    /// A packet may leave at this instant, which is later.
    Later(Time),
    /// A packet, whether it is marked, and how long it has waited.
    Packet(PacketId, bool, Span),
}

/// A queue in front of a link.
#[derive(Debug, Clone)]
pub(super) struct Managed {
    queue: Any,
    /// Its limit, and whether that is in bytes.
    limit: (u64, bool),
    len: u32,
    bytes: u64,
    discarded: Discarded,
    /// When an event is due, [`Time::NEVER`] for none.
    pub(super) wake: Time,
}

impl Managed {
    /// A queue with its limit, and whether that is in bytes.
    pub(super) fn new(queue: Any, limit: (u64, bool)) -> Self {
        let discarded = Discarded(Chain::EMPTY);
        Self { queue, limit, len: 0, bytes: 0, discarded, wake: Time::NEVER }
    }

    /// From now on what is decided by chance is drawn anew.
    pub(super) fn branch(&mut self, key: u64) {
        with!(&mut self.queue, queue => queue.branch(key));
    }

    /// Packets that wait.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A packet comes in, for which there is room.
    pub(super) fn put(&mut self, now: Time, packets: &mut Packets, id: PacketId) {
        packets.transit_mut(id).arrives = now;
        self.len += 1;
        self.bytes += u64::from(packets.transit(id).bytes);
        with!(&mut self.queue, queue => queue.put(now, packets, id));
    }

    /// Whether there is room for a packet; a queue that makes room has some for each.
    pub(super) fn room(&self, packets: &Packets, id: PacketId) -> Room {
        let packet = packets.transit(id);
        let fits = !self.is_above((1, u64::from(packet.bytes)));
        with!(&self.queue, queue => queue.room(packet, fits))
    }

    /// Whether a packet with data, or without, goes before all that wait in a full queue; none if it keeps waits short
    /// itself.
    pub(super) fn goes_first(&self, has_data: bool) -> Option<bool> {
        with!(&self.queue, queue => queue.goes_first(has_data))
    }

    /// Whether more packets, and bytes, are above its limit.
    pub(super) fn is_above(&self, (packets, bytes): (u64, u64)) -> bool {
        let (limit, counts_bytes) = self.limit;
        if counts_bytes {
            self.bytes + bytes > limit
        } else {
            u64::from(self.len) + packets > limit
        }
    }

    /// It drops others, if it does so where it is above its limit.
    pub(super) fn make_room(&mut self, packets: &mut Packets) {
        while self.is_above((0, 0)) {
            let before = (self.discarded.0.len(), self.discarded.0.bytes());
            if !with!(&mut self.queue, queue => queue.make_room(packets, &mut self.discarded)) {
                return;
            }
            self.forget_discarded(before);
        }
    }

    fn forget_discarded(&mut self, before: (u32, u64)) {
        self.len -= self.discarded.0.len() - before.0;
        self.bytes -= self.discarded.0.bytes() - before.1;
    }

    /// The transmitter is free: what leaves.
    pub(super) fn take(&mut self, now: Time, packets: &mut Packets) -> Next {
        let ready = with!(&mut self.queue, queue => queue.ready(now, packets));
        if ready > now {
            return Next::Later(ready);
        }
        let before = (self.discarded.0.len(), self.discarded.0.bytes());
        let taken = with!(&mut self.queue, queue => queue.take(now, packets, &mut self.discarded));
        self.forget_discarded(before);
        let Some((id, marked)) = taken else { return Next::Nothing };
        let transit = packets.transit(id);
        self.len -= 1;
        self.bytes -= u64::from(transit.bytes);
        Next::Packet(id, marked, now.since(transit.arrives))
    }

    /// The next packet that was dropped, with how long it had waited.
    pub(super) fn take_discarded(
        &mut self,
        now: Time,
        packets: &Packets,
    ) -> Option<(PacketId, Span)> {
        let id = self.discarded.0.pop(packets)?;
        Some((id, now.since(packets.transit(id).arrives)))
    }

    /// How long the packets that wait have waited so far, in picoseconds: all together, and the one that has waited
    /// longest.
    pub(super) fn waits(&self, now: Time, packets: &Packets) -> (i128, u64) {
        let (mut sum, mut longest) = (0, 0);
        let mut add = |chain: &Chain| {
            let ids = std::iter::successors(chain.head(), |&id| Some(packets.transit(id).next));
            for id in ids.take(chain.len() as usize) {
                let Span(wait) = now.since(packets.transit(id).arrives);
                sum += i128::from(wait);
                longest = longest.max(wait);
            }
        };
        with!(&self.queue, queue => queue.each_chain(&mut add));
        (sum, longest)
    }
}
