//! The controller that PIE (RFC 8033 section 4.2) and DualPI2 (RFC 9332 section 2.5) have in common: a probability that
//! follows the distance of a delay from its target, and its growth.
//!
//! Updates are at fixed instants, and computed when they are asked for.

use units::{Span, Time};

/// The state of a controller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Controller {
    /// The delay at which the queue is held.
    target: Span,
    /// The time between updates.
    update: Span,
    /// The gains, in Hz.
    alpha: f64,
    beta: f64,
    /// What is controlled.
    pub(super) probability: f64,
    /// The delay at the last update.
    pub(super) before: Span,
    /// When the next update is due.
    pub(super) due: Time,
}

impl Controller {
    pub(super) fn new(target: Span, update: Span, [alpha, beta]: [f64; 2]) -> Self {
        let (probability, before, due) = (0.0, Span::ZERO, Time::ZERO + update);
        Self { target, update, alpha, beta, probability, before, due }
    }

    /// The delay at the next update that has come, if one has; `delay` says it for an instant. The caller notes it by
    /// [`Self::note`]. Of those that change nothing, since nothing waits and nothing has, there is one.
    pub(super) fn next_update(
        &mut self,
        now: Time,
        delay: impl FnOnce(Time) -> Span,
    ) -> Option<Span> {
        if self.due > now {
            return None;
        }
        let found = delay(self.due);
        let is_idle = found == Span::ZERO && self.before == Span::ZERO && self.probability == 0.0;
        let steps = if is_idle { now.since(self.due).0 / self.update.0 + 1 } else { 1 };
        self.due = self.due.saturating_add(Span(steps * self.update.0));
        Some(found)
    }

    /// By how much the probability changes where the delay is this one now.
    pub(super) fn change(&self, delay: Span) -> f64 {
        let seconds = delay.as_secs_f64();
        self.alpha * (seconds - self.target.as_secs_f64())
            + self.beta * (seconds - self.before.as_secs_f64())
    }

    /// An update is over: the probability, which is kept between 0 and 1, and the delay.
    pub(super) fn note(&mut self, probability: f64, delay: Span) {
        (self.probability, self.before) = (probability.clamp(0.0, 1.0), delay);
    }
}
