//! Schedules of circuits, and what is shared out among offers.

use proptest::prelude::*;
use units::{Span, Time};

use crate::circuit::{
    Decider, Frame, Routes, Schedule, Slot, Timing, Window, decomposed, factors, maximum_weight,
    opera, rotor, share, stuffed,
};
use crate::spec::{DemandRule, Phases};

fn us(n: u64) -> Time {
    Time::ZERO + Span::from_us(n)
}

fn timing(slot: u64, dark: u64, phases: Phases) -> Timing {
    Timing { slot: Span::from_us(slot), reconfiguration: Span::from_us(dark), phases }
}

/// Four racks and one switch: three slots, in which rack 0 is joined to 1, 2 and 3.
#[test]
fn a_rotor_of_four_racks_by_hand() {
    let rounds = rotor(4, 1);
    assert_eq!(rounds, [[vec![1, 2, 3, 0], vec![2, 3, 0, 1], vec![3, 0, 1, 2]]]);
    let schedule = Schedule::new(&rounds, timing(10, 2, Phases::Together));
    // Slot 4 is the second of the second round.
    assert_eq!(schedule.slot_at(0, 45_000_000), 4);
    assert_eq!(schedule.window(0, 4), Window { opens: 42_000_000, closes: 50_000_000 });
    assert_eq!(schedule.far_end(0, 4, 1), Some(3));
    assert_eq!(schedule.near_end(0, 4, 3), Some(1));
    // Light for 8 µs: what begins at 42 µs and lasts for 8 passes.
    let passes = |first, length| light(&schedule, 1, (us(first), Span::from_us(length)));
    assert_eq!(passes(42, 8), Some(3));
    assert_eq!(passes(41, 8), None, "it begins in the dark");
    assert_eq!(passes(43, 8), None, "it ends in the dark");
    assert_eq!(light(&schedule, 1, (Time(41_999_999), Span::ZERO)), None);
    // Rack 1 meets rack 0 in the third slot of each round.
    assert_eq!(schedule.next_slot((0, 1), 3, |_, to| to == 0), Some(5));
    assert_eq!(schedule.next_slot((0, 1), 5, |_, to| to == 0), Some(5));
    assert_eq!(schedule.next_slot((0, 1), 6, |_, to| to == 0), Some(8));
    assert_eq!(schedule.next_slot((0, 1), 6, |_, to| to == 1), None, "itself");
}

/// Switch 1 of 4 begins its slots a quarter of a slot later; before that is its slot −1.
#[test]
fn staggered_switches_are_dark_one_after_the_other() {
    let schedule = Schedule::new(&rotor(5, 4), timing(40, 10, Phases::Staggered));
    assert_eq!(schedule.window(1, 0), Window { opens: 20_000_000, closes: 50_000_000 });
    assert_eq!(schedule.slot_at(1, 0), -1);
    assert_eq!(schedule.slots(1), 1);
    for at in (0..400).map(|at| at * 1_000_000) {
        let dark =
            |switch: &u32| at < schedule.window(*switch, schedule.slot_at(*switch, at)).opens;
        assert_eq!((0..4).filter(dark).count(), 1, "at {at} ps");
    }
}

/// An explicit round in which rack 2 has no circuit in the first slot.
#[test]
fn a_rack_that_is_its_own_has_no_circuit() {
    let schedule =
        Schedule::new(&[vec![vec![1, 0, 2], vec![0, 2, 1]]], timing(10, 0, Phases::Together));
    assert_eq!(schedule.far_end(0, 0, 2), None);
    assert_eq!(schedule.near_end(0, 0, 2), None);
    assert_eq!(schedule.far_end(0, 1, 2), Some(1));
    assert_eq!(schedule.ways(0, 1).count(), 1);
    assert_eq!(schedule.ways(0, 2).count(), 0);
    assert_eq!(light(&schedule, 2, (us(5), Span::from_us(1))), None);
}

/// What is given of some offers.
fn given(room: u64, offers: &[u64]) -> Vec<u64> {
    let (mut given, mut sorted) = (offers.to_vec(), vec![7; 3]);
    share(room, &mut given, &mut sorted);
    given
}

#[test]
fn offers_are_met_or_get_as_much_as_others() {
    assert_eq!(given(100, &[10, 20, 30]), [10, 20, 30]);
    assert_eq!(given(45, &[10, 20, 30]), [10, 18, 17]);
    assert_eq!(given(8, &[30, 0, 30, 30]), [3, 0, 3, 2]);
    assert_eq!(given(0, &[5, 5]), [0, 0]);
    assert_eq!(given(5, &[]), [] as [u64; 0]);
}

