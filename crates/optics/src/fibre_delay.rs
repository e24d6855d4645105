//! Fibre delay lines: by how much a burst can be delayed.

use units::{Span, Time};

use crate::FibreLoopSpec;
use crate::pool::Pool;
use crate::reservation::end_of;

/// No burst is delayed beyond this instant: no run reaches it.
const LAST: Time = Time(1 << 62);

/// The fibre delay lines of a node.
#[derive(Debug, Clone)]
pub(crate) enum DelayLines {
    /// A set of lines for each input channel, ascending.
    ///
    /// A burst passes one of them at most once. Bursts of one channel never overlap, so none meets
    /// another in its line, whatever the length of the line: nothing is reserved.
    Set(Vec<Span>),
    /// A pool of looped lines for the node.
    Loop(FibreLoopSpec, Pool),
}

/// A delay for a burst, and the line that it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Delay {
    pub(crate) shift: Span,
    line: Option<usize>,
}

impl Delay {
    /// None at all.
    pub(crate) const ZERO: Self = Self { shift: Span::ZERO, line: None };
}

impl DelayLines {
    /// A set of lines, or a loop.
    pub(crate) fn new(delays: &[Span], looped: Option<FibreLoopSpec>) -> Self {
        if let Some(fibre) = looped {
            assert!(delays.is_empty(), "delay lines are a set or a loop");
            Self::Loop(fibre, Pool::new(fibre.lines))
        } else {
            assert!(delays.is_sorted(), "delay lines come in ascending order");
            Self::Set(delays.to_vec())
        }
    }

    /// How many delays there are to try, none not counted.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Set(delays) => delays.len(),
            Self::Loop(fibre, _) => fibre.turns as usize,
        }
    }

    /// The delay that comes after `tried` others, none included, for a burst that enters the lines
    /// at `start`; nothing where there are no more. Reserves nothing.
    ///
    /// In a loop, turn k shifts the burst by k times the sum of the line's delay and the burst's
    /// length: it enters the line again when it has come out whole. This is the rule of the ns-2
    /// extension of the paper's authors.
    ///
    /// Deviation: there, a burst may change the line at each turn and holds one only while it
    /// enters. Here it stays in one line and holds it from its first bit's entry until its last bit
    /// has left, [start, start + shift + length), which is what a loop of fibre can do.
    pub(crate) fn get(&self, tried: usize, start: Time, length: Span) -> Option<Delay> {
        let Some(before) = tried.checked_sub(1) else {
            return Some(Delay::ZERO);
        };
        match self {
            Self::Set(delays) => delays.get(before).map(|&shift| Delay { shift, line: None }),
            Self::Loop(fibre, lines) => {
                let turn = tried as u64;
                if turn > u64::from(fibre.turns) {
                    return None;
                }
                let once = fibre.delay.0.saturating_add(length.0);
                let shift = Span(once.saturating_mul(turn));
                if start.saturating_add(shift) > LAST {
                    return None;
                }
                let line = lines.find(start, end_of(start, shift + length))?;
                Some(Delay { shift, line: Some(line) })
            }
        }
    }

    /// Holds the line of a delay.
    pub(crate) fn hold(&mut self, delay: Delay, start: Time, length: Span) {
        if let (Self::Loop(_, lines), Some(line)) = (self, delay.line) {
            lines.hold(line, start, end_of(start, delay.shift + length));
        }
    }

    pub(crate) fn forget(&mut self, now: Time) {
        if let Self::Loop(_, lines) = self {
            lines.forget(now);
        }
    }
}
