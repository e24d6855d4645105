//! Exact text for quantities: a decimal number, a space, a unit.
//!
//! Parsing works on the digits, never through a float, so `"0.1 us"` is 100,000 ps and nothing
//! else; a value finer than the quantity's resolution is refused. Printing uses the largest unit
//! that does not exceed the value and writes all of its digits: parse ∘ print is the identity.

use std::fmt;
use std::str::FromStr;

use crate::{Bytes, EnergyPerBit, Length, Rate, Span};

/// A quantity with text: its name, and its units with their sizes.
pub trait Quantity: Sized {
    /// Its name for users: "time", "size", "rate".
    const NAME: &'static str;
    /// One of them as it is written.
    const EXAMPLE: &'static str;
    /// Accepted units with their size in smallest units, ascending within the ones that are
    /// printed.
    const UNITS: &'static [Unit];
    /// From a number of smallest units (picoseconds, bytes, bits per second).
    fn from_grains(grains: u64) -> Self;
    /// The number of smallest units.
    fn grains(&self) -> u64;
}

/// One unit of a quantity.
#[derive(Debug)]
pub struct Unit {
    /// As it is written, `"ms"`.
    pub name: &'static str,
    /// Its size in smallest units.
    pub grains: u64,
    /// Whether printing may use it (powers of ten only, so that digits are exact).
    pub printed: bool,
}

const fn unit(name: &'static str, grains: u64) -> Unit {
    Unit { name, grains, printed: true }
}

const fn alias(name: &'static str, grains: u64) -> Unit {
    Unit { name, grains, printed: false }
}

impl Quantity for Span {
    const NAME: &'static str = "time";
    const EXAMPLE: &'static str = "2 ms";
    const UNITS: &'static [Unit] = &[
        unit("ps", 1),
        unit("ns", 1_000),
        unit("us", 1_000_000),
        alias("µs", 1_000_000),
        unit("ms", 1_000_000_000),
        unit("s", 1_000_000_000_000),
        alias("min", 60_000_000_000_000),
        alias("h", 3_600_000_000_000_000),
    ];
    fn from_grains(grains: u64) -> Self {
        Self(grains)
    }
    fn grains(&self) -> u64 {
        self.0
    }
}

impl Quantity for Bytes {
    const NAME: &'static str = "size";
    const EXAMPLE: &'static str = "1500 B";
    const UNITS: &'static [Unit] = &[
        unit("B", 1),
        unit("kB", 1_000),
        alias("KB", 1_000),
        unit("MB", 1_000_000),
        unit("GB", 1_000_000_000),
        unit("TB", 1_000_000_000_000),
        alias("KiB", 1 << 10),
        alias("MiB", 1 << 20),
        alias("GiB", 1 << 30),
    ];
    fn from_grains(grains: u64) -> Self {
        Self(grains)
    }
    fn grains(&self) -> u64 {
        self.0
    }
}

impl Quantity for Rate {
    const NAME: &'static str = "rate";
    const EXAMPLE: &'static str = "10 Gb/s";
    const UNITS: &'static [Unit] = &[
        unit("b/s", 1),
        unit("kb/s", 1_000),
        unit("Mb/s", 1_000_000),
        unit("Gb/s", 1_000_000_000),
        unit("Tb/s", 1_000_000_000_000),
    ];
    fn from_grains(grains: u64) -> Self {
        Self(grains)
    }
    fn grains(&self) -> u64 {
        self.0
    }
}

impl Quantity for Length {
    const NAME: &'static str = "length";
    const EXAMPLE: &'static str = "100 m";
    const UNITS: &'static [Unit] =
        &[unit("mm", 1), alias("cm", 10), unit("m", 1_000), unit("km", 1_000_000)];
    fn from_grains(grains: u64) -> Self {
        Self(grains)
    }
    fn grains(&self) -> u64 {
        self.0
    }
}

