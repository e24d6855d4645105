//! Running means in whole numbers.

/// `mean` moved towards `sample` by their difference over 2^`shift`.
pub(crate) fn toward(mean: u64, sample: u64, shift: u32) -> u64 {
    if sample >= mean {
        mean + ((sample - mean) >> shift)
    } else {
        mean - ((mean - sample) >> shift)
    }
}
