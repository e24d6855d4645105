//! Corners of RACK-TLP (RFC 8985): what is reduced, what is taken back, and what must not be.

use units::Span;

use super::rack::{fates, ms, options};
use crate::tcp::config::TcpOptions;
use crate::tcp::congestion::{self, Options};
use crate::tcp::pair::{Fate, Pair, SEGMENT, Way, config};

fn late(millis: u64) -> Fate {
    Fate::late(Span::from_ms(millis))
}

fn twice(millis: u64) -> Fate {
    Fate { copies: vec![Span::ZERO, Span::from_ms(millis)], marked: false }
}

fn lost() -> Fate {
    Fate::lost()
}

fn pair(options: &TcpOptions, list: Vec<(u64, usize, Fate)>) -> Pair {
    Pair::new(config(options)).with_script(fates(list))
}

#[test]
fn a_loss_of_data_sent_after_the_reduction_reduces_again() {
    // 1 and 19 are lost, sent 50 ms apart; 23 is sent after the reduction and is lost too.
    let list = vec![(1, 0, lost()), (19, 0, lost()), (23, 0, lost())];
    let mut pair = pair(&options(20), list);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(17 * SEGMENT);
    pair.run_to(ms(150));
    pair.offer(3 * SEGMENT);
    pair.run_to(ms(199));
    pair.offer(200 * SEGMENT);
    pair.run_to(ms(280));
    assert!(pair.sender.is_recovering());
    assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT);
    pair.run_to(ms(600));
    assert!(pair.sender.ssthresh() < 9 * SEGMENT, "two windows with losses, one reduction");
}

#[test]
fn a_duplicate_reported_behind_later_acknowledgments_still_undoes() {
    // The report of 12, which came 30 ms late, is overtaken by the acknowledgments of a round trip.
    let mut data = fates(vec![(8, 0, late(1)), (12, 0, late(30))]);
    let mut pair = Pair::new(config(&options(10))).with_script(move |sent| {
        if sent.segment.sack.duplicate().is_some() { late(120) } else { data(sent) }
    });
    pair.offer(60 * SEGMENT);
    pair.run_to(ms(440));
    assert!(pair.sender.ssthresh() < 6 * SEGMENT);
    let overtaken = pair.sender.acked();
    pair.run();
    let report = pair.seen.iter().find(|seen| seen.segment.sack.duplicate().is_some()).unwrap();
    assert!(report.segment.ack < overtaken);
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmissions, counters.undone), (1, 1));
    assert!(pair.sender.ssthresh() >= 10 * SEGMENT);
}

#[test]
fn a_copy_made_by_the_network_undoes_no_real_loss() {
    let mut pair = pair(&options(10), vec![(2, 0, lost()), (5, 0, twice(150))]);
    pair.offer(20 * SEGMENT);
    pair.run();
    assert_eq!((pair.sender.counters().undone, pair.sender.ssthresh()), (0, 5 * SEGMENT));
}

#[test]
fn the_duplicate_of_a_probe_undoes_no_real_loss() {
    let list = vec![(1, 0, lost()), (2, 0, late(220)), (2, 1, late(40))];
    let mut pair = pair(&options(10), list);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(2 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().undone, 0);
}

#[test]
fn no_undo_while_segments_that_were_found_lost_wait_to_be_sent_again() {
    // 1 arrives, its acknowledgment is lost, and so are 2 to 10 and the probe.
    let mut list: Vec<_> = (2..=10).map(|n| (n, 0, lost())).collect();
    list.push((10, 1, lost()));
    let mut data = fates(list);
    let mut acks = 0;
    let mut pair = Pair::new(config(&options(10))).with_script(move |sent| {
        if sent.way == Way::Back {
            acks += 1;
            return if acks == 2 { Fate::lost() } else { Fate::delivered() };
        }
        data(sent)
    });
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(10 * SEGMENT);
    pair.run();
    assert_eq!((pair.sender.counters().timeouts, pair.sender.counters().undone), (1, 0));
    assert!(pair.sender.ssthresh() < 10 * SEGMENT);
}

