//! The receiver alone: acknowledgment rules of RFC 5681, blocks of RFC 2018, echoes of RFC 7323.

use super::*;
use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::pair::{by_hand, config, rack};

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_ms(millis)
}

fn data(number: u64, millis: u64) -> Segment {
    let ts_val = at(millis);
    Segment { seq: number * 1000, len: 1000, ..Segment::empty(ts_val, Flags::ACK) }
}

fn receiver(options: &TcpOptions) -> Receiver {
    Receiver::new(config(options).into())
}

fn delayed() -> Receiver {
    receiver(&TcpOptions {
        ack_every: Some(2),
        ack_delay: Some(Span::from_ms(40)),
        ..by_hand(Preset::Sack)
    })
}

/// The acknowledgment that answers segment `number`, in segments.
fn answer(receiver: &mut Receiver, number: u64, millis: u64) -> Option<u64> {
    receiver.on_segment(at(millis), &data(number, millis), false);
    let ack = receiver.next_segment(at(millis)).map(|segment| segment.ack / 1000);
    assert!(receiver.next_segment(at(millis)).is_none());
    ack
}

fn blocks(receiver: &mut Receiver, number: u64) -> Vec<(u64, u64)> {
    receiver.on_segment(at(0), &data(number, 0), false);
    let ack = receiver.next_segment(at(0)).expect("it is acknowledged at once");
    let absolute = |&(start, end): &(u32, u32)| {
        ((ack.ack + u64::from(start)) / 1000, (ack.ack + u64::from(end)) / 1000)
    };
    ack.sack.as_slice().iter().map(absolute).collect()
}

#[test]
fn every_second_segment_is_acknowledged() {
    let mut receiver = delayed();
    assert_eq!(answer(&mut receiver, 0, 0), None);
    assert_eq!(answer(&mut receiver, 1, 1), Some(2));
    assert_eq!(answer(&mut receiver, 2, 2), None);
    assert_eq!(answer(&mut receiver, 3, 3), Some(4));
    assert_eq!(receiver.next_timeout(), None);
}

#[test]
fn a_single_segment_is_acknowledged_after_the_delay() {
    let mut receiver = delayed();
    assert_eq!(answer(&mut receiver, 0, 0), None);
    assert_eq!(receiver.next_timeout(), Some(at(40)));
    receiver.on_timeout(at(39));
    assert!(receiver.next_segment(at(39)).is_none());
    receiver.on_timeout(at(40));
    assert_eq!(receiver.next_segment(at(40)).unwrap().ack, 1000);
    assert_eq!(receiver.next_timeout(), None);
}

#[test]
fn what_is_out_of_order_fills_a_gap_or_is_old_is_acknowledged_at_once() {
    let mut receiver = delayed();
    assert_eq!(answer(&mut receiver, 2, 0), Some(0), "ahead of a gap");
    assert_eq!(answer(&mut receiver, 0, 1), Some(1), "fills a part of it");
    assert_eq!(answer(&mut receiver, 1, 2), Some(3), "fills the rest");
    assert_eq!(answer(&mut receiver, 1, 3), Some(3), "old");
    assert_eq!(answer(&mut receiver, 3, 4), None, "in order");
    assert_eq!(receiver.delivered(), 4000);
    assert_eq!((receiver.counters().duplicates, receiver.counters().out_of_order), (1, 1));
}

