//! Which way the parts of a run take, in made-up time.

use scenario::Sharing;

/// A run of so many seconds in turns where side by side is `gain` times as fast: how many times faster it gets in all.
fn gained(gain: f64, seconds: f64) -> f64 {
    let (speed, mut left, mut took) = (1e7, 1e7 * seconds, 0.0);
    let (mut sharing, mut slice) = (Sharing::default(), 10_000);
    while left > 0.0 {
        let (side_by_side, events) = sharing.next(slice);
        let needs = events as f64 / speed / if side_by_side { gain } else { 1.0 };
        sharing.took(events, needs);
        took += needs;
        left -= events as f64;
        if events == slice && needs < 0.025 {
            slice *= 2;
        } else if events == slice && needs > 0.05 {
            slice /= 2;
        }
    }
    seconds / took
}

#[test]
fn the_faster_way_is_taken() {
    for (gain, seconds, least) in
        [(1.9, 10.0, 1.8), (1.9, 1.0, 1.5), (0.1, 1.0, 0.9), (0.1, 10.0, 0.95), (0.8, 10.0, 0.97)]
    {
        let gained = gained(gain, seconds);
        assert!(gained > least, "{gained} of {gain} in {seconds} s");
    }
}

/// Other processes come when parts advance side by side, which is ten times slower from then on: that is left soon.
#[test]
fn a_way_that_becomes_slow_is_left() {
    let mut sharing = Sharing::default();
    let mut advance = |gain: f64| {
        let (side_by_side, events) = sharing.next(400_000);
        sharing.took(events, events as f64 / if side_by_side { gain * 1e7 } else { 1e7 });
        side_by_side
    };
    assert!((0..100).filter(|_| advance(1.9)).count() > 85);
    assert!((0..100).filter(|_| advance(0.1)).count() < 10);
}
