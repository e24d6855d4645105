//! TCP: a [`Sender`] and a [`Receiver`] that exchange [`Segment`]s.
//!
//! ```text
//! offer ─► Sender ── next_segment ──►   network   ── on_segment ─► Receiver ─► delivered
//!            ▲                                                        │
//!            └── on_segment ◄──────────  network  ◄── next_segment ───┘
//! ```
//!
//! The owner of an end calls `on_segment` for each arrival and `on_timeout` when the deadline of
//! `next_timeout` has come, then polls `next_segment` until it returns none. A deadline may move
//! later without notice; an alarm for the earlier one then has no effect.
//!
//! How much may be in flight ([`congestion`]) and what is lost ([`recovery`]) are two separate values;
//! `scoreboard` tracks what is in flight, `rtt` computes when the timer expires, and `validation` checks
//! whether the window is used.

pub mod circuits;
pub mod config;
pub mod congestion;
mod delivery;
mod pacing;
mod ranges;
mod receive_window;
mod receiver;
pub mod recovery;
mod rtt;
mod scoreboard;
mod sender;
mod validation;

#[cfg(test)]
mod pair;
#[cfg(test)]
mod path;
#[cfg(test)]
mod tests;

pub use crate::segment::{Flags, SackBlocks, Segment, UNLIMITED_WINDOW};
pub use congestion::Congestion;
pub use receiver::{Receiver, ReceiverCounters};
pub use sender::{Condition, Info, Sender, SenderCounters};
