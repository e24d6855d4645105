//! Random orders.

use crate::{Stream, mix};

impl Stream {
    /// Puts `items` into an order that is uniform among all orders (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1);
            items.swap(last, usize::try_from(chosen).expect("an index of the slice"));
        }
    }

    /// A permutation of 0 … `n` − 1, uniform among those that move every element (by rejection: e
    /// tries on average). Element `i` of the result is the partner of `i`.
    ///
    /// There is none of a single element; `n` = 1 panics.
    pub fn derangement(&mut self, n: u32) -> Vec<u32> {
        assert!(n != 1, "a single element cannot move");
        let mut order: Vec<u32> = (0..n).collect();
        loop {
            self.shuffle(&mut order);
            if (0..n).zip(&order).all(|(at, &partner)| at != partner) {
                return order;
            }
        }
    }
}

/// A random order of 0 … n − 1 that is never stored: the number at a position is computed from a
/// key, in some hundred nanoseconds.
///
/// V. T. Hoang, B. Morris and P. Rogaway, "An enciphering scheme based on a card shuffle", CRYPTO
/// 2012: in each round the numbers are paired at random, and a random bit of each pair says whether
/// its two change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    key: u64,
    n: u32,
}

/// Rounds of an order. A number has never moved with probability 2^-64; moved once, it may be
/// anywhere.
const ROUNDS: u64 = 64;

impl Order {
    /// An order of 0 … `n` − 1; takes one draw.
    pub fn new(n: u32, stream: &mut Stream) -> Self {
        Self { key: stream.next_u64(), n }
    }

    /// The number at a place; places count from 0. Panics beyond the last one.
    pub fn at(&self, place: u32) -> u32 {
        assert!(place < self.n, "place {place} of {}", self.n);
        let n = u64::from(self.n);
        let mut x = u64::from(place);
        for round in 1..=ROUNDS {
            let key = mix(self.key.wrapping_add(round.wrapping_mul(STEP)));
            // The high half of the key times n: below n without a division.
            let sum = ((key >> 32) * n) >> 32;
            let partner = if x <= sum { sum - x } else { sum + n - x };
            let pair = x.max(partner);
            if mix(key ^ (pair + 1).wrapping_mul(STEP)) >> 63 == 1 {
                x = partner;
            }
        }
        u32::try_from(x).expect("below n")
    }
}

/// The odd number nearest to 2^64 over the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
