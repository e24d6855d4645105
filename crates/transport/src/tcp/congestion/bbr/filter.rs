//! The largest of the values in a window that slides (Kathleen Nichols' algorithm; Linux, `lib/win_minmax.c`):
//! the largest, and the second and third largest of those that came after it.

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    at: u64,
    value: f64,
}

/// The largest value of the last so many steps.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct WindowedMax {
    best: [Entry; 3],
}

impl WindowedMax {
    /// The largest value.
    pub(in super::super) fn get(&self) -> f64 {
        self.best[0].value
    }

    /// A value at step `at`, which is no earlier than those before it, in a window of `length` steps.
    pub(in super::super) fn update(&mut self, length: u64, at: u64, value: f64) {
        let entry = Entry { at, value };
        let [first, second, third] = &mut self.best;
        if value >= first.value || at - third.at > length {
            self.best = [entry; 3];
            return;
        }
        if value >= second.value {
            (*second, *third) = (entry, entry);
        } else if value >= third.value {
            *third = entry;
        }
        let age = at - first.at;
        if age > length {
            // The largest has left the window, and so may have the second.
            self.best = [self.best[1], self.best[2], entry];
            if at - self.best[0].at > length {
                self.best = [self.best[1], self.best[2], entry];
            }
        } else if second.at == first.at && age > length / 4 {
            (*second, *third) = (entry, entry);
        } else if third.at == second.at && age > length / 2 {
            *third = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_stays_for_the_length_of_the_window() {
        let mut filter = WindowedMax::default();
        filter.update(10, 0, 5.0);
        for at in 1..=10 {
            filter.update(10, at, 3.0);
            assert!((filter.get() - 5.0).abs() < 1e-12, "{at}");
        }
        filter.update(10, 11, 3.0);
        assert!((filter.get() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_larger_value_counts_at_once_and_a_window_of_nothing_is_forgotten() {
        let mut filter = WindowedMax::default();
        for (at, value, largest) in [(0, 1.0, 1.0), (1, 4.0, 4.0), (2, 2.0, 4.0), (40, 1.0, 1.0)] {
            filter.update(10, at, value);
            assert!((filter.get() - largest).abs() < 1e-12, "{at}");
        }
    }
}
