//! Deflection to other ports of a mesh, worked by hand: which port, when, and where it ends.
//!
//! At 1 Gb/s 125 B last 1 µs. Packets come to C1 in the order of their edges, 1 µs apart.

use wire::optical::Lost;

use super::{Packet, network, packet, switching, total, trace};
use crate::common::values;

const DELAY: &str = "[routing]\nmetric = \"delay\"\n";

fn deflect(rest: &str) -> String {
    format!("remedies = [\"deflect\"]\ndeflection = {{ kind = \"ports\"{rest} }}")
}

fn way(links: &[(&str, f64)]) -> Vec<(String, f64)> {
    links.iter().map(|(link, at)| ((*link).to_owned(), *at)).collect()
}

/// Four edges at C1, from which three ways lead to C3 and E: over C2 (20 µs), over C4 (40 µs), and
/// straight (100 µs). Each packet lasts 10 µs.
fn square(more: &str) -> String {
    let links = [
        ("A", "C1", "1 us"),
        ("B", "C1", "1 us"),
        ("D", "C1", "1 us"),
        ("F", "C1", "1 us"),
        ("C1", "C2", "10 us"),
        ("C2", "C3", "10 us"),
        ("C1", "C4", "20 us"),
        ("C4", "C3", "20 us"),
        ("C1", "C3", "100 us"),
        ("C3", "E", "1 us"),
    ];
    let edges = [("A", "10 us"), ("B", "11 us"), ("D", "12 us"), ("F", "13 us")];
    let packets: String = edges.iter().map(|(from, at)| packet(from, "E", at, 1250)).collect();
    network(1, &links) + more + &packets
}

/// The second goes over C4, the third straight; the fourth finds nothing but edges that end there
/// and is lost, also where it might go back.
#[test]
fn ports_are_tried_by_the_length_of_the_way_over_them() {
    for loops in ["allowed", "no-return", "loopless"] {
        let core = deflect(&format!(", order = \"shortest\", loops = \"{loops}\""));
        let (report, packets) = trace(&square(&(switching("1 ms", &core) + DELAY)), 1);
        let expected = [
            way(&[("A-C1", 10.0), ("C1-C2", 11.0), ("C2-C3", 21.0), ("C3-E", 31.0)]),
            way(&[("B-C1", 11.0), ("C1-C4", 12.0), ("C4-C3", 32.0), ("C3-E", 52.0)]),
            way(&[("D-C1", 12.0), ("C1-C3", 13.0), ("C3-E", 113.0)]),
            way(&[("F-C1", 13.0)]),
        ];
        for (packet, expected) in packets.iter().zip(expected) {
            assert_eq!(packet.way(), expected, "{loops}");
        }
        let ends: Vec<_> = packets.iter().map(Packet::end).collect();
        assert_eq!(ends, [Ok(42.0), Ok(63.0), Ok(124.0), Err(Lost::Contention)], "{loops}");
        for (column, expected) in [("deflected", 2.0), ("deflections", 2.0), ("bursts", 4.0)] {
            assert!((total(&report, column) - expected).abs() < 1e-9, "{column}");
        }
        // Beyond the 22 µs of the shortest way and the 10 µs of the packet: 20 and 80 µs.
        let costs = values(&report, "fecs", "deflection-cost-mean");
        let mut costs: Vec<f64> = costs.into_iter().filter(|cost| cost.is_finite()).collect();
        costs.sort_by(f64::total_cmp);
        assert_eq!(costs.len(), 2);
        assert!((costs[0] - 20e-6).abs() < 1e-12 && (costs[1] - 80e-6).abs() < 1e-12, "{costs:?}");
    }
}

/// Counted in links the straight way is the shortest, and the other two are equal: the first link
/// of the topology goes first.
#[test]
fn ports_are_ordered_by_the_metric_of_the_routes() {
    let (_, packets) = trace(&square(&switching("1 ms", &deflect(""))), 1);
    let second = |at: usize| packets[at].way()[1].0.clone();
    assert_eq!([second(0), second(1), second(2)], ["C1-C3", "C1-C2", "C1-C4"]);
    assert_eq!(packets[3].end(), Err(Lost::Contention));
}

/// The shortest way by links may take longer than another: straight 102 µs where the way over C2
/// takes 22 µs and that over C4 42 µs. Such a deflection costs less than nothing.
#[test]
fn a_deflection_may_save_time() {
    let (report, packets) = trace(&square(&switching("1 ms", &deflect(""))), 1);
    assert_eq!(packets[1].end(), Ok(43.0));
    assert_eq!(packets[2].end(), Ok(64.0));
    let costs = values(&report, "fecs", "deflection-cost-mean");
    let mut costs: Vec<f64> = costs.into_iter().filter(|cost| cost.is_finite()).collect();
    costs.sort_by(f64::total_cmp);
    assert!((costs[0] + 80e-6).abs() < 1e-12 && (costs[1] + 60e-6).abs() < 1e-12, "{costs:?}");
}

