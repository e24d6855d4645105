//! Lists of kinds, what a user chooses by a word, with options of its own; and lists of counters.
//!
//! A family of kinds (window rules, loss recoveries, …) is a folder with a file or folder for each kind and one call of
//! [`kinds!`] that lists them. The words of the scenario language, the options, their documentation and the dispatch of
//! hooks come from that list.

mod counters;
mod list;
pub mod option;

pub use counters::{Count, Counters};
pub use option::WordOrTable;

/// The kinds of a family, each with its own options.
pub trait Kinds: Sized + 'static {
    /// The name of the family in the schema.
    const TITLE: &'static str;
    /// The words of the kinds.
    const WORDS: &'static [&'static str];

    /// Every kind, with default options.
    fn all() -> Vec<Self>;

    /// The word of this kind.
    fn word(&self) -> &'static str;

    /// Whether all options have their default values.
    fn is_plain(&self) -> bool;
}
