//! How many cases a property test tries, which one variable of the environment scales for all of them.
//!
//! `TEST_SHARE` is a number above 0 and at most 1: the share of its cases that each test tries, 0.1 unless it is set.
//! A test says how many it has in whole, and tries no fewer than [`FEWEST`] of them.

use proptest::test_runner::Config;

/// What a test tries of its cases, however small the share is.
pub const FEWEST: u32 = 8;

/// The configuration of a property test that has `whole` cases. `PROPTEST_CASES`, where it is set, is the number
/// that is tried, whatever the share is.
///
/// # Panics
///
/// If `TEST_SHARE` is no share.
pub fn cases(whole: u32) -> Config {
    let config = Config::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    if asked { config } else { Config { cases: count(whole), ..config } }
}

/// How many of `whole` cases a test tries.
///
/// # Panics
///
/// If `TEST_SHARE` is no share.
pub fn count(whole: u32) -> u32 {
    let share = std::env::var_os("TEST_SHARE");
    let text = share.as_ref().map_or("0.1".into(), |text| text.to_string_lossy());
    part(whole, &text).unwrap_or_else(|| {
        panic!("TEST_SHARE is \"{text}\"; it takes a number above 0 and at most 1, such as 0.1")
    })
}

/// The number of cases that a share, as a text, has of `whole`; nothing if it is no share.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the whole")]
fn part(whole: u32, share: &str) -> Option<u32> {
    let share: f64 = share.trim().parse().ok()?;
    let cases = (f64::from(whole) * share).ceil() as u32;
    (share > 0.0 && share <= 1.0).then(|| cases.max(FEWEST.min(whole)))
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_share_of_the_cases_is_tried_and_never_too_few() {
        assert_eq!(part(20_000, "0.1"), Some(2_000));
        assert_eq!(part(20_000, "1"), Some(20_000));
        assert_eq!(part(48, "0.1"), Some(8));
        assert_eq!(part(48, "0.25"), Some(12));
        assert_eq!(part(5, "0.1"), Some(5));
        assert_eq!(part(u32::MAX, "1"), Some(u32::MAX));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["0", "-0.1", "1.5", "all", "", "NaN", "inf"] {
            assert_eq!(part(100, text), None, "{text}");
        }
    }
}