/// Of two other ports each is first in half of the cases: 200 seeds, the deviation √50.
#[test]
fn a_random_order_prefers_no_port() {
    let text = square(&(switching("100 us", &deflect(", order = \"random\"")) + DELAY));
    let over = (1..=200).filter(|&seed| {
        let (_, packets) = trace(&text, seed);
        assert_eq!(packets[0].way()[1].0, "C1-C2");
        let ports = [packets[1].way()[1].0.clone(), packets[2].way()[1].0.clone()];
        assert!(ports == ["C1-C4", "C1-C3"] || ports == ["C1-C3", "C1-C4"], "{ports:?}");
        ports[0] == "C1-C4"
    });
    let over = over.count();
    assert!(over.abs_diff(100) < 29, "{over} of 200");
}

/// G sends 500 µs of light to E, over C2 from 11 to 511 µs; A a packet of 1 µs at 10 µs, which is
/// at C2 at 21 µs.
fn blocked(more: &[(&str, &str, &str)], core: &str) -> String {
    let mut links =
        vec![("A", "C1", "1 us"), ("C1", "C2", "10 us"), ("C2", "E", "1 us"), ("G", "C2", "1 us")];
    links.extend(more);
    network(1, &links)
        + &switching("2 ms", core)
        + DELAY
        + &packet("G", "E", "10 us", 62_500)
        + &packet("A", "E", "10 us", 125)
}

/// The packet of A in a blocked network.
fn of_a(text: &str) -> Packet {
    let (_, packets) = trace(text, 1);
    let mut of_a = packets.into_iter().filter(|packet| packet.ingress == "A");
    of_a.next().expect("A sends a packet")
}

/// Where a packet may go back it goes to and fro between C1 and C2, 20 µs each time, until the
/// output is free: 25 times, at C2 at 521 µs after 52 links, and by the 53rd to E. A limit of one
/// link less loses it at that instant, the default of 32 links at 321 µs.
#[test]
fn to_and_fro_ends_by_the_hop_limit() {
    let ping_pong =
        |limit: &str| of_a(&blocked(&[], &deflect(&format!(", loops = \"allowed\"{limit}"))));
    let through = ping_pong(", hop-limit = 53");
    assert_eq!(through.end(), Ok(523.0));
    let way = through.way();
    assert_eq!(way.len(), 53);
    assert_eq!(
        way[..4].iter().map(|(link, _)| link.as_str()).collect::<Vec<_>>(),
        ["A-C1", "C1-C2", "C2-C1", "C1-C2"]
    );
    for (at, (_, start)) in way.iter().enumerate().skip(1) {
        assert!((start - (1.0 + 10.0 * at as f64)).abs() < 1e-9, "link {at} at {start}");
    }
    for (limit, links) in
        [(", hop-limit = 52", 52), (", hop-limit = 7", 7), ("", 32), (", hop-limit = 1", 1)]
    {
        let lost = ping_pong(limit);
        assert_eq!(lost.end(), Err(Lost::Hops), "{limit}");
        assert_eq!(lost.way().len(), links);
        let refused = lost.steps.last().unwrap();
        assert!((super::us(refused.asked) - (1.0 + 10.0 * links as f64)).abs() < 1e-9);
    }
}

#[test]
fn without_return_the_only_other_port_is_none() {
    for loops in ["no-return", "loopless"] {
        let lost = of_a(&blocked(&[], &deflect(&format!(", loops = \"{loops}\""))));
        assert_eq!(lost.end(), Err(Lost::Contention));
        assert_eq!(lost.way(), way(&[("A-C1", 10.0), ("C1-C2", 11.0)]), "{loops}");
    }
}

/// With C3 a triangle. Without return the packet walks round it, though the shortest way from C3 leads
/// straight back: 30 µs each time, at C2 at 531 µs. Free of loops it is lost at C3, whose ways lead to
/// where it has been.
#[test]
fn a_triangle_is_walked_unless_loops_are_excluded() {
    let triangle = [("C1", "C3", "10 us"), ("C2", "C3", "10 us")];
    let through = of_a(&blocked(&triangle, &deflect(", loops = \"no-return\", hop-limit = 100")));
    let expected = way(&[
        ("A-C1", 10.0),
        ("C1-C2", 11.0),
        ("C2-C3", 21.0),
        ("C3-C1", 31.0),
        ("C1-C2", 41.0),
        ("C2-C3", 51.0),
        ("C3-C1", 61.0),
    ]);
    assert_eq!(through.way()[..7], expected);
    assert_eq!(through.end(), Ok(533.0));
    // Where it may go back it does, to C1 and straight back, 20 µs each time.
    let back = of_a(&blocked(&triangle, &deflect(", loops = \"allowed\", hop-limit = 100")));
    assert_eq!(back.way()[2..4], way(&[("C2-C1", 21.0), ("C1-C2", 31.0)]));
    assert_eq!(back.end(), Ok(523.0));
    let lost = of_a(&blocked(&triangle, &deflect(", loops = \"loopless\"")));
    assert_eq!(lost.way(), expected[..3]);
    assert_eq!(lost.end(), Err(Lost::Contention));
    assert_eq!(lost.steps.len(), 4);
}

