//! Each kind against its RFC's rules, or Linux's, step by step. Segments have 1000 octets.

use units::{Span, Time};

use super::{Options, hystart, hystart_plus_plus, limited};
use crate::tcp::congestion::window::tests::{STANDARD, sizes};
use crate::tcp::congestion::{Acked, Congested, Congestion, Delivered, Growth, Signal, Sizes};
use crate::tcp::congestion::{Options as Rule, reno};

const SEGMENT: u64 = 1000;
const PLUS_PLUS: Options = Options::HyStartPlusPlus(hystart_plus_plus::Options {});
const LINUX: Options = Options::HyStart(hystart::Options {});

fn reno(slow_start: &Options, segments: u64, paced: bool) -> Congestion {
    let sizes = Sizes { growth: Growth::Bytes, paced, ..sizes(segments) };
    Congestion::new(&Rule::Reno(reno::Options::default()), slow_start, &sizes)
}

fn grow(rule: &mut Congestion, octets: u64) -> u64 {
    let before = rule.cwnd();
    let now = Time::ZERO;
    let srtt = Span::from_ms(100);
    rule.on_ack(&Acked { now, octets, srtt, after_timeout: false, may_grow: true });
    rule.cwnd() - before
}

/// A path on which rounds are told one after the other.
struct Path {
    rule: Congestion,
    acked: u64,
}

impl Path {
    fn new(rule: Congestion) -> Self {
        Self { rule, acked: 0 }
    }

    fn acknowledge(&mut self, now: Time, next: u64, rtt: Span) {
        self.acked += 1;
        let rtt = Some(rtt);
        let (octets, ack) = (SEGMENT, self.acked);
        self.rule.on_delivered(&Delivered { now, octets, marked: 0, ack, next, rtt });
    }

    /// A round of so many acknowledgments with this round-trip time in milliseconds.
    fn round(&mut self, acknowledgments: u64, ms: u64) {
        let next = self.acked + acknowledgments + 1;
        for _ in 0..acknowledgments {
            self.acknowledge(Time::ZERO, next, Span::from_ms(ms));
        }
    }

    /// What an acknowledgment of a segment adds.
    fn step(&self) -> u64 {
        grow(&mut self.rule.clone(), SEGMENT)
    }

    fn has_ended(&self) -> bool {
        self.rule.ssthresh() == self.rule.cwnd()
    }
}

#[test]
fn limited_slow_start_adds_a_kth_of_a_segment_above_its_bound() {
    let limited = |segments| {
        let options = Options::Limited(limited::Options { max_ssthresh: 100 });
        grow(&mut reno(&options, segments, false), SEGMENT)
    };
    // RFC 3742 section 2: K = int(cwnd / 50).
    assert_eq!(limited(100), 1000);
    assert_eq!(limited(149), 500);
    assert_eq!(limited(150), 333);
    assert_eq!(limited(1000), 50);
}

#[test]
fn hystart_plus_plus_slows_down_once_the_round_trip_has_grown_by_its_threshold() {
    // An eighth of the last round's, between 4 and 16 ms.
    for (ms, grown) in [(100, 13), (10, 4), (32, 4), (40, 5), (400, 16)] {
        let mut path = Path::new(reno(&PLUS_PLUS, 10, false));
        path.round(10, ms);
        path.round(10, ms + grown - 1);
        assert_eq!(path.step(), 1000, "{ms} ms: a little less is not enough");
        let mut path = Path::new(reno(&PLUS_PLUS, 10, false));
        path.round(10, ms);
        path.round(7, ms + grown);
        assert_eq!(path.step(), 1000, "{ms} ms: seven measurements are not enough");
        let mut path = Path::new(reno(&PLUS_PLUS, 10, false));
        path.round(10, ms);
        path.round(8, ms + grown);
        assert_eq!(path.step(), 250, "{ms} ms");
    }
}

#[test]
fn conservative_slow_start_ends_after_five_rounds_with_the_first_a_part() {
    let mut path = Path::new(reno(&PLUS_PLUS, 10, false));
    path.round(10, 100);
    for round in 0..5 {
        assert!(!path.has_ended(), "round {round}");
        path.round(10, 120);
    }
    assert!(!path.has_ended());
    path.round(1, 120);
    assert!(path.has_ended());
}

