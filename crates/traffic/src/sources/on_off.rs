//! Many alternating ON/OFF components as one source.
//!
//! W. Willinger, M. S. Taqqu, R. Sherman, D. V. Wilson, "Self-similarity through high-variability:
//! statistical analysis of Ethernet LAN traffic at the source level", IEEE/ACM Transactions on
//! Networking 5(1), 1997. The sum of alternating sources is self-similar over long times if ON
//! periods have a heavy tail: a Pareto distribution with shape α gives H = (3 − α) / 2.
//!
//! A component's packets form an endless back-to-back train, of which those that begin while it is
//! ON are sent. When an ON period begins, the train is somewhere in a packet, and the rest of that
//! packet has the residual-life distribution: the mean number of packets that begin in an ON period
//! is then exactly its length over the mean packet (D. R. Cox, "Renewal Theory", 1962, section
//! 4.1). An OFF period that ends before the packet in which it began leaves the train unchanged.
//! The length of longer OFF periods is not kept: the position of the train within a packet at their
//! end is drawn from its distribution.
//!
//! OFF periods are exponential, so a component that is OFF has no memory: the state of the OFF
//! components is their number, and the time when the first of them will be ON. The cost of an offer
//! depends on the components that are ON (logarithmically), not on the total number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::prelude::*;
use crate::pacer::Pacer;

/// The maximum number of ON periods that begin or end between two offers, so that an offer takes a
/// bounded time. If a packet fits into an ON period there are only a few.
const MOST_STEPS: u32 = 100;

/// The shortest ON and OFF periods in the mean: far below it they would vanish in the grain of the
/// clock.
const LEAST_PERIOD_S: f64 = 1e-9;

/// The shortest OFF period over a packet, in the mean: far below it there is no OFF period that a
/// packet does not outlast.
const LEAST_OF_PACKET: f64 = 1e-4;

/// The memory of a running source in bytes, as measured, and of a component of it that is ON.
const BYTES: f64 = 190.0;
const COMPONENT: f64 = 40.0;

/// Many alternating sources in one (Willinger, Taqqu, Sherman and Wilson 1997): each of the
/// components is ON for the time that a drawn number of bytes takes at the peak rate, sends its
/// packets back to back during that time, and is then OFF for an exponential time. A Pareto
/// distribution of ON periods with a shape α between 1 and 2 makes the sum self-similar over
/// long times, with the Hurst parameter (3 − α) / 2.
///
/// The source starts in its steady state. A component's packets form an endless train at the
/// peak rate, of which those that begin while it is ON are sent completely: the mean amount
/// that it sends in an ON period is the mean of `on`, so that `rate` is met for any packet
/// sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OnOff {
    /// The total mean bit rate of the data of all components, headers not counted; below
    /// `components` times `peak`. It sets the mean of the OFF periods.
    #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
    pub rate: MeanRate,
    /// The bit rate of a component while it is ON.
    #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
    pub peak: Rate,
    /// The number of components, independent of each other.
    #[schemars(range(min = 1, max = 100_000))]
    pub components: u32,
    /// The length of an ON period in bytes at the peak rate; its mean must be finite.
    pub on: Size,
    /// The data in a packet; its mean must be finite.
    pub packet: Size,
}

impl OnOff {
    /// The mean ON and OFF periods of each component in seconds: with them a component sends its part of
    /// `rate`, 8 · `on` / (ON + OFF).
    fn mean_periods_s(&self) -> [f64; 2] {
        let bits = 8.0 * self.on.mean();
        let (part, peak) = (self.rate.0 / f64::from(self.components), self.peak.as_f64());
        [bits / peak, bits * (1.0 / part - 1.0 / peak)]
    }

    /// The bytes of a heap of the components that are ON: its capacity doubles, and large capacities are not
    /// touched before they are used.
    fn bytes(&self) -> f64 {
        const LARGE: f64 = 3_000.0;
        let components = f64::from(self.components);
        let duty = (self.rate.0 / (self.peak.as_f64() * components)).min(1.0);
        let on = duty * components;
        let most = on + 2.0 * on.sqrt() + 1.0;
        let room = if most < LARGE { libm::exp2(libm::ceil(libm::log2(most))) } else { most };
        BYTES + room * COMPONENT
    }
}

