//! The matchings of Opera (W. M. Mellette et al., *Expanding across time to deliver bandwidth efficiency and
//! low latency*, NSDI 2020, section 3.3): a random factorization of the complete graph into symmetric
//! matchings, in random order.
//!
//! Opera's authors draw small ones by trial and make large ones of them by a lift. Here a factorization that
//! is known is mixed: in two of its matchings the edges of a component of their union are exchanged, again
//! and again, which leaves both of them matchings (Kempe).

use random::{Seed, Stream};
use units::Span;

use super::schedule::{Schedule, Timing, share_out};
use crate::spec::Phases;

/// How many times two matchings are mixed for each of them.
const MIXED: usize = 32;

/// How many factorizations are drawn to find one without a slice in which racks are cut off.
const DRAWN: usize = 100;

/// Matchings such that each of so many racks is joined to each other in exactly one of them, and to itself in
/// exactly one, as many as racks; where one leads from a rack to another, it leads back.
pub fn factors(racks: u32, draws: &mut Stream) -> Vec<Vec<u32>> {
    // Matching m joins i and m − i.
    let sum = |m: u32| (0..racks).map(|rack| (m + racks - rack) % racks).collect();
    let mut matchings: Vec<Vec<u32>> = (0..racks).map(sum).collect();
    let count = matchings.len();
    for _ in 0..MIXED * count {
        let [one, other, rack] = [(); 3].map(|()| at(draws.below(u64::from(racks))));
        if one != other {
            exchange(&mut matchings, (one, other), rack);
        }
    }
    let mut names: Vec<u32> = (0..racks).collect();
    draws.shuffle(&mut names);
    draws.shuffle(&mut matchings);
    let renamed = |matching: &Vec<u32>| {
        let mut to = vec![0; count];
        for (from, &far) in matching.iter().enumerate() {
            to[names[from] as usize] = names[far as usize];
        }
        to
    };
    matchings.iter().map(renamed).collect()
}

fn at(place: u64) -> usize {
    usize::try_from(place).expect("below a number of racks")
}

/// Exchanges what two matchings do in the component of their union that holds a rack, unless some rack in it is
/// joined to itself: as many of those stay in each matching.
fn exchange(matchings: &mut [Vec<u32>], (one, other): (usize, usize), rack: usize) {
    let mut cycle = Vec::new();
    let mut at = rack;
    // One matching and the other take turns along a cycle, which so has as many racks of both.
    loop {
        let next = matchings[one][at] as usize;
        let after = matchings[other][next] as usize;
        if next == at || after == next {
            return;
        }
        cycle.extend([at, next]);
        at = after;
        if at == rack {
            break;
        }
    }
    for at in cycle {
        let to = matchings[one][at];
        matchings[one][at] = matchings[other][at];
        matchings[other][at] = to;
    }
}

/// The rounds of Opera for so many racks and switches, of the random ones with this number: the first that is drawn
/// in which every rack reaches all others in each slice, if any is among a hundred.
pub fn opera(racks: u32, switches: u32, draw: u32) -> Vec<Vec<Vec<u32>>> {
    let mut draws = Seed(u64::from(draw)).stream("core/opera");
    let timing = Timing {
        slot: Span(2 * u64::from(switches)),
        reconfiguration: Span(1),
        phases: Phases::Staggered,
    };
    let mut one = || share_out(&factors(racks, &mut draws), switches);
    let joins_all = |rounds: &Vec<_>| Schedule::new(rounds, timing).cut_slice().is_none();
    let found = std::iter::repeat_with(&mut one).take(DRAWN).find(joins_all);
    found.unwrap_or_else(one)
}
