//! RACK-TLP (RFC 8985): losses are detected by time, not by counting.
//!
//! A segment is lost if a segment that was sent later has arrived and a timeout has passed: a round trip and
//! the reordering window. This window is a quarter of the minimum round-trip time, longer where duplicates
//! show that it was too short, and zero from the third sacked segment on, as long as no reordering has been
//! seen. The loss of a retransmission is detected in the same way. If no acknowledgment follows the last
//! segment, a probe requests one (`probe`); if all retransmissions prove to be spurious, the window is
//! restored (`undo` beside this folder).
//!
//! The names in brackets are those of RFC 8985.
//!
//! `Deviation:` of two segments sent at the same instant, the one handed over later was sent later; the RFC,
//! which has only clocks, compares their sequence numbers.
//!
//! `Deviation:` before the first measurement of the round-trip time there is no timer for the probe: it would
//! expire with the retransmission timer, and section 7.3 forbids a probe then.
//!
//! `Deviation:` the minimum round-trip time is that of the whole connection; section 6.2 step 1 recommends
//! that of a window of time. The timers for reordering and for the probe run in parallel with the
//! retransmission timer, which is not stopped (section 8).
//!
//! Section 9.3 recommends proportional rate reduction, which is an option (`prr`). Without it recovery sends as
//! much as the reduced window permits, as in RFC 6675, and losses among these segments reduce the window
//! again, as the section requires in this case.

mod detector;
mod probe;
mod segments;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use detector::{Arrival, Detector};
use probe::Answer;

use super::rule::Rule;
use super::state::{Before, Choice, Found, News, Noted, Progress, Quiet, State};
use crate::segment::{SackBlocks, Segment};
use crate::tcp::scoreboard::Scoreboard;

/// Loss detection by time from selective acknowledgments, with a probe for losses at the tail (RACK-TLP,
/// RFC 8985); duplicates are reported (RFC 2883).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether a reduction of the window is undone when the receiver reports all retransmissions as
    /// duplicates (RFC 3708), as in Linux.
    pub undo: bool,
    /// Whether the window is reduced in proportion to what arrives (RFC 9937), and once a recovery. Default:
    /// false; true in the profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Whether a reduction of the window is undone when an acknowledgment echoes an instant from before anything was sent
    /// again (the Eifel detection, RFC 3522), as in Linux; it needs `timestamps`. Default: false; true in the profile
    /// `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifel: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { undo: true, prr: None, eifel: None }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Rack {
    undoes: bool,
    prr: bool,
    /// Boxed: it is large, and few connections of a run have losses at the same time.
    detector: Box<Detector>,
}

impl Rule for Rack {
    type Options = Options;

    fn new(options: &Options) -> Self {
        let prr = options.prr == Some(true);
        Self { undoes: options.undo, prr, detector: Box::new(Detector::new()) }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        let (prr, eifel) = (given.prr.or(profile.prr), given.eifel.or(profile.eifel));
        Options { prr, eifel, ..given.clone() }
    }

    fn has_prr(&self) -> bool {
        self.prr
    }

    fn losses(&self, _: &Scoreboard) -> u64 {
        self.detector.losses()
    }

    fn last_rtt(&self) -> Option<Span> {
        self.detector.last_rtt()
    }

    fn lost_and_resent(&self, _: &Scoreboard) -> (u64, u64) {
        self.detector.lost_and_resent()
    }

    fn has_sack() -> bool {
        true
    }

    fn has_reports(_: &Options) -> bool {
        true
    }

    fn has_eifel(options: &Options) -> bool {
        options.eifel == Some(true)
    }

    fn waits() -> bool {
        true
    }

    fn enter(&mut self, state: &mut State, board: &mut Scoreboard) {
        state.enter_by_sack(board);
        self.detector.on_recovery();
    }

    /// Duplicates are not counted.
    fn shows_loss(&self, _: &State, _: &Scoreboard) -> bool {
        false
    }

    fn on_partial(&mut self, _: &mut State, _: u64) -> Progress {
        Progress::Partial { restart_timer: true }
    }

    fn on_timeout(&mut self, state: &mut State, now: Time, srtt: Option<Span>, repairs: bool) {
        let window = self.reordering_window(state, repairs, srtt);
        self.detector.on_timeout(now, window);
        // Segments not deemed lost may fill the window; the oldest is retransmitted nevertheless.
        state.head_due = true;
    }

    fn pipe(&self, board: &Scoreboard) -> u64 {
        self.detector.pipe(board.flight())
    }

    fn has_lost(&self) -> bool {
        self.detector.has_lost()
    }

    fn head(&mut self, _: &Scoreboard) -> Option<Choice> {
        self.detector.first_lost().map(|(start, end)| Choice::Resend(start, end))
    }

    fn choose(&mut self, _: &State, board: &Scoreboard) -> Choice {
        self.head(board).unwrap_or(Choice::New)
    }

