//! When bits leave and arrive: cut-through, and for how long an output is held.

use units::{Span, Time};
use wire::optical::Lost;

use super::{Packet, network, packet, switching, total, trace};
use crate::common::values;

/// A packet of 12,500 B lasts 100 µs. Over h core nodes its last bit is in after the propagation
/// and its length once, whatever h, and after h input delays.
#[test]
fn a_packet_cuts_through_however_many_nodes() {
    let delays = ["3 us", "500 us", "7 us", "0 s", "1 ms", "11 ns"];
    let in_ps = [3_000_000, 500_000_000, 7_000_000, 0, 1_000_000_000, 11_000];
    for cores in 0..delays.len() {
        let name = |at: usize| match at {
            0 => "A".to_owned(),
            at if at == cores + 1 => "B".to_owned(),
            at => format!("C{at}"),
        };
        let names: Vec<String> = (0..cores + 2).map(name).collect();
        let links: Vec<_> = (0..=cores)
            .map(|at| (names[at].as_str(), names[at + 1].as_str(), delays[at]))
            .collect();
        for (input_delay, input_ps) in [("0 s", 0), ("2 us", 2_000_000)] {
            let text = network(1, &links)
                + &switching("50 ms", &format!("input-delay = \"{input_delay}\""))
                + &packet("A", "B", "1 ms", 12_500);
            let (report, packets) = trace(&text, 1);
            let mut leaves = Time::ZERO + Span::from_ms(1);
            assert_eq!(packets[0].released, leaves);
            for (at, step) in packets[0].steps.iter().enumerate() {
                assert_eq!(step.granted, Some((0, leaves)), "link {at} of {cores} core nodes");
                let stored = if at < cores { input_ps } else { 0 };
                leaves += Span(in_ps[at] + stored);
            }
            assert_eq!(packets[0].steps.len(), cores + 1);
            assert_eq!(packets[0].delivered, Some(leaves + Span::from_us(100)));
            let delay = (leaves + Span::from_us(100) - packets[0].released).as_secs_f64();
            assert!((values(&report, "flows", "delay-mean")[0] - delay).abs() < 1e-15);
            assert!((values(&report, "fecs", "hops-mean")[0] - (cores + 1) as f64).abs() < 1e-12);
        }
    }
}

/// What became of each packet.
fn ends(packets: &[Packet]) -> Vec<Option<Lost>> {
    packets.iter().map(|packet| packet.lost).collect()
}

/// The first packet is at the output from 15 to 25 µs. A second is lost until the last bit of the
/// first and the guard have passed; one that comes at that very instant is not.
#[test]
fn an_output_is_held_for_the_length_and_the_guard() {
    let second = |at: &str, guard: &str| {
        let text = network(1, &[("A", "C", "5 us"), ("B", "C", "5 us"), ("C", "E", "5 us")])
            + &switching("1 ms", &format!("guard = \"{guard}\""))
            + &packet("A", "E", "10 us", 1250)
            + &packet("B", "E", at, 1250);
        ends(&trace(&text, 1).1)
    };
    let lost = [None, Some(Lost::Contention)];
    for (guard, times) in [
        ("0 s", [("10001 ns", true), ("19999 ns", true), ("19999999 ps", true), ("20 us", false)]),
        ("1 us", [("20 us", true), ("20999 ns", true), ("20999999 ps", true), ("21 us", false)]),
    ] {
        for (at, is_lost) in times {
            assert_eq!(
                second(at, guard),
                if is_lost { lost } else { [None, None] },
                "{at}, {guard}"
            );
        }
    }
    // At one instant one of them is lost.
    assert_eq!(second("10 us", "0 s").iter().flatten().count(), 1);
}

/// The same at an ingress edge that drops, where the cause has its own name.
#[test]
fn an_ingress_edge_holds_its_output_as_long() {
    for (at, guard, lost) in [
        ("19999 ns", "0 s", Some(Lost::Ingress)),
        ("20 us", "0 s", None),
        ("20999999 ps", "1 us", Some(Lost::Ingress)),
        ("21 us", "1 us", None),
    ] {
        let text = network(1, &[("A", "C", "5 us"), ("C", "E", "5 us"), ("C", "F", "5 us")])
            + &switching("1 ms", &format!("guard = \"{guard}\""))
            + &packet("A", "E", "10 us", 1250)
            + &packet("A", "F", at, 1250);
        assert_eq!(ends(&trace(&text, 1).1), [None, lost], "{at}, {guard}");
    }
}

/// Of three the second is lost while the first passes, and the third comes when the first has
/// passed but the second would not have.
#[test]
fn a_lost_packet_holds_nothing() {
    let text = network(
        1,
        &[("A", "C", "5 us"), ("B", "C", "5 us"), ("D", "C", "5 us"), ("C", "E", "5 us")],
    ) + &switching("1 ms", "")
        + &packet("A", "E", "10 us", 1250)
        + &packet("B", "E", "15 us", 1250)
        + &packet("D", "E", "20 us", 1250);
    assert_eq!(ends(&trace(&text, 1).1), [None, Some(Lost::Contention), None]);
}

/// An edge switches what is for another edge: one class from end to end, its length charged once.
#[test]
fn optical_packets_pass_through_an_edge() {
    let text = network(1, &[("A", "X", "5 us"), ("X", "E", "7 us")])
        + &switching("1 ms", "")
        + &packet("A", "E", "10 us", 1250)
        + &packet("A", "X", "100 us", 1250);
    let (report, packets) = trace(&text, 1);
    assert_eq!(packets[0].end(), Ok(32.0));
    assert_eq!(packets[1].end(), Ok(115.0));
    let ends: Vec<_> = packets.iter().map(|p| (p.ingress.as_str(), p.egress.as_str())).collect();
    assert_eq!(ends, [("A", "E"), ("A", "X")]);
    assert!((total(&report, "bursts") - 2.0).abs() < 1e-12);
}

/// At such an edge a packet that passes through competes with those that the edge sends. It is lost
/// by contention; one of the edge's own is lost at its ingress, or waits until the output is free.
#[test]
fn what_passes_an_edge_competes_with_what_it_sends() {
    let text = |own: &str| {
        network(1, &[("A", "X", "5 us"), ("X", "E", "7 us")])
            + &switching("1 ms", "")
            + &packet("A", "E", "10 us", 1250)
            + &packet("X", "E", own, 1250)
    };
    // The packet from A is at X from 15 to 25 µs.
    let (_, packets) = trace(&text("9 us"), 1);
    assert_eq!(ends(&packets), [None, Some(Lost::Contention)]);
    let (_, packets) = trace(&text("16 us"), 1);
    assert_eq!(ends(&packets), [None, Some(Lost::Ingress)]);
    let (_, packets) = trace(&text("16 us").replace("\"drop\"", "\"wait\""), 1);
    assert_eq!(packets[1].way(), [("X-E".to_owned(), 25.0)]);
    assert_eq!(packets[1].end(), Ok(42.0));
    // Waiting does not help who comes by light.
    let (_, packets) = trace(&text("9 us").replace("\"drop\"", "\"wait\""), 1);
    assert_eq!(ends(&packets), [None, Some(Lost::Contention)]);
}
