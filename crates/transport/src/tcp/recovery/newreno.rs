//! NewReno: a partial acknowledgment sends the next hole again (RFC 6582).
//!
//! Recovery lasts until everything is acknowledged that was outstanding at its begin, and repairs
//! one hole a round trip. The retransmission timer restarts at the first partial acknowledgment
//! only, the "impatient" variant of section 4, so that a long series of holes ends in a timeout and
//! slow start, or at each ([`Timer`]). At the end cwnd is ssthresh (step 3, option 2), or no
//! more than is in flight and a segment ([`Exit`]).
//!
//! INET 2.1 (February 2013) computes the window in another way, for which there are [`Deflation`] and
//! [`Inflation`]. Its cwnd is one unsigned number of 32 bits, `snd_cwnd`, in and out of a recovery;
//! here cwnd stays at ssthresh in a recovery, and `State::inflation` is the difference. Its steps:
//!
//! 1. `TCPNewReno::receivedDuplicateAck`, third duplicate: ssthresh is half of the minimum of cwnd and
//!    the advertised window, at least two segments; cwnd is ssthresh plus three segments. The oldest
//!    segment is sent again.
//! 2. The same, fourth duplicate and each after it: cwnd grows by a segment. In a recovery the first
//!    three of a count do nothing.
//! 3. `TCPConnection::processAckInEstabEtc`: the count is zero after each acknowledgment that advances,
//!    a partial one too.
//! 4. `TCPNewReno::receivedDataAck`, partial acknowledgment: the oldest segment is sent again, then what is
//!    acknowledged is deducted from cwnd modulo 2³², and a segment added if it was at least that much.
//! 5. The same, acknowledgment of everything: cwnd is the minimum of ssthresh and what is in flight plus a
//!    segment, whatever it was before.
//! 6. `TCPNewReno::processRexmitTimer`: ssthresh as in step 1, from a cwnd that may have wrapped, so half of the
//!    advertised window; cwnd is a segment.
//!
//! Steps 2 to 4 are the same in all releases from 2009 (`TCPNewReno` of 27 November) to 2026.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::repair::Repair;
use super::state::{Progress, State};
use crate::tcp::scoreboard::Scoreboard;

/// Fast recovery that retransmits one segment for each partial acknowledgment (RFC 6582).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The window at the end of a recovery: `ssthresh`, or at most the data in `flight` plus a segment.
    /// Default: that of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Which partial acknowledgments restart the retransmission timer: the `first` of a recovery, or
    /// `each`. Default: that of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Timer>,
    /// What is left of the window when partial acknowledgments deduct more than it has: the `floor` of one
    /// segment, or a number that `wraps`. Default in every profile: `floor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deflation: Option<Deflation>,
    /// Which duplicate acknowledgments of a recovery add a segment to the window: `each`, or those
    /// `beyond-threshold`. Default in every profile: `each`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflation: Option<Inflation>,
}

/// The window of NewReno at the end of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoExit")]
pub enum Exit {
    /// ssthresh (RFC 6582 section 3.2 step 3, option 2; ns-2).
    Ssthresh,
    /// At most the data in flight plus one segment, which avoids a burst (RFC 3782 section 3 step 5,
    /// option 1; INET).
    Flight,
}

/// Which partial acknowledgments of a recovery by NewReno restart the retransmission timer (RFC 6582
/// section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoTimer")]
pub enum Timer {
    /// The first: a long series of holes ends in a timeout and slow start ("impatient").
    First,
    /// Each: one hole per round trip, regardless of their number ("slow-but-steady"; INET).
    Each,
}

/// What is left of the window of NewReno when partial acknowledgments deduct more than it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoDeflation")]
pub enum Deflation {
    /// One segment. What was deducted beyond that is missing until duplicates have made up for it.
    Floor,
    /// A number of 32 bits that wraps, a defect of INET: the window is then some 4.29 GB until the recovery
    /// ends, so that `receive-window` and `max-window` alone limit the sender; one of them must be a limit.
    /// With `ssthresh-from = "cwnd"` a timeout before that end sets ssthresh to half of that limit.
    Wraps,
}

/// Which duplicate acknowledgments of a recovery by NewReno add a segment to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoInflation")]
pub enum Inflation {
    /// Each (RFC 5681 section 3.2 step 4).
    Each,
    /// Only those beyond the first `dup-acks` since the last acknowledgment that advanced, a partial one
    /// included: after each partial acknowledgment the first three add nothing (INET).
    BeyondThreshold,
}

#[derive(Clone, Debug)]
pub(super) struct NewReno {
    exit: Exit,
    timer: Timer,
    deflation: Deflation,
    inflation: Inflation,
    /// Partial acknowledgments of this recovery.
    partials: u32,
}

impl Repair for NewReno {
    type Options = Options;

    fn new(options: &Options) -> Self {
        Self {
            exit: options.exit.unwrap_or(Exit::Ssthresh),
            timer: options.timer.unwrap_or(Timer::First),
            deflation: options.deflation.unwrap_or(Deflation::Floor),
            inflation: options.inflation.unwrap_or(Inflation::Each),
            partials: 0,
        }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        Options {
            exit: given.exit.or(profile.exit),
            timer: given.timer.or(profile.timer),
            deflation: given.deflation.or(profile.deflation),
            inflation: given.inflation.or(profile.inflation),
        }
    }

    #[inline]
    fn facts(options: &Options) -> Facts {
        Facts { leaps: options.deflation == Some(Deflation::Wraps), ..Facts::PLAIN }
    }

    /// Step 2 of RFC 6582 section 3.2, and its careful guard: the next fast retransmit waits for an
    /// acknowledgment of more than was outstanding.
    fn enter(&mut self, state: &mut State, _: &mut Scoreboard) {
        self.partials = 0;
        state.inflate_by_duplicates();
        state.guard = state.recover + 1;
    }

    fn on_duplicate(&mut self, state: &mut State) {
        if self.inflation == Inflation::Each || state.dup_acks > state.terms.dup_acks {
            state.inflate();
        }
    }

    /// Step 3: the oldest hole at once, the window less what was acknowledged, plus a segment if it
    /// was at least that much.
    fn on_partial(&mut self, state: &mut State, acked: u64) -> Progress {
        state.inflation = state.inflation.saturating_sub_unsigned(acked);
        if acked >= state.terms.segment {
            state.inflate();
        }
        state.head_due = true;
        self.partials = self.partials.saturating_add(1);
        let each = self.timer == Timer::Each;
        Progress::Partial { restart_timer: each || self.partials == 1 }
    }

    fn window(&self, state: &State, cwnd: u64) -> u64 {
        match self.deflation {
            Deflation::Floor => state.window(cwnd),
            // The remainder of a sum is that of its terms, so only what is used needs to wrap.
            Deflation::Wraps => cwnd.wrapping_add_signed(state.inflation) & u64::from(u32::MAX),
        }
    }

    /// INET's cwnd is the whole window, in a recovery too.
    fn basis(&self, state: &State, cwnd: u64) -> u64 {
        let whole = self.deflation == Deflation::Wraps && state.active;
        if whole { self.window(state, cwnd) } else { cwnd }
    }

    /// RFC 3782 section 3 step 5.
    fn most_at_exit(&self, state: &State, board: &Scoreboard) -> Option<u64> {
        (self.exit == Exit::Flight).then(|| board.flight() + state.terms.segment)
    }
}
