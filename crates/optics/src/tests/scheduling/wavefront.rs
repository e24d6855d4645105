//! The wrapped wave front arbiter (Tamir and Chi 1993): by hand, against a twin, and what its diagonals promise.

use proptest::prelude::*;

use super::{Pair, WAVEFRONT, all_pairs, arbiter, slot_at, sorted, stream};

/// The array of arbitration cells: the token of each row and of each column passes through all
/// crosspoints, diagonal by diagonal, and the first one with a request keeps both.
fn twin(number: u64, (inputs, outputs): (u32, u32), asked: &[Pair]) -> Vec<Pair> {
    let n = inputs.max(outputs);
    let (mut row_tokens, mut column_tokens) = (vec![true; n as usize], vec![true; n as usize]);
    let mut pairs = Vec::new();
    for step in 0..u64::from(n) {
        let diagonal = (number + step) % u64::from(n);
        for (input, output) in all_pairs((n, n)) {
            let is_here = u64::from(input + output) % u64::from(n) == diagonal;
            let (row, column) = (input as usize, output as usize);
            let has_tokens = row_tokens[row] && column_tokens[column];
            if is_here && has_tokens && asked.contains(&(input, output)) {
                (row_tokens[row], column_tokens[column]) = (false, false);
                pairs.push((input, output));
            }
        }
    }
    pairs
}

fn follow(ports: (u32, u32), asked: &[Pair], expected: &[&[Pair]]) {
    let mut arbiter = arbiter::<1>(WAVEFRONT, ports);
    for (number, &pairs) in (0..).zip(expected) {
        assert_eq!(slot_at(number, &mut arbiter, ports, asked), pairs, "slot {number}");
    }
}

/// Input 0 asks for outputs 0 and 1, on the diagonals 0 and 1; input 2 for 1 and 3, on 3 and 1; input 3
/// for 3, on 2.
#[test]
fn the_front_begins_one_diagonal_further_on_in_each_slot() {
    let asked = [(0, 0), (0, 1), (2, 1), (2, 3), (3, 3)];
    let expected: &[&[Pair]] = &[
        // Diagonal 0 has (0, 0). Of diagonal 1 input 0 is matched; input 2 takes output 3, and the
        // last two find it or its output taken.
        &[(0, 0), (2, 3)],
        // Diagonal 1 has both of its requests.
        &[(0, 1), (2, 3)],
        // Diagonals 2, 3 and 0 have one each.
        &[(3, 3), (2, 1), (0, 0)],
        // Diagonals 3, 0 and 2: on 1 both inputs are matched.
        &[(2, 1), (0, 0), (3, 3)],
        // Four slots later everything is as it was.
        &[(0, 0), (2, 3)],
    ];
    follow((4, 4), &asked, expected);
}

/// Three diagonals either way; of three inputs the one that would have the output that is missing goes
/// without.
#[test]
fn missing_ports_request_nothing() {
    let wide: &[&[Pair]] = &[&[(0, 0), (1, 2)], &[(0, 1), (1, 0)], &[(0, 2), (1, 1)]];
    follow((2, 3), &all_pairs((2, 3)), wide);
    let tall: &[&[Pair]] = &[&[(0, 0), (2, 1)], &[(0, 1), (1, 0)], &[(1, 1), (2, 0)]];
    follow((3, 2), &all_pairs((3, 2)), tall);
}

fn requests(most: u32, dense: usize) -> impl Strategy<Value = ((u32, u32), Vec<Pair>)> {
    (1..=most, 1..=most).prop_flat_map(move |(inputs, outputs)| {
        let asked = prop::collection::btree_set((0..inputs, 0..outputs), 0..dense);
        (Just((inputs, outputs)), asked.prop_map(|asked| asked.into_iter().collect()))
    })
}

proptest! {
    #[test]
    fn masks_of_any_length_do_what_the_array_does(
        (ports, asked) in requests(12, 80),
        number in prop_oneof![0..30_u64, any::<u32>().prop_map(u64::from)],
    ) {
        let expected = sorted(twin(number, ports, &asked));
        let pairs = slot_at(number, &mut arbiter::<1>(WAVEFRONT, ports), ports, &asked);
        prop_assert_eq!(&slot_at(number, &mut arbiter::<2>(WAVEFRONT, ports), ports, &asked), &pairs);
        prop_assert_eq!(&slot_at(number, &mut arbiter::<4>(WAVEFRONT, ports), ports, &asked), &pairs);
        prop_assert_eq!(sorted(pairs), expected);
    }

    /// A request is on the first diagonal once in N slots, whatever else is asked.
    #[test]
    fn a_request_that_stays_is_served_once_in_n_slots(
        (inputs, outputs) in (1..10_u32, 1..10_u32),
        (input, output) in (0..10_u32, 0..10_u32),
        (seed, density, start) in (0..1_000_u32, 0.2..1.0_f64, 0..1_000_u64),
    ) {
        let (ports, kept) = ((inputs, outputs), (input % inputs, output % outputs));
        let mut draws = stream(&seed.to_string());
        let mut arbiter = arbiter::<1>(WAVEFRONT, ports);
        let diagonals = u64::from(inputs.max(outputs));
        let served = (start..start + diagonals).filter(|&number| {
            let mut asked = all_pairs(ports);
            asked.retain(|&ask| ask == kept || draws.chance(density));
            slot_at(number, &mut arbiter, ports, &asked).contains(&kept)
        });
        prop_assert!(served.count() >= 1);
    }

    /// With a cell in every queue each slot serves its diagonal, and so every pair once in N slots.
    #[test]
    fn a_backlog_is_served_diagonal_by_diagonal(
        ports in (1..70_u32, 1..70_u32),
        start in 0..1_000_u64,
    ) {
        let mut arbiter = arbiter::<2>(WAVEFRONT, ports);
        let all = all_pairs(ports);
        let mut slot = |number| slot_at(number, &mut arbiter, ports, &all);
        if ports.0 == ports.1 {
            let served: Vec<Pair> = (start..start + u64::from(ports.0)).flat_map(&mut slot).collect();
            prop_assert_eq!(sorted(served), all);
        } else {
            prop_assert_eq!(slot(start).len(), ports.0.min(ports.1) as usize);
        }
    }
}

proptest! {
    #![proptest_config(trials::cases(24))]

    #[test]
    fn more_ports_than_a_word_has_bits_do_what_the_array_does(
        (ports, asked) in requests(150, 400),
        number in 0..1_000_u64,
    ) {
        let pairs = slot_at(number, &mut arbiter::<4>(WAVEFRONT, ports), ports, &asked);
        prop_assert_eq!(sorted(pairs), sorted(twin(number, ports, &asked)));
    }
}
