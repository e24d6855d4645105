//! The hooks of a loss recovery, with what one does that says nothing else: it counts duplicate
//! acknowledgments, ends with the first that advances, and knows no selective ones.

use units::{Span, Time};

use super::state::{Before, Choice, Found, Noted, Progress, Quiet, State};
use crate::segment::Segment;
use crate::tcp::congestion::Signal;
use crate::tcp::scoreboard::Scoreboard;

/// A loss recovery: which losses it finds and how it sends again. How far the window is reduced is
/// `congestion`'s business.
///
/// How it begins and what it does when a loss is found are its own; every other hook has a default.
pub(crate) trait Rule: Clone {
    /// What a scenario can tell it. Their doc comment is what users read of the recovery; where one is left
    /// out that the profile has a say in, it is `None`.
    type Options: Clone + Default + PartialEq;

    /// Nothing sent yet.
    fn new(options: &Self::Options) -> Self;

    /// The options with those of the profile in place of those left out.
    fn complete(given: &Self::Options, _profile: &Self::Options) -> Self::Options {
        given.clone()
    }

    /// Whether it has selective acknowledgments.
    fn has_sack() -> bool {
        false
    }

    /// Whether the receiver reports duplicates to it (RFC 2883).
    fn has_reports() -> bool {
        false
    }

    /// Whether it waits before it deems a segment lost, so that more than the window may be out. The last hooks
    /// below are for such rules alone.
    fn waits() -> bool {
        false
    }

    /// What a loss tells the window rule.
    fn signal() -> Signal {
        Signal::Loss
    }

    /// Fast retransmit: a loss was found, the window has been reduced.
    fn enter(&mut self, state: &mut State, board: &mut Scoreboard);

    /// A duplicate acknowledgment arrived during a recovery.
    fn on_duplicate(&mut self, _state: &mut State) {}

    /// Whether the duplicate acknowledgments since the last that advanced show a loss.
    fn shows_loss(&self, state: &State, _board: &Scoreboard) -> bool {
        state.dup_acks >= state.terms.dup_acks
    }

    /// An acknowledgment of `acked` octets advanced during a recovery, and covers not all of it.
    fn on_partial(&mut self, state: &mut State, _acked: u64) -> Progress {
        state.leave();
        Progress::Over
    }

    /// The largest window with which a recovery that is over may go on.
    fn most_at_exit(&self, _state: &State, _board: &Scoreboard) -> Option<u64> {
        None
    }

    /// The retransmission timer expired: everything is sent again from the oldest hole on. `repairs` says
    /// whether a recovery was under way, or what a timeout began.
    fn on_timeout(&mut self, _state: &mut State, _now: Time, _srtt: Option<Span>, _repairs: bool) {}

    /// Octets deemed to be in the network.
    fn pipe(&self, board: &Scoreboard) -> u64 {
        board.pipe()
    }

    /// The octets in flight that the window is compared with.
    #[inline]
    fn in_flight(&self, _state: &State, board: &Scoreboard) -> u64 {
        self.pipe(board)
    }

    /// The oldest hole, to be sent at once.
    fn head(&mut self, board: &Scoreboard) -> Option<Choice> {
        let (start, end) = board.head();
        Some(Choice::ResendAside(start, end))
    }

    /// What to send when the window allows a segment.
    #[inline]
    fn choose(&mut self, state: &State, board: &Scoreboard) -> Choice {
        state.choose(board, 0)
    }

    /// What to send when the window allows a segment and there are no new data.
    fn choose_without_new(&mut self, _state: &State, _board: &Scoreboard) -> Option<Choice> {
        None
    }

    /// Notes what an acknowledgment says to have arrived, in its number and in its blocks.
    #[inline]
    fn on_arrivals(
        &mut self,
        _state: &State,
        _board: &mut Scoreboard,
        _now: Time,
        _segment: &Segment,
    ) -> Noted {
        Noted::default()
    }

    // The hooks from here on are those of time: they are for rules that wait.

    /// `start .. end` was sent, for the first time or again.
    #[inline]
    fn on_sent(&mut self, _now: Time, _octets: (u64, u64), _resent: bool) {}

    /// The round-trip time was measured.
    #[inline]
    fn on_measured(&mut self, _rtt: Span) {}

    /// A recovery, or what a timeout began, is over.
    fn on_over(&mut self) {}

    /// Looks for what is lost by now; it follows each acknowledgment and each deadline that is due.
    #[inline]
    fn find_lost(
        &mut self,
        _state: &State,
        _board: &Scoreboard,
        _now: Time,
        _srtt: Option<Span>,
    ) -> Found {
        Found::Nothing
    }

    /// The earliest of its deadlines, [`Time::NEVER`] for none.
    #[inline]
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Whether it is time to look again for what is lost.
    fn is_due(&self, _now: Time) -> bool {
        false
    }

    /// Whether the timer of a probe expires now.
    fn probe_expires(&mut self, _now: Time) -> bool {
        false
    }

    /// Starts the timer of a probe anew, or stops it where none is needed.
    #[inline]
    fn on_quiet(&mut self, _state: &State, _board: &Scoreboard, _quiet: &Quiet) {}

    /// The last segment, where a probe is to be sent now.
    #[inline]
    fn take_probe(&mut self) -> Option<(u64, u64)> {
        None
    }

    /// A probe was sent, and with it everything below `end`. `repeats` is the first octet of what it sent
    /// again, if that was no new data.
    fn on_probe(&mut self, _end: u64, _repeats: Option<u64>) {}

    /// The window is about to be reduced for a loss: what would be restored may be kept.
    fn keep(&mut self, _before: impl FnOnce() -> Before) {}

    /// Congestion was shown by something else than losses: no reduction is taken back.
    fn forget(&mut self) {}

    /// The receiver has got the segment that begins with `start` again; what is to be restored, if the
    /// reduction was for nothing.
    fn on_report(&mut self, _board: &Scoreboard, _start: u64) -> Option<Before> {
        None
    }
}
