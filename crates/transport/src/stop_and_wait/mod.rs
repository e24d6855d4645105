//! Stop-and-wait: one packet of data in flight at a time (Argibay-Losada et al. 2016 and 2017;
//! Minakhmetov, Ware and Iannone 2018 for the lengthened timer).
//!
//! ```text
//! Sender ── SYN ─────────►  Receiver      each SYN, data packet and FIN is sent again until it is
//!        ◄─ SYN-ACK ───────               answered; the sender's timer runs from the first bit of
//!        ── ACK, data ───►                the latest copy
//!        ◄─ ACK ───────────
//!               …
//!        ── FIN ─────────►
//!        ◄─ FIN-ACK ───────               sent again by the receiver's own timer until it is
//!        ── ACK ─────────►                answered
//! ```
//!
//! The owner of an end calls `on_segment` for each arrival and `on_timeout` when the deadline of
//! `next_timeout` has come, then polls `next_segment` until it returns none. Each poll passes the
//! instant at which the first bit of the segment will be on the wire: the wait in the interface is
//! part of no round-trip time and no timer. A deadline may move later without notice.
//!
//! **Ties.** What arrives at the very instant of a deadline is in time: alarms ring a picosecond
//! later. The timer falls to the round-trip time itself where nothing varies, so this matters.

mod config;
mod receiver;
pub(crate) mod rto;
mod sender;

#[cfg(test)]
mod pair;
#[cfg(test)]
mod tests;

use units::{Span, Time};

pub use config::{StopAndWaitOptions, TimedCopy};
pub use receiver::Receiver;
pub use sender::{Sender, SenderCounters};

/// The minimum span of time.
const TICK: Span = Span::from_ps(1);

/// When what begins at `first_bit` must be answered: at the end of time where that is later, since
/// [`Time::NEVER`] says that nothing is awaited.
fn deadline(first_bit: Time, timer: Span) -> Time {
    first_bit.saturating_add(timer).min(Time(Time::NEVER.0 - 1))
}

/// When the alarm of a deadline rings; none where the timer is off.
fn alarm(deadline: Time) -> Option<Time> {
    (deadline != Time::NEVER).then(|| deadline.saturating_add(TICK))
}
