//! Packets in slots: the Bernoulli process of a sender, and its flows' parts of it.

use units::{Bytes, Span, Time};

use super::{K, stream};
use crate::{Bernoulli, Generator, Source};

const SLOT: Span = Span::from_us(1);

/// The slots in which each of so many flows of a sender has a packet.
fn slots(probability: f64, flows: u64, last: u64) -> Vec<Vec<u64>> {
    let source = Source::Bernoulli(Bernoulli { slot: SLOT, probability, packet: Bytes(64).into() });
    let one = |which| {
        let mut generator = Generator::new(&source, Bytes(1)).sharing(which, flows);
        let (mut stream, mut at) = (stream("sender"), Time::ZERO);
        let mut next = || {
            let offer = generator.next(&mut stream).expect("it never ends");
            assert_eq!(offer.bytes, 64);
            at += offer.after;
            assert_eq!((at - Time::ZERO).0 % SLOT.0, 0, "a packet begins with its slot");
            (at - Time::ZERO).0 / SLOT.0
        };
        std::iter::from_fn(|| Some(next())).take_while(|&slot| slot < last).collect()
    };
    (0..flows).map(one).collect()
}

#[test]
fn each_slot_has_a_packet_with_its_probability_whatever_the_one_before_had() {
    let (p, n) = (0.3, 200_000);
    let [taken] = slots(p, 1, n).try_into().unwrap();
    let error = (n as f64 * p * (1.0 - p)).sqrt();
    assert!((taken.len() as f64 - n as f64 * p).abs() < K * error);
    // Behind a packet as often as behind none.
    let behind = taken.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as f64;
    let after = taken.len() as f64;
    assert!((behind - after * p).abs() < K * (after * p * (1.0 - p)).sqrt());
    // The first slot is one like others: it has a packet for some streams and for others none.
    assert!(taken[0] < 40);
}

#[test]
fn a_source_that_is_sure_has_a_packet_in_every_slot_from_the_first_on() {
    assert_eq!(slots(1.0, 1, 1000), [(0..1000).collect::<Vec<u64>>()]);
}

#[test]
fn the_flows_of_a_sender_share_out_its_packets_and_no_slot_has_two() {
    let (p, n, flows) = (0.8, 50_000, 5);
    let parts = slots(p, flows, n);
    let [whole] = slots(p, 1, n).try_into().unwrap();
    let mut all: Vec<u64> = parts.concat();
    all.sort_unstable();
    let distinct = all.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(distinct, "two flows of a sender in one slot");
    let share = p / flows as f64;
    for part in &parts {
        let error = (n as f64 * share * (1.0 - share)).sqrt();
        assert!((part.len() as f64 - n as f64 * share).abs() < K * error);
    }
    // As many as one flow alone has, as far as chance lets them.
    let error = (2.0 * n as f64 * p * (1.0 - p)).sqrt();
    assert!((all.len() as f64 - whole.len() as f64).abs() < K * error);
}

#[test]
fn probabilities_and_slots_that_offer_nothing_are_refused() {
    let source = |slot, probability| {
        let found =
            Source::Bernoulli(Bernoulli { slot, probability, packet: Bytes(64).into() }).check();
        found.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(source(Span::ZERO, 0.5), ["slot"]);
    for probability in [0.0, -0.1, 1.1, f64::NAN] {
        assert_eq!(source(SLOT, probability), ["probability"], "{probability}");
    }
    assert_eq!(source(SLOT, 1.0), [""; 0]);
}
