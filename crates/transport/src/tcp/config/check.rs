//! All errors in a configuration.

use units::Span;

use super::kinds::EcnFeedback;
use super::options::Config;
use super::resolve::STANDARD;
use crate::mistake::{Mistakes, OptionError};
use crate::tcp::circuits;
use crate::tcp::congestion::Ecn;
use crate::window_size::Limit;
use kinds::Kinds;

/// The maximum number of segments in an initial window.
const MAX_INITIAL_SEGMENTS: u64 = 65_535;

/// All errors in a configuration.
pub(super) fn mistakes(config: &Config, segment_is_given: bool) -> Vec<OptionError> {
    let mut found = Mistakes::default();
    if config.segment.0 == 0 && !segment_is_given {
        let problem = "leaves no room for data in a packet of 1500 B";
        let accepted = "less than 1500 B, or a segment beside it";
        found.add("header", problem, config.header, accepted);
        return found.all();
    }
    found.size("segment", config.segment, 1);
    found.size("header", config.header, 0);
    let segment = config.segment.0;
    found.window("initial-window", config.initial_window, segment);
    // The initial window is sent in a single event, so it must be finite.
    if config.initial_window.0 > MAX_INITIAL_SEGMENTS.saturating_mul(segment) {
        found.add("initial-window", "too large", config.initial_window, "at most 65535 segments");
    }
    found.window("initial-ssthresh", config.initial_ssthresh, segment);
    found.window("max-window", config.max_window, segment);
    found.window("receive-window", config.receive_window, segment);
    if config.receive_window != Limit::NONE && config.receive_window.0 >= u64::from(u32::MAX) {
        found.add("receive-window", "too large", config.receive_window, "below 4.294967295 GB");
    }
    let limit = config.max_window.min(config.receive_window);
    if config.recovery.leaps() && limit == Limit::NONE {
        let accepted = "\"wraps\" with a limit as receive-window or max-window";
        found.add("recovery.deflation", "nothing limits a window that wraps", "wraps", accepted);
    }
    let micro = Span::from_us(1);
    found.span("max-rto", config.max_rto, (micro, Span::from_secs(86_400)));
    found.span("min-rto", config.min_rto, (Span::ZERO, config.max_rto));
    found.span("initial-rto", config.initial_rto, (micro, config.max_rto));
    found.span("granularity", config.granularity, (Span::from_ps(1), Span::from_secs(10)));
    found.span("ack-delay", config.ack_delay, (Span::ZERO, Span::from_secs(10)));
    found.count("ack-every", config.ack_every, 255);
    if config.quick_acks > 65_535 {
        found.add("quick-acks", "too large", config.quick_acks, "at most 65535");
    }
    found.count("dup-acks", config.dup_acks, 255);
    found.count("sack-blocks", config.sack_blocks, 4);
    found.rto(config.rto_backoff, config.rto_weight, config.rto_margin);
    config.congestion.check(&mut found);
    config.slow_start.check(&mut found);
    if config.congestion.models_path() {
        path_model(config, &mut found);
    }
    if let Some(circuits) = &config.circuits {
        on_circuits(config, circuits, &mut found);
    }
    if config.congestion.ecn() != Ecn::Optional && !config.ecn {
        let word = config.congestion.word();
        let accepted = format!("true with congestion \"{word}\"");
        let problem = format!("{word} needs explicit notification");
        found.add("ecn", &problem, false, &accepted);
    }
    let (feedback, fits) = match config.congestion.ecn() {
        Ecn::Optional => ("", true),
        Ecn::EveryMark => {
            ("\"dctcp\" or \"accurate\"", config.ecn_feedback != EcnFeedback::Classic)
        }
        Ecn::L4s => ("\"accurate\"", config.ecn_feedback == EcnFeedback::Accurate),
    };
    if !fits {
        let word = config.congestion.word();
        let problem = format!("{word} needs to know how much was marked");
        let word = config.ecn_feedback.word();
        found.add("ecn-feedback", &problem, format!("\"{word}\""), feedback);
    }
    found.all()
}

/// What a sender needs that heeds circuits.
fn on_circuits(config: &Config, options: &circuits::Options, found: &mut Mistakes) {
    let word = options.word();
    let models = config.congestion.models_path();
    let rule = config.congestion.word();
    match options {
        circuits::Options::Hold(_) => {}
        circuits::Options::ReTcp(circuits::retcp::Options { up, down }) => {
            for (key, factor) in [("circuits.up", *up), ("circuits.down", *down)] {
                if !(1.0..=1000.0).contains(&factor) {
                    found.add(key, "out of range", factor, "between 1 and 1000");
                }
            }
            if models {
                let problem = format!("{rule} determines the window from the path");
                found.add(
                    "circuits",
                    &problem,
                    format!("\"{word}\""),
                    "\"hold\", or another window rule",
                );
            }
        }
        circuits::Options::TdTcp(_) => {
            if models {
                let problem = format!("{rule} models one path");
                found.add(
                    "circuits",
                    &problem,
                    format!("\"{word}\""),
                    "\"hold\", or another window rule",
                );
            }
            if !config.recovery.detects_by_time() {
                let problem = format!("{word} needs a recovery that knows each segment");
                let other = config.recovery.word();
                found.add("recovery", &problem, format!("\"{other}\""), "\"rack\"");
            }
        }
    }
}

/// What a rule that models the path needs.
fn path_model(config: &Config, found: &mut Mistakes) {
    let word = config.congestion.word();
    if !config.recovery.detects_by_time() {
        let problem = format!("{word} needs a recovery that knows which segments are lost");
        let other = config.recovery.word();
        found.add("recovery", &problem, format!("\"{other}\""), "\"rack\"");
    } else if config.recovery.has_prr() {
        let problem = format!("{word} determines the window in a recovery itself");
        found.add("recovery.prr", &problem, true, "false");
    }
    if !config.pacing {
        let problem = format!("{word} sends at a rate");
        found.add("pacing", &problem, false, "true");
    }
    if config.slow_start.word() != STANDARD.word() {
        let problem = format!("{word} has a startup of its own");
        let found_word = format!("\"{}\"", config.slow_start.word());
        found.add("slow-start", &problem, found_word, "\"standard\"");
    }
}
