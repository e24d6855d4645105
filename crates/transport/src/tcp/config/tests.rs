//! What follows from options and profiles, and what is refused.

use units::{Bytes, Span};

use super::*;
use crate::mistake::OptionError;
use crate::profile::Profile;
use crate::tcp::{congestion, recovery};
use crate::window_size::{Limit, WindowSize};
use ::kinds::Kinds;

fn modern(options: &TcpOptions) -> Result<Config, Vec<OptionError>> {
    resolve(Profile::Modern, options)
}

#[test]
fn a_preset_is_a_pair_that_each_half_can_override() {
    let mut options = TcpOptions { preset: Some(Preset::Cubic), ..TcpOptions::default() };
    let config = modern(&options).unwrap();
    assert_eq!(config.recovery.word(), "rack");
    assert_eq!(config.congestion.word(), "cubic");
    options.recovery = Some(recovery::Options::NewReno(recovery::newreno::Options::default()));
    assert_eq!(modern(&options).unwrap().recovery.word(), "newreno");
    assert_eq!(modern(&options).unwrap().congestion.word(), "cubic");
}

#[test]
fn timestamps_lengthen_the_header_and_cost_a_sack_block() {
    let mut options = TcpOptions { timestamps: Some(true), ..TcpOptions::default() };
    let with = modern(&options).unwrap();
    assert_eq!((with.header, with.sack_blocks), (Bytes(52), 3));
    options.timestamps = Some(false);
    let without = modern(&options).unwrap();
    assert_eq!((without.header, without.sack_blocks), (Bytes(40), 4));
}

#[test]
fn a_preset_that_names_a_recovery_keeps_it_and_one_that_names_a_window_takes_the_profiles() {
    let found = |profile| {
        Preset::ALL.map(|preset| {
            let options = TcpOptions { preset: Some(preset), ..TcpOptions::default() };
            resolve(profile, &options).unwrap().recovery.word()
        })
    };
    let (named, maimd) = (["tahoe", "reno", "newreno", "sack"], ["newreno", "sack"]);
    let of = |usual| [&named[..], &[usual], &maimd, &[usual; 2]].concat();
    for profile in Profile::ALL {
        let usual = match profile {
            Profile::Modern | Profile::Linux => "rack",
            _ => "sack",
        };
        assert_eq!(found(profile).to_vec(), of(usual), "{}", profile.name());
    }
}

#[test]
fn a_packet_has_1500_octets_whatever_its_header_unless_the_segment_is_given() {
    let with = |timestamps, header, segment| TcpOptions {
        segment,
        header,
        timestamps,
        ..TcpOptions::default()
    };
    for profile in [Profile::Modern, Profile::ModernSack] {
        let sizes = |options| {
            let config = resolve(profile, &options).unwrap();
            (config.segment.0, config.header.0)
        };
        assert_eq!(sizes(with(None, None, None)), (1448, 52));
        assert_eq!(sizes(with(Some(false), None, None)), (1460, 40));
        assert_eq!(sizes(with(None, Some(Bytes(60)), None)), (1440, 60));
        assert_eq!(sizes(with(None, None, Some(Bytes(1460)))), (1460, 52));
    }
    let errors = modern(&with(None, Some(Bytes(1500)), None)).unwrap_err();
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["header: leaves no room for data in a packet of 1500 B; found 1.5 kB; \
          accepted less than 1500 B, or a segment beside it"]
    );
    assert!(modern(&with(None, Some(Bytes(1500)), Some(Bytes(1)))).is_ok());
}

#[test]
fn the_receivers_window_grows_from_what_a_syn_can_say_to_the_largest_unless_it_is_fixed() {
    let sizes = |options: &TcpOptions| {
        let config = modern(options).unwrap();
        (config.first_receive_window(), config.receive_window.0)
    };
    let plain = TcpOptions::default();
    assert_eq!(sizes(&plain), (65_535, 6 << 20));
    let raised = TcpOptions { receive_window: Some(WindowSize::Unlimited), ..plain.clone() };
    assert_eq!(sizes(&raised), (65_535, u64::MAX));
    let small = TcpOptions { receive_window: Some(WindowSize::Octets(Bytes(8000))), ..plain };
    assert_eq!(sizes(&small), (8000, 8000));
    let growth = Some(ReceiveWindowGrowth::Fixed);
    let fixed = TcpOptions { receive_window_growth: growth, ..raised };
    assert_eq!(sizes(&fixed), (u64::MAX, u64::MAX));
}

#[test]
fn without_scaling_the_window_is_at_most_65_535_octets() {
    let options = TcpOptions { window_scaling: Some(false), ..TcpOptions::default() };
    assert_eq!(modern(&options).unwrap().receive_window, Limit(65_535));
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let options = TcpOptions {
        segment: Some(Bytes(0)),
        min_rto: Some(Span::from_secs(200)),
        ack_every: Some(0),
        ..TcpOptions::default()
    };
    let keys: Vec<_> = modern(&options).unwrap_err().iter().map(|e| e.key).collect();
    assert_eq!(keys, ["segment", "min-rto", "ack-every"]);
}

#[test]
fn dctcp_turns_marks_on_and_cannot_be_without() {
    let dctcp = TcpOptions { preset: Some(Preset::Dctcp), ..TcpOptions::default() };
    let config = modern(&dctcp).unwrap();
    assert!(config.ecn);
    assert_eq!(config.congestion.word(), "dctcp");
    assert_eq!(config.recovery.word(), "rack");
    let errors = modern(&TcpOptions { ecn: Some(false), ..dctcp }).unwrap_err();
    let text = errors[0].to_string();
    assert_eq!(
        text,
        "ecn: dctcp needs explicit notification; found false; accepted true with congestion \"dctcp\""
    );
}