/// The rack to which light goes that enters switch 0 from a rack at an instant and lasts for a span.
fn light(schedule: &Schedule, rack: u32, (first, length): (Time, Span)) -> Option<u32> {
    let at = i64::try_from(first.0).unwrap();
    let mut slot = Slot::NONE;
    schedule.bring(&mut slot, 0, at);
    assert_eq!(slot, schedule.slot(0, schedule.slot_at(0, at)));
    schedule.passes(&slot, rack, (first, length))
}

/// The switches on shortest ways from a rack to another in a slice.
fn ways(routes: &mut Routes, schedule: &Schedule, slice: i64, pair: (u32, u32)) -> u32 {
    routes.next(schedule, schedule.lasts(&schedule.slice(slice)).start, pair)
}

/// The hops of the shortest ways between all of so many racks in a slice, and the longest of them.
fn hops(schedule: &Schedule, slice: i64, racks: u32) -> (f64, u32) {
    let mut routes = Routes::new(schedule);
    let mut of = |from: u32, to: u32| {
        let (mut rack, mut hops) = (from, 0);
        while rack != to {
            let switch = ways(&mut routes, schedule, slice, (rack, to)).trailing_zeros();
            let slot = schedule.slice(slice).slot_of(switch).expect("on a way");
            rack = schedule.far_end(switch, slot, rack).expect("on a way");
            hops += 1;
        }
        hops
    };
    let pairs = (0..racks).flat_map(|from| (0..racks).map(move |to| (from, to)));
    let all: Vec<u32> = pairs.map(|(from, to)| of(from, to)).collect();
    let mean = f64::from(all.iter().sum::<u32>()) / f64::from(racks * (racks - 1));
    (mean, *all.iter().max().unwrap())
}

/// Opera's own network, 108 racks and six switches, of which five are on ways in each of the 108 slices of a round, and one of
/// 64 racks. Ways are as long as in graphs of five random matchings, which are expanders.
#[test]
fn each_slice_of_opera_is_an_expander() {
    for (racks, slices) in [(108, 108), (64, 192)] {
        let schedule = Schedule::new(&opera(racks, 6, 1), timing(600, 10, Phases::Staggered));
        assert_eq!(schedule.slices(), slices);
        assert_eq!(schedule.cut_slice(), None);
        let mut draws = random::Seed(7).stream("test");
        let mut random = || {
            let mut order: Vec<u32> = (0..racks).collect();
            draws.shuffle(&mut order);
            let mut to = vec![0; racks as usize];
            for pair in order.chunks(2) {
                to[pair[0] as usize] = pair[1];
                to[pair[1] as usize] = pair[0];
            }
            vec![to]
        };
        let mut graph = || {
            let rounds: Vec<_> = (0..5).map(|_| random()).collect();
            hops(&Schedule::new(&rounds, timing(600, 0, Phases::Together)), 0, racks).0
        };
        let expected = (0..10).map(|_| graph()).sum::<f64>() / 10.0;
        for slice in [0, 1, 50, 107] {
            let (mean, most) = hops(&schedule, slice, racks);
            assert!((mean / expected - 1.0).abs() < 0.03, "{mean}, expected {expected}");
            assert!(most <= 6, "{most}");
        }
    }
}

/// Three switches with slots of 30 µs and 4 µs of dark: slices of 10 µs from 4 µs on. In the first of them the first switch
/// is in slot 0, the second goes dark at the end, and the third is in the slot before.
#[test]
fn slices_by_hand() {
    let schedule = Schedule::new(&rotor(7, 3), timing(30, 4, Phases::Staggered));
    assert_eq!(schedule.slices(), 6);
    for (at, slice) in
        [(3_999_999, -1), (4_000_000, 0), (13_999_999, 0), (14_000_000, 1), (34_000_000, 3)]
    {
        assert_eq!(schedule.slice_at(at), schedule.slice(slice), "at {at} ps");
    }
    let slots = |slice| [0, 1, 2].map(|switch| schedule.slice(slice).slot_of(switch));
    assert_eq!(slots(0), [Some(0), None, Some(-1)]);
    assert_eq!(slots(1), [Some(0), Some(0), None]);
    assert_eq!(slots(2), [None, Some(0), Some(0)]);
    assert_eq!(slots(3), [Some(1), None, Some(0)]);
    assert_eq!(slots(-1), [None, Some(-1), Some(-1)]);
}

