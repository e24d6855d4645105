//! Options on top of a preset and a profile.
//!
//! Each is an overlay: the first that has an option decides. [`overlays`] has them in their order.

use units::Bytes;

use super::check;
use super::kinds::{EcnFeedback, Preset, RtoLaw, WindowValidation};
use super::options::{Config, TcpOptions};
use super::settings::MAX_UNSCALED_WINDOW;
use crate::mistake::OptionError;
use crate::profile::Defaults;
use crate::stop_and_wait::StopAndWaitOptions;
use crate::tcp::congestion::{self, Ecn, slow_start};
use crate::tcp::recovery::{self, rack};
use crate::window_size::Limit;

/// The slow start of RFC 5681.
pub(super) const STANDARD: slow_start::Options =
    slow_start::Options::Standard(slow_start::standard::Options {});

/// The recovery of a rule that models the path, which determines the window in a recovery by itself.
const RACK_ALONE: recovery::Options =
    recovery::Options::Rack(rack::Options { undo: true, prr: Some(false), eifel: None });

/// What a window rule needs, which goes before its preset and the profile. One that models the path needs to know of each
/// segment, and has a startup, a window in recoveries and a pace of its own; one for L4S paces.
fn of_rule(rule: &congestion::Options) -> TcpOptions {
    let paces = rule.models_path() || rule.ecn() == Ecn::L4s;
    let feedback = match rule.ecn() {
        Ecn::Optional => None,
        Ecn::EveryMark => Some(EcnFeedback::Dctcp),
        Ecn::L4s => Some(EcnFeedback::Accurate),
    };
    let needs = TcpOptions {
        pacing: paces.then_some(true),
        ecn: feedback.map(|_| true),
        ecn_feedback: feedback,
        ..TcpOptions::default()
    };
    if !rule.models_path() {
        return needs;
    }
    TcpOptions {
        recovery: Some(RACK_ALONE),
        slow_start: Some(STANDARD),
        window_validation: Some(WindowValidation::None),
        slow_start_after_idle: Some(false),
        ..needs
    }
}

/// What a name of a variant stands for.
fn of_preset(preset: Preset) -> TcpOptions {
    let (recovery, rto_law) = (preset.recovery(), preset.rto_law());
    let (preset, congestion) = (Some(preset), Some(preset.congestion()));
    TcpOptions { preset, recovery, congestion, rto_law, ..TcpOptions::default() }
}

/// Where the timer is that of stop-and-wait, so is where it starts.
fn of_timer(law: Option<RtoLaw>) -> TcpOptions {
    if law != Some(RtoLaw::Average) {
        return TcpOptions::default();
    }
    let StopAndWaitOptions { max_rto, initial_rto, .. } = StopAndWaitOptions::default();
    TcpOptions { max_rto: Some(max_rto), initial_rto: Some(initial_rto), ..TcpOptions::default() }
}

/// What decides on the options that a scenario leaves out, from the first to the last: what its window rule needs, its
/// preset, its timer, and the profile. What none of them has follows from other options.
pub fn overlays(profile: impl AsRef<Defaults>, given: &TcpOptions) -> [TcpOptions; 4] {
    let profile = &profile.as_ref().tcp;
    let preset = of_preset(given.preset.or(profile.preset).expect("every profile has one"));
    let rule = given.congestion.as_ref().or(preset.congestion.as_ref());
    let rule = of_rule(rule.expect("every preset has one"));
    let timer = of_timer(given.rto_law.or(preset.rto_law).or(profile.rto_law));
    [rule, preset, timer, profile.clone()]
}

/// Sizes and limits that follow from other options.
fn derived(options: &TcpOptions, defaults: &Defaults) -> TcpOptions {
    let stamped = options.timestamps == Some(true);
    let usual = defaults.framing() + Bytes(if stamped { 52 } else { 40 });
    let header = options.header.unwrap_or(usual);
    // What a packet has room for; none where a header leaves no room.
    let room = || defaults.packet.map(|packet| Bytes(packet.0.saturating_sub(header.0)));
    TcpOptions {
        header: Some(header),
        segment: options.segment.or_else(room),
        initial_ssthresh: options.max_window,
        receive_window: options.max_window,
        // What the TCP options have room for.
        sack_blocks: Some(if stamped { 3 } else { 4 }),
        ..TcpOptions::default()
    }
}

/// The options on top of a profile, or everything that is wrong with them.
pub fn resolve(
    profile: impl AsRef<Defaults>,
    given: &TcpOptions,
) -> Result<Config, Vec<OptionError>> {
    let defaults = profile.as_ref();
    let overlays = overlays(defaults, given);
    let merged = overlays.iter().fold(given.clone(), |all, next| all.over(next));
    let mut options = merged.over(&derived(&merged, defaults));
    options.congestion = options.congestion.map(|it| it.complete(&defaults.congestions));
    options.recovery = options.recovery.map(|it| {
        let [rule, ..] = &overlays;
        it.complete(rule.recovery.as_slice()).complete(&defaults.recoveries)
    });
    let segment = options.segment.expect("of a profile, or what a packet has room for").0;
    let mut config = Config::of(options, segment);
    if !config.window_scaling {
        config.receive_window = config.receive_window.min(Limit(MAX_UNSCALED_WINDOW));
    }
    let errors = check::mistakes(&config, given.segment.is_some());
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}
