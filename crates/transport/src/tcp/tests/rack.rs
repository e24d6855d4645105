//! RACK-TLP (RFC 8985), duplicates reported (RFC 2883) and reductions taken back, worked by hand on a path
//! of infinite rate with a round-trip time of 100 ms.

use units::{Span, Time};

use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::pair::{Fate, Pair, SEGMENT, Sent, Way, by_hand, config, rack};
use crate::tcp::recovery;
use crate::window_size::WindowSize;

pub(super) fn options(segments: u64) -> TcpOptions {
    TcpOptions {
        recovery: Some(rack()),
        initial_window: Some(WindowSize::Segments(segments)),
        initial_ssthresh: Some(WindowSize::Segments(segments)),
        ..by_hand(Preset::Sack)
    }
}

/// What happens to copies of data segments: number, how many copies went before it, fate.
pub(super) fn fates(list: Vec<(u64, usize, Fate)>) -> impl FnMut(&Sent) -> Fate {
    let mut seen = Vec::new();
    move |sent| {
        if sent.way == Way::Back || sent.segment.len == 0 {
            return Fate::delivered();
        }
        let number = sent.segment.seq / SEGMENT;
        let before = seen.iter().filter(|n| **n == number).count();
        seen.push(number);
        let found = list.iter().find(|(n, copies, _)| (*n, *copies) == (number, before));
        found.map_or_else(Fate::delivered, |(_, _, fate)| fate.clone())
    }
}

/// These copies are lost, or come late by so many milliseconds.
fn late_or_lost(list: &[(u64, usize, Option<u64>)]) -> impl FnMut(&Sent) -> Fate + use<> {
    let fate = |late: Option<u64>| {
        late.map_or_else(Fate::lost, |millis| Fate::late(Span::from_ms(millis)))
    };
    fates(list.iter().map(|(number, copies, late)| (*number, *copies, fate(*late))).collect())
}

/// A pair on a network that loses these copies, or brings them late by so many milliseconds.
fn pair(segments: u64, list: &[(u64, usize, Option<u64>)]) -> Pair {
    Pair::new(config(&options(segments))).with_script(late_or_lost(list))
}

pub(super) fn ms(millis: u64) -> Time {
    Time::ZERO + Span::from_ms(millis)
}

#[test]
fn figure_1_of_rfc_8985_step_by_step() {
    // P1, P2 and P3 are lost, and P1 once more.
    let mut pair = pair(4, &[(1, 0, None), (2, 0, None), (3, 0, None), (1, 1, None)]);
    pair.offer(4 * SEGMENT);
    pair.run();
    let expected = [
        (0, vec![0, 1, 2, 3]),
        // Two round trips after the acknowledgment of P0 (event 3).
        (300, vec![3]),
        // P3 is sacked: P1 and P2 are lost (5).
        (400, vec![1, 2]),
        // P2 is sacked: what was sent with it and before it is lost again (7).
        (500, vec![1]),
    ];
    assert_eq!(pair.rounds(), expected);
    assert_eq!(pair.sender.acked(), 4 * SEGMENT);
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits, counters.undone), (0, 1, 0));
}

#[test]
fn a_retransmission_that_is_lost_reduces_the_window_again() {
    let mut pair = pair(20, &[(1, 0, None), (1, 1, None)]);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(u64::MAX);
    pair.run_to(ms(250));
    // 1 to 20 leave at 100 ms. The third of the blocks finds 1 lost: half of twenty, the second of them let 21
    // and 22 out. The other sixteen make room for eight.
    assert_eq!(pair.rounds()[2].1[..3], [21, 22, 1]);
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (10 * SEGMENT, 10 * SEGMENT));
    pair.run_for(60);
    assert!(pair.rounds()[3].1.contains(&1), "found by what was sent after it");
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (5 * SEGMENT, 5 * SEGMENT));
    pair.run_for(200);
    assert_eq!(pair.sender.counters().timeouts, 0);
    assert!(pair.sender.acked() > 20 * SEGMENT && !pair.sender.is_recovering());
}

#[test]
fn late_segments_are_waited_for_once_reordering_was_seen() {
    // 8 comes behind 9, which is too few to be a loss; 12 comes 20 ms behind nine others.
    let mut pair = pair(10, &[(8, 0, Some(1)), (12, 0, Some(20))]);
    pair.offer(20 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.acked(), 20 * SEGMENT);
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmissions, counters.fast_retransmits), (0, 0));
}

#[test]
fn what_is_later_than_the_reordering_window_is_lost_and_the_window_of_the_next_is_wider() {
    // A round trip and a quarter after 12 was sent it is sent again; both copies arrive. The duplicate
    // doubles the reordering window to 50 ms and restores the window.
    let mut pair = pair(10, &[(8, 0, Some(1)), (12, 0, Some(30)), (32, 0, Some(40))]);
    pair.offer(40 * SEGMENT);
    pair.run_to(ms(226));
    assert_eq!(pair.rounds().last(), Some(&(225, vec![12])));
    let reduced = pair.sender.cwnd();
    assert!(pair.sender.is_recovering() && reduced < 6 * SEGMENT, "{reduced}");
    pair.run();
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmissions, counters.fast_retransmits, counters.undone), (1, 1, 1));
    assert!(pair.sender.ssthresh() >= 10 * SEGMENT && pair.sender.cwnd() >= 10 * SEGMENT);
    assert_eq!(pair.sender.acked(), 40 * SEGMENT);
}

