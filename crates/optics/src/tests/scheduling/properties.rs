//! What holds for any requests.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::twin::Twin;
use super::{
    ISLIP, MAXIMUM_SIZE, PIM, Pair, WAVEFRONT, arbiter, pointers, requests, slot, slot_at, sorted,
    stream,
};
use crate::{Arbiter, Mask, SchedulerSpec};

/// Numbers of inputs and of outputs, and what is asked in some slots.
fn slots(most: u32, dense: usize) -> impl Strategy<Value = ((u32, u32), Vec<Vec<Pair>>)> {
    (1..=most, 1..=most).prop_flat_map(move |(inputs, outputs)| {
        let slot = prop::collection::btree_set((0..inputs, 0..outputs), 0..dense);
        let slots = prop::collection::vec(slot.prop_map(|asked| asked.into_iter().collect()), 1..8);
        (Just((inputs, outputs)), slots)
    })
}

fn every_scheduler(iterations: u32) -> [SchedulerSpec; 4] {
    let (islip, pim) = (SchedulerSpec::Islip { iterations }, SchedulerSpec::Pim { iterations });
    [islip, pim, MAXIMUM_SIZE, WAVEFRONT]
}

/// A matching of what was asked.
fn is_matching(pairs: &[Pair], asked: &[Pair]) -> bool {
    let inputs: BTreeSet<u32> = pairs.iter().map(|pair| pair.0).collect();
    let outputs: BTreeSet<u32> = pairs.iter().map(|pair| pair.1).collect();
    inputs.len() == pairs.len()
        && outputs.len() == pairs.len()
        && pairs.iter().all(|pair| asked.contains(pair))
}

/// Whether nothing that was asked could be added.
fn is_maximal(pairs: &[Pair], asked: &[Pair]) -> bool {
    asked.iter().all(|ask| pairs.iter().any(|pair| pair.0 == ask.0 || pair.1 == ask.1))
}

/// The size of the largest matching, by trying all: for every set of outputs how many of the inputs so
/// far they can serve at most.
fn largest((inputs, outputs): (u32, u32), asked: &[Pair]) -> usize {
    let mut best = vec![0; 1 << outputs];
    for input in 0..inputs {
        let before = best.clone();
        let asks = asked.iter().filter(|ask| ask.0 == input);
        for &(_, output) in asks {
            for set in (0..best.len()).filter(|set| set >> output & 1 == 1) {
                best[set] = best[set].max(before[set & !(1 << output)] + 1);
            }
        }
    }
    *best.last().unwrap()
}

/// The outputs of which all inputs ask for nothing else, with these, and the rest of the requests. One
/// input alone, where the scheduler takes no turns.
fn rounds(asked: &[Pair], takes_turns: bool) -> (Vec<(u32, Mask<1>)>, Vec<Pair>) {
    let of = |output| asked.iter().filter(move |ask| ask.1 == output).map(|ask| ask.0);
    let asks_once = |input: u32| asked.iter().filter(|ask| ask.0 == input).count() == 1;
    let is_round = |output| of(output).all(asks_once) && (takes_turns || of(output).count() == 1);
    let outputs: BTreeSet<u32> = asked.iter().map(|ask| ask.1).collect();
    let rounds = outputs.into_iter().filter(|&output| is_round(output));
    let rest = asked.iter().copied().filter(|ask| !is_round(ask.1));
    (rounds.map(|output| (output, of(output).collect())).collect(), rest.collect())
}

/// What the arbiter does in a slot with requests of these inputs alone, all of which are there to see.
fn among<const W: usize>(
    number: u64,
    arbiter: &mut Arbiter<W>,
    ports: (u32, u32),
    (asked, inputs): (&[Pair], Mask<W>),
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    arbiter.slot(number, &requests(ports, asked), inputs, &mut pairs);
    pairs
}