#[test]
fn the_first_block_holds_the_segment_that_caused_the_acknowledgment() {
    let mut receiver = receiver(&by_hand(Preset::Sack));
    assert_eq!(blocks(&mut receiver, 2), [(2, 3)]);
    assert_eq!(blocks(&mut receiver, 4), [(4, 5), (2, 3)]);
    assert_eq!(blocks(&mut receiver, 6), [(6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks(&mut receiver, 8), [(8, 9), (6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks(&mut receiver, 10), [(10, 11), (8, 9), (6, 7), (4, 5)]);
    // A change of an old block puts it first.
    assert_eq!(blocks(&mut receiver, 3), [(2, 5), (10, 11), (8, 9), (6, 7)]);
    // An advance takes it out.
    assert_eq!(blocks(&mut receiver, 0), [(2, 5), (10, 11), (8, 9), (6, 7)]);
    assert_eq!(blocks(&mut receiver, 1), [(10, 11), (8, 9), (6, 7)]);
}

#[test]
fn timestamps_leave_room_for_three_blocks() {
    let options = TcpOptions { timestamps: Some(true), ..by_hand(Preset::Sack) };
    let mut receiver = receiver(&options);
    for number in [2, 4, 6] {
        blocks(&mut receiver, number);
    }
    assert_eq!(blocks(&mut receiver, 8), [(8, 9), (6, 7), (4, 5)]);
}

#[test]
fn only_sack_receives_blocks() {
    assert!(blocks(&mut receiver(&by_hand(Preset::Newreno)), 2).is_empty());
}

#[test]
fn the_echo_is_of_the_earliest_segment_that_is_acknowledged() {
    let mut receiver = delayed();
    let mut echo = |number, millis| {
        receiver.on_segment(at(millis), &data(number, millis), false);
        receiver.next_segment(at(millis)).map(|segment| segment.ts_ecr)
    };
    assert_eq!(echo(0, 10), None);
    assert_eq!(echo(1, 11), Some(at(10)), "RFC 7323 section 4.3, case A");
    assert_eq!(echo(3, 13), Some(at(10)), "case B: ahead of a gap nothing changes");
    assert_eq!(echo(4, 14), Some(at(10)));
    assert_eq!(echo(2, 20), Some(at(20)), "case C: the one that fills it");
}

#[test]
fn congestion_is_echoed_until_cwr() {
    let mut receiver = receiver(&TcpOptions { ecn: Some(true), ..by_hand(Preset::Sack) });
    let mut echoed = |number, flags, marked| {
        let segment = Segment { flags: Flags::ACK | flags, ..data(number, 0) };
        receiver.on_segment(at(0), &segment, marked);
        receiver.next_segment(at(0)).unwrap().flags.has(Flags::ECE)
    };
    assert!(!echoed(0, Flags::NONE, false));
    assert!(echoed(1, Flags::NONE, true));
    assert!(echoed(2, Flags::NONE, false));
    assert!(!echoed(3, Flags::CWR, false));
    assert!(echoed(4, Flags::CWR, true), "a mark on the segment that carries CWR counts");
}

/// RFC 8257 section 3.2, figure 1, with two segments an acknowledgment.
#[test]
fn dctcp_echoes_marks_octet_for_octet_with_delayed_acknowledgments() {
    let mut receiver = receiver(&TcpOptions {
        ack_every: Some(2),
        ack_delay: Some(Span::from_ms(40)),
        ecn: Some(true),
        ..by_hand(Preset::Dctcp)
    });
    let mut answers = |number: u64, marked| {
        receiver.on_segment(at(number), &data(number, number), marked);
        let mut found = Vec::new();
        while let Some(ack) = receiver.next_segment(at(number)) {
            assert!(ack.sack.is_empty());
            let echo = ack.ts_ecr.0 / 1_000_000_000;
            found.push((ack.ack / 1000, ack.flags.has(Flags::ECE), echo));
        }
        found
    };
    assert_eq!(answers(0, false), []);
    assert_eq!(answers(1, false), [(2, false, 0)]);
    assert_eq!(answers(2, false), []);
    // The state changes: what waited is acknowledged as it was, then what has come, at once.
    assert_eq!(answers(3, true), [(3, false, 2), (4, true, 3)]);
    assert_eq!(answers(4, true), []);
    assert_eq!(answers(5, true), [(6, true, 4)]);
    // Nothing waits: one acknowledgment says it.
    assert_eq!(answers(6, false), [(7, false, 6)]);
    assert_eq!(answers(7, true), [(8, true, 7)]);
    // No CWR ends it.
    let reduced = Segment { flags: Flags::ACK | Flags::CWR, ..data(8, 8) };
    receiver.on_segment(at(8), &reduced, true);
    assert!(receiver.next_segment(at(8)).is_none());
    receiver.on_timeout(at(48));
    assert!(receiver.next_segment(at(48)).unwrap().flags.has(Flags::ECE));
    assert_eq!(receiver.counters().acks_sent, 7);
}

#[test]
fn a_fin_that_nobody_answers_is_given_up() {
    let mut receiver = receiver(&TcpOptions { release: Some(true), ..by_hand(Preset::Sack) });
    let fin = Segment { flags: Flags::ACK | Flags::FIN, ..data(0, 0) };
    receiver.on_segment(at(0), &fin, false);
    let mut fins = 0;
    let mut now = at(0);
    loop {
        while let Some(segment) = receiver.next_segment(now) {
            assert!(segment.flags.has(Flags::FIN));
            assert_eq!(segment.ack, 1001);
            fins += 1;
        }
        let Some(next) = receiver.next_timeout() else { break };
        now = next;
        receiver.on_timeout(now);
    }
    assert_eq!(fins, MAX_FINS);
    assert!(receiver.is_closed());
}

/// From the first to the one behind the last.
type Octets = (u64, u64);

/// The duplicate and the blocks of the answer to segment `number`, in segments.
fn report(receiver: &mut Receiver, number: u64) -> (Option<Octets>, Vec<Octets>) {
    receiver.on_segment(at(0), &data(number, 0), false);
    let answer = receiver.next_segment(at(0)).expect("it is acknowledged at once");
    let octet = |offset: i64| answer.ack.checked_add_signed(offset).unwrap() / 1000;
    let octets = |&(start, end): &(u32, u32)| (octet(i64::from(start)), octet(i64::from(end)));
    let duplicate = answer.sack.duplicate().map(|(start, end)| (octet(start), octet(end)));
    (duplicate, answer.sack.ahead().iter().map(octets).collect())
}

#[test]
fn duplicates_are_reported_as_in_the_examples_of_rfc_2883() {
    let recovery = Some(rack());
    let mut receiver = receiver(&TcpOptions { recovery, ..by_hand(Preset::Sack) });
    for number in 0..8 {
        assert_eq!(report(&mut receiver, number), (None, vec![]));
    }
    // Section 4.1.1: a segment below the acknowledgment.
    assert_eq!(report(&mut receiver, 6), (Some((6, 7)), vec![]));
    // 4.1.2: beside one that arrived ahead of a gap.
    assert_eq!(report(&mut receiver, 9), (None, vec![(9, 10)]));
    assert_eq!(report(&mut receiver, 6), (Some((6, 7)), vec![(9, 10)]));
    // 4.1.3: of one that arrived ahead of a gap, followed by the block that it is in.
    assert_eq!(report(&mut receiver, 10), (None, vec![(9, 11)]));
    assert_eq!(report(&mut receiver, 10), (Some((10, 11)), vec![(9, 11)]));
    // Rule 2: once each.
    assert_eq!(report(&mut receiver, 11), (None, vec![(9, 12)]));
}

#[test]
fn of_a_segment_that_brings_news_too_the_part_is_reported_that_has_come_before() {
    let recovery = Some(rack());
    let mut receiver =
        receiver(&TcpOptions { recovery, ack_every: Some(1), ..by_hand(Preset::Sack) });
    let mut report = |from: u64, to: u64| {
        let len = u32::try_from(1000 * (to - from)).unwrap();
        let segment = Segment { seq: 1000 * from, len, ..Segment::empty(at(0), Flags::ACK) };
        receiver.on_segment(at(0), &segment, false);
        let answer = receiver.next_segment(at(0)).expect("it is acknowledged at once");
        let octet = |offset: i64| answer.ack.checked_add_signed(offset).unwrap() / 1000;
        answer.sack.duplicate().map(|(start, end)| (octet(start), octet(end)))
    };
    assert_eq!(report(0, 2), None);
    // RFC 2883 section 4.2.1: the sender has made its segments larger.
    assert_eq!(report(1, 3), Some((1, 2)));
    assert_eq!(report(5, 7), None);
    // Its end has come ahead of the gap that it fills in part.
    assert_eq!(report(3, 6), Some((5, 6)));
    assert_eq!(report(10, 12), None);
    assert_eq!(report(14, 15), None);
    // Ahead of a gap: the first of two parts (section 4.2.3), then the whole, then its end.
    assert_eq!(report(11, 16), Some((11, 12)));
    assert_eq!(report(10, 16), Some((10, 16)));
    assert_eq!(report(9, 11), Some((10, 11)));
    assert_eq!(report(7, 8), None);
}

#[test]
fn with_sack_alone_duplicates_are_not_reported() {
    let mut receiver = receiver(&by_hand(Preset::Sack));
    assert_eq!(report(&mut receiver, 0), (None, vec![]));
    assert_eq!(report(&mut receiver, 0), (None, vec![]));
}

#[test]
fn quick_acknowledgments_are_not_delayed_at_the_start_and_after_old_data() {
    let options = TcpOptions { quick_acks: Some(3), ack_every: Some(2), ..by_hand(Preset::Sack) };
    let mut receiver = receiver(&options);
    let mut answers = |number| answer(&mut receiver, number, 0).is_some();
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(&mut answers),
        [true, true, true, false, true, false, true]
    );
    assert!(answers(2), "it had arrived");
    assert_eq!([7, 8, 9, 10, 11].map(&mut answers), [true, true, true, false, true]);
}
