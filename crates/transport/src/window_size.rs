//! A window as users write it: `"20 segments"`, `"64 kB"` or `"unlimited"`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use units::Bytes;

/// The size of a window, in segments or in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSize {
    /// A number of full segments.
    Segments(u64),
    /// A number of octets.
    Octets(Bytes),
    /// No limit.
    Unlimited,
}

impl WindowSize {
    /// The accepted form, for messages.
    pub const ACCEPTED: &'static str =
        "a window such as \"20 segments\", \"64 kB\" or \"unlimited\"";

    /// Octets with segments of `segment` octets; without a limit [`u64::MAX`].
    pub fn octets(self, segment: u64) -> u64 {
        match self {
            Self::Segments(n) => n.saturating_mul(segment),
            Self::Octets(bytes) => bytes.0,
            Self::Unlimited => u64::MAX,
        }
    }
}

impl fmt::Display for WindowSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segments(1) => f.write_str("1 segment"),
            Self::Segments(n) => write!(f, "{n} segments"),
            Self::Octets(bytes) => bytes.fmt(f),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// Why a text is not a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSizeError(String);

impl fmt::Display for WindowSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WindowSizeError {}

impl FromStr for WindowSize {
    type Err = WindowSizeError;

    fn from_str(text: &str) -> Result<Self, WindowSizeError> {
        let text = text.trim();
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let count = text.strip_suffix("segments").or_else(|| text.strip_suffix("segment"));
        if let Some(count) = count {
            return match count.trim_end().parse() {
                Ok(n) => Ok(Self::Segments(n)),
                Err(_) => Err(WindowSizeError("not a whole number of segments".to_owned())),
            };
        }
        match text.parse() {
            Ok(bytes) => Ok(Self::Octets(bytes)),
            Err(error) => Err(WindowSizeError(error.to_string())),
        }
    }
}

units::by_text!(WindowSize, "window");

/// A resolved limit in octets, printed as a size, or as `"unlimited"` where it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit(pub u64);

impl Limit {
    /// No limit.
    pub const NONE: Self = Self(u64::MAX);
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE { f.write_str("unlimited") } else { Bytes(self.0).fmt(f) }
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_three_forms_parse() {
        assert_eq!("20 segments".parse(), Ok(WindowSize::Segments(20)));
        assert_eq!("1 segment".parse(), Ok(WindowSize::Segments(1)));
        assert_eq!(" 64 kB ".parse(), Ok(WindowSize::Octets(Bytes(64_000))));
        assert_eq!("unlimited".parse(), Ok(WindowSize::Unlimited));
    }

    #[test]
    fn bad_windows_say_what_is_wrong() {
        let problem = |text: &str| text.parse::<WindowSize>().unwrap_err().to_string();
        assert_eq!(problem("20"), "a number without a unit");
        assert_eq!(problem("-2 segments"), "not a whole number of segments");
        assert_eq!(problem("2.5 segments"), "not a whole number of segments");
        assert_eq!(problem("20 packets"), "unknown unit \"packets\"");
    }

    #[test]
    fn segments_count_in_octets_and_saturate() {
        assert_eq!(WindowSize::Segments(20).octets(1460), 29_200);
        assert_eq!(WindowSize::Segments(u64::MAX).octets(2), u64::MAX);
        assert_eq!(WindowSize::Unlimited.octets(1), u64::MAX);
    }

    proptest! {
        #[test]
        fn parse_undoes_print(n in any::<u64>()) {
            for size in [WindowSize::Segments(n), WindowSize::Octets(Bytes(n))] {
                prop_assert_eq!(size.to_string().parse(), Ok(size));
            }
        }
    }
}
