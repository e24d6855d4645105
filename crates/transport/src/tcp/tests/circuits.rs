//! What a sender does when circuits come and go, worked by hand on a path of infinite rate with a round-trip time of
//! 100 ms.

use proptest::prelude::*;
use units::Span;

use super::rack::{fates, ms};
use crate::tcp::circuits::{Options, hold, retcp, tdtcp};
use crate::tcp::config::{Config, Preset, TcpOptions};
use crate::tcp::pair::{Fate, Pair, SEGMENT, by_hand, config, rack};

/// Ten segments, in congestion avoidance from the start.
fn ten(circuits: Options) -> Config {
    config(&TcpOptions {
        recovery: Some(rack()),
        circuits: Some(circuits),
        ..by_hand(Preset::Sack)
    })
}

fn retcp(up: f64, down: f64) -> Options {
    Options::ReTcp(retcp::Options { up, down })
}

fn numbers(range: std::ops::RangeInclusive<u64>) -> Vec<u64> {
    range.collect()
}

#[test]
fn hold_sends_nothing_without_a_circuit() {
    let mut pair = Pair::new(ten(Options::Hold(hold::Options {})));
    pair.offer(u64::MAX);
    pair.run_to(ms(30));
    assert_eq!(pair.rounds(), []);
    pair.circuit(true);
    pair.run_to(ms(80));
    pair.circuit(false);
    pair.run_to(ms(500));
    // Acknowledgments at 130 ms make room, which is used only when the next circuit is there.
    assert_eq!(pair.rounds(), [(30, numbers(0..=9))]);
    pair.circuit(true);
    pair.run_to(ms(550));
    assert_eq!(pair.rounds()[1].0, 500);
    assert_eq!(pair.rounds()[1].1[0], 10);
}

#[test]
fn retcp_multiplies_the_window_when_a_circuit_opens_and_divides_it_when_it_closes() {
    let mut pair = Pair::new(ten(retcp(3.0, 2.0)));
    pair.offer(u64::MAX);
    pair.run_to(ms(20));
    pair.circuit(true);
    assert_eq!(pair.sender.cwnd(), 30 * SEGMENT);
    // Told twice it does so once.
    pair.circuit(true);
    assert_eq!(pair.sender.cwnd(), 30 * SEGMENT);
    assert_eq!(pair.rounds(), [(0, numbers(0..=9)), (20, numbers(10..=29))]);
    pair.circuit(false);
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (15 * SEGMENT, 10 * SEGMENT));
}

#[test]
fn retcp_waits_until_a_recovery_is_over() {
    let list = vec![(2, 0, Fate::lost())];
    let mut pair = Pair::new(ten(retcp(2.0, 2.0))).with_script(fates(list));
    pair.offer(u64::MAX);
    pair.run_to(ms(150));
    // 2 was found lost at 100 ms, and is on its way again until 200 ms.
    assert!(pair.sender.is_recovering());
    let reduced = pair.sender.cwnd();
    pair.circuit(true);
    assert_eq!(pair.sender.cwnd(), reduced);
    pair.run_to(ms(350));
    assert!(!pair.sender.is_recovering());
    assert!(pair.sender.cwnd() >= 2 * reduced, "{} after {reduced}", pair.sender.cwnd());
}

#[test]
fn tdtcp_has_a_window_for_each_network() {
    let list = vec![(13, 0, Fate::lost())];
    let mut pair = Pair::new(ten(Options::TdTcp(tdtcp::Options {}))).with_script(fates(list));
    pair.offer(u64::MAX);
    pair.run_to(ms(20));
    // What is out in one network takes no room in the other.
    pair.circuit(true);
    assert_eq!(pair.rounds(), [(0, numbers(0..=9)), (20, numbers(10..=19))]);
    pair.run_to(ms(180));
    // At 100 ms ten segments of the first network arrived, and its window grew; at 120 ms 13 of the other was lost.
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
    assert!(pair.sender.is_recovering());
    assert!((4 * SEGMENT..6 * SEGMENT).contains(&pair.sender.cwnd()), "{}", pair.sender.cwnd());
    pair.circuit(false);
    assert!(!pair.sender.is_recovering());
    assert!((10 * SEGMENT + 900..11 * SEGMENT).contains(&pair.sender.cwnd()));
}

