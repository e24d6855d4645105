//! One to four losses in a window of ten segments: the cases of Fall and Floyd, *Simulation-based
//! comparisons of Tahoe, Reno, and SACK TCP* (1996), figures 2 to 5, on a path of infinite rate.
//!
//! Segments 0 to 9 leave at 0 ms. At 100 ms the acknowledgments of 0 and 1 let 10 and 11 out; the
//! rest are duplicates of the acknowledgment 2. The losses are 2, then 4, 6 and 8 too. Each round
//! is the millisecond and the segments sent in it, worked by hand.

use units::Span;

use crate::tcp::config::{Preset, SsthreshFrom, TcpOptions};
use crate::tcp::pair::{Pair, SEGMENT, by_hand, config};
use crate::tcp::recovery::newreno::{self, Exit, Timer};
use crate::tcp::recovery::{Options, reno};

type Rounds = &'static [(u64, &'static [u64])];

const LOSSES: [u64; 4] = [2, 4, 6, 8];

fn run(options: &TcpOptions, losses: usize, rounds: usize) -> Pair {
    let mut pair = Pair::new(config(options)).losing(&LOSSES[..losses]);
    pair.offer(u64::MAX);
    while pair.rounds().len() < rounds {
        pair.run_for(100);
    }
    pair
}

fn check(preset: Preset, losses: usize, expected: Rounds) -> Pair {
    let pair = run(&by_hand(preset), losses, expected.len() + 1);
    let expected: Vec<_> = expected.iter().map(|(ms, sent)| (*ms, sent.to_vec())).collect();
    let found = &pair.rounds()[1..=expected.len()];
    assert_eq!(found, expected, "{preset:?} with {losses} losses");
    pair
}

#[test]
fn tahoe_slow_starts_after_one_loss() {
    let pair = check(
        Preset::Tahoe,
        1,
        &[
            (100, &[10, 11, 2]),
            // The retransmission is answered with 12: cwnd 2, 4, then 5 = ssthresh.
            (200, &[12, 13]),
            (300, &[14, 15, 16, 17]),
            (400, &[18, 19, 20, 21, 22]),
        ],
    );
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

#[test]
fn tahoe_resends_from_the_hole_on_and_repairs_two_losses_in_slow_start() {
    check(
        Preset::Tahoe,
        2,
        &[(100, &[10, 11, 2]), (200, &[4, 5]), (300, &[12, 13, 14]), (400, &[15, 16, 17, 18, 19])],
    );
}

#[test]
fn tahoe_repairs_three_losses_in_slow_start() {
    check(
        Preset::Tahoe,
        3,
        &[
            (100, &[10, 11, 2]),
            (200, &[4, 5]),
            (300, &[6, 7, 8]),
            (400, &[12, 13, 14, 15]),
            (500, &[16, 17, 18, 19, 20]),
        ],
    );
}

#[test]
fn tahoe_is_not_fooled_by_the_duplicates_of_what_it_resends() {
    let pair = check(
        Preset::Tahoe,
        4,
        &[
            (100, &[10, 11, 2]),
            (200, &[4, 5]),
            (300, &[6, 7, 8]),
            (400, &[9, 10, 11, 12, 13, 14, 15, 16]),
            // 9, 10 and 11 come back as three duplicates of 12: no fast retransmit.
            (500, &[17, 18, 19, 20, 21]),
        ],
    );
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn reno_recovers_one_loss_in_a_round_trip() {
    let pair = check(
        Preset::Reno,
        1,
        &[
            // The window is 5 + 3 and grows by the duplicates 4 to 7: 10 in flight, two more.
            (100, &[10, 11, 2, 12, 13]),
            (200, &[14, 15, 16, 17, 18]),
        ],
    );
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

#[test]
fn reno_retransmits_fast_twice_for_two_losses() {
    let pair = check(
        Preset::Reno,
        2,
        &[
            (100, &[10, 11, 2, 12]),
            // The partial acknowledgment of 4 ends the recovery, 11 are in flight.
            (200, &[13, 14]),
            // The third duplicate, from 14: the window of 5 is halved again. Of the 11 in flight most have arrived.
            (300, &[4]),
            (400, &[15, 16]),
        ],
    );
    assert_eq!(pair.sender.counters().fast_retransmits, 2);
    assert_eq!(pair.sender.ssthresh(), 2500);
}

#[test]
fn reno_halves_the_window_twice_for_two_losses_where_ssthresh_follows_the_window() {
    let options = TcpOptions { ssthresh_from: Some(SsthreshFrom::Window), ..by_hand(Preset::Reno) };
    let mut pair = run(&options, 2, 3);
    // cwnd was 10.199 segments after two acknowledgments in congestion avoidance; ssthresh is its
    // half in whole segments.
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (5099, 5000));
    pair.run_for(100);
    assert_eq!(pair.sender.counters().fast_retransmits, 2);
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (5099 / 2, 2000));
}

#[test]
fn ssthresh_from_cwnd_keeps_the_octets_and_knows_the_receivers_window() {
    let options = TcpOptions { ssthresh_from: Some(SsthreshFrom::Cwnd), ..by_hand(Preset::Reno) };
    let mut pair = run(&options, 2, 3);
    // Half of 10.199 segments, as above, and nothing is rounded.
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (5099, 5099));
    pair.run_for(100);
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (5099 / 2, 5099 / 2));
    let narrow = TcpOptions { receive_window: "8 segments".parse().ok(), ..options };
    assert_eq!(run(&narrow, 1, 3).sender.ssthresh(), 4000);
}

