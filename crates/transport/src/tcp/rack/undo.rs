//! Taking back a reduction of the window: when the receiver has reported every segment that was sent again
//! as a duplicate (RFC 2883), nothing was lost (RFC 3708), and the window is what it was (as in Linux;
//! RFC 9438 section 4.9 for what CUBIC restores).

use crate::tcp::congestion::Congestion;

/// What would be restored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undo {
    /// The window rule before the reduction.
    before: Option<Congestion>,
    /// What was in flight then.
    octets: (u64, u64),
    /// Segments of it that were sent again and not reported as duplicates.
    open: u32,
    /// Whether any was sent again.
    any: bool,
}

impl Undo {
    /// The window is about to be reduced, with `octets` in flight.
    pub(crate) fn begin(&mut self, before: &Congestion, octets: (u64, u64)) {
        *self = Self { before: Some(before.clone()), octets, open: 0, any: false };
    }

    /// A segment is sent again.
    pub(crate) fn on_resent(&mut self, start: u64, end: u64) {
        if self.before.is_some() && self.holds(start, end) {
            self.open += 1;
            self.any = true;
        }
    }

    /// A segment was reported as a duplicate; what is to be restored, if that was the last one.
    pub(crate) fn on_duplicate(&mut self, start: u64, end: u64) -> Option<Congestion> {
        if !self.any || !self.holds(start, end) {
            return None;
        }
        self.open = self.open.saturating_sub(1);
        if self.open > 0 {
            return None;
        }
        self.any = false;
        self.before.take()
    }

    fn holds(&self, start: u64, end: u64) -> bool {
        self.octets.0 <= start && end <= self.octets.1
    }
}
