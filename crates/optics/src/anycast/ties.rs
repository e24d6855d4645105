//! The minimum of some values, with ties broken at random or by order.

use ::random::Stream;

/// The index of the minimum, or of one of several minima with equal probability; only such a tie
/// costs a draw.
#[inline]
pub(super) fn least(ports: &[u32], value: impl Fn(u32) -> u64, draws: &mut Stream) -> u32 {
    let (mut least, mut first, mut may_tie) = (u64::MAX, 0, false);
    for (place, &port) in (0..).zip(ports) {
        let value = value(port);
        may_tie |= value == least;
        (least, first) = if value < least { (value, place) } else { (least, first) };
    }
    if !may_tie {
        return first;
    }
    let equal = ports.iter().filter(|&&port| value(port) == least).count() as u64;
    let lower = if equal > 1 { draws.below(equal) } else { 0 };
    let mut tied = (0..).zip(ports).filter(|&(_, &port)| value(port) == least);
    let chosen = tied.nth(usize::try_from(lower).expect("fewer than there are ports"));
    chosen.expect("some value is the least").0
}

/// The index of the minimum, the first of several.
#[inline]
pub(super) fn first_least(ports: &[u32], value: impl Fn(u32) -> u64) -> u32 {
    let least = (0..).zip(ports).min_by_key(|&(_, &port)| value(port));
    least.expect("a bundle has ports").0
}