#[test]
fn conservative_slow_start_is_left_when_the_round_trip_has_fallen() {
    let mut path = Path::new(reno(&PLUS_PLUS, 10, false));
    path.round(10, 100);
    path.round(10, 120);
    assert_eq!(path.step(), 250);
    path.round(7, 119);
    assert_eq!(path.step(), 250);
    path.round(8, 119);
    assert_eq!(path.step(), 1000);
    path.round(8, 119);
    path.round(8, 119);
    assert_eq!(path.step(), 1000, "no growth from 119 to 119 ms");
}

#[test]
fn hystart_plus_plus_counts_eight_segments_of_an_acknowledgment_and_all_if_paced() {
    assert_eq!(grow(&mut reno(&STANDARD, 10, false), 20 * SEGMENT), 2 * SEGMENT);
    assert_eq!(grow(&mut reno(&PLUS_PLUS, 10, false), 20 * SEGMENT), 8 * SEGMENT);
    assert_eq!(grow(&mut reno(&PLUS_PLUS, 10, true), 20 * SEGMENT), 20 * SEGMENT);
}

#[test]
fn hystart_plus_plus_is_for_the_first_slow_start_alone() {
    let mut path = Path::new(reno(&PLUS_PLUS, 100, false));
    path.round(10, 100);
    path.round(10, 120);
    let timeout = Congested { now: Time::ZERO, signal: Signal::Timeout, basis: 100_000 };
    path.rule.on_loss(&timeout);
    for _ in 0..9 {
        path.round(10, 200);
    }
    assert_eq!(path.step(), 1000);
    assert_eq!(path.rule.ssthresh(), 50_000);
    assert_eq!(grow(&mut path.rule, 20 * SEGMENT), 2 * SEGMENT);
}

/// Acknowledgments `gap` milliseconds apart over a round trip of 100 ms: after how many milliseconds of the
/// second round slow start ends, if it does within 150.
fn train(segments: u64, gap: u64, paced: bool) -> Option<u64> {
    let mut path = Path::new(reno(&LINUX, segments, paced));
    path.round(1, 100);
    let next = path.acked + 1_000;
    path.acked += 2;
    let ended = |path: &mut Path, ms| {
        path.acknowledge(Time::ZERO + Span::from_ms(1_000 + ms), next, Span::from_ms(100));
        path.has_ended()
    };
    (0..150).step_by(usize::try_from(gap).unwrap()).find(|&ms| ended(&mut path, ms))
}

#[test]
fn linux_ends_slow_start_when_acknowledgments_are_close_together_for_half_a_round_trip() {
    // Half of 100 ms and the millisecond for offload; a whole one if paced.
    assert_eq!(train(20, 1, false), Some(51));
    assert_eq!(train(20, 2, false), Some(52));
    assert_eq!(train(20, 3, false), None, "more than 2 ms apart");
    assert_eq!(train(20, 1, true), Some(102));
    assert_eq!(train(15, 1, false), None, "below 16 segments");
}

#[test]
fn linux_ends_slow_start_when_the_round_trip_has_grown_by_an_eighth() {
    for (ms, grown, ends) in [(100, 12, false), (100, 13, true), (20, 4, false), (20, 5, true)] {
        let mut path = Path::new(reno(&LINUX, 20, false));
        let mut now = Time::ZERO;
        let next = 1_000;
        path.round(1, ms);
        path.acked += 2;
        for measurement in 0..9 {
            assert!(!path.has_ended(), "measurement {measurement}");
            // Not a train.
            now += Span::from_ms(3);
            path.acknowledge(now, next, Span::from_ms(ms + grown));
        }
        assert_eq!(path.has_ended(), ends, "{ms} ms and {grown}");
    }
}

#[test]
fn linux_counts_every_segment_of_an_acknowledgment() {
    assert_eq!(grow(&mut reno(&LINUX, 10, false), 20 * SEGMENT), 20 * SEGMENT);
}
