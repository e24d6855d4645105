//! A stream of random numbers and its uniform draws.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random numbers for one purpose of one object.
///
/// The generator is xoshiro256++ (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
/// generators", ACM TOMS 47(4), 2021), its state filled by `SplitMix64`. Its period is 2^256 − 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Xoshiro256PlusPlus);

const _: () = assert!(size_of::<Stream>() == 32);

impl Stream {
    /// The stream whose generator is seeded with `state`; callers outside go through
    /// [`Seed::stream`](crate::Seed::stream).
    pub(crate) fn from_state(state: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(state))
    }

    /// From now on the stream continues otherwise, independently of what would have come and of other keys.
    pub fn branch(&mut self, key: u64) {
        *self = Self::from_state(self.next_u64() ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    /// Sixty-four random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1): a multiple of 2^-53, all with equal probability.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in (0, 1), symmetric about ½: an odd multiple of 2^-53, each as likely as any other.
    #[inline]
    pub fn open_uniform(&mut self) -> f64 {
        ((self.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
    }

    /// Uniform in 0 … `n` − 1, without bias.
    ///
    /// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019,
    /// algorithm 5.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number lies below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if low(product) < n {
            let reject_below = n.wrapping_neg() % n;
            while low(product) < reject_below {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        high(product)
    }

    /// True with probability `p`: never at 0 or less, always at 1 or more. Takes one draw for any
    /// `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is meant")]
fn low(product: u128) -> u64 {
    product as u64
}

fn high(product: u128) -> u64 {
    (product >> 64) as u64
}
