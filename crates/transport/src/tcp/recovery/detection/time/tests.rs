//! The scoreboard against the rules of RFC 8985 section 6, applied to every segment each time.

use proptest::prelude::*;

use super::*;

/// A segment as the RFC has it.
#[derive(Clone, Debug)]
struct Plain {
    start: u64,
    end: u64,
    at: Time,
    transmission: u64,
    resent: bool,
    lost: bool,
    sacked: bool,
}

/// All segments, and the rules as loops over them.
#[derive(Debug, Default)]
struct Naive(Vec<Plain>);

impl Naive {
    /// `RACK_detect_loss`: the transmissions that are lost, in order, and `timeout` as an instant.
    fn detect(&mut self, newest: u64, now: Time, patience: Span) -> (Vec<u64>, Time) {
        let (mut lost, mut deadline) = (Vec::new(), Time::NEVER);
        for segment in self.0.iter_mut().filter(|segment| !segment.sacked && !segment.lost) {
            if newest <= segment.transmission {
                continue;
            }
            if segment.at + patience <= now {
                segment.lost = true;
                lost.push(segment.transmission);
            } else if deadline == Time::NEVER || segment.at + patience > deadline {
                deadline = segment.at + patience;
            }
        }
        lost.sort_unstable();
        (lost, deadline)
    }

    /// `RACK_mark_losses_on_RTO`.
    fn time_out(&mut self, now: Time, patience: Span) {
        for (n, segment) in self.0.iter_mut().enumerate() {
            if !segment.sacked && (n == 0 || segment.at + patience <= now) {
                segment.lost = true;
            }
        }
    }

    fn gone(&self) -> u64 {
        let gone = self.0.iter().filter(|segment| segment.lost || segment.sacked);
        gone.map(|segment| segment.end - segment.start).sum()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send(u64),
    Resend(usize),
    Acknowledge(usize),
    Sack(usize, usize),
    Detect(usize, u64),
    TimeOut(u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..100u64).prop_map(Step::Send),
        3 => (0..40usize).prop_map(Step::Resend),
        1 => (0..4usize).prop_map(Step::Acknowledge),
        3 => (0..40usize, 1..4usize).prop_map(|(first, n)| Step::Sack(first, n)),
        4 => (0..40usize, 0..30u64).prop_map(|(newest, patience)| Step::Detect(newest, patience)),
        1 => (0..30u64).prop_map(Step::TimeOut),
        4 => (0..10u64).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(trials::cases(4000))]
    #[test]
    fn segments_equal_a_plain_list(steps in prop::collection::vec(step(), 0..80)) {
        let (mut segments, mut naive) = (Segments::new(), Naive::default());
        let (mut now, mut high, mut transmission) = (Time::ZERO, 0, 0);
        for step in steps {
            let count = naive.0.len();
            match step {
                Step::Wait(ps) => now += Span::from_ps(ps),
                Step::Send(octets) => {
                    segments.send(high, high + octets, now);
                    let (start, end) = (high, high + octets);
                    let (resent, lost, sacked) = (false, false, false);
                    transmission += 1;
                    naive.0.push(Plain { start, end, at: now, transmission, resent, lost, sacked });
                    high = end;
                }
                Step::Acknowledge(n) => {
                    let gone: Vec<_> = naive.0.drain(..n.min(count)).collect();
                    let ack = naive.0.first().map_or(high, |first| first.start);
                    let mut news = Vec::new();
                    segments.acknowledge(ack, |segment| news.push(segment.end));
                    let fresh = gone.iter().filter(|segment| !segment.sacked);
                    prop_assert_eq!(news, fresh.map(|segment| segment.end).collect::<Vec<_>>());
                }
                _ if count == 0 => {}
                Step::Resend(n) => {
                    let segment = &mut naive.0[n % count];
                    segments.resend(segment.start, now);
                    if !segment.sacked {
                        (segment.at, segment.resent, segment.lost) = (now, true, false);
                        transmission += 1;
                        segment.transmission = transmission;
                    }
                }
                Step::Sack(first, n) => {
                    let first = first % count;
                    let last = (first + n).min(count);
                    let (start, end) = (naive.0[first].start, naive.0[last - 1].end);
                    let mut news = Vec::new();
                    segments.sack(start, end, |segment| news.push(segment.end));
                    let mut fresh = Vec::new();
                    for segment in naive.0[first..last].iter_mut().filter(|one| !one.sacked) {
                        fresh.push(segment.end);
                        (segment.sacked, segment.lost) = (true, false);
                    }
                    prop_assert_eq!(news, fresh);
                }
                Step::Detect(newest, patience) => {
                    let key = naive.0[newest % count].transmission;
                    let patience = Span::from_ps(patience);
                                        let (lost, deadline) = naive.detect(key, now, patience);
                    let mut found = None;
                    let note = |segment: &Sent| found = Some(segment.transmission);
                    let at = segments.find_lost(key, now, |_| patience, note);
                    prop_assert_eq!((found, at), (lost.last().copied(), deadline));
                }
                Step::TimeOut(patience) => {
                    naive.time_out(now, Span::from_ps(patience));
                    segments.lose_by_timeout(now, Span::from_ps(patience));
                }
            }
            prop_assert_eq!(segments.gone(), naive.gone());
            let sacked = naive.0.iter().filter(|segment| segment.sacked).count();
            prop_assert_eq!(segments.sacked_segments(), sacked as u64);
            let lost = naive.0.iter().find(|segment| segment.lost);
            prop_assert_eq!(segments.first_lost(), lost.map(|one| (one.start, one.end)));
        }
    }
}

