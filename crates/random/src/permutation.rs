//! Random orders.

use crate::Stream;

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
