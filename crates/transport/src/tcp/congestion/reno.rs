//! Slow start and congestion avoidance (RFC 5681 section 3.1).

use super::{Acked, Congested, Window};

/// RFC 5681's window: doubles in slow start, then grows by a segment a round trip; a loss halves.
#[derive(Clone, Debug)]
pub struct Reno {
    window: Window,
}

impl Reno {
    pub(super) fn new(window: Window) -> Self {
        Self { window }
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    pub(super) fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    #[inline]
    pub(super) fn on_acked(&mut self, acked: &Acked) {
        self.window.grow(acked, 1.0);
    }

    pub(super) fn on_congested(&mut self, congested: &Congested) {
        self.window.reduce(congested, 0.5);
    }
}
