//! The policies decide as their twins do, and as they must in cases worked by hand.

use proptest::prelude::*;
use units::{Span, Time};

use super::twin::Twin;
use super::{at, stream, us};
use crate::{Candidates, Channels, Scheduling};

const POLICIES: [Scheduling; 4] =
    [Scheduling::LaucVf, Scheduling::LaucVfOneVoid, Scheduling::Lauc, Scheduling::FirstFit];

/// One burst: how much later its header comes than the one before, how far ahead it starts, how
/// long it lasts, whether it wants one channel alone, whether it waits for a channel, and whether
/// what is over is forgotten before.
#[derive(Debug, Clone)]
struct Step {
    later: u64,
    ahead: u64,
    length: u64,
    only: Option<u16>,
    waits: bool,
    forgets: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step =
        (0..12_u64, 0..150_u64, 1..25_u64, prop::option::of(0..7_u16), any::<(bool, bool)>());
    let step = step.prop_map(|(later, ahead, length, only, (waits, forgets))| Step {
        later,
        ahead,
        length,
        only,
        waits,
        forgets,
    });
    prop::collection::vec(step, 1..200)
}

/// Channels and twin, side by side.
struct Pair {
    ours: Channels,
    twin: Twin,
    now: Time,
}

impl Pair {
    fn new(scheduling: Scheduling, channels: u32) -> Self {
        let twin = Twin::new(scheduling, channels);
        Self { ours: Channels::new(scheduling, channels), twin, now: Time::ZERO }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        self.now += Span(step.later);
        if step.forgets {
            self.ours.forget(self.now);
        }
        let start = self.now + Span(step.ahead);
        let length = Span(step.length);
        let candidates = step.only.map_or(Candidates::Any, Candidates::Only);
        let found = self.ours.find(candidates, start, length);
        prop_assert_eq!(found, self.twin.find(candidates, start, length));
        let earliest = self.ours.earliest(start, length);
        prop_assert_eq!(earliest, self.twin.earliest(start, length));
        for look in [self.now, start, start + length] {
            prop_assert_eq!(self.ours.busy(look), self.twin.busy(look));
        }
        if let Some(channel) = found {
            self.book(channel, start, length);
        } else if step.waits {
            let channel = self.ours.find(Candidates::Any, earliest, length);
            prop_assert!(channel.is_some());
            self.book(channel.unwrap(), earliest, length);
        }
        Ok(())
    }

    fn book(&mut self, channel: u16, start: Time, length: Span) {
        self.ours.book(channel, start, length);
        self.twin.book(channel, start, length);
    }
}

proptest! {
    #[test]
    fn every_policy_decides_as_its_twin(channels in 1..6_u32, steps in steps()) {
        for scheduling in POLICIES {
            let mut pair = Pair::new(scheduling, channels);
            for step in &steps {
                pair.take(step)?;
            }
            prop_assert!(pair.twin.is_sound());
        }
    }
}

/// Hundreds of voids at once, so that the index of LAUC-VF has many parts, and thousands of bursts,
/// so that they grow and shrink.
#[test]
fn every_policy_decides_as_its_twin_with_many_channels_and_deep_reservations() {
    for scheduling in POLICIES {
        let mut draws = stream("deep");
        let mut pair = Pair::new(scheduling, 24);
        for burst in 0..3_000_u64 {
            // The load rises and falls, so that the number of reservations does.
            let crowd = 1 + burst / 500 % 3;
            let step = Step {
                later: draws.below(40 / crowd),
                ahead: draws.below(4_000),
                length: 1 + draws.below(500),
                only: None,
                waits: draws.chance(0.1),
                forgets: draws.chance(0.5),
            };
            pair.take(&step).unwrap();
        }
        assert!(pair.twin.is_sound());
    }
}

/// Books [start, end) in microseconds.
fn book(channels: &mut Channels, channel: u16, start: u64, end: u64) {
    channels.book(channel, at(start), us(end - start));
}

/// Four channels, in microseconds.
///
/// - 0: reserved [0, 20), free from 20 on
/// - 1: reserved [0, 30) and [50, 60): a void [30, 50)
/// - 2: reserved [0, 34) and [44, 55): a void [34, 44)
/// - 3: reserved [0, 36), free from 36 on
fn four_channels(scheduling: Scheduling) -> Channels {
    let mut channels = Channels::new(scheduling, 4);
    for (channel, end) in [(0, 20), (1, 30), (2, 34), (3, 36)] {
        book(&mut channels, channel, 0, end);
    }
    book(&mut channels, 1, 50, 60);
    book(&mut channels, 2, 44, 55);
    channels
}