#[test]
fn maimd_and_msack_take_the_timer_of_stop_and_wait_with_its_start() {
    for (preset, recovery) in [(Preset::Maimd, "newreno"), (Preset::Msack, "sack")] {
        let options = TcpOptions { preset: Some(preset), ..TcpOptions::default() };
        let config = modern(&options).unwrap();
        assert_eq!((config.recovery.word(), config.congestion.word()), (recovery, "maimd"));
        assert_eq!(config.rto_law, RtoLaw::Average);
        assert_eq!((config.initial_rto, config.max_rto), (Span::from_ms(1), Span::from_secs(60)));
        let plain = TcpOptions { rto_law: Some(RtoLaw::Rfc6298), ..options };
        assert_eq!(modern(&plain).unwrap().initial_rto, Span::from_secs(1));
    }
}

#[test]
fn constants_of_rules_and_timers_are_checked() {
    let options =
        TcpOptions { rto_backoff: Some(1.0), rto_weight: Some(0.0), ..TcpOptions::default() };
    let keys = |options: &TcpOptions| {
        modern(options).unwrap_err().iter().map(|e| e.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(&options), ["rto-backoff", "rto-weight"]);
    let with = |rule| TcpOptions { congestion: Some(rule), ..TcpOptions::default() };
    let maimd = congestion::maimd::Options { decrease: 1.0, increase: 0.0 };
    let dctcp = congestion::dctcp::Options { gain: 0.0 };
    let compound = congestion::compound::Options { gamma: 0.0, gamma_tuning: false };
    let maimd = with(congestion::Options::Maimd(maimd));
    assert_eq!(keys(&maimd), ["congestion.decrease", "congestion.increase"]);
    assert_eq!(keys(&with(congestion::Options::Dctcp(dctcp))), ["congestion.gain"]);
    assert_eq!(keys(&with(congestion::Options::Compound(compound))), ["congestion.gamma"]);
}

#[test]
fn a_window_below_a_segment_is_refused() {
    let options = TcpOptions {
        segment: Some(Bytes(1460)),
        max_window: Some(WindowSize::Octets(Bytes(1000))),
        ..TcpOptions::default()
    };
    let errors = modern(&options).unwrap_err();
    let text = errors[0].to_string();
    assert_eq!(text, "max-window: less than a segment; found 1 kB; accepted at least 1.46 kB");
}

#[test]
fn every_profile_resolves_without_options() {
    for profile in Profile::ALL {
        assert!(resolve(profile, &TcpOptions::default()).is_ok(), "{}", profile.name());
    }
}

#[test]
fn ns2_of_2008_differs_in_the_minimum_rto_and_the_sack_blocks_alone() {
    let before = resolve(Profile::Ns2_2003, &TcpOptions::default()).unwrap();
    let after = resolve(Profile::Ns2_2008, &TcpOptions::default()).unwrap();
    assert_eq!((after.min_rto, after.sack_blocks), (Span::from_ms(200), 3));
    let (min_rto, sack_blocks) = (before.min_rto, before.sack_blocks);
    assert_eq!(Config { min_rto, sack_blocks, ..after }, before);
}

#[test]
fn inet_sends_packets_of_1507_octets_and_starts_as_rfc_2001_says() {
    let config = resolve(Profile::Inet2_1, &TcpOptions::default()).unwrap();
    assert_eq!(config.segment + config.header, Bytes(1507));
    assert_eq!(Profile::Inet2_1.defaults().udp_header(), Bytes(35));
    assert_eq!((config.initial_window, config.initial_ssthresh), (Limit(1460), Limit(65_535)));
    assert_eq!((config.receive_window, config.max_window), (Limit::NONE, Limit::NONE));
    let rto = [config.initial_rto, config.min_rto, config.max_rto];
    assert_eq!(rto, [3, 1, 240].map(Span::from_secs));
    assert!(!config.limited_transmit && !config.pacing && !config.timestamps);
    assert_eq!((config.dup_acks, config.ack_every), (3, 1));
    let stamped = TcpOptions { timestamps: Some(true), ..TcpOptions::default() };
    assert_eq!(resolve(Profile::Inet2_1, &stamped).unwrap().header, Bytes(59));
}

#[test]
fn every_preset_goes_with_every_profile() {
    for (profile, preset) in Profile::ALL.into_iter().flat_map(|p| Preset::ALL.map(|q| (p, q))) {
        let options = TcpOptions { preset: Some(preset), ..TcpOptions::default() };
        assert!(resolve(profile, &options).is_ok(), "{} {preset:?}", profile.name());
    }
}

#[test]
fn ns2_starts_with_ssthresh_and_the_advertised_window_at_the_largest_window() {
    let options = TcpOptions {
        segment: Some(Bytes(4000)),
        max_window: Some(WindowSize::Segments(300_000)),
        ..TcpOptions::default()
    };
    let config = resolve(Profile::Ns2_2003, &options).unwrap();
    assert_eq!(config.initial_ssthresh, Limit(1_200_000_000));
    assert_eq!(config.receive_window, Limit(1_200_000_000));
    assert_eq!(config.header, Bytes(40));
    assert_eq!(config.initial_window, Limit(8000));
}