#[test]
fn an_undo_leaves_the_reduction_by_a_notification() {
    let options = TcpOptions { ecn: Some(true), ..options(10) };
    let mut list = vec![(8, 0, late(1)), (12, 0, late(30)), (12, 1, late(60))];
    list.extend((20..30).map(|n| (n, 0, Fate::marked())));
    let mut pair = pair(&options, list);
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(226));
    assert!(pair.sender.is_recovering());
    pair.run_to(ms(231));
    assert!(!pair.sender.is_recovering());
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(370));
    let reduced = (pair.sender.cwnd(), pair.sender.ssthresh());
    assert_eq!((pair.sender.counters().ecn_reductions, pair.sender.counters().undone), (1, 0));
    pair.run_to(ms(390));
    assert!(pair.sender.ssthresh() <= reduced.1, "the marks were real");
}

#[test]
fn marks_that_came_in_a_recovery_still_count_when_it_is_undone() {
    let options = TcpOptions { ecn: Some(true), ..options(10) };
    let mut list = vec![(8, 0, late(1)), (12, 0, late(30))];
    // Marked while the recovery is under way, whose end waits for 20 (late, not lost).
    list.extend((20..23).map(|n| (n, 0, Fate::marked())));
    let mut pair = pair(&options, list);
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(220));
    pair.offer(3 * SEGMENT);
    pair.run_to(ms(324));
    assert!(pair.sender.cwnd() < 8 * SEGMENT, "{}", pair.sender.cwnd());
    pair.run_to(ms(400));
    assert!(pair.sender.cwnd() < 8 * SEGMENT, "three marks and no reduction at all");
}

#[test]
fn a_real_loss_after_an_undo_reduces_with_ecn_too() {
    for ecn in [false, true] {
        let options = TcpOptions { ecn: Some(ecn), ..options(10) };
        let list = vec![(8, 0, late(1)), (12, 0, late(30)), (20, 0, lost())];
        let mut pair = pair(&options, list);
        pair.offer(20 * SEGMENT);
        pair.run_to(ms(220));
        pair.offer(3 * SEGMENT);
        pair.run_to(ms(330));
        assert_eq!(pair.sender.counters().undone, 1);
        pair.run();
        assert_eq!(pair.sender.counters().undone, 1);
        assert!(pair.sender.ssthresh() < 10 * SEGMENT, "ecn {ecn}");
    }
}

#[test]
fn without_a_smoothed_rtt_the_reordering_window_is_not_nothing() {
    let mut pair = pair(&options(10), vec![(0, 0, late(1))]);
    pair.offer(2 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().retransmissions, 0, "1 ms late, min_RTT/4 is 25 ms");
}

#[test]
fn the_handshake_measures_the_shortest_round_trip() {
    let options = TcpOptions { handshake: Some(true), ..options(3) };
    let list = (0..3).map(|n| (n, 0, lost())).collect();
    let mut pair = pair(&options, list);
    pair.offer(3 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().timeouts, 0, "the probe shows the rest");
}

#[test]
fn new_data_within_the_window_are_no_limited_transmit() {
    let mut pair = pair(&options(100), vec![(1, 0, lost())]);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(2 * SEGMENT);
    pair.run_to(ms(210));
    pair.offer(90 * SEGMENT);
    pair.run_to(ms(226));
    assert!(pair.sender.is_recovering());
    assert!(pair.sender.ssthresh() >= 40 * SEGMENT, "{}", pair.sender.ssthresh());
}

#[test]
fn a_loss_never_widens_the_window() {
    let kinds = [
        Options::Cubic(congestion::cubic::Options::default()),
        Options::Reno(congestion::reno::Options::default()),
    ];
    for congestion in kinds {
        let options = TcpOptions { congestion: Some(congestion.clone()), ..options(20) };
        let mut list = vec![(18, 0, late(1)), (100, 0, late(95)), (101, 0, lost())];
        list.extend((0..5).map(|k| (20 * k + 3, 0, twice(10))));
        let mut pair = pair(&options, list);
        for k in 0..5 {
            pair.offer(20 * SEGMENT);
            pair.run_to(ms(200 * (k + 1)));
        }
        assert_eq!(pair.sender.counters().retransmissions, 0);
        pair.offer(400 * SEGMENT);
        pair.run_to(ms(1211));
        let before = pair.sender.cwnd();
        assert!(!pair.sender.is_recovering());
        pair.run_to(ms(1213));
        let after = pair.sender.cwnd();
        assert!(pair.sender.is_recovering());
        assert!(after <= before * 8 / 10, "{congestion:?}: {before} to {after}");
    }
}