impl Quantity for EnergyPerBit {
    const NAME: &'static str = "energy";
    const EXAMPLE: &'static str = "20 pJ/b";
    const UNITS: &'static [Unit] = &[
        unit("aJ/b", 1),
        unit("fJ/b", 1_000),
        unit("pJ/b", 1_000_000),
        unit("nJ/b", 1_000_000_000),
    ];
    fn from_grains(grains: u64) -> Self {
        Self(grains)
    }
    fn grains(&self) -> u64 {
        self.0
    }
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuantityError {
    /// No number in front.
    NoNumber,
    /// A number without a unit.
    NoUnit,
    /// A unit that this quantity does not have, and the one that was probably meant.
    UnknownUnit(String, Option<&'static str>),
    /// Below zero.
    Negative,
    /// More than the largest value.
    TooLarge,
    /// Finer than the smallest unit.
    TooFine(&'static str),
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => write!(f, "no number"),
            Self::NoUnit => write!(f, "a number without a unit"),
            Self::UnknownUnit(unit, meant) => {
                // User input may be anything: show one line of it, truncated.
                let shown: String = unit.chars().take(24).collect();
                let cut = if shown.len() < unit.len() { "…" } else { "" };
                write!(f, "unknown unit \"{}{cut}\"", shown.escape_debug())?;
                meant.map_or(Ok(()), |meant| write!(f, " (did you mean \"{meant}\"?)"))
            }
            Self::Negative => write!(f, "below zero"),
            Self::TooLarge => write!(f, "too large"),
            Self::TooFine(unit) => write!(f, "finer than 1 {unit}"),
        }
    }
}

impl std::error::Error for QuantityError {}

/// The accepted form, for messages: `a time such as "2 ms" (ps, ns, us, ms, s, min, h)`.
pub fn accepted<Q: Quantity>() -> String {
    let units: Vec<&str> = Q::UNITS.iter().map(|u| u.name).collect();
    format!("{} such as \"{}\" ({})", indefinite::<Q>(), Q::EXAMPLE, units.join(", "))
}

/// The quantity with its article: `a time`.
pub fn indefinite<Q: Quantity>() -> String {
    let article = if Q::NAME.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {}", Q::NAME)
}

/// A decimal number and its unit: `digits` · 10^`scale` · `unit`.
pub(crate) struct Decimal {
    pub(crate) digits: u128,
    pub(crate) scale: i32,
    pub(crate) unit: &'static Unit,
}

/// Parses `"10 Gb/s"`, `"2.5 ms"`, `"1500B"`, `"1e-3 s"`.
pub fn parse<Q: Quantity>(text: &str) -> Result<Q, QuantityError> {
    let Decimal { digits, scale, unit } = decimal::<Q>(text)?;
    let grains = shift(digits, unit.grains, scale).ok_or(QuantityError::TooLarge)?;
    let grains = grains.ok_or(QuantityError::TooFine(Q::UNITS[0].name))?;
    u64::try_from(grains).map(Q::from_grains).map_err(|_| QuantityError::TooLarge)
}

/// The number and the unit of a text, which is not below zero.
pub(crate) fn decimal<Q: Quantity>(text: &str) -> Result<Decimal, QuantityError> {
    let text = text.trim();
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (digits, scale, rest) = number(body).ok_or(QuantityError::NoNumber)?;
    let name = rest.trim();
    if name.is_empty() {
        return Err(QuantityError::NoUnit);
    }
    let unit = Q::UNITS
        .iter()
        .find(|u| u.name == name)
        .ok_or_else(|| QuantityError::UnknownUnit(name.to_owned(), meant::<Q>(name)))?;
    if negative && digits > 0 {
        return Err(QuantityError::Negative);
    }
    Ok(Decimal { digits, scale, unit })
}

