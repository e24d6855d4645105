//! The short way of a sender in its normal state is that of all segments.

use proptest::prelude::*;

use super::properties::{Case, case, fate};
use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::pair::{Fate, Pair, Sent, config};

/// What is sent and what it does to the window, in words, and how often the short way could be taken.
fn run(case: &Case, takes_long_way: bool) -> (String, usize) {
    let mut whims = case.whims.clone().into_iter();
    let script = move |_: &Sent| whims.next().map_or_else(Fate::delivered, fate);
    let mut pair = Pair::new(config(&case.options)).with_script(script);
    if takes_long_way {
        pair.sender.take_long_way();
    }
    let mut short = 0;
    for &bytes in &case.writes {
        pair.offer(bytes);
        for _ in 0..20 {
            pair.run_for(50);
            short += usize::from(pair.sender.sends_in_order());
        }
    }
    pair.close();
    pair.run();
    let (info, counters) = (pair.sender.info(), pair.sender.counters());
    (format!("{:?} {:?} {info:?} {counters:?}", pair.log, pair.seen), short)
}

/// A case without the options that ask for more.
fn plain() -> impl Strategy<Value = Case> {
    let presets = [Preset::Tahoe, Preset::Reno, Preset::Newreno, Preset::Sack, Preset::Cubic];
    let of = |preset| case(preset, None);
    prop::sample::select(presets.to_vec()).prop_flat_map(of).prop_map(|case| {
        let options = TcpOptions {
            ecn: Some(false),
            pacing: Some(false),
            silly_window_avoidance: Some(true),
            ..case.options
        };
        Case { options, ..case }
    })
}

proptest! {
    #![proptest_config(trials::cases(1000))]
    #[test]
    fn the_short_way_is_that_of_all_segments(case in plain()) {
        let (long, none) = run(&case, true);
        prop_assert_eq!(none, 0);
        prop_assert_eq!(run(&case, false).0, long);
    }
}

#[test]
fn a_connection_without_losses_stays_in_its_normal_state() {
    let options = TcpOptions { preset: Some(Preset::Sack), ..TcpOptions::default() };
    let case = Case { writes: vec![100_000, 50_000], whims: Vec::new(), options };
    assert!(run(&case, false).1 > 30);
}
