//! Recovery from selective acknowledgments (RFC 6675).
//!
//! `choose` is rule 1 of `NextSeg`, new data are rule 2, and `choose_without_new` has rules 3 and 4.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Time;

use super::rule::Rule;
use super::state::{Before, Choice, Noted, Progress, State};
use super::undo::Undo;
use crate::segment::Segment;
use crate::tcp::scoreboard::Scoreboard;

/// Recovery from selective acknowledgments (RFC 6675).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether the window is reduced in proportion to what arrives (RFC 9937). Default: false; true in the
    /// profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Whether the receiver reports duplicates (RFC 2883), and a reduction of the window is undone when it has reported
    /// all retransmissions so (RFC 3708), as in Linux.
    pub undo: bool,
    /// Whether a reduction of the window is undone when an acknowledgment echoes an instant from before anything was sent
    /// again (the Eifel detection, RFC 3522), as in Linux; it needs `timestamps`. Default: false; true in the profile
    /// `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifel: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Sack {
    prr: bool,
    has_reports: bool,
    /// `RescueRxt` of RFC 6675: one rescue until this is acknowledged.
    rescued_to: u64,
    /// Boxed: few connections have losses at the same time.
    undo: Option<Box<Undo>>,
}

impl Rule for Sack {
    type Options = Options;

    fn new(options: &Options) -> Self {
        let has_reports = options.undo;
        let undo = (has_reports || Self::has_eifel(options)).then(Box::default);
        Self { prr: options.prr == Some(true), has_reports, rescued_to: 0, undo }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        Options { prr: given.prr.or(profile.prr), eifel: given.eifel.or(profile.eifel), ..*given }
    }

    fn has_prr(&self) -> bool {
        self.prr
    }

    fn has_sack() -> bool {
        true
    }

    fn has_reports(options: &Options) -> bool {
        options.undo
    }

    fn has_eifel(options: &Options) -> bool {
        options.eifel == Some(true)
    }

    fn enter(&mut self, state: &mut State, board: &mut Scoreboard) {
        state.enter_by_sack(board);
        self.rescued_to = 0;
    }

    fn shows_loss(&self, state: &State, board: &Scoreboard) -> bool {
        state.dup_acks >= state.terms.dup_acks || board.head_is_lost()
    }

    fn on_partial(&mut self, _: &mut State, _: u64) -> Progress {
        Progress::Partial { restart_timer: true }
    }

    #[inline]
    fn in_flight(&self, state: &State, board: &Scoreboard) -> u64 {
        let no_limited_transmit =
            !state.terms.limited_transmit && state.counts_duplicates() && !state.goes_back(board);
        if no_limited_transmit { board.flight() } else { board.pipe() }
    }

    fn head(&mut self, board: &Scoreboard) -> Option<Choice> {
        let (start, end) = board.head();
        Some(Choice::Resend(start, end))
    }

    #[inline]
    fn choose(&mut self, state: &State, board: &Scoreboard) -> Choice {
        state.choose(board, board.lost_below())
    }

    /// `NextSeg` rule 3, a hole below the highest sacked octet that is not yet deemed lost; then
    /// rule 4, the rescue: once a recovery, the end of the highest hole.
    fn choose_without_new(&mut self, state: &State, board: &Scoreboard) -> Option<Choice> {
        if !state.active {
            return None;
        }
        if let Some((start, end)) = board.next_hole(board.sacked_up_to()) {
            return Some(Choice::Resend(start, end));
        }
        if board.una() < self.rescued_to {
            return None;
        }
        let (start, end) = board.last_hole(state.terms.segment)?;
        self.rescued_to = state.recover;
        Some(Choice::ResendAside(start, end))
    }

    #[inline]
    fn on_arrivals(
        &mut self,
        state: &State,
        board: &mut Scoreboard,
        _: Time,
        segment: &Segment,
    ) -> Noted {
        if segment.sack.is_empty() {
            return Noted::default();
        }
        let mut news = 0;
        let duplicate = self.has_reports.then(|| segment.sack.duplicate()).flatten();
        let blocks =
            if duplicate.is_some() { segment.sack.ahead() } else { segment.sack.as_slice() };
        for &(start, end) in blocks {
            news += board.sack(segment.ack + u64::from(start), segment.ack + u64::from(end));
        }
        if news > 0 {
            let dup_acks = state.terms.dup_acks;
            let octets = u64::from(dup_acks - 1) * state.terms.segment;
            board.find_lost(dup_acks, octets);
        }
        let duplicate = duplicate.map(|(start, _)| segment.ack.saturating_add_signed(start));
        Noted { news, duplicate, ..Noted::default() }
    }

    fn on_sent(&mut self, now: Time, (start, _): (u64, u64), resent: bool) {
        if let Some(undo) = self.undo.as_mut().filter(|_| resent) {
            undo.on_resent(start, now);
        }
    }

    fn keep(&mut self, before: impl FnOnce() -> Before) {
        if let Some(undo) = &mut self.undo {
            undo.begin(before(), None);
        }
    }

    fn forget(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.forget();
        }
    }

    fn on_echo(&mut self, echo: Time) -> Option<Before> {
        self.undo.as_mut()?.on_echo(echo)
    }

    /// A hole that is lost and not sent again would still be missing.
    fn on_report(&mut self, board: &Scoreboard, start: u64) -> Option<Before> {
        let some_wait = board.next_hole(board.lost_below()).is_some();
        self.undo.as_mut()?.on_duplicate(start, some_wait)
    }
}