/// A ring of circuits that stay: one way, all of it in one direction.
#[test]
fn circuits_that_stay_are_all_on_ways() {
    let schedule = Schedule::new(&[vec![vec![1, 2, 3, 0]]], timing(30, 0, Phases::Together));
    assert!(schedule.stays());
    assert_eq!(schedule.slice(5).slot_of(0), Some(5));
    let mut routes = Routes::new(&schedule);
    for (rack, to) in [(0, 1), (1, 0), (3, 2)] {
        assert_eq!(ways(&mut routes, &schedule, 0, (rack, to)), 1);
    }
    let halves = Schedule::new(&[vec![vec![1, 0, 3, 2]]], timing(30, 0, Phases::Together));
    assert_eq!(halves.cut_slice(), Some((0, 0, 2)));
    assert_eq!(ways(&mut Routes::new(&halves), &halves, 0, (0, 2)), 0);
}

/// Four racks and one switch. What is decided for slot 7 joins 0 to 1 and 2 to 3; slot 8 keeps it and has no dark time; slot 9
/// joins others. Nothing is known of any other slot.
#[test]
fn matchings_that_are_decided() {
    let timing = timing(10, 2, Phases::Together);
    let mut schedule = Schedule::on_demand((4, 1), 3, timing);
    assert_eq!(schedule.far_end(0, 0, 0), None);
    let (one, other) = (vec![1, 0, 3, 3], vec![2, 1, 2, 1]);
    schedule.decide(7, &[vec![one.clone()], vec![one], vec![other]]);
    let ends = |schedule: &Schedule, slot| [0, 1, 2, 3].map(|rack| schedule.far_end(0, slot, rack));
    assert_eq!(ends(&schedule, 7), [Some(1), Some(0), Some(3), None]);
    assert_eq!(ends(&schedule, 8), [Some(1), Some(0), Some(3), None]);
    assert_eq!(ends(&schedule, 9), [Some(2), None, None, Some(1)]);
    assert_eq!(schedule.near_end(0, 9, 1), Some(3));
    for slot in [5, 6, 10, 11] {
        assert_eq!(ends(&schedule, slot), [None; 4], "slot {slot}");
    }
    let opens = [7, 8, 9].map(|slot| schedule.window(0, slot).opens / 1_000_000);
    assert_eq!(opens, [72, 80, 92]);
    assert_eq!(light(&schedule, 0, (us(81), Span::from_us(5))), Some(1));
    // A long pause: slots in between are dark, whatever was kept in their places.
    schedule.decide(40, &[vec![vec![1, 0, 2, 3]]]);
    for slot in 33..40 {
        assert_eq!(ends(&schedule, slot), [None; 4], "slot {slot}");
    }
    assert_eq!(ends(&schedule, 40), [Some(1), Some(0), None, None]);
}

/// Rack 0 has 30 bytes for rack 1, and 20 for rack 2; rack 1 has 25 for rack 2. A slot carries 10. With the most bytes 0 and 1
/// are joined, and 1 and 2; and again, since 20 and 15 are more than 20.
#[test]
fn demand_is_met_by_weight() {
    let frame = Frame { switches: 1, slots: 3, slot: 10 };
    let mut decider = Decider::new(DemandRule::MaximumWeight {}, frame, 3);
    let mut demand = vec![0, 30, 20, 0, 0, 25, 0, 0, 0];
    let slots = decider.decide(&mut demand);
    assert_eq!(slots[..2], [vec![vec![1, 2, 2]], vec![vec![1, 2, 2]]]);
    // 10 and 5 are left there, and 20 for rack 2.
    assert_eq!(slots[2], [vec![2, 1, 2]]);
    assert_eq!(demand, [0, 10, 10, 0, 0, 5, 0, 0, 0]);
}

/// Three racks and two switches. On the first one the destinations 0 and 1 grant the sources 1 and 0, and destination 2 grants 0,
/// which accepts 1; source 2 finds none. On the second one the pointers of 0 and 1 have passed these, so that 2 has
/// a turn.
#[test]
fn demand_is_met_by_islip() {
    let frame = Frame { switches: 2, slots: 1, slot: 10 };
    let mut decider = Decider::new(DemandRule::Islip { iterations: 4 }, frame, 3);
    let mut demand = vec![0, 10, 20, 10, 0, 0, 10, 10, 0];
    assert_eq!(decider.decide(&mut demand), [[vec![1, 0, 2], vec![2, 1, 0]]]);
    assert_eq!(demand, [0, 0, 10, 0, 0, 0, 0, 10, 0]);
}

