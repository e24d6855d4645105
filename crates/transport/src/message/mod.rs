//! A message transport that wants no order, after that of the Ultra Ethernet Consortium (UEC specification 1.0,
//! June 2025, and its public simulator, `uet-htsim`).
//!
//! ```text
//! Sender ── data ─────────►  Receiver     packets of a message, each on a path of its own (its entropy)
//!        ◄─ feedback ──────               accepted in any order; a bitmap, the entropy and its mark go back
//!        ◄─ NACK ──────────               for a packet whose data a switch has cut off
//!        ◄─ credit ────────               if the receiver decides when data are sent
//! ```
//!
//! Packets are numbered in the order in which they are first sent, and carry their place in the message: the receiver
//! hands over each one when it comes. A copy keeps the number.
//!
//! The owner of an end calls `on_segment` for each arrival and `on_timeout` when the deadline of `next_timeout` has
//! come, then polls `next_segment` until it returns none. A sender has at most one packet in the interface of its host
//! at a time, so that entropies are chosen late and flows of one host take turns; each poll passes the instant at which
//! the first bit will be on the wire.
//!
//! **What decides:** [`spraying`] chooses entropies, [`window`] how much may be in flight, [`wire`] how fields stand in
//! a segment, and the timer is that of RFC 6298.
//!
//! Not modelled: the handshake, ordered delivery, tags and addresses of messages, security.

mod config;
mod receiver;
mod sender;
mod sent;
pub mod spraying;
mod timer;
pub mod window;
pub mod wire;

#[cfg(test)]
mod pair;
#[cfg(test)]
mod tests;

pub use config::{MessageCircuits, MessageOptions};
pub use receiver::Receiver;
pub use sender::{Path, Sender, SenderCounters};