#[test]
fn reno_waits_for_the_timer_after_three_losses() {
    let pair = check(
        Preset::Reno,
        3,
        &[
            (100, &[10, 11, 2]),
            (200, &[12, 13]),
            // Two duplicates of 4 only. The timer was restarted at 200 ms; ssthresh becomes half of the window of 5.
            (1200, &[4]),
            (1300, &[6, 7]),
            (1400, &[14, 15]),
            (1500, &[16, 17, 18]),
        ],
    );
    assert_eq!(pair.sender.counters().timeouts, 1);
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
}

#[test]
fn reno_waits_for_the_timer_after_four_losses() {
    check(
        Preset::Reno,
        4,
        &[
            (100, &[10, 11, 2]),
            (200, &[12]),
            (1200, &[4]),
            (1300, &[6, 7]),
            (1400, &[8, 9]),
            (1500, &[13, 14]),
            (1600, &[15, 16, 17]),
        ],
    );
}

#[test]
fn reno_without_repeated_fast_retransmit_waits_for_the_timer_after_two_losses() {
    let reno = Options::Reno(reno::Options { repeated_fast_retransmit: Some(false) });
    let options = TcpOptions { recovery: Some(reno), ..by_hand(Preset::Reno) };
    let pair = run(&options, 2, 4);
    assert_eq!(pair.rounds()[3], (1200, vec![4]));
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
}

#[test]
fn newreno_recovers_one_loss_as_reno_does() {
    check(Preset::Newreno, 1, &[(100, &[10, 11, 2, 12, 13]), (200, &[14, 15, 16, 17, 18])]);
}

#[test]
fn newreno_recovers_two_losses_without_a_timeout() {
    check(
        Preset::Newreno,
        2,
        &[(100, &[10, 11, 2, 12]), (200, &[13, 14, 4, 15, 16]), (300, &[17, 18, 19, 20, 21])],
    );
}

#[test]
fn newreno_repairs_one_of_three_losses_a_round_trip() {
    check(
        Preset::Newreno,
        3,
        &[
            (100, &[10, 11, 2]),
            (200, &[12, 13, 4, 14]),
            (300, &[15, 16, 6, 17, 18]),
            (400, &[19, 20, 21, 22, 23]),
        ],
    );
}

