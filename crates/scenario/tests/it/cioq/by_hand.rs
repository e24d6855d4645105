//! Packets through a switch, to the picosecond: links of 2.5 Gb/s, 3.2 ns a byte, and slots of 51.2 ns at
//! a speedup of four, in which 48 B go.

use super::{Case, Queue, delays};
use crate::common::run;

/// Three hosts around a switch, and their packets: from, to, at, bytes.
fn delays_of(core: &str, delay: u64, packets: &[(usize, usize, u64, u64)]) -> Vec<u64> {
    let mut case = Case { core: core.to_owned(), ..Case::default() };
    let hosts = ["h0", "h1", "h2"].map(|name| case.node(name));
    let switch = case.node("c0");
    for host in hosts {
        case.link([host, switch], 2_500, delay, Queue::Endless);
    }
    for &(from, to, at, bytes) in packets {
        case.packet(hosts[from], hosts[to], at, bytes);
    }
    delays(&run(&case.text(100), 1)).into_iter().map(|delay| delay.expect("delivered")).collect()
}

/// Alone: the last bit is in 3.2 ns · bytes + 1 µs after the start, the next slot begins, the cells go one
/// a slot, and then the link is free.
#[test]
fn a_lone_packet_waits_for_the_next_slot_and_for_its_cells() {
    for (bytes, slot, cells, delay) in [
        (40, 23, 1, 2_356_800),
        (48, 23, 1, 2_382_400),
        (49, 23, 2, 2_436_800),
        (576, 56, 12, 6_324_800),
        (1_500, 114, 32, 13_275_200),
    ] {
        assert_eq!((slot + cells) * 51_200 + bytes * 3_200 + 1_000_000, delay, "by hand");
        assert_eq!(delays_of("", 1_000_000, &[(0, 1, 0, bytes)]), [delay], "{bytes}");
    }
}

/// 20 slots of light and three of 48 B: the last bit is in when slot 23 begins, or a picosecond later.
#[test]
fn who_is_in_when_a_slot_begins_may_go_in_it() {
    assert_eq!(delays_of("", 1_024_000, &[(0, 1, 0, 48)]), [(24 + 3 + 20) * 51_200]);
    assert_eq!(delays_of("", 1_024_000, &[(0, 1, 1, 48)]), [(25 + 3 + 20) * 51_200 - 1]);
}

/// Two packets of two cells, both in when slot 26 begins. The output takes cells of each in turn: they are
/// whole after slots 28 and 29. The second waits for the link.
#[test]
fn cells_of_two_inputs_alternate_on_their_way_to_one_output() {
    let found = delays_of("", 1_024_000, &[(0, 2, 0, 96), (1, 2, 0, 96)]);
    assert_eq!(found, [(29 + 6 + 20) * 51_200, (29 + 6 + 6 + 20) * 51_200]);
}

/// A short packet comes when a long one is on its way over the fabric. It is the output's turn to take
/// it; the long one is a slot later.
#[test]
fn a_short_packet_overtakes_a_long_one_in_the_fabric() {
    // In with slot 114, and with slot 120.
    let found = delays_of("", 1_000_000, &[(0, 2, 0, 1_500), (1, 2, 5_016_000, 40)]);
    let long = 147 * 51_200 + 1_500 * 3_200 + 1_000_000;
    let short = 121 * 51_200 + 40 * 3_200 + 1_000_000 - 5_016_000;
    assert_eq!(found, [long, short]);
}

/// Slots of 204.8 ns. The first packet, 32 cells, is in for slot 29 and has the input for itself until
/// slot 37; the second, 12 cells for another output, takes every other slot from 38 to 60. What is left
/// of the first is 11 cells from slot 62 on.
#[test]
fn an_input_serves_its_queues_in_turn() {
    let found = delays_of("speedup = 1", 1_000_000, &[(0, 1, 0, 1_500), (0, 2, 0, 576)]);
    let first = 73 * 204_800 + 1_500 * 3_200 + 1_000_000;
    let second = 61 * 204_800 + 576 * 3_200 + 1_000_000;
    assert_eq!(found, [first, second]);
}

/// A long packet and a short one behind it, each for a lightpath of its own: the short one has to wait
/// at the input until all cells of the long one have gone, since the queue is one for the bundle. On the
/// wire it is through first.
#[test]
fn packets_of_a_bundle_leave_an_input_in_order_under_e_jsq() {
    let mut case = Case { core: "anycast = \"e-jsq\"\nspeedup = 1".to_owned(), ..Case::default() };
    let [h0, h1] = ["h0", "h1"].map(|name| case.node(name));
    let [c0, c1] = ["c0", "c1"].map(|name| case.node(name));
    case.link([h0, c0], 2_500, 0, Queue::Endless);
    case.link([c0, c1], 2_500, 0, Queue::Endless);
    case.links[1].lightpaths = 2;
    case.link([c1, h1], 2_500, 0, Queue::Endless);
    // In for slots 24 and 25.
    case.packet(h0, h1, 0, 1_500);
    case.packet(h0, h1, 0, 40);
    let found = delays(&run(&case.text(100), 1));
    let [first, second] = [(24 + 32) * 204_800 + 4_800_000, (24 + 32 + 1) * 204_800 + 128_000];
    let slot = |at: u64| at.div_ceil(204_800);
    let short = (slot(second) + 1) * 204_800 + 128_000;
    let long = (slot(first) + 32) * 204_800 + 4_800_000;
    assert_eq!(found, [Some(long), Some(short)]);
}