const MS: u64 = 1_000_000_000;

fn ms(millis: u64) -> Time {
    Time(millis * MS)
}

/// Segments 0 … n − 1 of 100 octets, one a millisecond.
fn sent(n: u64) -> Detector {
    let mut rack = Detector::new();
    for number in 0..n {
        rack.send(100 * number, 100 * (number + 1), ms(number));
    }
    rack
}

fn arrival(millis: u64) -> Arrival {
    Arrival { now: ms(millis), echo: Time::NEVER }
}

#[test]
fn the_reordering_window_follows_step_4() {
    let long = Some(Span::from_ms(500));
    let mut rack = sent(6);
    rack.acknowledge(100, arrival(40));
    assert_eq!(rack.reordering_window(false, 3, long), Span::from_ms(10), "min_RTT / 4");
    assert_eq!(rack.reordering_window(true, 3, long), Span::ZERO, "in recovery");
    rack.sack(300, 600, arrival(60));
    assert_eq!(rack.reordering_window(false, 3, long), Span::ZERO, "DupThresh segments sacked");
    rack.sack(200, 300, arrival(61));
    assert_eq!(rack.reordering_window(true, 3, long), Span::from_ms(10), "reordering was seen");
    // A duplicate a round trip widens it, up to the smoothed round-trip time.
    rack.on_duplicate(100, 600);
    rack.on_duplicate(100, 600);
    assert_eq!(rack.reordering_window(true, 3, long), Span::from_ms(20), "one a round");
    rack.on_duplicate(600, 700);
    assert_eq!(rack.reordering_window(true, 3, long), Span::from_ms(30));
    assert_eq!(rack.reordering_window(true, 3, Some(Span::from_ms(25))), Span::from_ms(25), "SRTT");
    for recovery in 1..16 {
        rack.on_exit();
        assert_eq!(rack.reordering_window(true, 3, long), Span::from_ms(30), "{recovery}");
    }
    rack.on_exit();
    assert_eq!(rack.reordering_window(true, 3, long), Span::from_ms(10), "after 16 recoveries");
}

#[test]
fn a_copy_that_may_be_the_first_tells_nothing_of_time() {
    // Step 2: sent again at 100 ms, acknowledged 10 ms later where a round trip takes 40.
    let mut rack = sent(2);
    rack.acknowledge(100, arrival(40));
    rack.resend(100, ms(100));
    rack.acknowledge(200, arrival(110));
    assert_eq!((rack.arrived.rtt, rack.arrived.newest), (Span::from_ms(40), 1));
    // With timestamps: an echo of what was sent before the last copy.
    let mut rack = sent(2);
    rack.acknowledge(100, arrival(40));
    rack.resend(100, ms(100));
    rack.acknowledge(200, Arrival { now: ms(150), echo: ms(1) });
    assert_eq!(rack.arrived.newest, 1);
    let mut rack = sent(2);
    rack.acknowledge(100, arrival(40));
    rack.resend(100, ms(100));
    rack.acknowledge(200, Arrival { now: ms(150), echo: ms(100) });
    assert_eq!((rack.arrived.rtt, rack.arrived.newest), (Span::from_ms(50), 3));
}

#[test]
fn the_round_trip_is_that_of_the_segment_sent_last() {
    // An acknowledgment brings 1, and 2 that was sent again after it.
    let mut rack = sent(3);
    rack.acknowledge(100, arrival(40));
    rack.resend(100, ms(100));
    rack.acknowledge(300, arrival(150));
    assert_eq!((rack.arrived.rtt, rack.arrived.newest), (Span::from_ms(50), 4));
}

#[test]
fn a_timeout_loses_the_first_segment_and_what_is_as_old() {
    // RFC 8985 section 3.5: of three segments the two that were sent just before are not lost.
    let mut rack = sent(1);
    rack.acknowledge(100, arrival(40));
    rack.send(100, 200, ms(100));
    rack.send(200, 300, ms(990));
    rack.send(300, 400, ms(995));
    rack.on_timeout(ms(1000), Span::from_ms(10));
    assert_eq!((rack.first_lost(), rack.pipe(300)), (Some((100, 200)), 200));
    rack.on_timeout(ms(1040), Span::from_ms(10));
    assert_eq!(rack.pipe(300), 100, "990 + 40 + 10");
}
