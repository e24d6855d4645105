//! Each kind by hand, and that none prefers a path.

use ::random::Seed;
use units::{Span, Time};

use super::{Fate, Options, Spraying, bitmap, mixed, random, reps, round_robin};

const NOW: Time = Time::ZERO;

fn spraying(options: &Options, entropies: u32) -> Spraying {
    Spraying::new(options, entropies, Seed(3).stream("spraying"))
}

fn reps(buffer: u32) -> Options {
    Options::Reps(reps::Options { buffer, ..reps::Options::default() })
}

fn next(spraying: &mut Spraying, count: usize) -> Vec<u16> {
    (0..count).map(|_| spraying.next(NOW)).collect()
}

#[test]
fn all_but_recycling_take_all_entropies_alike() {
    let all = [
        Options::Random(random::Options::default()),
        Options::RoundRobin(round_robin::Options::default()),
        Options::Bitmap(bitmap::Options::default()),
        Options::Mixed(mixed::Options::default()),
        reps(8),
    ];
    for options in all {
        let mut counts = [0_f64; 16];
        for entropy in next(&mut spraying(&options, 16), 16_000) {
            counts[usize::from(entropy)] += 1.0;
        }
        let chi: f64 = counts.iter().map(|count| (count - 1000.0).powi(2) / 1000.0).sum();
        // 15 degrees of freedom: exceeded once in 1000 seeds.
        assert!(chi < 37.7, "{options:?}: {chi}");
    }
}

#[test]
fn round_robin_takes_each_once_a_round_in_changing_order() {
    let mut spraying = spraying(&Options::RoundRobin(round_robin::Options::default()), 64);
    let rounds: Vec<Vec<u16>> = (0..4).map(|_| next(&mut spraying, 64)).collect();
    for round in &rounds {
        let mut sorted = round.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..64).collect::<Vec<_>>());
    }
    assert!(rounds.windows(2).any(|pair| pair[0] != pair[1]));
}

/// The good entropies 5, 6 and 7 in this order, and 5 once more; a marked one is not used again.
#[test]
fn reps_uses_each_good_entropy_once_the_oldest_first() {
    let mut spraying = spraying(&reps(8), 1 << 16);
    for entropy in [5, 6, 7, 5] {
        spraying.on_fate(NOW, entropy, Fate::Good);
    }
    spraying.on_fate(NOW, 9, Fate::Marked);
    spraying.on_fate(NOW, 10, Fate::Trimmed);
    assert_eq!(next(&mut spraying, 4), [5, 6, 7, 5]);
    // Now by chance: one of 65,536.
    assert!(![5, 6, 7].contains(&spraying.next(NOW)));
}

#[test]
fn reps_keeps_the_latest_of_its_buffer() {
    let mut spraying = spraying(&reps(3), 1 << 16);
    (1..=5).for_each(|entropy| spraying.on_fate(NOW, entropy, Fate::Good));
    assert_eq!(next(&mut spraying, 3), [3, 4, 5]);
}

/// After a loss the buffer alone is used, in turn and again, for 10 ms; then 16 packets go by chance.
#[test]
fn reps_freezes_after_a_loss() {
    let mut spraying = spraying(&reps(3), 1 << 16);
    (1..=3).for_each(|entropy| spraying.on_fate(NOW, entropy, Fate::Good));
    assert_eq!(next(&mut spraying, 3), [1, 2, 3]);
    spraying.on_fate(NOW, 77, Fate::Lost);
    assert_eq!(next(&mut spraying, 7), [1, 2, 3, 1, 2, 3, 1]);
    let later = NOW + Span::from_ms(11);
    let drawn: Vec<u16> = (0..16).map(|_| spraying.next(later)).collect();
    assert!(drawn.iter().all(|entropy| *entropy > 3), "{drawn:?}");
    spraying.on_fate(later, 4, Fate::Good);
    assert_eq!(spraying.next(later), 4);
}

/// A marked entropy misses one turn, a trimmed one four.
#[test]
fn bitmap_passes_over_what_met_congestion() {
    let mut spraying = spraying(&Options::Bitmap(bitmap::Options::default()), 4);
    spraying.on_fate(NOW, 2, Fate::Marked);
    let first = next(&mut spraying, 3);
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 3]);
    let second = next(&mut spraying, 400);
    let taken = second.iter().filter(|entropy| **entropy == 2).count();
    assert!((95..=105).contains(&taken), "{taken}");
    // Four turns are missed, of 20 rounds; but if another comes first, a packet may pass over it without a count.
    spraying.on_fate(NOW, 1, Fate::Trimmed);
    let taken = next(&mut spraying, 76).iter().filter(|entropy| **entropy == 1).count();
    assert!((15..=17).contains(&taken), "{taken}");
}

#[test]
fn bitmap_takes_the_next_one_where_all_met_congestion() {
    let mut spraying = spraying(&Options::Bitmap(bitmap::Options::default()), 4);
    (0..4).for_each(|entropy| spraying.on_fate(NOW, entropy, Fate::Lost));
    assert_eq!(next(&mut spraying, 100).len(), 100);
}

#[test]
fn mixed_uses_good_entropies_and_else_those_that_met_no_congestion() {
    let mut spraying = spraying(&Options::Mixed(mixed::Options::default()), 4);
    spraying.on_fate(NOW, 0, Fate::Lost);
    spraying.on_fate(NOW, 3, Fate::Good);
    spraying.on_fate(NOW, 3, Fate::Good);
    assert_eq!(next(&mut spraying, 2), [3, 3]);
    // Fifteen turns of entropy 0 are missed.
    assert!(!next(&mut spraying, 30).contains(&0));
}
