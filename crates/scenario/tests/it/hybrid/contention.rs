//! Three packets for one output, worked by hand: who is cut through, buffered, lost, and when each is
//! in.
//!
//! A packet of 7.2 µs whose first bit leaves its host at t is at the switch at t + 50 ns and, if it
//! is cut through, in at its host at t + 7300 ns.

use super::{delays_ns, packet, poisson, same, star};
use crate::common::{run, values};

/// Packets at 0, 3 and 5 µs from three hosts to the fourth. The first holds the output until 7.25 µs.
fn three(core: &str) -> (Vec<f64>, Vec<f64>) {
    let text = star(4, "60 us", core)
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us")
        + &packet("h3", "h0", "5 us");
    let report = run(&text, 1);
    let counts = ["packets-through", "packets-buffered", "lost-ports"];
    let counts = counts.map(|name| values(&report, "switches", name)[0]);
    (delays_ns(&report), counts.to_vec())
}

const LOST: f64 = f64::NAN;

#[test]
fn an_all_optical_switch_loses_exactly_the_packets_whose_azimuth_is_busy() {
    let (delays, counts) = three("electronic-ports = 0");
    assert!(same(&delays, &[7_300.0, LOST, LOST]), "{delays:?}");
    assert!(same(&counts, &[1.0, 0.0, 2.0]));
}

#[test]
fn one_port_stores_the_second_and_is_held_when_the_third_comes() {
    // Whole in the buffer at 3.05 + 7.2 = 10.25 µs, in at 10.25 + 7.2 + 0.05.
    let (delays, counts) = three("electronic-ports = 1");
    assert!(same(&delays, &[7_300.0, 14_500.0, LOST]), "{delays:?}");
    assert!(same(&counts, &[1.0, 1.0, 1.0]));
    // As soon as the output is free, at 7.25 µs.
    let (delays, counts) = three("electronic-ports = 1\nbuffering = \"cut-through\"");
    assert!(same(&delays, &[7_300.0, 11_500.0, LOST]), "{delays:?}");
    assert!(same(&counts, &[1.0, 1.0, 1.0]));
}

#[test]
fn two_ports_store_both_and_send_them_in_their_order() {
    // The third is whole at 12.25 µs and leaves behind the second, at 17.45 µs.
    let (delays, counts) = three("electronic-ports = 2");
    assert!(same(&delays, &[7_300.0, 14_500.0, 19_700.0]), "{delays:?}");
    assert!(same(&counts, &[1.0, 2.0, 0.0]));
    // At 7.25 and 14.45 µs.
    let (delays, counts) = three("electronic-ports = 2\nbuffering = \"cut-through\"");
    assert!(same(&delays, &[7_300.0, 11_500.0, 16_700.0]), "{delays:?}");
    assert!(same(&counts, &[1.0, 2.0, 0.0]));
}

#[test]
fn a_full_buffer_loses_the_third_though_a_port_is_free() {
    let text = star(4, "60 us", "electronic-ports = 2\nbuffer-size = \"10 kB\"")
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us")
        + &packet("h3", "h0", "5 us");
    let report = run(&text, 1);
    assert!(same(&delays_ns(&report), &[7_300.0, 14_500.0, LOST]));
    assert!(same(&values(&report, "switches", "lost-full"), &[1.0]));
    assert!(same(&values(&report, "switches", "buffer-max-bytes"), &[9_000.0]));
}

/// At the instant at which the output becomes free the packet that waits goes first.
#[test]
fn a_waiting_packet_goes_before_one_that_comes_at_the_same_instant() {
    let text = star(4, "60 us", "electronic-ports = 2\nbuffering = \"cut-through\"")
        + &packet("h3", "h0", "7.2 us")
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us");
    // h2 leaves at 7.25 µs, h3 at 14.45 µs.
    let delays = delays_ns(&run(&text, 1));
    assert!(same(&delays, &[14_500.0, 7_300.0, 11_500.0]));
}

/// The same where the packet that comes was on its way, over 1 km, before the other was stored: whatever
/// the agenda has first.
#[test]
fn a_waiting_packet_goes_before_one_that_was_on_its_way_before_it_waited() {
    let text = star(4, "100 us", "electronic-ports = 2\nbuffering = \"cut-through\"")
        .replace("10 m", "1 km")
        + &packet("h3", "h0", "7.2 us")
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us");
    // The output is free, and h3 at the switch, at 12.2 us: h2 leaves then, h3 at 19.4 us.
    let delays = delays_ns(&run(&text, 1));
    assert!(same(&delays, &[24_400.0, 17_200.0, 21_400.0]), "{delays:?}");
}

/// Intervals are half-open: one that comes when the output becomes free is cut through.
#[test]
fn a_packet_that_comes_when_the_output_becomes_free_is_cut_through() {
    for (at, expected) in [("7.2 us", 7_300.0), ("7199.999 ns", LOST)] {
        let text = star(3, "60 us", "electronic-ports = 0")
            + &packet("h1", "h0", "0 s")
            + &packet("h2", "h0", at);
        let delays = delays_ns(&run(&text, 1));
        assert!(same(&delays, &[7_300.0, expected]), "{at}: {delays:?}");
    }
}

/// Two Poisson streams of packets that hosts send on wires of their own, so at most one of each is at
/// the switch; with as many ports as azimuths and no limit nothing is lost, whatever comes.
#[test]
fn as_many_electronic_ports_as_azimuths_lose_nothing() {
    for (buffering, seed) in [("store-and-forward", 1), ("cut-through", 2)] {
        let core = format!("electronic-ports = 9\nbuffering = \"{buffering}\"");
        let mut text = star(9, "200 ms", &core);
        for host in 1..9 {
            text += &poisson(&format!("h{host}"), "h0", 1.2);
            text += &poisson("h0", &format!("h{host}"), 0.6);
        }
        let report = run(&text, seed);
        assert!(same(&values(&report, "switches", "lost-ports"), &[0.0]));
        assert!(values(&report, "switches", "packets-buffered")[0] > 10_000.0);
        assert!(same(&values(&report, "traffic", "loss"), &[0.0; 16]));
        assert!(same(&values(&report, "traffic", "reordered"), &[0.0; 16]));
    }
}

/// Erlang's loss formula for one server, A/(1 + A). Packets come from a hundred sources, so nearly as a
/// Poisson process: only those of one source never contend, which is one contention in a hundred.
#[test]
fn an_all_optical_switch_loses_what_erlang_says() {
    let mut text = star(101, "1 s", "electronic-ports = 0");
    for host in 1..101 {
        text += &poisson(&format!("h{host}"), "h0", 0.05);
    }
    let report = run(&text, 3);
    let (came, lost) = (
        values(&report, "switches", "packets-in")[0],
        values(&report, "switches", "lost-ports")[0],
    );
    let load = 0.5;
    let expected = load / (1.0 + load);
    assert!(came > 60_000.0);
    assert!((lost / came - expected).abs() < 0.01, "{} against {expected}", lost / came);
}