/// With a way from C3 over C4 to E the packet takes it where its shortest way from C3 leads back to
/// C2.
#[test]
fn free_of_loops_the_shortest_way_back_counts_as_busy() {
    let links =
        [("C1", "C3", "10 us"), ("C2", "C3", "10 us"), ("C3", "C4", "10 us"), ("C4", "E", "50 us")];
    let through = of_a(&blocked(&links, &deflect(", loops = \"loopless\"")));
    let expected =
        [("A-C1", 10.0), ("C1-C2", 11.0), ("C2-C3", 21.0), ("C3-C4", 31.0), ("C4-E", 41.0)];
    assert_eq!(through.way(), way(&expected));
    assert_eq!(through.end(), Ok(92.0));
}

/// A deflected packet passes an edge that is not its own as it passes a core node.
#[test]
fn a_deflected_packet_passes_through_an_edge() {
    let links = [
        ("A", "C1", "1 us"),
        ("B", "C1", "1 us"),
        ("C1", "C2", "10 us"),
        ("C1", "X", "10 us"),
        ("X", "C2", "15 us"),
        ("C2", "E", "1 us"),
    ];
    let text = network(1, &links)
        + &switching("1 ms", &deflect(""))
        + DELAY
        + &packet("A", "E", "10 us", 1250)
        + &packet("B", "E", "11 us", 1250);
    let (_, packets) = trace(&text, 1);
    assert_eq!(packets[0].end(), Ok(32.0));
    let expected = [("B-C1", 11.0), ("C1-X", 12.0), ("X-C2", 22.0), ("C2-E", 37.0)];
    assert_eq!(packets[1].way(), way(&expected));
    assert_eq!(packets[1].end(), Ok(48.0));
    assert_eq!(packets[1].egress, "E");
}

/// An ingress edge with two links deflects what it sends itself.
#[test]
fn an_ingress_edge_deflects_its_own() {
    let links =
        [("A", "C1", "1 us"), ("A", "C2", "5 us"), ("C1", "E", "1 us"), ("C2", "E", "1 us")];
    let text = |core: &str| {
        network(1, &links)
            + &switching("1 ms", core)
            + DELAY
            + &packet("A", "E", "10 us", 1250)
            + &packet("A", "E", "11 us", 1250)
            + &packet("A", "E", "12 us", 1250)
    };
    let ends = |core: &str| trace(&text(core), 1).1.iter().map(Packet::end).collect::<Vec<_>>();
    assert_eq!(ends(&deflect("")), [Ok(22.0), Ok(27.0), Err(Lost::Ingress)]);
    assert_eq!(ends(""), [Ok(22.0), Err(Lost::Ingress), Err(Lost::Ingress)]);
}

fn down(at: &str, link: &str) -> String {
    format!("[[changes]]\nat = \"{at}\"\nlink = \"{link}\"\nset = {{ kind = \"down\" }}\n")
}

/// A link that is down is avoided like one that is busy, and the cause of a loss is that it was
/// down.
#[test]
fn packets_are_deflected_around_a_link_that_is_down() {
    let core = switching("1 ms", &deflect("")) + DELAY;
    let (report, packets) = trace(&(square(&core) + &down("5 us", "C1 - C2")), 1);
    let second = |at: usize| packets[at].way()[1].0.clone();
    assert_eq!([second(0), second(1)], ["C1-C4", "C1-C3"]);
    assert_eq!(packets[2].end(), Err(Lost::Down));
    assert!((total(&report, "lost-down") - 2.0).abs() < 1e-9);
    let (report, packets) =
        trace(&(square(&(switching("1 ms", "") + DELAY)) + &down("5 us", "C1 - C2")), 1);
    assert!(packets.iter().all(|packet| packet.end() == Err(Lost::Down)));
    assert!((total(&report, "lost-down") - 4.0).abs() < 1e-9);
}

/// The first packet is on C1-C2 from 11 to 31 µs, propagation included, and its first bit at C2 at
/// 21 and at C3 at 31 µs. It is lost with the link before its last bit has left it: nothing of it
/// goes on from the next node to which its first bit comes. Behind its last bit the link does not
/// matter.
#[test]
fn a_packet_is_lost_with_the_link_that_it_is_on() {
    let text = |at| square(&(switching("1 ms", "") + DELAY)) + &down(at, "C1 - C2");
    for (at, links) in [("12 us", 2), ("20999 ns", 2), ("25 us", 3), ("30999 ns", 3)] {
        let (_, packets) = trace(&text(at), 1);
        assert_eq!(packets[0].end(), Err(Lost::Down), "{at}");
        assert_eq!(packets[0].way().len(), links, "{at}");
    }
    assert_eq!(trace(&text("31001 ns"), 1).1[0].end(), Ok(42.0));
}