/// The unit that another spelling of the field probably means: `Gb/s` for `Gbps`, `ms` for `msec`.
fn meant<Q: Quantity>(name: &str) -> Option<&'static str> {
    // The letter of a prefix tells M from m, so it is kept where it can be one.
    let spelled = [
        ("bps", "b/s"),
        ("bit/s", "b/s"),
        ("bits/s", "b/s"),
        ("b/sec", "b/s"),
        ("seconds", "s"),
        ("second", "s"),
        ("secs", "s"),
        ("sec", "s"),
        ("minutes", "min"),
        ("minute", "min"),
        ("mins", "min"),
        ("hours", "h"),
        ("hour", "h"),
        ("hr", "h"),
        ("bytes", "B"),
        ("byte", "B"),
        ("octets", "B"),
    ];
    let ends = |(end, unit): &(&str, &str)| {
        let at = name.len().checked_sub(end.len()).filter(|&at| name.is_char_boundary(at))?;
        let (prefix, rest) = name.split_at(at);
        let words = [("milli", "m"), ("micro", "u"), ("nano", "n"), ("pico", "p"), ("kilo", "k")];
        let more = [("mega", "M"), ("giga", "G"), ("tera", "T")];
        let short = words.iter().chain(&more).find(|(word, _)| prefix.eq_ignore_ascii_case(word));
        let prefix = short.map_or(prefix, |(_, short)| short).trim();
        rest.eq_ignore_ascii_case(end).then(|| format!("{prefix}{unit}"))
    };
    let mut candidates = spelled.iter().filter_map(ends).chain([name.to_owned()]);
    let exact = |wanted: &str| Q::UNITS.iter().find(|unit| unit.name == wanted);
    let alike = |wanted: &str| Q::UNITS.iter().find(|unit| unit.name.eq_ignore_ascii_case(wanted));
    let found = candidates.find_map(|name| exact(&name).or_else(|| alike(&name)));
    found.map(|unit| unit.name)
}

/// `digits · 10^scale · unit`: `None` when too large, `Some(None)` when not a whole number.
#[expect(clippy::option_option, reason = "two ways to fail, told apart by the one caller")]
fn shift(digits: u128, unit: u64, scale: i32) -> Option<Option<u128>> {
    if digits == 0 {
        return Some(Some(0));
    }
    let product = digits.checked_mul(u128::from(unit))?;
    let power = 10u128.checked_pow(scale.unsigned_abs());
    if scale >= 0 {
        return product.checked_mul(power?).map(Some);
    }
    Some(power.and_then(|p| (product % p == 0).then_some(product / p)))
}

/// Splits a leading decimal number off: its digits as an integer, the power of ten, the rest.
fn number(text: &str) -> Option<(u128, i32, &str)> {
    let mut digits: u128 = 0;
    let mut scale: i32 = 0;
    let mut seen = false;
    let mut point = false;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => {
                digits = digits.checked_mul(10)?.checked_add(u128::from(c as u32 - 48))?;
                scale -= i32::from(point);
                seen = true;
            }
            '.' if !point && seen => point = true,
            '_' if seen => {}
            _ => break,
        }
        end = at + c.len_utf8();
    }
    if !seen {
        return None;
    }
    let mut rest = &text[end..];
    if let Some(tail) = rest.strip_prefix(['e', 'E']) {
        let len = tail
            .char_indices()
            .take_while(|&(i, c)| c.is_ascii_digit() || (i == 0 && (c == '-' || c == '+')))
            .count();
        if let Ok(power) = tail[..len].parse::<i32>() {
            scale = scale.checked_add(power).filter(|s| s.unsigned_abs() < 40)?;
            rest = &tail[len..];
        }
    }
    Some((digits, scale, rest))
}

/// Writes a quantity in the largest unit that does not exceed it, with all digits.
pub fn print<Q: Quantity>(quantity: &Q, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let grains = quantity.grains();
    let unit = Q::UNITS
        .iter()
        .rev()
        .find(|u| u.printed && u.grains <= grains.max(1))
        .expect("the smallest unit is one grain");
    let whole = grains / unit.grains;
    let rest = grains % unit.grains;
    if rest == 0 {
        return f.pad(&format!("{whole} {}", unit.name));
    }
    let width = unit.grains.ilog10() as usize;
    let fraction = format!("{rest:0width$}");
    f.pad(&format!("{whole}.{} {}", fraction.trim_end_matches('0'), unit.name))
}

/// What a type has in a scenario that is written as its text (`Display` and `FromStr`): a string, with the key
/// `x-quantity` in the schema, which names the quantity for the scenario's checks.
#[macro_export]
macro_rules! by_text {
    ($name:ident, $quantity:expr) => {
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = ::std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }
        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({ "type": "string", "x-quantity": $quantity })
            }
        }
    };
}

macro_rules! text_of {
    ($($name:ident),*) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print(self, f)
            }
        }
        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                parse(text)
            }
        }
        $crate::by_text!($name, <$name as Quantity>::NAME);
    )* };
}

