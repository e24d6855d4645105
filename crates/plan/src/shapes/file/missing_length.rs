//! The delay of links of which a file does not say how long they are.

use std::fmt;
use std::str::FromStr;

use units::Span;

/// Which delay links have whose length is not known, nor the coordinates of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingLength {
    /// The median of those of all links whose delay is known.
    Median,
    /// That between coordinates: a place without any is in the middle of the places to which it has links.
    Neighbours,
    /// This one.
    Delay(Span),
}

impl MissingLength {
    /// The accepted form, for messages.
    pub const ACCEPTED: &'static str = "\"neighbours\", \"median\" or a time such as \"2 ms\"";
}

impl fmt::Display for MissingLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Median => f.write_str("median"),
            Self::Neighbours => f.write_str("neighbours"),
            Self::Delay(delay) => delay.fmt(f),
        }
    }
}

impl FromStr for MissingLength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "median" => Ok(Self::Median),
            "neighbours" => Ok(Self::Neighbours),
            text => text
                .parse()
                .map(Self::Delay)
                .map_err(|error: units::text::QuantityError| error.to_string()),
        }
    }
}

units::by_text!(MissingLength, "missing length");
