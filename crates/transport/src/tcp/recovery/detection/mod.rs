//! How losses are detected: by duplicate acknowledgments, by the blocks of selective ones, or by time.

mod time;

use units::Time;

pub(crate) use time::Detector;

use super::facts::{Facts, Means};
use super::state::{Choice, Noted, State};
use crate::segment::Segment;
use crate::tcp::scoreboard::Scoreboard;

/// The detection of losses of a connection.
#[derive(Clone, Debug)]
pub(super) enum Detection {
    /// Duplicate acknowledgments are counted.
    Duplicates,
    /// In addition the scoreboard knows what has arrived (RFC 6675).
    Blocks {
        /// Whether the receiver reports duplicates.
        has_reports: bool,
    },
    /// Each segment is known (RFC 8985). Boxed: it is large, and few connections of a run have losses at the same time.
    Time(Box<Detector>),
}

impl Detection {
    pub(super) fn new(facts: Facts) -> Self {
        match facts.detects_by {
            Means::Duplicates => Self::Duplicates,
            Means::Blocks => Self::Blocks { has_reports: facts.has_reports },
            Means::Time => Self::Time(Box::new(Detector::new())),
        }
    }

    /// Whether there are selective acknowledgments.
    #[inline]
    pub(super) fn has_sack(&self) -> bool {
        !matches!(self, Self::Duplicates)
    }

    /// What is known of each segment, where that is so.
    #[inline]
    pub(super) fn by_time(&self) -> Option<&Detector> {
        if let Self::Time(time) = self { Some(time) } else { None }
    }

    /// What is known of each segment, where that is so.
    #[inline]
    pub(super) fn by_time_mut(&mut self) -> Option<&mut Detector> {
        if let Self::Time(time) = self { Some(time) } else { None }
    }

    /// Whether the duplicate acknowledgments since the last that advanced show a loss.
    pub(super) fn shows_loss(&self, state: &State, board: &Scoreboard) -> bool {
        let enough = state.dup_acks >= state.terms.dup_acks;
        match self {
            Self::Duplicates => enough,
            Self::Blocks { .. } => enough || board.head_is_lost(),
            Self::Time(_) => false,
        }
    }

    /// A number that grows with each loss that is found.
    pub(super) fn losses(&self, board: &Scoreboard) -> u64 {
        self.by_time().map_or_else(|| board.lost_below(), Detector::losses)
    }

    /// Octets that are deemed lost and have not arrived, sent again or not, and those sent again that are
    /// deemed to be in the network.
    pub(super) fn lost_and_resent(&self, board: &Scoreboard) -> (u64, u64) {
        self.by_time().map_or_else(|| board.lost_and_resent(), Detector::lost_and_resent)
    }

    /// Whether some octets are deemed lost that were not sent again.
    pub(super) fn has_lost(&self, board: &Scoreboard) -> bool {
        match self {
            Self::Time(time) => time.has_lost(),
            Self::Duplicates | Self::Blocks { .. } => board.next_hole(board.lost_below()).is_some(),
        }
    }

    /// Octets deemed to be in the network.
    #[inline]
    pub(super) fn pipe(&self, board: &Scoreboard) -> u64 {
        match self {
            Self::Time(time) => time.pipe(board.flight()),
            Self::Duplicates | Self::Blocks { .. } => board.pipe(),
        }
    }

    /// The octets in flight that the window is compared with: without limited transmit, duplicates make no room.
    #[inline]
    pub(super) fn in_flight(&self, state: &State, board: &Scoreboard) -> u64 {
        if let Self::Blocks { .. } = self
            && !state.terms.limited_transmit
            && state.counts_duplicates()
            && !state.goes_back(board)
        {
            return board.flight();
        }
        self.pipe(board)
    }

    /// The oldest hole, to be sent at once.
    pub(super) fn head(&mut self, board: &Scoreboard) -> Option<Choice> {
        let (start, end) = match self {
            Self::Duplicates | Self::Blocks { .. } => board.head(),
            Self::Time(time) => time.first_lost()?,
        };
        let aside = matches!(self, Self::Duplicates);
        Some(if aside { Choice::ResendAside(start, end) } else { Choice::Resend(start, end) })
    }

    /// What to send when the window allows a segment.
    #[inline]
    pub(super) fn choose(&mut self, state: &State, board: &Scoreboard) -> Choice {
        match self {
            Self::Duplicates => state.choose(board, 0),
            Self::Blocks { .. } => state.choose(board, board.lost_below()),
            Self::Time(_) => self.head(board).unwrap_or(Choice::New),
        }
    }

    /// Notes what an acknowledgment says to have arrived, in its number and in its blocks.
    #[inline]
    pub(super) fn on_arrivals(
        &mut self,
        state: &State,
        board: &mut Scoreboard,
        now: Time,
        segment: &Segment,
    ) -> Noted {
        match self {
            Self::Duplicates => Noted::default(),
            Self::Blocks { .. } if segment.sack.is_empty() => Noted::default(),
            Self::Blocks { has_reports } => note_blocks(state, board, segment, *has_reports),
            Self::Time(time) => time.on_arrivals(state, board, now, segment),
        }
    }
}

/// `Update()` of RFC 6675 section 4.
#[inline]
fn note_blocks(
    state: &State,
    board: &mut Scoreboard,
    segment: &Segment,
    has_reports: bool,
) -> Noted {
    let mut news = 0;
    let duplicate = has_reports.then(|| segment.sack.duplicate()).flatten();
    let blocks = if duplicate.is_some() { segment.sack.ahead() } else { segment.sack.as_slice() };
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
