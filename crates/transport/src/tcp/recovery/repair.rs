//! The hooks of a loss recovery: what it repairs, and with which window. How it detects losses, and what it undoes, is in
//! its [`Facts`](super::facts::Facts).

use super::facts::Facts;
use super::state::{Choice, Progress, State};
use crate::tcp::scoreboard::Scoreboard;

/// How a loss that was detected is repaired. `congestion` determines how far the window is reduced.
///
/// By default the first acknowledgment that advances ends a recovery.
pub(crate) trait Repair: Clone {
    /// Its options in a scenario. Their doc comment is the text on the recovery in the reference; an option
    /// whose default depends on the profile is `None` if it is left out.
    type Options: Clone + Default + PartialEq;

    /// Nothing sent yet.
    fn new(options: &Self::Options) -> Self;

    /// The options, with those of the profile where they are left out.
    fn complete(given: &Self::Options, _profile: &Self::Options) -> Self::Options {
        given.clone()
    }

    /// How it detects losses, and what it takes back.
    #[inline]
    fn facts(_: &Self::Options) -> Facts {
        Facts::PLAIN
    }

    /// Fast retransmit: a loss was found, the window has been reduced.
    fn enter(&mut self, state: &mut State, board: &mut Scoreboard);

    /// A duplicate acknowledgment arrived during a recovery.
    fn on_duplicate(&mut self, _state: &mut State) {}

    /// An acknowledgment of `acked` octets advanced during a recovery, but does not end it.
    fn on_partial(&mut self, state: &mut State, _acked: u64) -> Progress {
        state.leave();
        Progress::Over
    }

    /// The window during a recovery in which the window rule's is `cwnd`.
    #[inline]
    fn window(&self, state: &State, cwnd: u64) -> u64 {
        state.window(cwnd)
    }

    /// The window of which a loss takes a share, where the share is one of cwnd.
    fn basis(&self, _state: &State, cwnd: u64) -> u64 {
        cwnd
    }

    /// The maximum window after a recovery.
    fn most_at_exit(&self, _state: &State, _board: &Scoreboard) -> Option<u64> {
        None
    }

    /// What to send when the window allows a segment and there are no new data.
    fn choose_without_new(&mut self, _state: &State, _board: &Scoreboard) -> Option<Choice> {
        None
    }
}
