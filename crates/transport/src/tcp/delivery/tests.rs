//! Samples worked by hand from section 4.1 of the draft. Packets of 1000 octets.

use super::*;

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn send(delivery: &mut Delivery, ms: u64, number: u64, in_flight: u64) {
    let octets = (1000 * number, 1000 * number + 1000);
    delivery.on_sent(&Transmission { now: at(ms), octets, resent: false, in_flight });
}

fn arrive(delivery: &mut Delivery, ms: u64, numbers: &[u64]) -> Option<RateSample> {
    for &number in numbers {
        delivery.on_arrived(number, at(ms));
    }
    let (una, in_flight) = (0, 0);
    delivery.sample(&Present { now: at(ms), in_flight, una, recovers: false, repairs: false })
}

fn is(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
}

/// Sent every 10 ms from 0 on, acknowledged every 10 ms from 100 on: the first sample is one packet in 100 ms, the
/// second two packets in 110 ms less nothing: as long as no packet that was sent after an acknowledgment arrives.
#[test]
fn a_sample_is_what_was_delivered_over_the_longer_of_two_times() {
    let mut delivery = Delivery::default();
    for number in 0..10 {
        send(&mut delivery, 10 * number, number, 1000 * number);
    }
    let first = arrive(&mut delivery, 100, &[0]).unwrap();
    assert_eq!((first.delivered, first.prior_delivered, first.total_delivered), (1000, 0, 1000));
    is(first.rate, 1000.0 / 0.1);
    // Sent now: what was delivered so far was one packet, at 100 ms.
    send(&mut delivery, 100, 10, 9000);
    let second = arrive(&mut delivery, 110, &[1]).unwrap();
    is(second.rate, 2000.0 / 0.11);
    for number in 2..10 {
        arrive(&mut delivery, 100 + 10 * number, &[number]);
    }
    // 10 packets in the 100 ms between the acknowledgments of 100 and 200 ms; they were sent in as long.
    let last = arrive(&mut delivery, 200, &[10]).unwrap();
    assert_eq!((last.delivered, last.prior_delivered), (10_000, 1000));
    is(last.rate, 10_000.0 / 0.1);
    assert_eq!(last.rtt, Some(Span::from_ms(100)));
    assert_eq!(last.sent_in_flight, 10_000);
}

/// Acknowledgments that wait and come at once: the time in which the packets were sent bounds the rate.
#[test]
fn acknowledgments_that_are_compressed_do_not_raise_the_rate() {
    let mut delivery = Delivery::default();
    for number in 0..10 {
        send(&mut delivery, 10 * number, number, 1000 * number);
    }
    arrive(&mut delivery, 150, &[0]);
    for number in 1..9 {
        assert!(arrive(&mut delivery, 150, &[number]).unwrap().rate <= 9000.0 / 0.09);
    }
    send(&mut delivery, 150, 10, 1000);
    // The acknowledgment of 9 and 10 comes after 101 ms; they were sent over 70 ms.
    let sample = arrive(&mut delivery, 251, &[9, 10]).unwrap();
    is(sample.rate, 2000.0 / 0.101);
}

#[test]
fn samples_are_marked_until_what_was_in_flight_has_arrived() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 0);
    send(&mut delivery, 0, 1, 1000);
    delivery.mark_app_limited(2000);
    send(&mut delivery, 50, 2, 2000);
    assert!(!arrive(&mut delivery, 100, &[0]).unwrap().app_limited);
    assert!(!arrive(&mut delivery, 100, &[1]).unwrap().app_limited);
    assert!(arrive(&mut delivery, 150, &[2]).unwrap().app_limited);
    assert!(!delivery.is_app_limited());
}

#[test]
fn a_packet_that_was_sent_again_measures_no_round_trip_time_and_counts_once() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 0);
    send(&mut delivery, 0, 1, 1000);
    let lost = delivery.on_lost(0, at(120)).unwrap();
    assert_eq!((lost.octets, lost.lost, lost.in_flight), (1000, 1000, 1000));
    let again = Transmission { now: at(120), octets: (0, 1000), resent: true, in_flight: 1000 };
    delivery.on_sent(&again);
    let sample = arrive(&mut delivery, 130, &[1]).unwrap();
    assert_eq!((sample.lost, sample.newly_lost), (1000, 1000));
    let sample = arrive(&mut delivery, 220, &[0]).unwrap();
    assert_eq!((sample.rtt, sample.lost, sample.total_delivered), (None, 0, 2000));
    assert!(arrive(&mut delivery, 230, &[]).is_none());
}

#[test]
fn losses_in_a_row_are_one_range() {
    let mut delivery = Delivery::default();
    (0..6).for_each(|number| send(&mut delivery, 0, number, 1000 * number));
    let follows = [1, 2, 4, 5].map(|number| delivery.on_lost(number, at(9)).unwrap().follows);
    assert_eq!(follows, [false, true, false, true]);
}

/// An interval that is shorter than the shortest round trip says nothing.
#[test]
fn a_spurious_copy_makes_no_sample() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 0);
    arrive(&mut delivery, 100, &[0]);
    send(&mut delivery, 200, 1, 0);
    let again = Transmission { now: at(290), octets: (1000, 2000), resent: true, in_flight: 0 };
    delivery.on_sent(&again);
    let sample = arrive(&mut delivery, 300, &[1]).unwrap();
    is(sample.rate, 0.0);
}
