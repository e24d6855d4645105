//! The window that a receiver offers: all of it from the start, or growing with what arrives, as kernels let
//! their buffers grow (dynamic right-sizing: Fisk and Feng, *Dynamic right-sizing in TCP*, 2001; Linux,
//! `tcp_rcv_space_adjust` as of 4.18 to 6.14).
//!
//! A round is a round trip as the receiver sees it: with timestamps it ends with the first data in order
//! that echo an instant within it, without them when a window of data has been delivered (both as in Linux,
//! which estimates the round-trip time of it). A round that delivers more than every one before lets the
//! window grow to twice as much and sixteen segments, so that the sender may send for a round trip what it
//! sends in this one while losses hold data up for another; and to more in proportion to how much more it
//! is, so that slow start is not held up.
//!
//! The window changes with data in order alone: acknowledgments that do not advance have the same window,
//! as RFC 5681 section 2 wants duplicates to have. It never shrinks, and neither does its end (RFC 9293
//! section 3.8.6).
//!
//! Not modelled: the kernel's own share of the memory, and `tcp_grow_window`, by which the advertised
//! window grows by two segments for each that arrives.

use units::Time;

use crate::segment::UNLIMITED_WINDOW;
use crate::tcp::config::{Config, ReceiveWindowGrowth};

/// The segments of the first round, whatever it delivers (`TCP_INIT_CWND`).
const FIRST_ROUND: u64 = 10;
/// Segments beyond twice what a round delivers.
const CUSHION: u64 = 16;

/// The window of a receiver, in octets.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    window: u64,
    /// What lets it grow, where it does.
    growth: Option<Box<Growth>>,
}

/// How the window grows with what arrives.
#[derive(Clone, Debug)]
struct Growth {
    /// The largest window, [`u64::MAX`] without a limit.
    most: u64,
    segment: u64,
    timestamps: bool,
    /// The most that a round delivered.
    delivered: u64,
    /// Where this round began: the octet expected next, and the instant.
    from: u64,
    since: Time,
}

impl Offer {
    pub(super) fn new(config: &Config) -> Self {
        let window = config.first_receive_window();
        let most = match config.receive_window_growth {
            ReceiveWindowGrowth::Fixed => window,
            ReceiveWindowGrowth::Dynamic => config.receive_window.0,
        };
        let segment = config.segment.0;
        let growth = Growth {
            most,
            segment,
            timestamps: config.timestamps,
            delivered: (FIRST_ROUND * segment).min(window),
            from: 0,
            since: Time::ZERO,
        };
        Self { window, growth: (window < most).then(|| Box::new(growth)) }
    }

    /// The window field of a segment.
    pub(super) fn field(&self) -> u32 {
        u32::try_from(self.window).unwrap_or(UNLIMITED_WINDOW)
    }

    /// Everything below `next` is delivered, by a segment that echoes the instant `echo`.
    #[inline]
    pub(super) fn on_delivered(&mut self, now: Time, next: u64, echo: Time) {
        if let Some(growth) = &mut self.growth
            && self.window < growth.most
        {
            self.window = growth.follow(self.window, now, (next, echo));
        }
    }
}

impl Growth {
    /// The window, which was so large, after everything below `next` is delivered by a segment that echoes `echo`.
    fn follow(&mut self, mut window: u64, now: Time, (next, echo): (u64, Time)) -> u64 {
        let octets = next - self.from;
        let is_over = if self.timestamps {
            echo != Time::NEVER && echo >= self.since
        } else {
            octets >= window
        };
        if !is_over {
            return window;
        }
        if octets > self.delivered {
            window = self.wanted(octets).clamp(window, self.most);
            self.delivered = octets;
        }
        (self.from, self.since) = (next, now);
        window
    }

    /// The window for rounds of so many octets, more than before.
    fn wanted(&self, octets: u64) -> u64 {
        let steady = 2 * u128::from(octets) + u128::from(CUSHION * self.segment);
        let more = u128::from(octets - self.delivered);
        let growth = 2 * steady * more / u128::from(self.delivered);
        u64::try_from(steady + growth).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use units::{Bytes, Span};

    use super::*;
    use crate::profile::Profile;
    use crate::tcp::config::{TcpOptions, resolve};
    use crate::window_size::WindowSize;

    fn offer(timestamps: bool) -> Offer {
        let options = TcpOptions {
            segment: Some(Bytes(1000)),
            timestamps: Some(timestamps),
            ..TcpOptions::default()
        };
        Offer::new(&resolve(Profile::Modern, &options).unwrap())
    }

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_ms(millis)
    }

    #[test]
    fn it_begins_with_what_a_syn_can_say_and_ends_with_the_largest() {
        let mut offer = offer(true);
        assert_eq!(offer.field(), 65_535);
        offer.on_delivered(ms(50), 1000, ms(0));
        offer.on_delivered(ms(100), 100_000_000, ms(50));
        assert_eq!(offer.field(), 6_291_456, "6 MiB");
    }

    #[test]
    fn a_round_that_delivers_more_lets_it_grow_to_twice_as_much_and_a_cushion_and_its_growth() {
        let mut offer = offer(true);
        // Echoes of what was sent before this round began do not end it.
        offer.on_delivered(ms(50), 1000, ms(0));
        offer.on_delivered(ms(60), 31_000, ms(49));
        assert_eq!(offer.field(), 65_535);
        // 30 kB where the largest round before is taken as ten segments: 2 · 30 + 16 kB = 76 kB, and twice
        // 76 · (30 − 10)/10 kB on top.
        offer.on_delivered(ms(100), 31_000, ms(50));
        assert_eq!(offer.field(), 76_000 + 2 * 152_000);
        // 33 kB: 82 kB and twice a tenth of it are less than that.
        offer.on_delivered(ms(150), 64_000, ms(100));
        assert_eq!(offer.field(), 380_000);
        // 330 kB: 676 kB, and twice nine times as much: the largest.
        offer.on_delivered(ms(200), 394_000, ms(150));
        assert_eq!(offer.field(), 6_291_456);
    }

    #[test]
    fn without_timestamps_a_round_is_a_window_of_data() {
        let mut offer = offer(false);
        offer.on_delivered(ms(50), 65_000, ms(50));
        assert_eq!(offer.field(), 65_535);
        offer.on_delivered(ms(60), 66_000, ms(50));
        assert!(offer.field() > 2 * 66_000);
    }

    proptest! {
        #[test]
        fn it_never_shrinks_and_never_passes_the_largest(
            steps in prop::collection::vec((1..3_000_000u64, 0..200u64, 0..400u64), 1..50),
            timestamps in any::<bool>(),
            most in prop::option::of(1..100_000u64),
        ) {
            let options = TcpOptions {
                segment: Some(Bytes(1000)),
                timestamps: Some(timestamps),
                receive_window: Some(most.map_or(WindowSize::Unlimited, WindowSize::Segments)),
                ..TcpOptions::default()
            };
            let mut offer = Offer::new(&resolve(Profile::Modern, &options).unwrap());
            let (mut now, mut next) = (Time::ZERO, 0);
            for (octets, wait, age) in steps {
                let before = offer.window;
                now += Span::from_ms(wait);
                next += octets;
                let echo = Time(now.0.saturating_sub(Span::from_ms(age).0));
                offer.on_delivered(now, next, echo);
                prop_assert!(offer.window >= before);
                prop_assert!(offer.window <= most.map_or(u64::MAX, |segments| segments * 1000));
            }
        }
    }
}
