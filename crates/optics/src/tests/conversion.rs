//! Wavelength conversion.

use units::Span;

use super::{Node, at, stream, us};
use crate::{BurstCoreSpec, Conversion, Request};

fn spec(conversion: Conversion, converters: Option<u32>) -> BurstCoreSpec {
    BurstCoreSpec { conversion, converters, ..BurstCoreSpec::default() }
}

/// The channel and whether it was converted to, for a burst on `channel` in microseconds.
fn ask(node: &mut Node, channel: u16, start: u64, length: u64) -> Option<(u16, bool)> {
    let request = Request { start: at(start), length: us(length), channel };
    node.ask(at(start), request).map(|grant| (grant.channel, grant.converted))
}

/// Three channels, one converter.
///
/// - [0, 10) on 0 stays there. [1, 11) on 0 takes the converter and channel 1, the lowest.
/// - [2, 5) on 0: channel 2 is free, but the converter is held until 11; lost.
/// - [2, 5) on 2 needs none.
/// - [11, 12) on 0: its own channel is free again.
/// - [11, 14) on 0: its own is taken until 12. The converter is free at the instant 11; of 1 (until
///   11) and 2 (until 5), 1 has the smaller gap.
#[test]
fn one_converter_by_hand() {
    let mut node = Node::new(&spec(Conversion::Partial, Some(1)), 3);
    assert_eq!(ask(&mut node, 0, 0, 10), Some((0, false)));
    assert_eq!(ask(&mut node, 0, 1, 10), Some((1, true)));
    assert_eq!(ask(&mut node, 0, 2, 3), None);
    assert_eq!(ask(&mut node, 2, 2, 3), Some((2, false)));
    assert_eq!(ask(&mut node, 0, 11, 1), Some((0, false)));
    assert_eq!(ask(&mut node, 0, 11, 3), Some((1, true)));
}

/// LAUC-VF prefers the channel with the smallest gap; a pool saves its converters instead.
#[test]
fn with_a_pool_the_own_wavelength_goes_first() {
    for (conversion, expected) in [(Conversion::Full, (1, true)), (Conversion::Partial, (0, false))]
    {
        let mut node = Node::new(&spec(conversion, Some(5)), 2);
        node.out.book(0, at(0), us(10));
        node.out.book(1, at(0), us(20));
        assert_eq!(ask(&mut node, 0, 20, 1), Some(expected));
    }
}

/// A link with fewer channels than the one before it.
#[test]
fn a_wavelength_that_the_link_does_not_have_needs_conversion() {
    let mut none = Node::new(&spec(Conversion::None, None), 2);
    let mut partial = Node::new(&spec(Conversion::Partial, Some(1)), 2);
    let mut full = Node::new(&spec(Conversion::Full, None), 2);
    assert_eq!(ask(&mut none, 5, 0, 1), None);
    assert_eq!(ask(&mut partial, 5, 0, 1), Some((0, true)));
    assert_eq!(ask(&mut full, 5, 0, 1), Some((0, true)));
}

/// Which of many random bursts are lost. All have one offset, so they come in the order of their
/// starts.
fn lost(spec: &BurstCoreSpec) -> Vec<bool> {
    let mut draws = stream("conversion");
    let mut node = Node::new(spec, 8);
    let mut start = at(0);
    (0..20_000)
        .map(|_| {
            start += draws.exponential_span(Span::from_ns(1_500));
            let length = draws.exponential_span(us(10));
            let channel = u16::try_from(draws.below(8)).unwrap();
            node.ask(start, Request { start, length, channel }).is_none()
        })
        .collect()
}

fn count(lost: &[bool]) -> usize {
    lost.iter().filter(|&&lost| lost).count()
}

#[test]
fn a_pool_of_none_is_no_conversion() {
    let none = lost(&spec(Conversion::None, None));
    assert_eq!(lost(&spec(Conversion::Partial, Some(0))), none);
}

/// A burst is lost when all channels are taken, so which one it gets does not matter: the same
/// bursts are lost although the channels differ.
#[test]
fn a_converter_a_channel_is_full_conversion() {
    let full = lost(&spec(Conversion::Full, None));
    assert_eq!(lost(&spec(Conversion::Partial, Some(8))), full);
    assert!(count(&full) > 1_000);
}

#[test]
fn fewer_converters_lose_more() {
    let losses: Vec<usize> =
        [0, 1, 2, 4, 8].map(|n| count(&lost(&spec(Conversion::Partial, Some(n))))).into();
    assert!(losses.windows(2).all(|pair| pair[0] > pair[1]), "{losses:?}");
}
