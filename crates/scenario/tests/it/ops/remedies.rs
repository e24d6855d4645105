//! Remedies in their order, worked by hand: other wavelengths, delay lines, other ports.
//!
//! Five packets come to C1 on wavelength 0, at 11, 12, … 15 µs; each lasts 10 µs. From C1 the
//! shortest way leads over C2, another one over C4.

use super::{network, packet, switching, total, trace};

/// The five edges, the two ways, so many channels and these lines of `[core]`.
fn five(channels: u32, core: &str) -> String {
    let mut links = vec![
        ("C1", "C2", "10 us"),
        ("C2", "E", "10 us"),
        ("C1", "C4", "20 us"),
        ("C4", "E", "20 us"),
    ];
    let edges = ["A", "B", "D", "F", "G"];
    links.extend(edges.map(|edge| (edge, "C1", "1 us")));
    let packets: String =
        (10..).zip(edges).map(|(at, edge)| packet(edge, "E", &format!("{at} us"), 1250)).collect();
    network(channels, &links)
        + &switching("1 ms", core)
        + "[routing]\nmetric = \"delay\"\n"
        + &packets
}

/// What C1 decided: the next node, the wavelength, whether it is another one, and when, in µs; or
/// nothing.
type Decision = Option<(String, u16, bool, f64)>;

fn decisions(text: &str) -> Vec<Decision> {
    let (_, packets) = trace(text, 1);
    let at_c1 = packets.iter().map(|packet| {
        assert_eq!(packet.steps[0].granted.map(|granted| granted.0), Some(0));
        let step = &packet.steps[1];
        assert_eq!(step.granted.is_some(), step.lost.is_none());
        let (channel, start) = step.granted?;
        let shift = super::us(start) - super::us(step.asked);
        assert!((step.fibre_delay.0 as f64 * 1e-6 - shift).abs() < 1e-9);
        Some((step.to.clone(), channel, step.converted, super::us(start)))
    });
    at_c1.collect()
}

#[expect(clippy::unnecessary_wraps, reason = "one of the decisions, of which others are none")]
fn to(node: &str, channel: u16, at: f64) -> Decision {
    Some((node.to_owned(), channel, channel != 0, at))
}

const PORTS: &str = "deflection = { kind = \"ports\" }";

#[test]
fn the_earlier_remedy_is_tried_out_first() {
    let (c2, c4) = ("C2", "C4");
    let both = format!("remedies = [\"convert\", \"deflect\"]\n{PORTS}");
    let expected = [to(c2, 0, 11.0), to(c2, 1, 12.0), to(c4, 0, 13.0), to(c4, 1, 14.0), None];
    assert_eq!(decisions(&five(2, &both)), expected);
    let other = format!("remedies = [\"deflect\", \"convert\"]\n{PORTS}");
    let expected = [to(c2, 0, 11.0), to(c4, 0, 12.0), to(c2, 1, 13.0), to(c4, 1, 14.0), None];
    assert_eq!(decisions(&five(2, &other)), expected);

    let alone = [to(c2, 0, 11.0), None, None, None, None];
    assert_eq!(decisions(&five(2, "")), alone);
    let expected = [to(c2, 0, 11.0), to(c2, 1, 12.0), None, None, None];
    assert_eq!(decisions(&five(2, "remedies = [\"convert\"]")), expected);
    let expected = [to(c2, 0, 11.0), to(c4, 0, 12.0), None, None, None];
    assert_eq!(decisions(&five(2, &format!("remedies = [\"deflect\"]\n{PORTS}"))), expected);
}

/// With one converter the second change of wavelength is none.
#[test]
fn one_converter_serves_one_packet_at_a_time() {
    let (c2, c4) = ("C2", "C4");
    let both = format!("remedies = [\"convert\", \"deflect\"]\nconverters = 1\n{PORTS}");
    let expected = [to(c2, 0, 11.0), to(c2, 1, 12.0), to(c4, 0, 13.0), None, None];
    assert_eq!(decisions(&five(2, &both)), expected);
    let other = format!("remedies = [\"deflect\", \"convert\"]\nconverters = 1\n{PORTS}");
    let expected = [to(c2, 0, 11.0), to(c4, 0, 12.0), to(c2, 1, 13.0), None, None];
    assert_eq!(decisions(&five(2, &other)), expected);
}

