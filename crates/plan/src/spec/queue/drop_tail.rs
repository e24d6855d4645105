//! Drop-tail.

use super::{QueueFacts, Rules};

options! {
    /// First in, first out; a packet that arrives at a full queue is dropped.
    pub struct Options {}
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts::plain(self.limit)
    }
}
