//! The hooks of a loss recovery. By default it counts duplicate acknowledgments, ends with the first
//! that advances, and has no selective acknowledgments.

use units::{Span, Time};

use super::state::{Before, Choice, Found, News, Noted, Progress, Quiet, State};
use crate::segment::Segment;
use crate::tcp::congestion::Signal;
use crate::tcp::scoreboard::Scoreboard;

/// A loss recovery: which losses it detects and how it retransmits. `congestion` determines how far the
/// window is reduced.
///
/// It defines its initial state and what it does when a loss is detected; every other hook has a default.
pub(crate) trait Rule: Clone {
    /// Its options in a scenario. Their doc comment is the text on the recovery in the reference; an option
    /// whose default depends on the profile is `None` if it is left out.
    type Options: Clone + Default + PartialEq;

    /// Nothing sent yet.
    fn new(options: &Self::Options) -> Self;

    /// The options, with those of the profile where they are left out.
    fn complete(given: &Self::Options, _profile: &Self::Options) -> Self::Options {
        given.clone()
    }

    /// Whether it has selective acknowledgments.
    fn has_sack() -> bool {
        false
    }

    /// Whether the receiver reports duplicates to it (RFC 2883).
    fn has_reports(_: &Self::Options) -> bool {
        false
    }

    /// Whether it undoes reductions by what acknowledgments echo (RFC 3522).
    fn has_eifel(_: &Self::Options) -> bool {
        false
    }

    /// Whether it waits before it deems a segment lost, so that more than the window may be outstanding. The
    /// last hooks below are only for such rules.
    fn waits() -> bool {
        false
    }

    /// Whether a reduced window is approached in proportion (RFC 9937).
    fn has_prr(&self) -> bool {
        false
    }

    /// A number that grows with each loss that is found.
    fn losses(&self, board: &Scoreboard) -> u64 {
        board.lost_below()
    }

    /// Whether with these options the window may become as large as its limits at once.
    fn leaps(_: &Self::Options) -> bool {
        false
    }

    /// The signal of a loss to the window rule.
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

    /// Whether lost segments wait to be sent again, where each is known.
    fn has_lost(&self) -> bool {
        false
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

    /// `start .. end` was sent, for the first time or again; called for rules that wait, have reports or
    /// have Eifel.
    #[inline]
    fn on_sent(&mut self, _now: Time, _octets: (u64, u64), _resent: bool) {}

    // The hooks below are those of time, for rules that wait, up to `keep`.

    /// What has become of each segment is noted from now on.
    fn keep_news(&mut self) {}

    /// What has become of segments since it was emptied, where it is noted.
    #[inline]
    fn news(&mut self) -> Option<&mut News> {
        None
    }

    /// The round-trip time was measured.
    #[inline]
    fn on_measured(&mut self, _rtt: Span) {}

    /// A recovery, or the retransmission after a timeout, has ended.
    fn on_over(&mut self) {}

    /// From now on two networks take turns, each with what is known of it (time-division TCP). This hook and the three
    /// below are for rules that know in which network each segment was sent.
    fn split(&mut self) {}

    /// The other network is now the present one.
    fn change_network(&mut self) {}

    /// Whether a loss of the other network asks for a reduction of its window, once.
    fn take_elsewhere_lost(&mut self) -> bool {
        false
    }

    /// Octets that have arrived of what was sent in the other network, each once.
    fn take_elsewhere_arrived(&mut self) -> u64 {
        0
    }

    /// Detects what is lost by now; called after each acknowledgment and each deadline that is due.
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

    /// Whether it is time to detect losses again.
    fn is_due(&self, _now: Time) -> bool {
        false
    }

    /// Whether the timer of a probe expires now.
    fn probe_expires(&mut self, _now: Time) -> bool {
        false
    }

    /// Restarts the timer of a probe, or stops it if no probe is needed.
    #[inline]
    fn on_quiet(&mut self, _state: &State, _board: &Scoreboard, _quiet: &Quiet) {}

    /// The last segment, where a probe is to be sent now.
    #[inline]
    fn take_probe(&mut self) -> Option<(u64, u64)> {
        None
    }

    /// A probe was sent, so everything below `end` has been sent. `repeats` is the first octet that it
    /// retransmitted, if it had no new data.
    fn on_probe(&mut self, _end: u64, _repeats: Option<u64>) {}

    /// The window is about to be reduced for a loss: what would be restored may be kept.
    fn keep(&mut self, _before: impl FnOnce() -> Before) {}

    /// Something other than a loss showed congestion: no reduction is undone.
    fn forget(&mut self) {}

    /// The round-trip time of what the last acknowledgment brought and was sent once, where each segment is known.
    fn last_rtt(&self) -> Option<Span> {
        None
    }

    /// Octets that are deemed lost and have not arrived, sent again or not, and those sent again that are
    /// deemed to be in the network.
    fn lost_and_resent(&self, board: &Scoreboard) -> (u64, u64) {
        board.lost_and_resent()
    }

    /// An acknowledgment advances that echoes this instant, which is told to rules with Eifel; returns the state
    /// to restore if the reduction was spurious. Then nothing is lost.
    #[inline]
    fn on_echo(&mut self, _echo: Time) -> Option<Before> {
        None
    }

    /// The receiver reports the segment that begins with `start` as a duplicate; returns the state to
    /// restore if the reduction was spurious.
    fn on_report(&mut self, _board: &Scoreboard, _start: u64) -> Option<Before> {
        None
    }
}
