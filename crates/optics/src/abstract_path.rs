//! The abstract deflection path of He and Chan (2003): a cost that changes with time, and losses.

use random::{Stream, normal_quantile};
use units::{Span, Time};

use crate::spec::Hold;

/// A path outside the network for the deflected packets of one class: its deflection cost
/// tc = max(0, N(µ, σ)) holds for a time tv, then both are drawn anew (section II.B of the paper).
#[derive(Debug, Clone)]
pub struct AbstractPath {
    mean: Span,
    deviation: Span,
    hold: Hold,
    congestion: f64,
    cost: Span,
    /// The time until which the cost is valid.
    until: Time,
    costs: Stream,
    losses: Stream,
}

impl AbstractPath {
    /// A path whose cost is drawn for the first time at the start of the run.
    pub fn new(
        (mean, deviation): (Span, Span),
        hold: Hold,
        congestion: f64,
        (costs, losses): (Stream, Stream),
    ) -> Self {
        let (cost, until) = (Span::ZERO, Time::ZERO);
        Self { mean, deviation, hold, congestion, cost, until, costs, losses }
    }

    /// The deflection cost at `now`. Costs hold over [t, t + tv) and are drawn in the order of time
    /// whether or not a packet asks: the draws do not depend on the packets.
    pub fn cost(&mut self, now: Time) -> Span {
        while self.until <= now {
            let normal = normal_quantile(self.costs.open_uniform());
            let cost = self.mean.0 as f64 + self.deviation.0 as f64 * normal;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "≥ 0")]
            let cost = cost.max(0.0).round() as u64;
            self.cost = Span(cost);
            let wide = self.hold.to.0 - self.hold.from.0;
            let held = self.hold.from.0 + self.costs.below(wide + 1);
            self.until = self.until.saturating_add(Span(held));
        }
        self.cost
    }

    /// Whether the path loses the next packet. One draw per packet, for any probability.
    pub fn loses(&mut self) -> bool {
        self.losses.chance(self.congestion)
    }
}
