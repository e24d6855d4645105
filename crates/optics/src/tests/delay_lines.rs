//! Fibre delay lines and the guard time, worked by hand. All in microseconds.

use super::{Node, at, stream, us};
use crate::{BurstCoreSpec, Conversion, FibreLoopSpec, Grant, Request};

/// What a burst on channel 0 gets that comes at `start` and lasts `length`: when it leaves and its
/// delay.
fn ask(node: &mut Node, start: u64, length: u64) -> Option<(u64, u64)> {
    let request = Request { start: at(start), length: us(length), channel: 0 };
    let grant = node.ask(at(0), request)?;
    let Grant { channel, start, fibre_delay, converted } = grant;
    assert_eq!((channel, converted), (0, false));
    assert_eq!(start, request.start + fibre_delay);
    Some((start.0 / 1_000_000, fibre_delay.0 / 1_000_000))
}

/// One channel, delays of 10 and 20.
///
/// - A comes at 0 for 15: the channel is free, [0, 15).
/// - B comes at 5 for 8: taken until 15; at 5 + 10 the channel is free, [15, 23).
/// - C comes at 6 for 10: taken until 15; at 16 by B; at 26 it is free, [26, 36).
/// - D comes at 7 for 4: taken at 7 by A, at 17 by B, at 27 by C; lost.
/// - E comes at 13 for 3: taken by A; at 23 it fits the void [23, 26) between B and C.
/// - F comes at 13 for 4: at 13 A, at 23 it would reach into C; at 33 C; lost.
/// - G comes at 36 for 1: C has just ended; no delay.
#[test]
fn a_set_of_delays_by_hand() {
    let spec = BurstCoreSpec { fibre_delays: vec![us(10), us(20)], ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    assert_eq!(ask(&mut node, 0, 15), Some((0, 0)));
    assert_eq!(ask(&mut node, 5, 8), Some((15, 10)));
    assert_eq!(ask(&mut node, 6, 10), Some((26, 20)));
    assert_eq!(ask(&mut node, 7, 4), None);
    assert_eq!(ask(&mut node, 13, 3), Some((23, 10)));
    assert_eq!(ask(&mut node, 13, 4), None);
    assert_eq!(ask(&mut node, 36, 1), Some((36, 0)));
}

/// One channel, two lines of 10 in a loop, at most two turns. A turn takes 10 and the length.
///
/// - A comes at 0 for 15: [0, 15), no delay.
/// - B comes at 5 for 4: a turn takes 14; at 19 the channel is free, [19, 23). Line 0 is held from
///   the entry of its first bit to the exit of its last, [5, 23).
/// - C comes at 6 for 4: one turn leads to 20, where B is; two lead to 34, [34, 38). Line 1 is held
///   [6, 38).
/// - D comes at 22 for 1: B is there until 23, line 0 until 23, line 1 until 38; lost.
/// - E comes at 34 for 2: C is there until 38. One turn leads to 46, [46, 48). Line 0 is free again,
///   [34, 48).
/// - F comes at 37 for 1: C is there; both lines are held, until 48 and 38; lost.
/// - G comes at 46 for 6: E is there until 48. Line 0 is held until 48, line 1 is free: one turn
///   leads to 62, [62, 68).
#[test]
fn a_loop_of_delays_by_hand() {
    let fibre = FibreLoopSpec { delay: us(10), lines: 2, turns: 2 };
    let spec = BurstCoreSpec { fibre_loop: Some(fibre), ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    assert_eq!(ask(&mut node, 0, 15), Some((0, 0)));
    assert_eq!(ask(&mut node, 5, 4), Some((19, 14)));
    assert_eq!(ask(&mut node, 6, 4), Some((34, 28)));
    assert_eq!(ask(&mut node, 22, 1), None);
    assert_eq!(ask(&mut node, 34, 2), Some((46, 12)));
    assert_eq!(ask(&mut node, 37, 1), None);
    assert_eq!(ask(&mut node, 46, 6), Some((62, 16)));
}

/// A burst that finds no channel after its last turn holds no line: the one line is free for the
/// next.
#[test]
fn a_lost_burst_holds_no_line() {
    let fibre = FibreLoopSpec { delay: us(10), lines: 1, turns: 1 };
    let spec = BurstCoreSpec { fibre_loop: Some(fibre), ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    assert_eq!(ask(&mut node, 0, 30), Some((0, 0)));
    // One turn leads to 25.
    assert_eq!(ask(&mut node, 10, 5), None);
    // One turn leads to 40.
    assert_eq!(ask(&mut node, 12, 18), Some((40, 28)));
}

/// One line, one turn; the channel is reserved [0, 10) and [23, 30).
///
/// - A comes at 21 for 10 and would reach into the reservation: a turn leads to 41. The line is held
///   [21, 51).
/// - B comes at 5 for 4: a turn leads to the void [19, 23), but it would be in the line until 23.
/// - C comes at 5 for 3: a turn leads to [18, 21), and it has left the line at 21.
#[test]
fn a_line_is_held_until_the_last_bit_has_left() {
    let fibre = FibreLoopSpec { delay: us(10), lines: 1, turns: 1 };
    let spec = BurstCoreSpec { fibre_loop: Some(fibre), ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    node.out.book(0, at(0), us(10));
    node.out.book(0, at(23), us(7));
    assert_eq!(ask(&mut node, 21, 10), Some((41, 20)));
    assert_eq!(ask(&mut node, 5, 4), None);
    assert_eq!(ask(&mut node, 5, 3), Some((18, 13)));
}

/// The lines are the node's: two output links share them.
#[test]
fn a_loop_serves_all_links_of_the_node() {
    let fibre = FibreLoopSpec { delay: us(10), lines: 1, turns: 1 };
    let spec = BurstCoreSpec { fibre_loop: Some(fibre), ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    let mut other = node.out.clone();
    for out in [&mut node.out, &mut other] {
        out.book(0, at(0), us(10));
    }
    let request = Request { start: at(5), length: us(2), channel: 0 };
    assert!(node.switch.reserve(&mut node.out, request).is_some());
    assert_eq!(node.switch.reserve(&mut other, request), None);
}

/// A guard of 2: a burst may start 2 after the one before, and must end 2 before the one behind.
#[test]
fn bursts_of_a_channel_keep_the_guard_time() {
    let spec = BurstCoreSpec { guard: us(2), ..BurstCoreSpec::default() };
    let mut node = Node::new(&spec, 1);
    assert_eq!(ask(&mut node, 0, 10), Some((0, 0)));
    assert_eq!(ask(&mut node, 11, 5), None);
    assert_eq!(ask(&mut node, 30, 5), Some((30, 0)));
    assert_eq!(ask(&mut node, 12, 17), None);
    assert_eq!(ask(&mut node, 12, 16), Some((12, 0)));
}

/// Two nodes are asked for the same bursts; one forgets what is over, the other never does.
#[test]
fn forgetting_changes_no_grant() {
    let fibre = FibreLoopSpec { delay: us(7), lines: 3, turns: 3 };
    let partial = BurstCoreSpec {
        conversion: Conversion::Partial,
        converters: Some(2),
        guard: us(1),
        ..BurstCoreSpec::default()
    };
    let set = BurstCoreSpec { fibre_delays: vec![us(5), us(9), us(20)], ..partial.clone() };
    let looped = BurstCoreSpec { fibre_loop: Some(fibre), ..partial.clone() };
    for (name, spec) in [("none", partial), ("set", set), ("loop", looped)] {
        let mut draws = stream(name);
        let mut forgets = Node::new(&spec, 4);
        let mut remembers = Node::new(&spec, 4);
        let mut now = at(0);
        let (mut delayed, mut lost) = (0, 0);
        for _ in 0..3_000 {
            now += draws.exponential_span(us(4));
            let start = now + draws.exponential_span(us(10));
            let length = draws.exponential_span(us(12));
            let channel = u16::try_from(draws.below(4)).unwrap();
            let request = Request { start, length, channel };
            let grant = forgets.ask(now, request);
            assert_eq!(grant, remembers.ask(at(0), request), "{name}");
            delayed += u32::from(grant.is_some_and(|grant| grant.fibre_delay > us(0)));
            lost += u32::from(grant.is_none());
        }
        assert!(lost > 100 && (delayed > 100 || name == "none"), "{name}: {delayed}, {lost}");
    }
}