#[test]
fn no_probe_while_the_reordering_timer_runs() {
    // Section 8: arming the reordering timer cancels the PTO. 2 is sacked, and is sent again.
    let list = vec![(0, 0, twice(10)), (1, 0, late(105)), (2, 0, late(60))];
    let mut pair = pair(&options(10), list);
    pair.offer(SEGMENT);
    pair.run_to(ms(200));
    pair.offer(2 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

#[test]
fn a_mark_and_a_loss_repaired_by_the_probe_in_one_window_reduce_once() {
    let options = TcpOptions { ecn: Some(true), ..options(10) };
    let mut pair = pair(&options, vec![(0, 0, Fate::marked()), (9, 0, lost())]);
    pair.offer(10 * SEGMENT);
    pair.run_to(ms(500));
    assert_eq!((pair.sender.counters().ecn_reductions, pair.sender.ssthresh()), (1, 5 * SEGMENT));
    pair.offer(4 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().ecn_reductions, 1);
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

#[test]
fn no_probe_before_the_first_measurement() {
    // Section 7.3, condition 2. The retransmission timer is not put off either.
    let mut pair = pair(&options(3), (0..3).map(|n| (n, 0, lost())).collect());
    pair.offer(3 * SEGMENT);
    pair.run_to(ms(1000));
    assert_eq!(pair.rounds(), [(0, vec![0, 1, 2]), (1000, vec![0])]);
    assert_eq!(pair.sender.counters().timeouts, 1);
}

#[test]
fn a_retransmission_lost_in_rto_recovery_reduces_again() {
    let mut list: Vec<_> = (1..=20).map(|n| (n, 0, lost())).collect();
    list.extend([(20, 1, lost()), (4, 1, lost())]);
    let mut pair = pair(&options(20), list);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(20 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().timeouts, 1);
    assert!(pair.sender.ssthresh() < 10 * SEGMENT);
}

#[test]
fn new_data_lost_in_rto_recovery_reduce() {
    // 1 to 4 are lost and the probe; new data 5.. sent in slow start are lost before 4 is repaired.
    let mut list: Vec<_> = (1..=20).map(|n| (n, 0, lost())).collect();
    list.extend([(20, 1, lost()), (20, 2, late(40)), (22, 0, lost())]);
    let mut pair = pair(&options(20), list);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(1300));
    pair.offer(100 * SEGMENT);
    pair.run_to(ms(3000));
    assert!(pair.sender.ssthresh() < 10 * SEGMENT);
}

#[test]
fn an_undo_leaves_the_reduction_for_what_a_probe_repaired() {
    let list = vec![(8, 0, late(1)), (12, 0, late(30)), (12, 1, late(700)), (21, 0, lost())];
    let mut pair = pair(&options(10), list);
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(300));
    pair.offer(2 * SEGMENT);
    pair.run_to(ms(750));
    pair.offer(4 * SEGMENT);
    pair.run_to(ms(860));
    let reduced = pair.sender.ssthresh();
    pair.run();
    assert!(pair.sender.ssthresh() <= reduced, "21 was lost");
}

#[test]
fn a_duplicate_of_another_segment_does_not_settle_the_probe() {
    // Section 7.4.2, case 2 is an acknowledgment without any SACK option; this one reports 3.
    for copy in [false, true] {
        let mut list = vec![(9, 0, lost())];
        if copy {
            list.push((3, 0, twice(360)));
        }
        let mut pair = pair(&options(10), list);
        pair.offer(10 * SEGMENT);
        pair.run_to(ms(500));
        assert_eq!(pair.rounds(), [(0, (0..10).collect()), (300, vec![9])]);
        pair.offer(6 * SEGMENT);
        pair.run();
        assert_eq!(pair.sender.ssthresh(), 3 * SEGMENT, "copy {copy}");
    }
}

#[test]
fn an_undo_leaves_a_timeout_for_data_that_were_sent_in_the_recovery() {
    let mut list = vec![(8, 0, late(1)), (12, 0, late(3000)), (12, 1, late(2500))];
    list.extend((20..23).map(|n| (n, 0, lost())));
    let mut pair = pair(&options(10), list);
    pair.offer(20 * SEGMENT);
    pair.run_to(ms(226));
    assert!(pair.sender.is_recovering());
    pair.offer(3 * SEGMENT);
    pair.run_to(ms(3000));
    assert_eq!(pair.sender.counters().timeouts, 1);
    pair.run();
    assert_eq!(pair.sender.counters().undone, 0, "20 to 22 were lost");
}