#[test]
fn tdtcp_reduces_the_window_of_the_network_in_which_a_segment_was_lost() {
    let list = vec![(4, 0, Fate::lost())];
    let mut pair = Pair::new(ten(Options::TdTcp(tdtcp::Options {}))).with_script(fates(list));
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(u64::MAX);
    pair.run_to(ms(160));
    pair.circuit(true);
    pair.run_to(ms(250));
    // The third that is sacked, 7, shows that 4 is lost: it goes at once, although ten are out in this network.
    let sent = [(0, vec![0]), (100, numbers(1..=10)), (160, numbers(11..=20)), (200, vec![4])];
    assert_eq!(pair.rounds(), sent);
    assert!(!pair.sender.is_recovering());
    assert_eq!(pair.sender.cwnd(), 10 * SEGMENT);
    pair.circuit(false);
    assert!((5 * SEGMENT..6 * SEGMENT).contains(&pair.sender.cwnd()), "{}", pair.sender.cwnd());
}

#[test]
fn tdtcp_deems_nothing_lost_that_the_other_network_has_overtaken() {
    // Without a circuit the round trip takes 400 ms, and at last 390 ms.
    let late = |number| (number, 0, Fate::late(Span::from_ms(if number == 0 { 300 } else { 290 })));
    let mut pair = Pair::new(ten(Options::TdTcp(tdtcp::Options {})))
        .with_script(fates((0..=10).map(late).collect()));
    pair.offer(SEGMENT);
    pair.run_to(ms(400));
    pair.offer(u64::MAX);
    pair.run_to(ms(450));
    pair.circuit(true);
    pair.run_to(ms(900));
    let sent = pair.rounds();
    assert_eq!(sent[1..3], [(400, numbers(1..=10)), (450, numbers(11..=20))]);
    assert_eq!(pair.sender.counters().retransmissions, 0);
    assert_eq!(pair.sender.counters().fast_retransmits, 0);
    assert!(pair.sender.acked() > 20 * SEGMENT);
}

#[test]
fn tdtcp_finds_what_is_lost_at_the_end_of_a_circuit_without_the_timer() {
    // 17 to 20 are the last of the circuit, and lost; the network without one has measured 100 ms, too.
    let list = (17..=20).map(|number| (number, 0, Fate::lost())).collect();
    let mut pair = Pair::new(ten(Options::TdTcp(tdtcp::Options {}))).with_script(fates(list));
    pair.offer(SEGMENT);
    pair.run_to(ms(100));
    pair.offer(u64::MAX);
    pair.run_to(ms(160));
    pair.circuit(true);
    pair.run_to(ms(161));
    pair.circuit(false);
    pair.run_to(ms(450));
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.retransmissions), (0, 4));
    assert!(pair.sender.acked() >= 21 * SEGMENT);
}

proptest! {
    #![proptest_config(trials::cases(300))]
    /// Whatever is lost, is late, and however circuits come and go: everything is delivered once, and what is deemed to be
    /// in the network is what would be counted.
    #[test]
    fn all_arrives_whenever_circuits_come_and_go(
        kind in 0..3_usize,
        changes in prop::collection::vec(1_u64..400, 1..30),
        fates_of in prop::collection::vec(0_u64..10, 200),
        segments in 1_u64..300,
    ) {
        let kinds = [
            Options::Hold(hold::Options {}),
            retcp(4.0, 3.0),
            Options::TdTcp(tdtcp::Options {}),
        ];
        let mut next = 0;
        let mut pair = Pair::new(ten(kinds[kind].clone())).with_script(move |_| {
            next += 1;
            match fates_of[next % fates_of.len()] {
                0 => Fate::lost(),
                late @ 1..=2 => Fate::late(Span::from_ms(70 * late)),
                _ => Fate::delivered(),
            }
        });
        pair.offer(segments * SEGMENT);
        let mut open = false;
        for after in changes {
            pair.run_for(after);
            open = !open;
            pair.circuit(open);
        }
        pair.circuit(true);
        pair.run_for(10_000_000);
        prop_assert_eq!(pair.sender.acked(), segments * SEGMENT);
        prop_assert_eq!(pair.receiver.delivered(), segments * SEGMENT);
        prop_assert_eq!(pair.sender.flight(), 0);
    }
}
