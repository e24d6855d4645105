//! Sets of ports as bits.

use std::ops::{BitAnd, BitOr, Not};

/// A set of ports, numbers 0 … 64 `W` − 1.
///
/// With one word every operation is that of a plain `u64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mask<const W: usize>([u64; W]);

impl<const W: usize> Mask<W> {
    /// No port.
    pub const EMPTY: Self = Self([0; W]);
    /// The last port that a set has room for.
    #[expect(clippy::cast_possible_truncation, reason = "a few words")]
    pub const LAST: u32 = 64 * W as u32 - 1;

    /// One port.
    #[inline]
    pub fn one(port: u32) -> Self {
        let mut mask = Self::EMPTY;
        mask.set(port);
        mask
    }

    /// The ports 0 … `ports` − 1.
    pub fn first_ports(ports: u32) -> Self {
        let mut mask = Self::EMPTY;
        (0..ports).for_each(|port| mask.set(port));
        mask
    }

    /// Adds a port.
    #[inline]
    pub fn set(&mut self, port: u32) {
        let (word, bit) = place::<W>(port);
        self.0[word] |= 1 << bit;
    }

    /// Takes a port out.
    #[inline]
    pub fn clear(&mut self, port: u32) {
        let (word, bit) = place::<W>(port);
        self.0[word] &= !(1 << bit);
    }

    /// Whether the port is in the set.
    #[inline]
    pub fn has(self, port: u32) -> bool {
        let (word, bit) = place::<W>(port);
        self.0[word] >> bit & 1 == 1
    }

    /// Whether no port is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many ports are in the set.
    #[inline]
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The lowest port.
    #[inline]
    pub fn first(self) -> Option<u32> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(port::<W>(word, self.0[word].trailing_zeros()))
    }

    /// The port, where there is just one.
    #[inline]
    pub fn only(self) -> Option<u32> {
        if W == 1 {
            let one = self.0[0].is_power_of_two();
            return one.then(|| self.0[0].trailing_zeros());
        }
        (self.len() == 1).then(|| self.first()).flatten()
    }

    /// The first port after this one, and from 0 on where there is none: round robin.
    #[inline]
    pub fn next_after(self, before: u32) -> Option<u32> {
        let (start, bit) = place::<W>((before + 1) % (Self::LAST + 1));
        if W == 1 {
            // Members beyond the last are never set, so that a turn of the word is one of the ports.
            let turned = self.0[0].rotate_right(bit);
            return (turned != 0).then(|| (turned.trailing_zeros() + bit) % 64);
        }
        let ahead = self.0[start] >> bit << bit;
        if ahead != 0 {
            return Some(port::<W>(start, ahead.trailing_zeros()));
        }
        // The word where it began comes last, with the ports before.
        let mut others = (1..=W).map(|further| (start + further) % W);
        let word = others.find(|&word| self.0[word] != 0)?;
        Some(port::<W>(word, self.0[word].trailing_zeros()))
    }

    /// The port with so many lower ones in the set.
    #[inline]
    pub(super) fn nth(self, mut lower: u32) -> Option<u32> {
        for (word, &bits) in self.0.iter().enumerate() {
            let here = bits.count_ones();
            if lower < here {
                let rest = (0..lower).fold(bits, |rest, _| rest & (rest - 1));
                return Some(port::<W>(word, rest.trailing_zeros()));
            }
            lower -= here;
        }
        None
    }

    /// The ports, ascending.
    #[inline]
    pub fn iter(self) -> Members<W> {
        Members(self)
    }

    /// The ports that are not in the other set.
    #[inline]
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self & !other
    }
}

impl<const W: usize> Default for Mask<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> BitAnd for Mask<W> {
    type Output = Self;

    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        self
    }
}

impl<const W: usize> BitOr for Mask<W> {
    type Output = Self;

    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        self
    }
}

/// All other numbers, those beyond the last port too: to be cut with `&`.
impl<const W: usize> Not for Mask<W> {
    type Output = Self;

    #[inline]
    fn not(mut self) -> Self {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self
    }
}

impl<const W: usize> FromIterator<u32> for Mask<W> {
    fn from_iter<I: IntoIterator<Item = u32>>(ports: I) -> Self {
        let mut mask = Self::EMPTY;
        ports.into_iter().for_each(|port| mask.set(port));
        mask
    }
}

impl<const W: usize> IntoIterator for Mask<W> {
    type Item = u32;
    type IntoIter = Members<W>;

    #[inline]
    fn into_iter(self) -> Members<W> {
        self.iter()
    }
}

/// The ports of a set, ascending.
#[derive(Debug, Clone)]
pub struct Members<const W: usize>(Mask<W>);

impl<const W: usize> Iterator for Members<W> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let words = &mut self.0.0;
        let word = words.iter().position(|&word| word != 0)?;
        let bit = words[word].trailing_zeros();
        words[word] &= words[word] - 1;
        Some(port::<W>(word, bit))
    }
}

/// The word of a port and its bit there. The remainder shows that there is such a word, which
/// removes the bounds check; with one word it is optimised away.
#[inline]
pub(super) fn place<const W: usize>(port: u32) -> (usize, u32) {
    let word = (port / 64) as usize;
    debug_assert!(word < W, "a port beyond the mask");
    (word % W, port % 64)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a word of a mask is one of a few")]
fn port<const W: usize>(word: usize, bit: u32) -> u32 {
    if W == 1 { bit } else { word as u32 * 64 + bit }
}