text_of!(Span, Bytes, Rate, Length, EnergyPerBit);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimal_text_is_exact() {
        assert_eq!("0.1 us".parse(), Ok(Span::from_ns(100)));
        assert_eq!("2.5Gb/s".parse(), Ok(Rate(2_500_000_000)));
        assert_eq!("64 KiB".parse(), Ok(Bytes(65_536)));
        assert_eq!("1e-3 s".parse(), Ok(Span::from_ms(1)));
        assert_eq!("1.5e3 B".parse(), Ok(Bytes(1500)));
        assert_eq!("0 s".parse(), Ok(Span::ZERO));
    }

    #[test]
    fn other_spellings_of_a_unit_name_the_one_that_is_meant() {
        let meant = |error: QuantityError| match error {
            QuantityError::UnknownUnit(_, meant) => meant,
            other => panic!("{other:?}"),
        };
        let rate = |text: &str| meant(text.parse::<Rate>().unwrap_err());
        let time = |text: &str| meant(text.parse::<Span>().unwrap_err());
        let size = |text: &str| meant(text.parse::<Bytes>().unwrap_err());
        for (text, unit) in [
            ("1 Gbps", "Gb/s"),
            ("1 gbps", "Gb/s"),
            ("1 Mbit/s", "Mb/s"),
            ("9 Kbps", "kb/s"),
            ("9 bps", "b/s"),
            ("1 GB/s", "Gb/s"),
            ("2 gigabits/s", "Gb/s"),
        ] {
            assert_eq!(rate(text), Some(unit), "{text}");
        }
        for (text, unit) in [
            ("1 sec", "s"),
            ("5 msec", "ms"),
            ("5 milliseconds", "ms"),
            ("5 usec", "us"),
            ("2 hours", "h"),
            ("1 MS", "ms"),
        ] {
            assert_eq!(time(text), Some(unit), "{text}");
        }
        for (text, unit) in [("64 bytes", "B"), ("2 kbytes", "kB"), ("1 mb", "MB")] {
            assert_eq!(size(text), Some(unit), "{text}");
        }
        assert_eq!(time("3 fortnights"), None);
        assert_eq!(rate("1 GB"), None);
    }

    #[test]
    fn bad_text_says_what_is_wrong() {
        assert_eq!("10".parse::<Rate>(), Err(QuantityError::NoUnit));
        assert_eq!("fast".parse::<Rate>(), Err(QuantityError::NoNumber));
        assert_eq!("1 GB".parse::<Rate>(), Err(QuantityError::UnknownUnit("GB".into(), None)));
        assert_eq!("-1 Gb/s".parse::<Rate>(), Err(QuantityError::Negative));
        assert_eq!("0.5 ps".parse::<Span>(), Err(QuantityError::TooFine("ps")));
        assert_eq!("300 TB".parse::<Bytes>(), Ok(Bytes(300_000_000_000_000)));
        assert_eq!("9e18 kB".parse::<Bytes>(), Err(QuantityError::TooLarge));
        assert_eq!("1e39 s".parse::<Span>(), Err(QuantityError::TooLarge));
        assert_eq!("1e-2147483648 s".parse::<Span>(), Err(QuantityError::NoNumber));
    }

    #[test]
    fn printing_takes_the_largest_unit() {
        assert_eq!(Rate(10_000_000_000).to_string(), "10 Gb/s");
        assert_eq!(Span::from_ps(1_500).to_string(), "1.5 ns");
        assert_eq!(Bytes(1_500).to_string(), "1.5 kB");
        assert_eq!(Span::ZERO.to_string(), "0 ps");
        assert_eq!(Length(10_000).to_string(), "10 m");
        assert_eq!(EnergyPerBit(1_500_000).to_string(), "1.5 pJ/b");
    }

    proptest! {
        #[test]
        fn parse_undoes_print(n in any::<u64>()) {
            prop_assert_eq!(Span(n).to_string().parse(), Ok(Span(n)));
            prop_assert_eq!(Bytes(n).to_string().parse(), Ok(Bytes(n)));
            prop_assert_eq!(Rate(n).to_string().parse(), Ok(Rate(n)));
            prop_assert_eq!(Length(n).to_string().parse(), Ok(Length(n)));
            prop_assert_eq!(EnergyPerBit(n).to_string().parse(), Ok(EnergyPerBit(n)));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = text.parse::<Span>();
        }
    }
}
