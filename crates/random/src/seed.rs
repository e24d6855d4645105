//! The seed of a run.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Stream;

/// The one number from which all randomness of a run derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream called `name`: the same seed and name give the same draws, any other name gives
    /// draws that are independent for every practical purpose.
    ///
    /// The XXH3-64 hash of the name's UTF-8 bytes, seeded with the seed, seeds the generator.
    pub fn stream(&self, name: &str) -> Stream {
        Stream::from_state(xxh3_64_with_seed(name.as_bytes(), self.0))
    }
}