impl Kind for OnOff {
    fn facts(&self) -> Facts<'_> {
        let rate = RateKey::bits(self.rate);
        let facts = Facts::packets(rate, &self.packet, Variation::Correlated);
        Facts { bytes: self.bytes(), ..facts }
    }

    fn scale(&mut self, by: f64) {
        self.rate = self.rate.scaled(by);
    }

    fn check(&self, problems: &mut Problems) {
        let Self { rate, peak, components, on, packet } = self;
        problems.some_rate(*rate);
        problems.demand(peak.0 > 0, "peak", "a rate of zero never offers anything");
        problems.demand(*components > 0, "components", "must be at least 1");
        problems.size(on, "on");
        problems.size(packet, "packet");
        if !problems.found.is_empty() {
            return;
        }
        problems.demand(
            on.mean().is_finite(),
            "on",
            "the mean size is infinite, so no OFF periods give the bit rate",
        );
        problems.demand(
            packet.mean().is_finite(),
            "packet",
            "the mean size is infinite, so there is no steady state to start in",
        );
        problems.demand(
            rate.0 < peak.as_f64() * f64::from(*components),
            "rate",
            "must lie below the peak rates of all components together",
        );
        if !problems.found.is_empty() {
            return;
        }
        let [on_s, off_s] = self.mean_periods_s();
        problems.demand(
            on_s >= LEAST_PERIOD_S,
            "on",
            "an ON period at the peak rate is shorter than a nanosecond",
        );
        let packet_s = packet.mean() * 8.0 / peak.as_f64();
        problems.demand(
            off_s >= LEAST_PERIOD_S.max(packet_s * LEAST_OF_PACKET),
            "rate",
            "so close to the peak rates of all components that OFF periods are shorter than a \
             nanosecond or than a ten-thousandth of a packet",
        );
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        Some(Offers::OnOff(Box::new(Components::new(self))))
    }
}

/// The components of a running source. Its clock starts with the source.
#[derive(Debug, Clone)]
pub(crate) struct Components {
    on: Size,
    packet: Size,
    peak: Rate,
    mean_off_s: f64,
    /// Whether a packet lasts longer than an OFF period, on average.
    long_packets: bool,
    /// Components that have not begun: all of them before the first offer, none after it.
    asleep: u32,
    /// Components that are OFF.
    off: u32,
    /// When the first of those that are OFF begins to be ON.
    next_on: Time,
    /// Components that are ON, the one whose next packet begins first on top.
    trains: BinaryHeap<Reverse<Train>>,
    /// How many trains there have been.
    number: u64,
    /// When the previous offer was.
    now: Time,
}

/// A component that is ON, or whose last packet is still being sent. The earliest comes first; of
/// two at the same instant, the one that has been ON for longer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Train {
    /// When the packet under way ends and the next one begins.
    next: Time,
    number: u64,
    /// When the ON period ends: a packet that begins at this instant is not sent.
    end: Time,
    pacer: Pacer,
}

impl Components {
    fn new(source: &OnOff) -> Self {
        let [_, mean_off_s] = source.mean_periods_s();
        Self {
            on: source.on.clone(),
            packet: source.packet.clone(),
            peak: source.peak,
            mean_off_s,
            long_packets: source.packet.mean() * 8.0 / source.peak.as_f64() > mean_off_s,
            asleep: source.components,
            off: 0,
            next_on: Time::NEVER,
            trains: BinaryHeap::new(),
            number: 0,
            now: Time::ZERO,
        }
    }

    /// The next offer: one packet. It takes one draw, and some more for each ON period that begins
    /// or ends. Where packets are so much longer than ON periods that thousands of these have none,
    /// the offer is an empty one, [`Offer::NOTHING_YET`], at an instant before which there is no packet.
    #[inline]
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Offer {
        if self.asleep > 0 {
            self.begin(stream);
        }
        for _ in 0..MOST_STEPS {
            let Some(mut top) = self.trains.peek_mut().filter(|top| top.0.next < self.next_on)
            else {
                if self.next_on == Time::NEVER {
                    // The next event is past the largest time.
                    return Offer { after: Span(u64::MAX), bytes: self.packet.draw(stream) };
                }
                self.switch_on(stream);
                continue;
            };
            let train = &mut top.0;
            if train.next < train.end {
                let bytes = self.packet.draw(stream);
                let after = train.next - self.now;
                self.now = train.next;
                train.next = train.next.saturating_add(train.pacer.gap_after(bytes));
                return Offer { after, bytes };
            }
            // An exponential time after the ON period the component is ON again: perhaps while its
            // last packet is still being sent. Otherwise it joins those that are OFF, now that the
            // packet has ended: what is left of its OFF period is exponential again, and the first
            // of them to be ON is the earlier one of the two.
            let again = train.end.saturating_add(off_period(self.mean_off_s, 1, stream));
            if again <= train.next {
                let bytes = Bytes(self.on.draw(stream));
                train.end = again.saturating_add(self.peak.time_to_send(bytes));
            } else {
                PeekMut::pop(top);
                self.off += 1;
                self.next_on = self.next_on.min(again);
            }
        }
        self.nothing_yet()
    }

