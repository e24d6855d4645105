//! What a loss recovery is made of, apart from its repair.

use crate::tcp::congestion::Signal;

/// How a recovery detects losses, and what it takes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// How losses are detected.
    pub(super) detects_by: Means,
    /// Whether the receiver reports duplicates (RFC 2883).
    pub(super) has_reports: bool,
    /// What shows that a reduction was spurious, which is undone then.
    pub(super) undoes_by: Evidence,
    /// Whether a reduced window is approached in proportion (RFC 9937).
    pub(super) has_prr: bool,
    /// Whether the window may become as large as its limits at once.
    pub(super) leaps: bool,
    /// The signal of a loss to the window rule.
    pub(super) signal: Signal,
}

/// How losses are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// By the number of duplicate acknowledgments (RFC 5681).
    Duplicates,
    /// By that, and by what selective acknowledgments say to have arrived (RFC 6675).
    Blocks,
    /// By the time since a segment was sent that a later one has overtaken (RFC 8985): more than the window may be
    /// outstanding.
    Time,
}

/// What shows that a reduction was spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// Reports of all copies as duplicates (RFC 3708).
    pub(super) reports: bool,
    /// The echo of an instant from before anything was sent again (RFC 3522).
    pub(super) echoes: bool,
}

impl Facts {
    /// Duplicate acknowledgments are counted, and nothing is undone.
    pub(super) const PLAIN: Self = Self {
        detects_by: Means::Duplicates,
        has_reports: false,
        undoes_by: Evidence { reports: false, echoes: false },
        has_prr: false,
        leaps: false,
        signal: Signal::Loss,
    };
}
