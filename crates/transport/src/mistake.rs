//! Errors in options, and how they are collected.

use std::fmt;

use units::{Bytes, Span};

use crate::window_size::Limit;

/// An option with a value that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option.
    pub key: &'static str,
    /// The line of its value that is wrong, from 1, if that is a text of several.
    pub line: Option<u32>,
    /// What is wrong.
    pub problem: String,
    /// Its value.
    pub found: String,
    /// What is accepted.
    pub accepted: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, problem, found, accepted, .. } = self;
        write!(f, "{key}: {problem}; found {found}; accepted {accepted}")
    }
}

impl std::error::Error for OptionError {}

const OUT_OF_RANGE: &str = "out of range";

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Vec<OptionError>);

impl Mistakes {
    /// What was found.
    pub(crate) fn all(self) -> Vec<OptionError> {
        self.0
    }

    pub(crate) fn add(
        &mut self,
        key: &'static str,
        problem: &str,
        found: impl fmt::Display,
        accepted: &str,
    ) {
        let (line, problem, accepted) = (None, problem.to_owned(), accepted.to_owned());
        self.0.push(OptionError { key, line, problem, found: found.to_string(), accepted });
    }

    /// The last error is in this line of a text.
    pub(crate) fn in_line(&mut self, line: u32) {
        if let Some(last) = self.0.last_mut() {
            last.line = Some(line);
        }
    }

    /// A number that must be within a range, which `accepted` describes.
    pub(crate) fn number(&mut self, key: &'static str, found: f64, fits: bool, accepted: &str) {
        if !fits {
            self.add(key, OUT_OF_RANGE, found, accepted);
        }
    }

    /// The parameters of the timer `average`: α above 1, β between 0 and 1, p not negative.
    pub(crate) fn rto(&mut self, backoff: f64, weight: f64, margin: f64) {
        let fits = backoff.is_finite() && backoff > 1.0;
        self.number("rto-backoff", backoff, fits, "a number above 1");
        let fits = weight > 0.0 && weight < 1.0;
        self.number("rto-weight", weight, fits, "a number between 0 and 1");
        let fits = margin.is_finite() && margin >= 0.0;
        self.number("rto-margin", margin, fits, "a number of packet times from 0");
    }

    pub(crate) fn size(&mut self, key: &'static str, size: Bytes, min: u64) {
        if size.0 < min || size.0 > 65_535 {
            self.add(key, OUT_OF_RANGE, size, &format!("{min} B to 65535 B"));
        }
    }

    pub(crate) fn window(&mut self, key: &'static str, window: Limit, segment: u64) {
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

    pub(crate) fn count(&mut self, key: &'static str, count: u32, max: u32) {
        if count == 0 || count > max {
            self.add(key, OUT_OF_RANGE, count, &format!("1 to {max}"));
        }
    }
}
