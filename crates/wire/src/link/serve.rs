//! Links whose queue decides when a packet leaves.

use kernel::Order;
use units::Time;

use super::managed::{Managed, Next, Room};
use super::{Discipline, Drop, Link, Traits};
use crate::packet::{Marks, PacketId, Packets};

/// What a link did when it was served.
#[derive(Debug, Clone, Copy, Default)]
pub struct Served {
    /// A packet whose transmission has started, and when it came.
    pub sent: Option<(PacketId, Time)>,
    /// Whether it is the only one on the link and must be entered into the agenda.
    pub first: bool,
    /// When the link is to be served again, where no event for that is due before.
    pub wake: Option<Time>,
}

impl Link {
    /// Whether its queue decides when a packet leaves.
    #[inline]
    pub fn is_managed(&self) -> bool {
        self.traits.has(Traits::MANAGED)
    }

    pub(super) fn managed(&self) -> Option<&Managed> {
        match &self.rare.discipline {
            Discipline::Managed(managed) => Some(managed),
            _ => None,
        }
    }

    fn managed_mut(&mut self) -> Option<&mut Managed> {
        match &mut self.rare.discipline {
            Discipline::Managed(managed) => Some(managed),
            _ => None,
        }
    }

    /// Puts a packet into the queue at `now`, and returns the bytes that were cut off, if any, or why it is dropped. If it
    /// is not, the link is to be [served](Self::serve).
    #[cold]
    pub fn put(
        &mut self,
        now: Time,
        packets: &mut Packets,
        packet: PacketId,
    ) -> Result<Option<u32>, Drop> {
        let bytes = packets.transit(packet).bytes;
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        if !self.is_up() {
            return Err(self.refuse(Drop::Down, bytes));
        }
        let managed = self.managed_mut().expect("its queue decides when a packet leaves");
        let cut = match managed.room(packets, packet) {
            Room::Whole => None,
            Room::Header(left) => Some(packets.trim(packet, left)),
            Room::None => return Err(self.refuse(Drop::Full, bytes)),
        };
        managed.put(now, packets, packet);
        // What is dropped may be smaller than what came.
        managed.make_room(packets);
        if let Some(cut) = cut {
            let counters = &mut self.rare.counters;
            counters.trimmed += 1;
            counters.bytes_dropped += u64::from(cut);
        }
        Ok(cut)
    }

    /// Sends the next packet if the transmitter is free, under a reserved place in the agenda. Packets that the queue
    /// has dropped are to be [taken](Self::take_discarded) afterwards.
    #[cold]
    pub fn serve(&mut self, now: Time, packets: &mut Packets, order: Order) -> Served {
        let (is_up, free_at) = (self.is_up(), self.free_at);
        let Some(managed) = self.managed_mut().filter(|_| is_up) else { return Served::default() };
        if managed.wake <= now {
            managed.wake = Time::NEVER;
        }
        let next = if free_at > now { Next::Later(free_at) } else { managed.take(now, packets) };
        let mut served = Served::default();
        let again = match next {
            Next::Nothing => return served,
            Next::Later(at) => at,
            Next::Packet(packet, mark, wait) => {
                let counters = &mut self.rare.counters;
                counters.wait_max = counters.wait_max.max(wait.0);
                counters.waited += 1;
                counters.wait_sum += i128::from(wait.0);
                counters.marked += u64::from(mark);
                self.idle += now - self.free_at;
                self.free_at = now;
                let transit = packets.transit_mut(packet);
                if mark {
                    transit.marks.0 |= Marks::CONGESTION_EXPERIENCED;
                }
                let bytes = transit.bytes;
                served.first = self.send_off(packets.split_mut().0, packet, bytes, order);
                served.sent = Some((packet, Time(now.0 - wait.0)));
                self.free_at
            }
        };
        let managed = self.managed_mut().expect("it was there");
        if managed.len() > 0 && again < managed.wake {
            managed.wake = again;
            served.wake = Some(again);
        }
        served
    }

    /// The next packet that the queue has dropped, and when it had come.
    #[cold]
    pub fn take_discarded(&mut self, now: Time, packets: &Packets) -> Option<(PacketId, Time)> {
        let (packet, wait) = self.managed_mut()?.take_discarded(now, packets)?;
        self.rare.counters.waited += 1;
        self.rare.counters.wait_sum += i128::from(wait.0);
        self.drop(Drop::Early, packets.transit(packet).bytes);
        Some((packet, Time(now.0 - wait.0)))
    }
}