    /// No packet up to the instant at which the next thing happens.
    #[cold]
    fn nothing_yet(&mut self) -> Offer {
        let train = self.trains.peek().map_or(Time::NEVER, |top| top.0.next);
        let at = train.min(self.next_on);
        let after = at - self.now;
        self.now = at;
        Offer { after, bytes: Offer::NOTHING_YET }
    }

    /// Puts the components into their steady state: each is ON with the probability that it has at
    /// any time, with the rest of its ON period before it.
    #[cold]
    fn begin(&mut self, stream: &mut Stream) {
        let on_s = self.on.mean() * 8.0 / self.peak.as_f64();
        let duty = on_s / (on_s + self.mean_off_s);
        for _ in 0..std::mem::take(&mut self.asleep) {
            if stream.chance(duty) {
                let on = Bytes(self.on.residual(stream));
                let [_, left_s] = self.packet_under_way(stream);
                self.couple(Time::ZERO, on, left_s);
            } else {
                self.off += 1;
            }
        }
        self.next_on = Time::ZERO.saturating_add(off_period(self.mean_off_s, self.off, stream));
    }

    /// The first of the components that are OFF begins to be ON.
    ///
    /// Its train has gone on since a packet ended, for an exponential time: the packet under way is
    /// one of the steady state, but of those that have gone for a while only those are left whose
    /// OFF period has lasted as long, e^(−gone / OFF) of them.
    fn switch_on(&mut self, stream: &mut Stream) {
        let at = self.next_on;
        let on = Bytes(self.on.draw(stream));
        let left_s = if self.long_packets {
            self.left_of_long_packet(stream)
        } else {
            loop {
                let [gone_s, left_s] = self.packet_under_way(stream);
                if stream.chance(libm::exp(-gone_s / self.mean_off_s)) {
                    break left_s;
                }
            }
        };
        self.couple(at, on, left_s);
        self.off -= 1;
        self.next_on = at.saturating_add(off_period(self.mean_off_s, self.off, stream));
    }

    /// The same law where packets are longer than OFF periods, so that hardly any of those under way would be
    /// left: what has gone is exponential, of packets that are longer than that. Of n tries the other way this
    /// one takes n times an OFF period over a packet, in the mean.
    fn left_of_long_packet(&self, stream: &mut Stream) -> f64 {
        loop {
            let gone_s = stream.exponential(self.mean_off_s);
            let packet_s = self.packet.draw(stream) as f64 * 8.0 / self.peak.as_f64();
            if packet_s > gone_s {
                return packet_s - gone_s;
            }
        }
    }

    /// A component is ON from `at` on, `left_s` before its next packet begins.
    fn couple(&mut self, at: Time, on: Bytes, left_s: f64) {
        self.number += 1;
        self.trains.push(Reverse(Train {
            next: at.saturating_add(Span::from_secs_f64(left_s)),
            number: self.number,
            end: at.saturating_add(self.peak.time_to_send(on)),
            pacer: Pacer::new(self.peak),
        }));
    }

    /// The seconds that have gone and that are left of the packet under way in a train that has been
    /// there for long.
    fn packet_under_way(&self, stream: &mut Stream) -> [f64; 2] {
        self.packet.split(stream).map(|bytes| bytes * 8.0 / self.peak.as_f64())
    }
}

/// The time until the first of `off` OFF periods is over; the longest span where there is none.
fn off_period(mean_s: f64, off: u32, stream: &mut Stream) -> Span {
    if off == 0 {
        return Span(u64::MAX);
    }
    Span::from_secs_f64(stream.exponential(mean_s / f64::from(off)))
}
