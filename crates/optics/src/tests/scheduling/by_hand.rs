//! The rules of iSLIP step by step (McKeown 1999, sections III and IV), worked by hand on a switch of
//! four ports, 0 … 3.

use super::{ISLIP, Pair, all_pairs, arbiter, pointers, slot};
use crate::{Arbiter, SchedulerSpec};

const PORTS: (u32, u32) = (4, 4);

/// Input 0 asks for outputs 0 and 1, input 2 for 1 and 3, input 3 for 3.
const ASKED: [Pair; 5] = [(0, 0), (0, 1), (2, 1), (2, 3), (3, 3)];

/// Slot by slot the matches, and then the pointers of the outputs and of the inputs.
type Expected = [(&'static [Pair], [u32; 4], [u32; 4])];

fn follow(arbiter: &mut Arbiter<1>, asked: &[Pair], expected: &Expected) {
    for (number, &(pairs, grant, accept)) in expected.iter().enumerate() {
        assert_eq!(slot(arbiter, PORTS, asked), pairs, "slot {number}");
        let (granting, accepting) = pointers(arbiter, PORTS);
        assert_eq!((granting, accepting), (grant.to_vec(), accept.to_vec()), "slot {number}");
    }
}

/// Pointers move to one beyond the match, and only where a grant is accepted; what they slip apart
/// makes the matching the largest that there is, in the fifth slot.
#[test]
fn pointers_move_beyond_what_is_accepted() {
    let expected: &Expected = &[
        // Output 0 grants input 0, output 1 input 0 as well (before 2), output 3 input 2 (before 3).
        // Input 0 accepts output 0: the grant of output 1 is not accepted, and it keeps its pointer.
        (&[(0, 0), (2, 3)], [1, 0, 0, 3], [1, 0, 0, 0]),
        // Output 0 grants 0 (the only one, over the end), output 1 input 0 again, output 3 input 3.
        // Input 0 now prefers output 1.
        (&[(0, 1), (3, 3)], [1, 1, 0, 0], [2, 0, 0, 0]),
        // Output 1 grants 2, output 3 grants 2 too (over the end), which accepts output 1. Input 0
        // accepts output 0 over the end.
        (&[(0, 0), (2, 1)], [1, 3, 0, 0], [1, 0, 2, 0]),
        // Output 1 grants 0 over the end, which prefers it to output 0. Output 3 grants 2.
        (&[(0, 1), (2, 3)], [1, 1, 0, 3], [2, 0, 0, 0]),
        // Outputs 0, 1 and 3 grant three different inputs.
        (&[(0, 0), (2, 1), (3, 3)], [1, 3, 0, 0], [1, 0, 2, 0]),
    ];
    follow(&mut arbiter(ISLIP, PORTS), &ASKED, expected);
}

/// Input 0 asks for 0 and 1, input 1 for 0 and 2, input 2 for 1, input 3 for 2 and 3.
#[test]
fn later_iterations_add_matches_and_move_no_pointers() {
    let asked = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 2), (3, 3)];
    let once: &Expected = &[(&[(0, 0), (1, 2), (3, 3)], [1, 0, 2, 0], [1, 3, 0, 0])];
    follow(&mut arbiter(ISLIP, PORTS), &asked, once);
    let twice: &Expected = &[
        // As before; then output 1, whose grant to input 0 was not accepted, finds input 2. It still
        // prefers input 0, and input 2 output 0.
        (&[(0, 0), (1, 2), (3, 3), (2, 1)], [1, 0, 2, 0], [1, 3, 0, 0]),
        // Outputs 0 … 3 grant inputs 1, 0, 3, 3, and nothing is left for input 2.
        (&[(0, 1), (1, 0), (3, 2)], [2, 1, 0, 0], [2, 1, 0, 3]),
    ];
    follow(&mut arbiter(SchedulerSpec::Islip { iterations: 2 }, PORTS), &asked, twice);
}

/// The matches of the first four slots with a cell in every queue: one, three, three, four.
#[test]
fn a_switch_with_a_backlog_falls_out_of_step() {
    let expected: &Expected = &[
        (&[(0, 0)], [1, 0, 0, 0], [1, 0, 0, 0]),
        (&[(0, 1), (1, 0)], [2, 1, 0, 0], [2, 1, 0, 0]),
        (&[(0, 2), (1, 1), (2, 0)], [3, 2, 1, 0], [3, 2, 1, 0]),
        (&[(0, 3), (1, 2), (2, 1), (3, 0)], [0, 3, 2, 1], [0, 3, 2, 1]),
    ];
    follow(&mut arbiter(ISLIP, PORTS), &all_pairs(PORTS), expected);
}

#[test]
fn a_slot_without_requests_matches_nobody() {
    for spec in [ISLIP, super::PIM, super::MAXIMUM_SIZE, super::WAVEFRONT] {
        let mut arbiter = arbiter::<1>(spec, PORTS);
        assert_eq!(slot(&mut arbiter, PORTS, &[]), []);
    }
}