proptest! {
    /// Slots of one input, and of all between them: the state that they leave behind is the same, too.
    #[test]
    fn a_slot_of_one_input_is_a_slot(
        (ports, slots) in slots(12, 60),
        iterations in 1..4u32,
    ) {
        for spec in every_scheduler(iterations) {
            let mut arbiter: Arbiter<1> = arbiter(spec, ports);
            let mut twin = arbiter.clone();
            for (number, asked) in (0..).zip(&slots) {
                for input in asked.iter().map(|ask| ask.0).collect::<BTreeSet<u32>>() {
                    let row = asked.iter().filter(|ask| ask.0 == input).map(|ask| ask.1).collect();
                    let expected = among(number, &mut twin, ports, (asked, Mask::one(input)));
                    prop_assert_eq!(vec![(input, arbiter.slot_of_one(number, input, row))], expected);
                }
                let left = slot_at(number, &mut arbiter, ports, asked);
                prop_assert_eq!(left, slot_at(number, &mut twin, ports, asked));
            }
        }
    }

    #[test]
    fn masks_of_any_length_do_what_the_twin_does(
        (ports, slots) in slots(12, 60),
        iterations in 1..5_u32,
    ) {
        let spec = SchedulerSpec::Islip { iterations };
        let (mut one, mut two) = (arbiter::<1>(spec, ports), arbiter::<2>(spec, ports));
        let mut four = arbiter::<4>(spec, ports);
        let mut twin = Twin::new(iterations, ports);
        for asked in &slots {
            let expected = twin.slot(asked);
            let pairs = slot(&mut one, ports, asked);
            prop_assert_eq!(&slot(&mut two, ports, asked), &pairs);
            prop_assert_eq!(&slot(&mut four, ports, asked), &pairs);
            prop_assert_eq!(sorted(pairs), expected);
        }
    }

    #[test]
    fn more_ports_than_a_word_has_bits_do_what_the_twin_does(
        (ports, slots) in slots(200, 500),
        iterations in 1..4_u32,
    ) {
        let mut arbiter = arbiter::<4>(SchedulerSpec::Islip { iterations }, ports);
        let mut twin = Twin::new(iterations, ports);
        for asked in &slots {
            prop_assert_eq!(sorted(slot(&mut arbiter, ports, asked)), twin.slot(asked));
        }
    }

    #[test]
    fn matches_are_matchings(((ports, slots), iterations) in (slots(10, 50), 1..5_u32)) {
        for spec in every_scheduler(iterations) {
            let mut arbiter = arbiter::<1>(spec, ports);
            for (number, asked) in (0..).zip(&slots) {
                let pairs = slot_at(number, &mut arbiter, ports, asked);
                prop_assert!(is_matching(&pairs, asked), "{spec:?}: {pairs:?}");
                prop_assert!(!pairs.is_empty() || asked.is_empty(), "{spec:?}");
            }
        }
    }

    /// As many iterations as ports leave nothing to add, and so at least half of what there could be.
    #[test]
    fn iterated_to_the_end_nothing_can_be_added((ports, slots) in slots(9, 40)) {
        for spec in every_scheduler(ports.0.min(ports.1)) {
            let mut arbiter = arbiter::<1>(spec, ports);
            for (number, asked) in (0..).zip(&slots) {
                let pairs = slot_at(number, &mut arbiter, ports, asked);
                prop_assert!(is_maximal(&pairs, asked), "{spec:?}: {pairs:?}");
                prop_assert!(2 * pairs.len() >= largest(ports, asked));
            }
        }
    }

    #[test]
    fn maximum_size_is_the_largest_matching((ports, slots) in slots(9, 40)) {
        let mut one = arbiter::<1>(MAXIMUM_SIZE, ports);
        let mut two = arbiter::<2>(MAXIMUM_SIZE, ports);
        for asked in &slots {
            let pairs = slot(&mut one, ports, asked);
            prop_assert_eq!(pairs.len(), largest(ports, asked));
            prop_assert_eq!(slot(&mut two, ports, asked), pairs);
        }
    }

    /// Ports are divided in two; requests stay within a part. (Of PIM only the law would be the same.)
    #[test]
    fn components_do_not_influence_each_other(
        (ports, slots) in slots(12, 60),
        iterations in 1..4_u32,
        (left_inputs, left_outputs) in (0..4_096_u32, 0..4_096_u32),
    ) {
        let left_input = |input: u32| left_inputs >> input & 1 == 1;
        let left_output = |output: u32| left_outputs >> output & 1 == 1;
        let left: Mask<1> = (0..ports.0).filter(|&input| left_input(input)).collect();
        let right = Mask::first_ports(ports.0).without(left);
        for spec in [SchedulerSpec::Islip { iterations }, MAXIMUM_SIZE, WAVEFRONT] {
            let mut whole = arbiter::<1>(spec, ports);
            let mut parts = whole.clone();
            for (number, asked) in (0..).zip(&slots) {
                let inside = |&(input, output): &Pair| left_input(input) == left_output(output);
                let asked: Vec<Pair> = asked.iter().copied().filter(inside).collect();
                let mut apart = among(number, &mut parts, ports, (&asked, right));
                apart.extend(among(number, &mut parts, ports, (&asked, left)));
                let pairs = slot_at(number, &mut whole, ports, &asked);
                prop_assert_eq!(sorted(pairs), sorted(apart));
            }
            prop_assert_eq!(pointers(&whole, ports), pointers(&parts, ports));
        }
    }

    /// Rounds are served in bulk and the rest by `slot`; a lone request with PIM too, since it costs
    /// no draw.
    #[test]
    fn what_is_served_in_rounds_leaves_what_slots_leave(
        (ports, slots) in slots(12, 30),
        times in prop::collection::vec(0..30_usize, 8),
        iterations in 1..4_u32,
    ) {
        for spec in every_scheduler(iterations) {
            let mut all = arbiter::<1>(spec, ports);
            let mut bulk = all.clone();
            let mut number = 0;
            for (asked, &times) in slots.iter().zip(&times) {
                let (rounds, rest) = rounds(asked, bulk.takes_turns());
                let inputs: Mask<1> = rest.iter().map(|ask| ask.0).collect();
                let mut turns: Vec<_> = rounds
                    .iter()
                    .map(|&(output, round)| (output, bulk.turns(output, round)))
                    .collect();
                for _ in 0..times {
                    let mut pairs = among(number, &mut bulk, ports, (asked, inputs));
                    pairs.extend(turns.iter_mut().map(|(output, t)| (t.next().unwrap(), *output)));
                    let expected = slot_at(number, &mut all, ports, asked);
                    prop_assert_eq!(sorted(expected), sorted(pairs));
                    number += 1;
                }
                for &(output, round) in &rounds {
                    bulk.took_turns(output, round, times as u64);
                }
            }
            if let SchedulerSpec::Islip { .. } = spec {
                prop_assert_eq!(pointers(&all, ports), pointers(&bulk, ports));
            }
        }
    }

    /// A request that stays is served in less than N² slots, whatever else is asked (McKeown 1999,
    /// section III, property 2): an output that prefers the input grants it until it accepts.
    #[test]
    fn nobody_starves_under_islip(
        ports in 1..8_u32,
        iterations in 1..4_u32,
        (input, output) in (0..8_u32, 0..8_u32),
        (seed, density) in (0..1_000_u32, 0.2..1.0_f64),
    ) {
        let (input, output) = (input % ports, output % ports);
        let mut draws = stream(&seed.to_string());
        let mut arbiter = arbiter::<1>(SchedulerSpec::Islip { iterations }, (ports, ports));
        let mut waited = 0;
        for _ in 0..4 * ports * ports {
            let mut asked = super::all_pairs((ports, ports));
            asked.retain(|&ask| ask == (input, output) || draws.chance(density));
            waited += 1;
            if slot(&mut arbiter, (ports, ports), &asked).contains(&(input, output)) {
                waited = 0;
            }
            prop_assert!(waited < ports * ports);
        }
    }
}

#[test]
fn a_scheduler_sees_only_those_inputs_that_it_is_told() {
    for spec in [ISLIP, PIM, MAXIMUM_SIZE, WAVEFRONT] {
        let mut arbiter = arbiter::<1>(spec, (4, 4));
        let inputs = [1, 2].into_iter().collect();
        let pairs = among(0, &mut arbiter, (4, 4), (&[(0, 0), (1, 0), (2, 3), (3, 3)], inputs));
        assert_eq!(pairs, [(1, 0), (2, 3)], "{spec:?}");
    }
}