#[test]
fn without_undo_the_window_stays_reduced() {
    let deaf =
        recovery::Options::Rack(recovery::rack::Options { undo: false, ..Default::default() });
    let options = TcpOptions { recovery: Some(deaf), ..options(10) };
    let script = late_or_lost(&[(8, 0, Some(1)), (12, 0, Some(30))]);
    let mut pair = Pair::new(config(&options)).with_script(script);
    pair.offer(20 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().undone, 0);
    assert!(pair.sender.ssthresh() < 6 * SEGMENT);
}

#[test]
fn a_loss_among_duplicates_is_not_undone() {
    // 2 is lost, 3 comes 30 ms late; both are sent again, and only 3 is reported as a duplicate.
    let mut pair = pair(20, &[(2, 0, None), (3, 0, Some(30))]);
    pair.offer(40 * SEGMENT);
    pair.run();
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmissions, counters.undone, counters.timeouts), (2, 0, 0));
    assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT);
}

#[test]
fn a_timeout_in_vain_resends_one_segment_and_is_undone() {
    // RFC 8985 section 3.5: 1 is 1.11 s late and its probe 1 s; 2 and 3 leave just before the timer.
    let mut pair = pair(10, &[(1, 0, Some(1110)), (1, 1, Some(1000))]);
    pair.offer(SEGMENT);
    pair.run_to(ms(200));
    pair.offer(SEGMENT);
    pair.run_to(ms(1390));
    pair.offer(2 * SEGMENT);
    pair.run_to(ms(1420));
    // The probe two round trips after 1, the timer a second after the probe.
    let expected =
        [(0, vec![0]), (200, vec![1]), (400, vec![1]), (1390, vec![2, 3]), (1400, vec![1])];
    assert_eq!(pair.rounds(), expected);
    assert_eq!((pair.sender.counters().timeouts, pair.sender.ssthresh()), (1, 2 * SEGMENT));
    pair.run();
    assert_eq!(pair.rounds(), expected, "2 and 3 were not lost");
    // The probe and the copy sent by the timer came as duplicates: nothing had been lost.
    assert_eq!((pair.sender.counters().undone, pair.sender.ssthresh()), (1, 10 * SEGMENT));
    assert!(pair.sender.cwnd() >= 10 * SEGMENT);
}

#[test]
fn a_probe_that_makes_up_for_a_loss_reduces_the_window() {
    let mut pair = pair(10, &[(9, 0, None)]);
    pair.offer(10 * SEGMENT);
    pair.run_to(ms(500));
    assert_eq!(pair.rounds(), [(0, (0..10).collect()), (300, vec![9])]);
    assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT, "not known before more is acknowledged");
    pair.offer(6 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.ssthresh(), 3 * SEGMENT, "half of the six in flight");
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits, counters.retransmissions), (0, 0, 1));
}

#[test]
fn a_probe_in_vain_reduces_nothing() {
    // Both come 150 ms late; the probe two round trips after them is a duplicate, and reported.
    let mut pair = pair(10, &[(1, 0, Some(150)), (2, 0, Some(150))]);
    pair.offer(SEGMENT);
    pair.run_to(ms(200));
    pair.offer(2 * SEGMENT);
    pair.run_to(ms(600));
    assert_eq!(pair.rounds(), [(0, vec![0]), (200, vec![1, 2]), (400, vec![2])]);
    pair.offer(6 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT);
}

#[test]
fn a_probe_sends_new_data_where_there_are_any() {
    // All of a window is lost: the probe goes beyond it, and shows it.
    let lost = &[(1, 0, None), (2, 0, None), (3, 0, None), (4, 0, None)];
    let mut pair = pair(4, lost);
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(7 * SEGMENT);
    pair.run();
    let expected = [
        (0, vec![0]),
        (100, vec![1, 2, 3, 4]),
        (300, vec![5]),
        // The window is half of five.
        (400, vec![1, 2]),
        (500, vec![3, 4]),
        (600, vec![6, 7]),
    ];
    assert_eq!(pair.rounds(), expected);
    assert_eq!((pair.sender.counters().timeouts, pair.sender.acked()), (0, 8 * SEGMENT));
}

#[test]
fn four_losses_of_a_window_are_repaired_in_two_round_trips() {
    // Those of Fall and Floyd. The third block finds 2, 4 and 6 lost, the next one 8.
    let mut pair = pair(10, &[(2, 0, None), (4, 0, None), (6, 0, None), (8, 0, None)]);
    pair.offer(u64::MAX);
    pair.run_for(250);
    let expected = [
        // 12 and 13 follow the blocks of 3 and 5; the window is half of ten then, and seven are in flight.
        (100, vec![10, 11, 12, 13, 2]),
        (200, vec![4, 6, 8, 14, 15]),
    ];
    assert_eq!(pair.rounds()[1..], expected);
    pair.run_for(100);
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmissions, counters.fast_retransmits), (4, 1));
    assert_eq!((counters.timeouts, pair.sender.ssthresh()), (0, 5 * SEGMENT));
    assert!(pair.sender.acked() >= 14 * SEGMENT && !pair.sender.is_recovering());
}