/// Of three wavelengths the first is taken for 100 µs, the second by the converter's packet from 12
/// to 22 µs. A packet that comes before 22 µs finds no converter; at 22 µs it gets the wavelength
/// that has been idle for the shortest time, though the third has never been used.
#[test]
fn a_converter_is_free_with_the_last_bit() {
    let links =
        [("A", "C1", "1 us"), ("B", "C1", "1 us"), ("D", "C1", "1 us"), ("C1", "E", "10 us")];
    let third = |at: &str, core: &str| {
        let text = network(3, &links)
            + &switching("1 ms", core)
            + &packet("A", "E", "10 us", 12_500)
            + &packet("B", "E", "11 us", 1250)
            + &packet("D", "E", at, 1250);
        decisions(&text)[2].clone()
    };
    let one = "remedies = [\"convert\"]\nconverters = 1";
    assert_eq!(third("14 us", one), None);
    assert_eq!(third("20999999 ps", one), None);
    assert_eq!(third("21 us", one), to("E", 1, 22.0));
    assert_eq!(third("14 us", "remedies = [\"convert\"]\nconverters = 2"), to("E", 2, 15.0));
    assert_eq!(third("14 us", "remedies = [\"convert\"]"), to("E", 2, 15.0));
    // Its own wavelength needs no converter.
    assert_eq!(third("110 us", one), to("E", 0, 111.0));
}

/// A delay of 15 µs. The third packet comes out of the line while the second, delayed, holds the
/// output from 27 to 37 µs.
#[test]
fn delay_lines_and_ports_in_either_order() {
    let (c2, c4) = ("C2", "C4");
    let lines = format!("fibre-delays = [\"15 us\"]\n{PORTS}");
    let first = format!("remedies = [\"delay\", \"deflect\"]\n{lines}");
    let expected = [to(c2, 0, 11.0), to(c2, 0, 27.0), to(c4, 0, 13.0), to(c4, 0, 29.0), None];
    assert_eq!(decisions(&five(1, &first)), expected);
    let last = format!("remedies = [\"deflect\", \"delay\"]\n{lines}");
    let expected = [to(c2, 0, 11.0), to(c4, 0, 12.0), to(c2, 0, 28.0), to(c4, 0, 29.0), None];
    assert_eq!(decisions(&five(1, &last)), expected);
}

#[test]
fn three_remedies_are_combined() {
    let (c2, c4) = ("C2", "C4");
    let core = format!(
        "remedies = [\"convert\", \"delay\", \"deflect\"]\nfibre-delays = [\"15 us\"]\n{PORTS}"
    );
    let expected =
        [to(c2, 0, 11.0), to(c2, 1, 12.0), to(c2, 0, 28.0), to(c2, 1, 29.0), to(c4, 0, 15.0)];
    assert_eq!(decisions(&five(2, &core)), expected);
    let (report, packets) = trace(&five(2, &core), 1);
    let counts = ["converted", "delayed", "deflected"].map(|column| total(&report, column));
    assert_eq!(counts.map(|count| count.to_string()), ["2", "2", "1"]);
    // The fourth: at C1 at 14 µs, 15 µs in the line, 20 µs of way, 10 µs of length. It goes on at
    // C2 on its new wavelength.
    assert_eq!(packets[3].end(), Ok(59.0));
    assert_eq!(packets[3].steps[2].granted.map(|granted| granted.0), Some(1));
}

/// The output is free at 21 µs: of three lines the second is the shortest that helps the packet of
/// 12 µs, to the very instant. The loop's turn is its delay and the packet's length, and one line
/// takes one packet.
#[test]
fn the_shortest_delay_that_helps_is_taken() {
    let lines = |lines: &str| decisions(&five(1, &format!("remedies = [\"delay\"]\n{lines}")));
    let of = |lines: &[&str]| format!("fibre-delays = [\"{}\"]", lines.join("\", \""));
    assert_eq!(lines(&of(&["2 us", "9 us", "15 us"]))[1], to("C2", 0, 21.0));
    assert_eq!(lines(&of(&["2 us", "8999999 ps", "15 us"]))[1], to("C2", 0, 27.0));
    let looped =
        |lines: u32| format!("fibre-loop = {{ delay = \"1 us\", lines = {lines}, turns = 3 }}");
    let found = lines(&looped(1));
    assert_eq!((found[1].clone(), found[2].clone()), (to("C2", 0, 23.0), None));
    let found = lines(&looped(2));
    assert_eq!((found[1].clone(), found[2].clone()), (to("C2", 0, 23.0), to("C2", 0, 35.0)));
}

/// A packet in a delay line holds its output for when it comes out, from 27 µs: until then what
/// fits passes.
#[test]
fn before_a_delayed_packet_the_output_is_free() {
    let links =
        [("A", "C1", "1 us"), ("B", "C1", "1 us"), ("D", "C1", "1 us"), ("C1", "E", "10 us")];
    let third = |bytes: u32| {
        let core = "remedies = [\"delay\"]\nfibre-delays = [\"15 us\"]";
        let text = network(1, &links)
            + &switching("1 ms", core)
            + &packet("A", "E", "10 us", 1250)
            + &packet("B", "E", "11 us", 1250)
            + &packet("D", "E", "21 us", bytes);
        decisions(&text)[2].clone()
    };
    // From 22 to 27 µs: 5 µs are 625 B.
    assert_eq!(third(625), to("E", 0, 22.0));
    assert_eq!(third(626), to("E", 0, 37.0));
}
