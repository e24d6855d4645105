//! The RFCs' examples, and the definitions word by word as twins.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use units::Time;

use super::{Density, Extents, HISTORY, ReorderingCounts, Study};

/// What a study says when packets 1 to the largest are sent, a picosecond apart, and arrive so.
fn study(arrivals: &[u64]) -> ReorderingCounts {
    let mut study = Study::default();
    for number in 1..=arrivals.iter().copied().max().unwrap_or(0) {
        study.sent(Time(number), 1000 * number);
    }
    for &number in arrivals {
        study.arrived(Time(number), 1000 * number);
    }
    study.counts()
}

fn extents(arrivals: &[u64]) -> Vec<(u64, u64)> {
    let mut extents = Extents::default();
    let extent = |&number: &u64| Some(number).zip(extents.arrived(number, 0));
    arrivals.iter().filter_map(extent).collect()
}

fn displaced(threshold: u32, arrivals: &[u64]) -> Vec<(i32, u64)> {
    let mut density = Density::new(threshold);
    for &number in arrivals {
        density.arrived(number);
    }
    density.displaced().into_iter().collect()
}

/// RFC 4737, section 7, table 1: packet 4 comes behind 5 to 8.
#[test]
fn one_packet_that_comes_late_has_the_extent_of_what_came_before_it() {
    let arrivals = [1, 2, 3, 5, 6, 7, 8, 4, 9, 10];
    assert_eq!(extents(&arrivals), [(4, 4)]);
    let counts = study(&arrivals);
    assert_eq!((counts.arrived, counts.reordered, counts.three), (10, 1, 1));
    assert_eq!((counts.extent_max, counts.extent_mean()), (4, 4.0));
    assert!((counts.three_share() - 0.1).abs() < 1e-12);
}

/// Table 2: packet 7 comes before 5 and 6.
#[test]
fn what_one_early_packet_overtakes_is_reordered_but_no_three_come_before_it() {
    let arrivals = [1, 2, 3, 4, 7, 5, 6, 8, 9, 10];
    assert_eq!(extents(&arrivals), [(5, 1), (6, 2)]);
    let counts = study(&arrivals);
    assert_eq!((counts.reordered, counts.extent_sum, counts.three), (2, 3, 0));
}

/// Table 3: packets 4 to 6 come behind 7 to 10. Before 5 comes 4, which was sent earlier: of the three
/// only 4 is 3-reordered.
#[test]
fn of_a_block_that_comes_late_only_the_first_is_n_reordered() {
    let arrivals = [1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11];
    assert_eq!(extents(&arrivals), [(4, 4), (5, 5), (6, 6)]);
    let counts = study(&arrivals);
    assert_eq!((counts.reordered, counts.extent_max, counts.three), (3, 6, 1));
}

#[test]
fn a_packet_before_which_two_came_is_not_three_reordered() {
    assert_eq!(study(&[3, 2, 4, 1]).three, 1);
    assert_eq!(study(&[3, 2, 1]).three, 0);
    // The third before it is too early to count: there is none.
    assert_eq!(study(&[2, 3, 1]).three, 0);
    assert_eq!(study(&[2, 3, 4, 1]).three, 1);
}

/// RFC 5236's first sequence. Receive indices 1 to 8; 4 comes second: 2 − 4 = −2, and so on.
#[test]
fn displacements_are_receive_indices_less_numbers() {
    let arrivals = [1, 4, 2, 5, 3, 6, 7, 8];
    let expected = [(-2, 1), (-1, 1), (0, 4), (1, 1), (2, 1)];
    for threshold in [2, 3, 9] {
        assert_eq!(displaced(threshold, &arrivals), expected, "{threshold}");
    }
    let counts = study(&arrivals);
    let shares: Vec<f64> = counts.density().map(|(_, _, share)| share).collect();
    assert_eq!(shares, [0.125, 0.125, 0.5, 0.125, 0.125]);
}

