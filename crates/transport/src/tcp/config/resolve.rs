//! Options on top of a profile.

use units::Bytes;

use super::check;
use super::defaults::{RACK_ALONE, STANDARD, TcpDefaults};
use super::kinds::{EcnFeedback, Preset, RtoLaw, WindowValidation};
use super::options::TcpOptions;
use super::settings::{Config, MAX_UNSCALED_WINDOW};
use crate::mistake::OptionError;
use crate::profile::Profile;
use crate::stop_and_wait::StopAndWaitOptions;
use crate::stop_and_wait::rto::{RTO_BACKOFF, RTO_WEIGHT};
use crate::tcp::congestion::{self, Ecn};
use crate::tcp::recovery;
use crate::window_size::{Limit, WindowSize};

/// The p above which they found no more throughput.
const RTO_MARGIN: f64 = 4.0;

/// The data of a full segment, and what each segment adds.
fn sizes(given: &TcpOptions, base: &TcpDefaults, timestamps: bool) -> (Bytes, Bytes) {
    let usual = base.framing + Bytes(if timestamps { 52 } else { 40 });
    let header = given.header.unwrap_or(usual);
    (given.segment.unwrap_or_else(|| base.segment.beside(header)), header)
}

/// The defaults beside a window rule. One that models the path needs to know of each segment, and has a startup, a
/// window in recoveries and a pace of its own; one for L4S paces.
fn beside(congestion: &congestion::Options, base: TcpDefaults) -> TcpDefaults {
    let pacing = base.pacing || congestion.models_path() || congestion.ecn() == Ecn::L4s;
    if !congestion.models_path() {
        return TcpDefaults { pacing, ..base };
    }
    TcpDefaults {
        slow_start: STANDARD,
        window_validation: WindowValidation::None,
        slow_start_after_idle: false,
        pacing,
        ..base
    }
}

/// Whether there is explicit notification, and its feedback, for a window rule that requires `needed`.
fn notification(given: &TcpOptions, base: &TcpDefaults, needed: Ecn) -> (bool, EcnFeedback) {
    let feedback = match needed {
        Ecn::Optional => EcnFeedback::Classic,
        Ecn::EveryMark => EcnFeedback::Dctcp,
        Ecn::L4s => EcnFeedback::Accurate,
    };
    let ecn = given.ecn.unwrap_or(base.ecn || needed != Ecn::Optional);
    (ecn, given.ecn_feedback.unwrap_or(feedback))
}

/// The recovery beside a window rule, which may model the path.
fn recovery_of(
    given: &TcpOptions,
    preset: Preset,
    base: &TcpDefaults,
    models: bool,
) -> recovery::Options {
    let usual = if models { RACK_ALONE } else { preset.recovery(&base.recovery) };
    let recovery = given.recovery.clone().unwrap_or(usual);
    let recovery = if models { recovery.complete(&[RACK_ALONE]) } else { recovery };
    recovery.complete(base.recoveries)
}

/// The options on top of a profile, or everything that is wrong with them.
pub fn resolve(profile: Profile, options: &TcpOptions) -> Result<Config, Vec<OptionError>> {
    let given = options;
    let base = TcpDefaults::of(profile);
    let preset = given.preset.unwrap_or(base.preset);
    let timestamps = given.timestamps.unwrap_or(base.timestamps);
    let window_scaling = given.window_scaling.unwrap_or(base.window_scaling);
    let (segment, header) = sizes(given, &base, timestamps);
    let octets = |size: WindowSize| Limit(size.octets(segment.0));
    let max_window = given.max_window.unwrap_or(base.max_window);
    let receive_window =
        given.receive_window.or(base.receive_window).map_or(octets(max_window), octets);
    let unscaled = if window_scaling { u64::MAX } else { MAX_UNSCALED_WINDOW };
    let congestion = given.congestion.clone().unwrap_or_else(|| preset.congestion());
    let congestion = congestion.complete(base.congestions);
    let models = congestion.models_path();
    let base = beside(&congestion, base);
    let recovery = recovery_of(given, preset, &base, models);
    let (ecn, ecn_feedback) = notification(given, &base, congestion.ecn());
    let rto_law = given.rto_law.or(preset.rto_law()).unwrap_or(base.rto_law);
    // Where the timer is that of stop-and-wait, so is where it starts.
    let average = (rto_law == RtoLaw::Average).then(StopAndWaitOptions::default);
    let average = average.as_ref();
    let fitting = if timestamps { 3 } else { 4 };
    let config = Config {
        preset,
        recovery,
        congestion,
        slow_start: given.slow_start.clone().unwrap_or(base.slow_start),
        segment,
        header,
        initial_window: octets(given.initial_window.unwrap_or(base.initial_window)),
        initial_ssthresh: octets(
            given.initial_ssthresh.or(base.initial_ssthresh).unwrap_or(max_window),
        ),
        max_window: octets(max_window),
        receive_window: receive_window.min(Limit(unscaled)),
        receive_window_growth: given.receive_window_growth.unwrap_or(base.receive_window_growth),
        rto_law,
        rto_backoff: given.rto_backoff.unwrap_or(RTO_BACKOFF),
        rto_weight: given.rto_weight.unwrap_or(RTO_WEIGHT),
        rto_margin: given.rto_margin.unwrap_or(RTO_MARGIN),
        min_rto: given.min_rto.unwrap_or(base.min_rto),
        max_rto: given.max_rto.unwrap_or(average.map_or(base.max_rto, |average| average.max_rto)),
        initial_rto: given
            .initial_rto
            .unwrap_or(average.map_or(base.initial_rto, |average| average.initial_rto)),
        granularity: given.granularity.unwrap_or(base.granularity),
        ack_every: given.ack_every.unwrap_or(base.ack_every),
        ack_delay: given.ack_delay.unwrap_or(base.ack_delay),
        quick_acks: given.quick_acks.unwrap_or(base.quick_acks),
        timestamps,
        window_scaling,
        silly_window_avoidance: given.silly_window_avoidance.unwrap_or(base.silly_window_avoidance),
        limited_transmit: given.limited_transmit.unwrap_or(base.limited_transmit),
        dup_acks: given.dup_acks.unwrap_or(base.dup_acks),
        growth: given.growth.unwrap_or(base.growth),
        window_validation: given.window_validation.unwrap_or(base.window_validation),
        f_rto: given.f_rto.unwrap_or(false),
        slow_start_after_idle: given.slow_start_after_idle.unwrap_or(base.slow_start_after_idle),
        ssthresh_from: given.ssthresh_from.unwrap_or(base.ssthresh_from),
        handshake: given.handshake.unwrap_or(base.handshake),
        release: given.release.unwrap_or(base.release),
        sack_blocks: given.sack_blocks.or(base.sack_blocks).unwrap_or(fitting),
        ecn,
        ecn_feedback,
        pacing: given.pacing.unwrap_or(base.pacing),
        circuits: given.circuits.clone(),
    };
    let errors = check::mistakes(&config, given.segment.is_some());
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}