    fn on_sent(&mut self, now: Time, (start, end): (u64, u64), resent: bool) {
        if resent {
            self.detector.resend(start, now);
            self.detector.undo.on_resent(start, now);
        } else {
            self.detector.send(start, end, now);
        }
    }

    fn on_arrivals(
        &mut self,
        state: &State,
        board: &mut Scoreboard,
        now: Time,
        segment: &Segment,
    ) -> Noted {
        let detector = &mut *self.detector;
        let echo = if state.terms.timestamps { segment.ts_ecr } else { Time::NEVER };
        let arrival = Arrival { now, echo };
        detector.acknowledge(segment.ack, arrival);
        let blocks = segment.sack.ahead();
        let mut ascending = [(0, 0); SackBlocks::MAX];
        let ascending = &mut ascending[..blocks.len()];
        ascending.copy_from_slice(blocks);
        ascending.sort_unstable();
        let mut news = 0;
        for &mut (start, end) in ascending {
            let (start, end) = (segment.ack + u64::from(start), segment.ack + u64::from(end));
            news += board.sack_parts(start, end, |start, end| detector.sack(start, end, arrival));
        }
        let octet = |offset| segment.ack.saturating_add_signed(offset);
        let duplicate = segment.sack.duplicate().map(|(start, end)| (octet(start), octet(end)));
        let repaired = detector.probe.on_ack(&Answer {
            ack: segment.ack,
            advances: segment.ack > board.una(),
            duplicate_end: duplicate.map_or(0, |(_, end)| end),
            has_sack: !segment.sack.is_empty(),
        });
        Noted { news, duplicate: duplicate.map(|(start, _)| start), repaired }
    }

    fn keep_news(&mut self) {
        self.detector.keep_news();
    }

    fn news(&mut self) -> Option<&mut News> {
        self.detector.news()
    }

    fn on_measured(&mut self, rtt: Span) {
        self.detector.on_measured(rtt);
    }

    fn on_over(&mut self) {
        self.detector.on_exit();
    }

    fn split(&mut self) {
        self.detector.split();
    }

    fn change_network(&mut self) {
        self.detector.change_network();
    }

    fn take_elsewhere_lost(&mut self) -> bool {
        self.detector.take_elsewhere_lost()
    }

    fn take_elsewhere_arrived(&mut self) -> u64 {
        self.detector.take_elsewhere_arrived()
    }

    fn find_lost(
        &mut self,
        state: &State,
        board: &Scoreboard,
        now: Time,
        srtt: Option<Span>,
    ) -> Found {
        let repairs = state.repairs(board);
        let window = self.reordering_window(state, repairs, srtt);
        let Some(transmission) = self.detector.find_lost(now, window) else {
            return Found::Nothing;
        };
        if repairs {
            let again = self.detector.reduces_again(transmission);
            if again && !self.prr { Found::LossAgain } else { Found::Nothing }
        } else if state.allows(board) {
            Found::Loss
        } else {
            Found::Nothing
        }
    }

    fn deadline(&self) -> Time {
        self.detector.deadline()
    }

    fn is_due(&self, now: Time) -> bool {
        self.detector.is_due(now)
    }

    fn probe_expires(&mut self, now: Time) -> bool {
        self.detector.probe.expires(now)
    }

    /// Section 7.2.
    fn on_quiet(&mut self, state: &State, board: &Scoreboard, quiet: &Quiet) {
        let detector = &mut *self.detector;
        if state.repairs(board) || detector.in_flight() == 0 || detector.has_sacked() {
            return detector.probe.disarm();
        }
        let single = detector.in_flight() == 1;
        let ack_delay = if single { state.terms.ack_delay } else { Span::ZERO };
        detector.probe.arm(quiet, ack_delay);
    }

    fn take_probe(&mut self) -> Option<(u64, u64)> {
        if self.detector.probe.take_due() { self.detector.last() } else { None }
    }

    fn on_probe(&mut self, end: u64, repeats: Option<u64>) {
        self.detector.probe.on_sent(end, repeats);
        self.detector.probe.disarm();
    }

    fn keep(&mut self, before: impl FnOnce() -> Before) {
        let probe = self.detector.probe.repeated();
        self.detector.undo.begin(before(), probe);
    }

    fn forget(&mut self) {
        self.detector.undo.forget();
    }

    fn on_echo(&mut self, echo: Time) -> Option<Before> {
        let before = self.detector.undo.on_echo(echo)?;
        self.detector.lose_nothing();
        Some(before)
    }

    fn on_report(&mut self, board: &Scoreboard, start: u64) -> Option<Before> {
        self.detector.on_duplicate(board.una(), board.high());
        let some_wait = self.detector.has_lost();
        let before = self.detector.undo.on_duplicate(start, some_wait)?;
        self.undoes.then_some(before)
    }
}

impl Rack {
    fn reordering_window(&self, state: &State, repairs: bool, srtt: Option<Span>) -> Span {
        let srtt = srtt.unwrap_or(Span(u64::MAX));
        self.detector.reordering_window(repairs, state.terms.dup_acks, srtt)
    }
}
