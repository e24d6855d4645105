//! Counters that are listed once: what was counted since an instant, sums, and the words of a digest follow from the
//! list, so that none of them forgets a field.

/// Counters of an object, as [`counters!`](crate::counters) makes them.
pub trait Counters: Default {
    /// What was counted since `earlier`; maxima are those of the whole run.
    #[must_use]
    fn since(&self, earlier: &Self) -> Self;

    /// Those of two objects together.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;

    /// Those of all of them together.
    fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self
    where
        Self: 'a,
    {
        all.into_iter().fold(Self::default(), |sum, each| sum.plus(each))
    }

    /// Passes every counter in the order of the list, for a digest: of a sum of 128 bits the lower half.
    fn words(&self, put: &mut dyn FnMut(u64));
}

/// A number that is counted.
pub trait Count: Copy {
    /// Its lower 64 bits.
    fn word(self) -> u64;
}

impl Count for u32 {
    fn word(self) -> u64 {
        self.into()
    }
}

impl Count for u64 {
    fn word(self) -> u64 {
        self
    }
}

impl Count for u128 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half; no run fills it")]
    fn word(self) -> u64 {
        self as u64
    }
}

/// Declares a struct of [`Counters`]: each field is a `sum` or a `max`.
///
/// ```
/// use kinds::{Counters, counters};
///
/// counters! {
///     /// The counters of a queue.
///     struct QueueCounters {
///         /// Packets that came.
///         packets_in: sum u64,
///         /// The longest wait, in picoseconds.
///         wait_max: max u64,
///     }
/// }
///
/// let (before, now) = (QueueCounters { packets_in: 2, wait_max: 7 }, QueueCounters { packets_in: 5, wait_max: 9 });
/// assert_eq!(now.since(&before), QueueCounters { packets_in: 3, wait_max: 9 });
/// assert_eq!(now.plus(&before), QueueCounters { packets_in: 7, wait_max: 9 });
/// let mut words = Vec::new();
/// now.words(&mut |word| words.push(word));
/// assert_eq!(words, [5, 9]);
/// ```
#[macro_export]
macro_rules! counters {
    (
        $(#[$about:meta])* $vis:vis struct $Name:ident {
            $($(#[$doc:meta])* $field:ident: $rule:ident $Number:ty,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        $vis struct $Name {
            $($(#[$doc])* pub $field: $Number,)+
        }

        impl $crate::Counters for $Name {
            fn since(&self, earlier: &Self) -> Self {
                Self { $($field: $crate::count!($rule since self.$field, earlier.$field),)+ }
            }

            fn plus(&self, other: &Self) -> Self {
                Self { $($field: $crate::count!($rule plus self.$field, other.$field),)+ }
            }

            fn words(&self, put: &mut dyn FnMut(u64)) {
                $(put($crate::Count::word(self.$field));)+
            }
        }
    };
}

/// What becomes of a field of two objects.
#[doc(hidden)]
#[macro_export]
macro_rules! count {
    (sum since $now:expr, $earlier:expr) => {
        $now - $earlier
    };
    (sum plus $one:expr, $other:expr) => {
        $one + $other
    };
    (max since $now:expr, $earlier:expr) => {
        $now
    };
    (max plus $one:expr, $other:expr) => {
        $one.max($other)
    };
}