#[test]
fn newreno_repairs_one_of_four_losses_a_round_trip() {
    let pair = check(
        Preset::Newreno,
        4,
        &[
            (100, &[10, 11, 2]),
            (200, &[12, 4, 13]),
            (300, &[14, 6, 15, 16]),
            (400, &[17, 8, 18, 19, 20]),
            (500, &[21, 22, 23, 24, 25]),
        ],
    );
    assert_eq!(pair.sender.counters().timeouts, 0);
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
    assert_eq!(pair.sender.counters().retransmissions, 4);
}

fn newreno(exit: Option<Exit>, timer: Option<Timer>) -> Options {
    Options::NewReno(newreno::Options { exit, timer, ..Default::default() })
}

#[test]
fn newreno_goes_on_with_ssthresh_or_with_a_segment_more_than_is_in_flight() {
    for (exit, segments) in [(Exit::Ssthresh, 5), (Exit::Flight, 1)] {
        let options =
            TcpOptions { recovery: Some(newreno(Some(exit), None)), ..by_hand(Preset::Newreno) };
        let mut pair = Pair::new(config(&options)).losing(&[2]);
        // 10 and 11 are the last; the acknowledgment of all twelve ends the recovery at 200 ms.
        pair.offer(12 * SEGMENT);
        pair.run_for(250);
        assert_eq!(pair.rounds()[1..], [(100, vec![10, 11, 2])]);
        assert_eq!((pair.sender.cwnd(), pair.sender.flight()), (segments * SEGMENT, 0), "{exit:?}");
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
        pair.offer(8 * SEGMENT);
        assert_eq!(pair.rounds()[2].1.len() as u64, segments);
    }
}

#[test]
fn a_long_recovery_of_newreno_ends_in_a_timeout_unless_each_partial_acknowledgment_restarts_it() {
    for (timer, timeouts) in [(Timer::First, 1), (Timer::Each, 0)] {
        let options = TcpOptions {
            recovery: Some(newreno(None, Some(timer))),
            min_rto: Some(Span::from_ms(250)),
            ..by_hand(Preset::Newreno)
        };
        // Three duplicates, then a hole a round trip: partial acknowledgments at 200 to 500 ms. RTO
        // is 100 + 4 · 50 ms (RFC 6298 rule 2.2), so the timer of the first expires at 500 ms.
        let mut pair = Pair::new(config(&options)).losing(&[2, 3, 5, 7, 9]);
        pair.offer(u64::MAX);
        pair.run_for(590);
        assert_eq!(pair.sender.counters().timeouts, timeouts, "{timer:?}");
        assert_eq!(pair.sender.counters().fast_retransmits, 1);
        // The fast retransmit halves the window of 10; the timer halves that of 5, though by then far more has been
        // sent than acknowledged.
        assert_eq!(pair.sender.ssthresh(), if timeouts > 0 { 2500 } else { 5000 });
    }
}

#[test]
fn sack_recovers_one_loss_in_a_round_trip() {
    check(Preset::Sack, 1, &[(100, &[10, 11, 2, 12, 13]), (200, &[14, 15, 16, 17, 18])]);
}

#[test]
fn sack_repairs_two_losses_at_once() {
    check(Preset::Sack, 2, &[(100, &[10, 11, 2, 4, 12]), (200, &[13, 14, 15, 16, 17])]);
}

#[test]
fn sack_repairs_three_losses_at_once() {
    check(Preset::Sack, 3, &[(100, &[10, 11, 2, 4, 6]), (200, &[12, 13, 14, 15, 16])]);
}

#[test]
fn sack_repairs_four_losses_within_a_round_trip() {
    let pair = check(
        Preset::Sack,
        4,
        &[
            // Four duplicates: only 2 and 4 are lost for certain, 5 are in the pipe.
            (100, &[10, 11, 2]),
            (200, &[4, 6, 8, 12, 13]),
            (300, &[14, 15, 16, 17, 18]),
        ],
    );
    assert_eq!(pair.sender.counters().retransmissions, 4);
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}
