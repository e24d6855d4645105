//! Whole connections over a path of which every instant can be worked out by hand: a packet of 936 B of data is on
//! the wire for 1 us, each way takes 4 us, and answers take no time on the wire.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use super::pair::{Fate, GOOD, Pair, RATE, options};
use super::wire::{Answer, Feedback};
use super::{MessageOptions, spraying, window};

const US: u64 = 1_000_000;

fn us(at: Time) -> u64 {
    assert_eq!(at.0 % US, 0, "{at:?}");
    at.0 / US
}

fn fixed(paths: f64) -> window::Options {
    window::Options::Fixed(window::fixed::Options { paths })
}

/// A window of so many packets on the path of 9 us, which holds nine.
fn packets(window: f64) -> MessageOptions {
    MessageOptions { window: fixed(window / 9.0 + 1e-9), ..options() }
}

/// The places at which packets were given to the interface, in microseconds, with their numbers.
fn sent(pair: &Pair) -> Vec<(u64, u64)> {
    pair.log.iter().map(|(at, data)| (us(*at), data.number)).collect()
}

#[test]
fn a_window_of_packets_leaves_one_after_the_other_and_the_next_when_answers_come() {
    let mut pair = Pair::new(packets(3.0));
    pair.send(&[5 * 936]);
    pair.run();
    // The answer to the first packet is there 9 us after its first bit.
    assert_eq!(sent(&pair), [(0, 0), (0, 1), (1, 2), (9, 3), (10, 4)]);
    assert_eq!((us(pair.now), pair.sender.acked()), (19, 5 * 936));
    assert!(pair.sender.is_finished());
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

/// An interface holds one packet that waits, so that entropies are chosen late and flows take turns.
#[test]
fn a_packet_is_given_to_the_interface_when_the_one_before_begins() {
    let mut pair = Pair::new(packets(9.0));
    pair.send(&[4 * 936]);
    pair.run();
    assert_eq!(sent(&pair), [(0, 0), (0, 1), (1, 2), (2, 3)]);
}

#[test]
fn packets_do_not_cross_from_message_to_message() {
    let mut pair = Pair::new(packets(9.0));
    pair.send(&[1000, 10, 936]);
    pair.run();
    let parts: Vec<_> = pair.log.iter().map(|(_, data)| (data.offset, data.len)).collect();
    assert_eq!(parts, [(0, 936), (936, 64), (1000, 10), (1010, 936)]);
    assert_eq!(pair.receiver.delivered(), 1946);
}

/// Every packet counts when it comes: the first one, which is 3 us late, holds back nothing.
#[test]
fn packets_are_accepted_in_any_order() {
    let mut pair = Pair::new(packets(9.0))
        .with_script(|at, _| if at == 0 { Fate::Late(Span::from_us(3)) } else { GOOD });
    pair.send(&[5 * 936]);
    pair.run_to(Time(7 * US));
    // Packets 1 and 2 came at 6 and 7 us.
    assert_eq!(pair.receiver.delivered(), 2 * 936);
    let told: Vec<(u64, Vec<u64>)> = pair
        .answers
        .iter()
        .map(|(_, segment)| match Answer::of(segment) {
            Answer::Feedback(feedback) => (feedback.about.next, feedback.come().collect()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, [(0, vec![1]), (0, vec![1, 2])]);
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

/// The bits begin at the first packet that has not come, or as many times 64 later as there are until the one that
/// came.
#[test]
fn a_bitmap_tells_of_the_packets_around_the_one_that_came() {
    let options = MessageOptions { min_rto: Some(Span::from_secs(1)), ..packets(300.0) };
    let mut pair = Pair::new(options).with_script(|at, _| match at {
        3 => Fate::Late(Span::from_us(500)),
        67 => Fate::Late(Span::from_us(600)),
        _ => GOOD,
    });
    pair.send(&[200 * 936]);
    pair.run_to(Time(150 * US));
    // Packet 145 came at 150 us: 142 after the first that has not, in the third block of 64.
    let Answer::Feedback(last) = Answer::of(&pair.answers.last().unwrap().1) else { panic!() };
    assert_eq!((last.about.next, last.block), (3, 2));
    assert_eq!(last.come().collect::<Vec<_>>(), (131..=145).collect::<Vec<_>>());
    let second = pair.answers.iter().find_map(|(_, segment)| match Answer::of(segment) {
        Answer::Feedback(feedback @ Feedback { block: 1, .. }) => Some(feedback),
        _ => None,
    });
    // Of the second block, 67 to 130, packet 68 was the first to come.
    assert_eq!(second.unwrap().come().collect::<Vec<_>>(), [68]);
}

#[test]
fn answers_may_wait_for_some_packets_but_not_where_they_are_asked_for() {
    let options = MessageOptions { answer_every: 4, ..packets(8.0) };
    let mut pair = Pair::new(options);
    pair.send(&[16 * 936]);
    pair.run_to(Time(13 * US));
    // The first packet, then four of them; the eighth fills the window and asks.
    let at: Vec<u64> = pair.answers.iter().map(|(at, _)| us(*at)).collect();
    assert_eq!(at, [5, 9, 12]);
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!(pair.sender.counters().timeouts, 0);
}

/// The last packet asks, but comes before the one that is late: that one is answered at once, too.
#[test]
fn what_was_asked_for_is_told_when_all_have_come() {
    let options = MessageOptions { answer_every: 64, ..packets(20.0) };
    let late = Fate::Late(Span::from_us(20));
    let mut pair = Pair::new(options).with_script(move |at, _| if at == 5 { late } else { GOOD });
    pair.send(&[10 * 936]);
    pair.run();
    let at: Vec<u64> = pair.answers.iter().map(|(at, _)| us(*at)).collect();
    assert_eq!(at, [5, 14, 30]);
    assert_eq!((us(pair.now), pair.sender.counters().timeouts), (34, 0));
}

/// Packets that were trimmed take the window below what the receiver has not answered: one
/// packet more asks.
#[test]
fn a_window_that_becomes_smaller_leaves_no_packet_without_an_answer() {
    for answer_every in [1, 2, 3, 4, 8, 64] {
        for trimmed in 1..60 {
            let nscc = window::Options::Nscc(window::nscc::Options::default());
            let options = MessageOptions { answer_every, window: nscc, ..options() };
            let mut pair = Pair::new(options)
                .with_script(move |at, _| if at % 60 < trimmed { Fate::Trimmed } else { GOOD });
            pair.send(&[400 * 936]);
            pair.run();
            let counters = pair.sender.counters();
            assert!(pair.sender.is_finished());
            assert_eq!(counters.timeouts, 0, "{answer_every} packets an answer, {trimmed} trimmed");
        }
    }
}

#[test]
fn a_trimmed_packet_is_sent_again_a_round_trip_later() {
    let mut pair =
        Pair::new(packets(3.0)).with_script(|at, _| if at == 1 { Fate::Trimmed } else { GOOD });
    pair.send(&[6 * 936]);
    pair.run();
    // The NACK of packet 1 comes at 10 us.
    assert_eq!(sent(&pair), [(0, 0), (0, 1), (1, 2), (9, 3), (10, 1), (11, 4), (18, 5)]);
    assert!(pair.log[4].1.resent && pair.log[4].1.offset == 936);
    let counters = pair.sender.counters();
    assert_eq!((counters.nacks, counters.retransmissions, counters.timeouts), (1, 1, 0));
    assert_eq!(pair.receiver.delivered(), 6 * 936);
}

/// RFC 6298: SRTT is 9 us and RTTVAR 4.5 us after one measurement and 9 us and 3.375 us after two, so that the timeout
/// is its minimum here; a copy that is lost, too, waits for just as long.
#[test]
fn a_lost_packet_is_sent_again_when_the_timer_expires() {
    let options = MessageOptions { min_rto: Some(Span::from_us(50)), ..packets(3.0) };
    let mut pair =
        Pair::new(options).with_script(|at, _| if at == 2 || at == 3 { Fate::Lost } else { GOOD });
    pair.send(&[3 * 936]);
    pair.run();
    // Its first bit left at 2 us; the timer rings a picosecond after the deadline.
    let at: Vec<u64> = pair.log.iter().map(|(at, _)| at.0).collect();
    assert_eq!(at, [0, 0, US, 52 * US + 1, 102 * US + 2]);
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.retransmissions, counters.overtaken), (2, 2, 0));
}

/// The loss of one packet in a window of four is known when packets of 1.5 windows, six, that were sent after it have
/// come.
#[test]
fn a_packet_that_many_have_overtaken_is_lost() {
    let mut pair =
        Pair::new(packets(4.0)).with_script(|at, _| if at == 1 { Fate::Lost } else { GOOD });
    pair.send(&[20 * 936]);
    pair.run();
    let again = pair.log.iter().position(|(_, data)| data.resent).unwrap();
    // It was second; the answer to the eighth is the first that is more than six later.
    let (_, eighth) = pair.log[8];
    assert_eq!(pair.log[again].0, eighth.first_bit + Span::from_us(9));
    let counters = pair.sender.counters();
    assert_eq!((counters.overtaken, counters.timeouts, counters.retransmissions), (1, 0, 1));
    assert!(pair.sender.is_finished());
}

/// Without an answer a packet is sent however small the window is.
#[test]
fn a_window_below_a_packet_is_one() {
    let mut pair = Pair::new(MessageOptions { window: fixed(0.01), ..options() });
    pair.send(&[3 * 936]);
    pair.run();
    assert_eq!(sent(&pair), [(0, 0), (9, 1), (18, 2)]);
}

/// What is beyond the first window needs credit, a packet each.
#[test]
fn data_beyond_the_first_window_wait_for_credit() {
    let options = MessageOptions { credits: true, ..packets(3.0) };
    let mut pair = Pair::new(options);
    pair.grants = false;
    pair.send(&[10 * 936]);
    pair.run_to(Time(50 * US));
    assert_eq!(pair.log.len(), 3);
    assert!(pair.receiver.wants_credit() && !pair.sender.is_finished());
    // Ten are wanted, of which three needed none.
    (0..7).for_each(|_| {
        assert!(pair.receiver.wants_credit());
        pair.receiver.grant();
    });
    assert!(!pair.receiver.wants_credit());
    pair.grants = true;
    pair.sender.on_segment(pair.now, &pair.receiver.next_segment(pair.now).unwrap());
    pair.send(&[]);
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!(pair.log.len(), 10);
}

/// All grants are lost until 300 us: a packet asks each time that the timer expires.
#[test]
fn a_lost_grant_is_asked_for() {
    let options = MessageOptions { credits: true, ..packets(3.0) };
    let mut pair = Pair::new(options);
    pair.grants = false;
    pair.send(&[10 * 936]);
    pair.run_to(Time(300 * US));
    // The last answer came at 11 us; the timeout of 100 us is doubled each time, and begins again with an answer.
    let asked: Vec<u64> = pair.log[3..].iter().map(|(at, _)| at.0 / US).collect();
    assert_eq!(asked, [111, 220]);
    pair.grants = true;
    pair.run();
    assert!(pair.sender.is_finished());
}

/// A packet that is sent again needs credit, too, and the receiver hears of it.
#[test]
fn a_trimmed_packet_asks_for_credit_of_its_own() {
    let options = MessageOptions { credits: true, ..packets(3.0) };
    let mut pair =
        Pair::new(options).with_script(|at, _| if at == 1 { Fate::Trimmed } else { GOOD });
    pair.send(&[8 * 936]);
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!((pair.log.len(), pair.sender.counters().timeouts), (9, 0));
}

#[test]
fn what_is_withdrawn_is_not_sent() {
    let mut pair = Pair::new(packets(2.0));
    pair.sender.offer(u64::MAX);
    pair.run_to(Time(20 * US));
    let left = pair.sender.withdraw();
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!(left, pair.receiver.delivered());
}

fn kinds() -> [spraying::Options; 5] {
    use spraying::{Options, bitmap, mixed, random, reps, round_robin};
    [
        Options::Random(random::Options::default()),
        Options::RoundRobin(round_robin::Options::default()),
        Options::Reps(reps::Options::default()),
        Options::Bitmap(bitmap::Options::default()),
        Options::Mixed(mixed::Options::default()),
    ]
}

proptest! {
    #![proptest_config(trials::cases(200))]

    /// Whatever the network does, everything comes, once, and nothing is left in flight.
    #[test]
    fn everything_comes_over_any_network(
        messages in prop::collection::vec(1..20_000_u64, 1..6),
        fates in prop::collection::vec(0..10_u64, 1..40),
        kind in 0..5_usize,
        nscc: bool,
        credits: bool,
        answer_every in 1..5_u32,
    ) {
        let nscc_rule = window::Options::Nscc(window::nscc::Options::default());
        let window = if nscc { nscc_rule } else { fixed(2.0) };
        let spraying = kinds()[kind].clone();
        let options = MessageOptions {
            window, credits, answer_every, spraying, entropies: 16, packet: Bytes(936),
            max_rto: Span::from_ms(100), ..options()
        };
        let mut pair = Pair::new(options).with_script(move |at, _| match fates[at % fates.len()] {
            // After many packets the network is good, so that the run ends.
            _ if at > 400 => GOOD,
            0 => Fate::Lost,
            1 => Fate::Trimmed,
            2 => Fate::Marked,
            3 => Fate::Late(Span::from_us(70)),
            4 => Fate::Late(Span::from_us(3)),
            _ => GOOD,
        });
        pair.send(&messages);
        pair.run_to(Time(Span::from_secs(3000).0));
        let all: u64 = messages.iter().sum();
        prop_assert!(pair.sender.is_finished());
        prop_assert_eq!(pair.receiver.delivered(), all);
        prop_assert_eq!(pair.sender.acked(), all);
        let first: u64 = pair.log.iter().filter(|(_, data)| !data.resent).map(|(_, data)| u64::from(data.len)).sum();
        prop_assert_eq!(first, all);
        prop_assert!(pair.log.iter().all(|(_, data)| data.entropy < 16));
    }
}

#[test]
fn the_path_of_the_tests_holds_nine_packets() {
    let terms = window::Terms { packet: 1000, rate: RATE, base_rtt: Span::from_us(9) };
    assert!((terms.path() - 9000.0).abs() < 1e-6);
}