proptest! {
    /// No other assignment has a larger sum.
    #[test]
    fn maximum_weight_is_that_of_all_permutations(
        (n, weights) in (1_usize..7).prop_flat_map(|n| (Just(n), prop::collection::vec(0_u64..50, n * n))),
    ) {
        let found = maximum_weight(&weights, n);
        let sum = |columns: &[usize]| columns.iter().enumerate().map(|(row, at)| weights[row * n + at]).sum::<u64>();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        let mut best = 0;
        let mut open = vec![Vec::new()];
        while let Some(columns) = open.pop() {
            if columns.len() == n {
                best = best.max(sum(&columns));
            } else {
                open.extend((0..n).filter(|at| !columns.contains(at)).map(|at| [&columns[..], &[at]].concat()));
            }
        }
        prop_assert_eq!(sum(&found), best);
    }

    /// The parts of a decomposition are matchings, and their sum is the matrix; there are no more than Marcus and Ree have
    /// shown to suffice (1959). What is added makes all sums that of the largest.
    #[test]
    fn a_decomposition_sums_to_its_matrix(
        (n, demand) in (1_usize..7).prop_flat_map(|n| (Just(n), prop::collection::vec(0_u64..50, n * n))),
    ) {
        let matrix = stuffed(&demand, n);
        prop_assert!(matrix.iter().zip(&demand).all(|(all, part)| all >= part));
        let row = |row: usize| demand[row * n..][..n].iter().sum::<u64>();
        let column = |column: usize| (0..n).map(|row| demand[row * n + column]).sum::<u64>();
        let most = (0..n).map(|at| row(at).max(column(at))).max().unwrap();
        for at in 0..n {
            prop_assert_eq!(matrix[at * n..][..n].iter().sum::<u64>(), most);
        }
        let parts = decomposed(&matrix, n);
        let mut sum = vec![0; n * n];
        for (bytes, matching) in &parts {
            let mut sorted = matching.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
            (0..n).for_each(|row| sum[row * n + matching[row]] += bytes);
        }
        prop_assert_eq!(&sum, &matrix);
        prop_assert!(parts.len() <= n * n + 2 - 2 * n, "{} parts of {n}", parts.len());
    }

    /// Every two racks are joined in exactly one of the matchings, in both directions.
    #[test]
    fn factors_join_all_pairs_once(racks in 2_u32..40, seed in 0_u64..1_000) {
        let matchings = factors(racks, &mut random::Seed(seed).stream("test"));
        let mut joined = vec![0; (racks * racks) as usize];
        for matching in &matchings {
            for (from, &to) in (0..).zip(matching) {
                prop_assert_eq!(matching[to as usize], from);
                joined[(from * racks + to) as usize] += 1;
            }
        }
        prop_assert!(joined.iter().all(|&count| count == 1));
    }

    /// In each slice a way is as long as one that is found by trying all, over circuits that are lit from its beginning to
    /// its end.
    #[test]
    fn ways_are_the_shortest_over_what_is_lit_throughout(
        (racks, switches, draw) in (3_u32..12, 2_u32..6, 0_u32..100),
        slice in 0_i64..40,
    ) {
        let schedule =
            Schedule::new(&opera(racks, switches, draw), timing(60 * u64::from(switches), 10, Phases::Staggered));
        let mut routes = Routes::new(&schedule);
        let begins = slice * 60_000_000 + 10_000_000;
        prop_assert_eq!(schedule.slice_at(begins), schedule.slice(slice));
        prop_assert_eq!(schedule.slice(slice).number, slice);
        prop_assert_eq!(schedule.lasts(&schedule.slice(slice)), begins..begins + 60_000_000);
        let mut joined = Vec::new();
        for switch in 0..switches {
            let slot = schedule.slot_at(switch, begins);
            let Window { opens, closes } = schedule.window(switch, slot);
            let lasts = opens <= begins && begins + 60_000_000 <= closes;
            prop_assert_eq!(schedule.slice(slice).slot_of(switch), lasts.then_some(slot));
            if lasts {
                joined.push((switch, slot));
            }
        }
        // Bellman and Ford.
        let far = racks * 2;
        for to in 0..racks {
            let mut hops: Vec<u32> = (0..racks).map(|rack| if rack == to { 0 } else { far }).collect();
            for _ in 0..racks {
                for rack in 0..racks {
                    for &(switch, slot) in &joined {
                        if let Some(next) = schedule.far_end(switch, slot, rack) {
                            hops[rack as usize] = hops[rack as usize].min(hops[next as usize] + 1);
                        }
                    }
                }
            }
            for rack in (0..racks).filter(|rack| *rack != to) {
                let mut expected = 0;
                for &(switch, slot) in &joined {
                    let next = schedule.far_end(switch, slot, rack);
                    if hops[rack as usize] < far
                        && next.is_some_and(|next| hops[next as usize] + 1 == hops[rack as usize])
                    {
                        expected |= 1 << switch;
                    }
                }
                prop_assert_eq!(ways(&mut routes, &schedule, slice, (rack, to)), expected);
                for &(switch, slot) in &joined {
                    prop_assert_eq!(routes.closes(switch), schedule.window(switch, slot).closes);
                }
            }
        }
    }

    /// In every slot each switch has a matching, no two of them the same as long as there are enough, and in a round
    /// each pair of racks meets equally often.
    #[test]
    fn a_rotor_joins_all_pairs_equally_often(racks in 2_u32..20, switches in 1_u32..12) {
        let rounds = rotor(racks, switches);
        let slots = rounds[0].len();
        for slot in 0..slots {
            let mut here: Vec<u32> = rounds.iter().map(|round| round[slot][0]).collect();
            here.sort_unstable();
            here.dedup();
            prop_assert_eq!(here.len(), switches.min(racks - 1) as usize);
        }
        let schedule = Schedule::new(&rounds, timing(10, 1, Phases::Together));
        let each = slots * switches as usize / (racks - 1) as usize;
        for from in 0..racks {
            for to in (0..racks).filter(|to| *to != from) {
                prop_assert_eq!(schedule.ways(from, to).count(), each);
            }
        }
    }

    /// What passes is what a walk over all slots, picosecond by picosecond of its ends, lets pass.
    #[test]
    fn light_passes_as_in_a_walk_over_the_slots(
        (slot, dark) in (2_u64..12).prop_flat_map(|slot| (Just(slot), 0..slot)),
        (racks, switches) in (2_u32..6, 1_u32..4),
        staggered: bool,
        (first, length) in (0_u64..200, 0_u64..12),
    ) {
        let phases = if staggered { Phases::Staggered } else { Phases::Together };
        let rounds = rotor(racks, switches);
        let timing = Timing { slot: Span(slot), reconfiguration: Span(dark), phases };
        let schedule = Schedule::new(&rounds, timing);
        for switch in 0..switches {
            let phase = if staggered { slot * u64::from(switch) / u64::from(switches) } else { 0 };
            let slots = rounds[switch as usize].len() as u64;
            // The slot that is under way at the start is the last of a round before it.
            let at = |time: u64| {
                let since = time + slots * slot - phase;
                let lit = since % slot >= dark;
                (since / slot, lit)
            };
            for rack in 0..racks {
                let (begins, lit) = at(first);
                let all = (first..first + length.max(1)).all(|time| at(time) == (begins, true));
                let to = rounds[switch as usize][usize::try_from(begins % slots).unwrap()][rack as usize];
                let expected = (lit && all).then_some(to);
                let light = (Time(first), Span(length));
                // Whichever slot is kept.
                for kept in -1..=i64::try_from(begins).unwrap() - i64::try_from(slots).unwrap() + 1 {
                    let mut kept = schedule.slot(switch, kept);
                    schedule.bring(&mut kept, switch, i64::try_from(first).unwrap());
                    prop_assert_eq!(schedule.passes(&kept, rack, light), expected);
                }
            }
        }
    }

    /// Byte by byte to whoever has least and wants more gives the same to all but for a byte.
    #[test]
    fn shares_are_those_of_giving_bytes_one_by_one(
        room in 0_u64..200,
        offers in prop::collection::vec(0_u64..60, 0..8),
    ) {
        let mut expected = vec![0; offers.len()];
        for _ in 0..room {
            let wants = (0..offers.len()).filter(|&at| expected[at] < offers[at]);
            let Some(least) = wants.min_by_key(|&at| expected[at]) else { break };
            expected[least] += 1;
        }
        prop_assert_eq!(given(room, &offers), expected);
    }
}
