//! The counters of the bursts of a class and of the channels of a fibre, always kept.

use kinds::counters;
use units::Span;

use super::burst::CAUSES;
use super::{Burst, Lost};
use crate::record::Delays;

/// Counters of a forwarding equivalence class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FecCounters {
    /// Bursts released.
    pub bursts: u64,
    /// Of these, released because they were full.
    pub by_size: u64,
    /// Of these, released because the timer expired.
    pub by_timer: u64,
    /// Packets in them.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time that their packets waited in the assembly queue, in picoseconds.
    pub wait: u128,
    /// Bursts lost, by cause, in the order of [`Lost`].
    pub lost: [u64; CAUSES],
    /// Packets lost with them.
    pub packets_lost: u64,
    /// Bursts that reached their egress edge.
    pub delivered: u64,
    /// Packets in them.
    pub packets_delivered: u64,
    /// Their bytes.
    pub bytes_delivered: u64,
    /// The actions of a packet-switched core on them.
    pub switched: SwitchedCounters,
}

/// The actions of a packet-switched core on the optical packets of a class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SwitchedCounters {
    /// Optical packets that were deflected at least once.
    pub deflected: u64,
    /// Deflections.
    pub deflections: u64,
    /// Changes of the wavelength.
    pub converted: u64,
    /// Passages of a delay line.
    pub delayed: u64,
    /// Fibres that delivered ones passed.
    pub hops: u64,
    /// Of the deflected ones that were delivered: their delay in excess of that of the shortest
    /// path.
    pub cost: Delays,
}

impl SwitchedCounters {
    /// Counts a deflection of an optical packet, for the packet and for its class.
    pub fn deflect(&mut self, packet: &mut Burst) {
        self.deflected += u64::from(packet.deflections == 0);
        self.deflections += 1;
        packet.deflections = packet.deflections.saturating_add(1);
    }

    /// The sum with those of another class.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            deflected: self.deflected + other.deflected,
            deflections: self.deflections + other.deflections,
            converted: self.converted + other.converted,
            delayed: self.delayed + other.delayed,
            hops: self.hops + other.hops,
            cost: self.cost.plus(&other.cost),
        }
    }

    /// The counters in a fixed order, for a digest.
    fn words(&self) -> [u64; 7] {
        let &Self { deflected, deflections, converted, delayed, hops, cost } = self;
        [deflected, deflections, converted, delayed, hops, cost.count, cost.sum.to_bits()]
    }
}

impl FecCounters {
    /// Counts a lost burst.
    pub fn lose(&mut self, cause: Lost, packets: u32) {
        self.lost[cause as usize] += 1;
        self.packets_lost += u64::from(packets);
    }

    /// Bursts lost for a cause.
    pub fn lost(&self, cause: Lost) -> u64 {
        self.lost[cause as usize]
    }

    /// Bursts in flight.
    pub fn bursts_inside(&self) -> u64 {
        self.bursts - self.delivered - self.lost.iter().sum::<u64>()
    }

    /// Packets in flight in bursts.
    pub fn packets_inside(&self) -> u64 {
        self.packets - self.packets_delivered - self.packets_lost
    }

    /// The sum with the counters of another class.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            bursts: self.bursts + other.bursts,
            by_size: self.by_size + other.by_size,
            by_timer: self.by_timer + other.by_timer,
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
            wait: self.wait + other.wait,
            lost: std::array::from_fn(|at| self.lost[at] + other.lost[at]),
            packets_lost: self.packets_lost + other.packets_lost,
            delivered: self.delivered + other.delivered,
            packets_delivered: self.packets_delivered + other.packets_delivered,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            switched: self.switched.plus(&other.switched),
        }
    }

    /// The counters in a fixed order, for a digest; with those of a packet-switched core if it is
    /// one.
    pub fn words(&self, packet_core: bool) -> impl Iterator<Item = u64> {
        let &Self {
            bursts,
            by_size,
            by_timer,
            packets,
            bytes,
            wait,
            lost,
            packets_lost,
            delivered,
            packets_delivered,
            bytes_delivered,
            switched,
        } = self;
        #[expect(clippy::cast_possible_truncation, reason = "halves")]
        let halves = [wait as u64, (wait >> 64) as u64];
        let (reserved, of_packets) = (Lost::Deflected as usize, lost.len());
        let by_cause = move |causes: std::ops::Range<usize>| causes.map(move |at| lost[at]);
        [bursts, by_size, by_timer, packets, bytes]
            .into_iter()
            .chain(halves)
            .chain(by_cause(0..reserved))
            .chain([packets_lost, delivered, packets_delivered, bytes_delivered])
            .chain(
                by_cause(reserved..of_packets).chain(switched.words()).filter(move |_| packet_core),
            )
    }
}

counters! {
    /// Counters of one channel of a fibre.
    pub struct ChannelCounters {
        /// Bursts (on a control channel: headers) assigned to it.
        bursts: sum u64,
        /// Their bytes.
        bytes: sum u64,
        /// How long it has been busy, in picoseconds.
        busy: sum u64,
    }
}

impl ChannelCounters {
    /// Counts a number of bytes and their transmission time.
    pub fn add(&mut self, bytes: u64, length: Span) {
        self.bursts += 1;
        self.bytes += bytes;
        self.busy += length.0;
    }
}
