//! Storage for objects with changing lifetimes, addressed by index.

use crate::prefetch;

/// A vector of slots with a list of the free ones. Removing an object frees its slot for the next
/// one, so the memory is that of the largest number of objects at any time.
#[derive(Debug, Clone)]
pub struct Arena<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// The number of objects inside.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Inserts an object and returns its index.
    #[inline]
    pub fn insert(&mut self, thing: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = thing;
            return index;
        }
        self.grow(thing)
    }

    /// An index whose object is to be written next; a new slot has `filler` until then. So an object is written once, where
    /// it stays.
    #[inline(always)]
    pub fn place(&mut self, filler: T) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => self.grow(filler),
        }
    }

    #[cold]
    fn grow(&mut self, thing: T) -> u32 {
        let index = u32::try_from(self.slots.len()).expect("fewer than 2^32 things at once");
        self.slots.push(thing);
        index
    }

    /// The object at an index that [`Self::insert`] returned and that has not been released by
    /// [`Self::release`].
    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slots[index as usize]
    }

    /// The same, mutable.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        &mut self.slots[index as usize]
    }

    /// All slots, those that are free included.
    #[inline]
    pub fn slots(&self) -> &[T] {
        &self.slots
    }

    /// The same, mutable.
    #[inline]
    pub fn slots_mut(&mut self) -> &mut [T] {
        &mut self.slots
    }

    /// The objects inside, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let slots = self.slots.iter().zip(self.are_free());
        slots.filter_map(|(thing, is_free)| (!is_free).then_some(thing))
    }

    /// The same, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let are_free = self.are_free();
        let slots = self.slots.iter_mut().zip(are_free);
        slots.filter_map(|(thing, is_free)| (!is_free).then_some(thing))
    }

    /// For each slot, whether it is free.
    fn are_free(&self) -> Vec<bool> {
        let mut are_free = vec![false; self.slots.len()];
        self.free.iter().for_each(|&index| are_free[index as usize] = true);
        are_free
    }

    /// Hints that the object at an index will be needed soon.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        if let Some(thing) = self.slots.get(index as usize) {
            prefetch(thing);
        }
    }

    /// Releases a slot. Its content stays until the slot is used again.
    #[inline]
    pub fn release(&mut self, index: u32) {
        debug_assert!(self.free.len() < self.slots.len(), "more released than was put in");
        self.free.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let mut arena = Arena::default();
        let a = arena.insert('a');
        let b = arena.insert('b');
        arena.release(a);
        assert_eq!(arena.len(), 1);
        let c = arena.insert('c');
        assert_eq!(c, a);
        assert_eq!((*arena.get(b), *arena.get(c)), ('b', 'c'));
        arena.release(b);
        arena.insert('d');
        arena.insert('e');
        arena.release(c);
        assert_eq!(arena.iter().collect::<Vec<_>>(), [&'d', &'e']);
    }
}