/// The same with 7 lost and 5 sent twice by the network: no index for the second 5, none that is 7.
#[test]
fn neither_lost_nor_duplicate_packets_displace_others() {
    let arrivals = [1, 4, 2, 5, 3, 6, 5, 8];
    let counts = study(&arrivals);
    let expected = [(-2, 1), (-1, 1), (0, 3), (1, 1), (2, 1)];
    assert_eq!(counts.displaced.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!((counts.arrived, counts.reordered), (7, 2));
    // Lost packets alone: 1 2 4 5 9 10.
    assert_eq!(displaced(3, &[1, 2, 4, 5, 9, 10]), [(0, 6)]);
}

/// With a threshold of 1, 1 is lost where 2, 3 and 4 come first: it is not among the next two.
#[test]
fn what_comes_later_than_the_threshold_is_lost() {
    assert_eq!(displaced(1, &[2, 1, 3, 4]), [(-1, 1), (0, 2), (1, 1)]);
    assert_eq!(displaced(1, &[2, 3, 1, 4]), [(0, 3)]);
    assert_eq!(displaced(2, &[2, 3, 1, 4]), [(-1, 2), (0, 1), (2, 1)]);
    // What comes too early by more has no index either, and is lost when its own is due.
    assert_eq!(displaced(1, &[4, 1, 2, 3, 5]), [(0, 4)]);
}

#[test]
fn a_packet_given_up_does_not_count_when_it_comes() {
    let mut study = Study::default();
    for number in 0..=HISTORY {
        study.sent(Time(number), 0);
        if number > 0 {
            study.arrived(Time(number), 0);
        }
    }
    // One more than the history: the first has been given up.
    study.arrived(Time(0), 0);
    assert_eq!((study.counts().arrived, study.counts().reordered), (HISTORY, 0));
}

#[test]
fn the_largest_extent_that_can_be_seen_is_the_history() {
    let mut study = Study::default();
    for number in 0..HISTORY {
        study.sent(Time(number), 0);
        if number > 0 {
            study.arrived(Time(number), 0);
        }
    }
    study.arrived(Time(0), 0);
    let counts = study.counts();
    assert_eq!((counts.reordered, counts.extent_max), (1, HISTORY - 1));
    // Far beyond the threshold of the density, which has deemed it lost.
    assert_eq!(counts.displaced, BTreeMap::from([(0, HISTORY - 1)]));
}

#[test]
fn what_came_before_measuring_is_forgotten_and_what_is_on_its_way_is_not() {
    let mut study = Study::default();
    (1..=6).for_each(|number| study.sent(Time(number), 0));
    for number in [2, 1, 4, 5, 6] {
        study.arrived(Time(number), 0);
    }
    study.forget();
    study.arrived(Time(3), 0);
    let counts = study.counts();
    assert_eq!((counts.arrived, counts.reordered, counts.extent_sum, counts.three), (1, 1, 3, 1));
}

/// The first arrival of each number.
fn distinct(arrivals: &[u64]) -> Vec<u64> {
    let mut seen = BTreeSet::new();
    arrivals.iter().copied().filter(|&number| seen.insert(number)).collect()
}

/// RFC 4737, sections 4.2.1 and 5.4.1, word by word.
fn brute(arrivals: &[u64]) -> (Vec<u64>, u64) {
    let mut extents = Vec::new();
    let mut three = 0;
    for (i, &number) in arrivals.iter().enumerate() {
        if let Some(j) = arrivals[..i].iter().position(|&before| before > number) {
            extents.push((i - j) as u64);
        }
        three += u64::from(i >= 3 && arrivals[i - 3..i].iter().all(|&before| before > number));
    }
    (extents, three)
}

/// Where nothing is late beyond the threshold, the receive indices are the numbers that came, sorted.
fn sorted_density(arrivals: &[u64]) -> BTreeMap<i32, u64> {
    let mut indices = arrivals.to_vec();
    indices.sort_unstable();
    let mut found = BTreeMap::new();
    for (index, number) in indices.iter().zip(arrivals) {
        let displacement = i32::try_from(index.cast_signed() - number.cast_signed()).unwrap();
        *found.entry(displacement).or_default() += 1;
    }
    found
}

/// The window of RFC 5236, one index after the other.
fn slow_density(threshold: usize, arrivals: &[u64]) -> BTreeMap<i32, u64> {
    let mut rest = arrivals.iter().copied();
    let (mut window, mut early, mut found) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut index = 1;
    loop {
        while window.len() <= threshold {
            let Some(next) = rest.next() else { break };
            if next >= index {
                window.push(next);
            }
        }
        if window.is_empty() {
            return found;
        }
        let came = |index: u64| window.contains(&index) || early.contains(&index);
        if !came(index) && window.iter().chain(&early).any(|&number| number > index) {
            index += 1;
            continue;
        }
        let number = window.remove(0);
        let displacement = i32::try_from(index.cast_signed() - number.cast_signed()).unwrap();
        if displacement.unsigned_abs() as usize <= threshold {
            *found.entry(displacement).or_default() += 1;
            early.push(number);
            index += 1;
        }
    }
}

/// Arrivals of up to 60 packets, each late by a random number of places; some are lost, some come twice.
fn arrivals() -> impl Strategy<Value = Vec<u64>> {
    let packet = (0..30u64, prop_oneof![8 => Just(1u8), 1 => Just(0), 1 => Just(2)], 0..30u64);
    (1..30u64, prop::collection::vec(packet, 0..60)).prop_map(|(most, packets)| {
        let mut places = Vec::new();
        for (number, (late, copies, again)) in (1u64..).zip(packets) {
            for late in [late, again].into_iter().take(usize::from(copies)) {
                places.push((number + late % most, number));
            }
        }
        places.sort_by_key(|&(place, _)| place);
        places.into_iter().map(|(_, number)| number).collect()
    })
}

proptest! {
    #[test]
    fn extents_and_three_reordering_are_as_defined(arrivals in arrivals()) {
        let counts = study(&arrivals);
        let arrivals = distinct(&arrivals);
        let (extents, three) = brute(&arrivals);
        prop_assert_eq!(counts.arrived, arrivals.len() as u64);
        prop_assert_eq!(counts.reordered, extents.len() as u64);
        prop_assert_eq!(counts.extent_sum, extents.iter().sum::<u64>());
        prop_assert_eq!(counts.extent_max, extents.iter().copied().max().unwrap_or(0));
        prop_assert_eq!(counts.three, three);
        prop_assert_eq!(counts.displaced, sorted_density(&arrivals));
    }

    #[test]
    fn a_density_is_that_of_the_window_index_by_index(
        arrivals in arrivals(),
        threshold in 0..12u32,
    ) {
        let arrivals = distinct(&arrivals);
        let found = displaced(threshold, &arrivals).into_iter().collect::<BTreeMap<_, _>>();
        prop_assert_eq!(found, slow_density(threshold as usize, &arrivals));
    }

    /// A permutation moves as much back as forth.
    #[test]
    fn displacements_without_losses_add_up_to_nothing(
        arrivals in Just((1..=40u64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let displaced = displaced(40, &arrivals);
        prop_assert_eq!(displaced.iter().map(|&(_, packets)| packets).sum::<u64>(), 40);
        let moved: i64 = displaced.iter().map(|&(d, n)| i64::from(d) * n.cast_signed()).sum();
        prop_assert_eq!(moved, 0);
    }
}
