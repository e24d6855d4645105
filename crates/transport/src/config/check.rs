//! What is wrong with a configuration, all of it at once.

use std::fmt;

use units::{Bytes, Span};

use super::{Config, CongestionKind};
use crate::window_size::Limit;

/// An option that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option.
    pub key: &'static str,
    /// What is wrong.
    pub problem: String,
    /// Its value.
    pub found: String,
    /// What would be right.
    pub accepted: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, problem, found, accepted } = self;
        write!(f, "{key}: {problem}; found {found}; accepted {accepted}")
    }
}

impl std::error::Error for OptionError {}

const OUT_OF_RANGE: &str = "out of range";

/// The most segments of an initial window.
const MAX_INITIAL_SEGMENTS: u64 = 65_535;

/// Everything that is wrong with a configuration.
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
    // What is sent at once is sent in one event: it is to stay finite.
    if config.initial_window.0 > MAX_INITIAL_SEGMENTS.saturating_mul(segment) {
        found.add("initial-window", "too large", config.initial_window, "at most 65535 segments");
    }
    found.window("initial-ssthresh", config.initial_ssthresh, segment);
    found.window("max-window", config.max_window, segment);
    found.window("receive-window", config.receive_window, segment);
    if config.receive_window != Limit::NONE && config.receive_window.0 >= u64::from(u32::MAX) {
        found.add("receive-window", "too large", config.receive_window, "below 4.294967295 GB");
    }
    let micro = Span::from_us(1);
    found.span("max-rto", config.max_rto, (micro, Span::from_secs(86_400)));
    found.span("min-rto", config.min_rto, (Span::ZERO, config.max_rto));
    found.span("initial-rto", config.initial_rto, (micro, config.max_rto));
    found.span("granularity", config.granularity, (Span::from_ps(1), Span::from_secs(10)));
    found.span("ack-delay", config.ack_delay, (Span::ZERO, Span::from_secs(10)));
    found.count("ack-every", config.ack_every, 255);
    found.count("dup-acks", config.dup_acks, 255);
    found.count("sack-blocks", config.sack_blocks, 4);
    found.rto(config.rto_backoff, config.rto_weight, config.rto_margin);
    if !(config.aimd_decrease > 0.0 && config.aimd_decrease < 1.0) {
        found.add("aimd-decrease", OUT_OF_RANGE, config.aimd_decrease, "a number between 0 and 1");
    }
    if !(config.aimd_increase.is_finite() && config.aimd_increase > 0.0) {
        found.add("aimd-increase", OUT_OF_RANGE, config.aimd_increase, "a number above 0");
    }
    if !(config.dctcp_gain > 0.0 && config.dctcp_gain <= 1.0) {
        found.add("dctcp-gain", OUT_OF_RANGE, config.dctcp_gain, "a number above 0, at most 1");
    }
    if !(config.ctcp_gamma.is_finite() && config.ctcp_gamma > 0.0) {
        found.add("ctcp-gamma", OUT_OF_RANGE, config.ctcp_gamma, "a number of segments above 0");
    }
    if config.congestion == CongestionKind::Dctcp && !config.ecn {
        found.add(
            "ecn",
            "DCTCP needs explicit notification",
            false,
            "true with congestion \"dctcp\"",
        );
    }
    found.all()
}

/// Mistakes as they are found.
#[derive(Default)]
pub(crate) struct Mistakes(Vec<OptionError>);

impl Mistakes {
    /// What was found.
    pub(crate) fn all(self) -> Vec<OptionError> {
        self.0
    }

    /// The parameters of the timer that is an average: α above 1, β between 0 and 1, p not negative.
    pub(crate) fn rto(&mut self, backoff: f64, weight: f64, margin: f64) {
        if !(backoff.is_finite() && backoff > 1.0) {
            self.add("rto-backoff", OUT_OF_RANGE, backoff, "a number above 1");
        }
        if !(weight > 0.0 && weight < 1.0) {
            self.add("rto-weight", OUT_OF_RANGE, weight, "a number between 0 and 1");
        }
        if !(margin.is_finite() && margin >= 0.0) {
            self.add("rto-margin", OUT_OF_RANGE, margin, "a number of packet times from 0");
        }
    }

    fn add(&mut self, key: &'static str, problem: &str, found: impl fmt::Display, accepted: &str) {
        let (problem, accepted) = (problem.to_owned(), accepted.to_owned());
        self.0.push(OptionError { key, problem, found: found.to_string(), accepted });
    }

    fn size(&mut self, key: &'static str, size: Bytes, min: u64) {
        if size.0 < min || size.0 > 65_535 {
            self.add(key, OUT_OF_RANGE, size, &format!("{min} B to 65535 B"));
        }
    }

    fn window(&mut self, key: &'static str, window: Limit, segment: u64) {
        if window.0 < segment {
            let accepted = format!("at least {}", Bytes(segment));
            self.add(key, "less than a segment", window, &accepted);
        }
    }

    pub(crate) fn span(&mut self, key: &'static str, span: Span, (min, max): (Span, Span)) {
        if span < min || span > max {
            self.add(key, OUT_OF_RANGE, span, &format!("{min} to {max}"));
        }
    }

    fn count(&mut self, key: &'static str, count: u32, max: u32) {
        if count == 0 || count > max {
            self.add(key, OUT_OF_RANGE, count, &format!("1 to {max}"));
        }
    }
}