#[test]
fn each_policy_takes_its_channel() {
    let find = |scheduling, start, end: u64| {
        four_channels(scheduling).find(Candidates::Any, at(start), us(end - start))
    };
    // [35, 45): not in the void of 2, which ends at 44; 3 is reserved until 36.
    assert_eq!(find(Scheduling::LaucVf, 35, 45), Some(1));
    assert_eq!(find(Scheduling::LaucVfOneVoid, 35, 45), Some(1));
    assert_eq!(find(Scheduling::Lauc, 35, 45), Some(0));
    assert_eq!(find(Scheduling::FirstFit, 35, 45), Some(0));
    // [35, 44): fits into the void of 2 to the last picosecond.
    assert_eq!(find(Scheduling::LaucVf, 35, 44), Some(2));
    // [36, 90): only behind the last reservations; 3 ends where it starts.
    assert_eq!(find(Scheduling::LaucVf, 36, 90), Some(3));
    assert_eq!(find(Scheduling::Lauc, 36, 90), Some(3));
    // [10, 12): all are reserved.
    for scheduling in POLICIES {
        assert_eq!(find(scheduling, 10, 12), None);
    }
}

#[test]
fn on_a_tie_the_lowest_channel_is_taken() {
    for scheduling in POLICIES {
        let mut channels = Channels::new(scheduling, 3);
        assert_eq!(channels.find(Candidates::Any, at(5), us(1)), Some(0));
        for channel in [2, 1, 0] {
            book(&mut channels, channel, 0, 10);
        }
        assert_eq!(channels.find(Candidates::Any, at(12), us(1)), Some(0));
    }
}

#[test]
fn a_channel_is_free_at_the_instant_at_which_its_reservation_ends() {
    for scheduling in POLICIES {
        let mut channels = Channels::new(scheduling, 1);
        book(&mut channels, 0, 0, 10);
        assert_eq!(channels.find(Candidates::Any, Time(at(10).0 - 1), us(1)), None);
        assert_eq!(channels.find(Candidates::Any, at(10), us(1)), Some(0));
        assert_eq!(channels.busy(Time(at(10).0 - 1)), 1);
        assert_eq!(channels.busy(at(10)), 0);
    }
}

/// Reservations [10, 20), [30, 40), [50, 60): the voids [20, 30) and [40, 50) lie between them.
#[test]
fn one_void_forgets_the_earlier_of_two() {
    let channels = |scheduling| {
        let mut channels = Channels::new(scheduling, 1);
        for start in [10, 30, 50] {
            book(&mut channels, 0, start, start + 10);
        }
        channels
    };
    let any = Candidates::Any;
    let all = channels(Scheduling::LaucVf);
    let one = channels(Scheduling::LaucVfOneVoid);
    assert_eq!(all.find(any, at(22), us(5)), Some(0));
    assert_eq!(one.find(any, at(22), us(5)), None);
    assert_eq!(one.find(any, at(42), us(5)), Some(0));
    assert_eq!(one.earliest(at(22), us(5)), at(40));
    assert_eq!(all.earliest(at(27), us(5)), at(40));
}

/// A burst [43, 45) in the void [40, 50): [45, 50) stays, [40, 43) is forgotten.
#[test]
fn one_void_keeps_what_lies_behind_a_burst_in_it() {
    let mut channels = Channels::new(Scheduling::LaucVfOneVoid, 1);
    book(&mut channels, 0, 30, 40);
    book(&mut channels, 0, 50, 60);
    book(&mut channels, 0, 43, 45);
    assert_eq!(channels.find(Candidates::Any, at(40), us(2)), None);
    assert_eq!(channels.find(Candidates::Any, at(45), us(5)), Some(0));
    // A burst that touches the last one opens no void and leaves this one as it is.
    book(&mut channels, 0, 60, 70);
    assert_eq!(channels.find(Candidates::Any, at(45), us(5)), Some(0));
}

/// The reservation [0, 10) of channel 0 is over at 20, yet it ends later than none at all.
#[test]
fn a_forgotten_reservation_still_counts_as_the_previous_one() {
    for scheduling in [Scheduling::LaucVf, Scheduling::LaucVfOneVoid, Scheduling::Lauc] {
        let mut channels = Channels::new(scheduling, 2);
        book(&mut channels, 1, 0, 10);
        channels.forget(at(20));
        book(&mut channels, 1, 100, 110);
        assert_eq!(channels.find(Candidates::Any, at(110), us(1)), Some(1));
        let found = channels.find(Candidates::Any, at(50), us(1));
        // Without voids channel 1 is taken for good until 110.
        assert_eq!(found, Some(u16::from(scheduling != Scheduling::Lauc)));
    }
}

#[test]
fn a_channel_that_the_link_does_not_have_is_not_found() {
    for scheduling in POLICIES {
        let channels = Channels::new(scheduling, 2);
        assert_eq!(channels.find(Candidates::Only(1), at(0), us(1)), Some(1));
        assert_eq!(channels.find(Candidates::Only(2), at(0), us(1)), None);
        assert_eq!(channels.count(), 2);
    }
}

#[test]
#[should_panic(expected = "not free")]
fn two_bursts_cannot_share_a_channel() {
    let mut channels = Channels::new(Scheduling::LaucVf, 1);
    book(&mut channels, 0, 10, 20);
    book(&mut channels, 0, 5, 11);
}

#[test]
fn a_burst_of_no_length_takes_a_picosecond() {
    let mut channels = Channels::new(Scheduling::LaucVf, 1);
    channels.book(0, at(1), Span::ZERO);
    assert_eq!(channels.find(Candidates::Any, at(1), Span::ZERO), None);
    assert_eq!(channels.earliest(at(1), Span::ZERO), at(1) + Span(1));
}
