//! A retransmission timer that is an average of round-trip times: T of Minakhmetov et al. (2018),
//! section 2.
//!
//! | when | T becomes |
//! | --- | --- |
//! | at the start | the initial timeout |
//! | the timer expires | α T, at most the maximum |
//! | an acknowledgment came after γ | β γ + (1 − β) T, rounded up to a picosecond |
//!
//! The timer is T′ = T + p τ. With `feedback` the next update starts from T′ instead of T, the other
//! reading of "instead of T we take T′ as update": T′ becomes β γ + (1 − β) T′ + p τ, which comes to
//! rest at γ + p τ/β in place of γ + p τ. The maximum bounds what α gives, in both readings; p τ
//! comes on top.

use units::Span;

/// α of Minakhmetov, Ware and Iannone 2018.
pub(crate) const RTO_BACKOFF: f64 = 1.1;
/// Their β.
pub(crate) const RTO_WEIGHT: f64 = 0.5;

/// The parameters of a connection's timer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// α, above 1.
    pub(crate) backoff: f64,
    /// β, between 0 and 1.
    pub(crate) weight: f64,
    /// The most that T becomes.
    pub(crate) max: Span,
    /// p τ.
    pub(crate) margin: Span,
    /// Whether updates start from T′.
    pub(crate) feedback: bool,
}

/// T; with feedback T′.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rto(Span);

impl Rto {
    /// Before the first measurement: the timer is `initial` + p τ in both readings.
    pub(crate) fn new(law: &Law, initial: Span) -> Self {
        Self(if law.feedback { longer(initial, law.margin) } else { initial })
    }

    /// The timer T′.
    pub(crate) fn timer(self, law: &Law) -> Span {
        if law.feedback { self.0 } else { longer(self.0, law.margin) }
    }

    /// The timer has expired.
    pub(crate) fn expired(&mut self, law: &Law) {
        self.set(law, self.0.scaled(law.backoff));
    }

    /// An acknowledgment came after `rtt`.
    pub(crate) fn acknowledged(&mut self, law: &Law, rtt: Span) {
        // From the lower of the two upwards, so that no rounding takes T below both.
        let (low, share) =
            if rtt <= self.0 { (rtt, 1.0 - law.weight) } else { (self.0, law.weight) };
        let above = share * rtt.0.abs_diff(self.0.0) as f64;
        self.set(law, longer(low, Span(whole(above.ceil()))));
    }

    fn set(&mut self, law: &Law, value: Span) {
        self.0 = value.min(law.max);
        if law.feedback {
            self.0 = longer(self.0, law.margin);
        }
    }
}

fn longer(span: Span, by: Span) -> Span {
    Span(span.0.saturating_add(by.0))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn whole(picoseconds: f64) -> u64 {
    picoseconds as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMMA: Span = Span::from_ps(67_251_200);
    const TAU: Span = Span::from_ns(7_200);

    fn law(margin: Span, feedback: bool) -> Law {
        Law { backoff: 1.1, weight: 0.5, max: Span::from_secs(60), margin, feedback }
    }

    fn start(law: &Law) -> Rto {
        Rto::new(law, Span::from_ms(1))
    }

    #[test]
    fn each_expiry_takes_it_up_by_a_tenth_to_the_maximum() {
        let law = law(Span::ZERO, false);
        let mut rto = start(&law);
        let mut found = Vec::new();
        for _ in 0..4 {
            rto.expired(&law);
            found.push(rto.timer(&law).0);
        }
        assert_eq!(found, [1_100_000_000, 1_210_000_000, 1_331_000_000, 1_464_100_000]);
        // 1.1^115 = 57,571 and 1.1^116 = 63,328: the 116th expiry would pass 60 s.
        for _ in 4..115 {
            rto.expired(&law);
        }
        assert_eq!(rto.timer(&law).0 / 1_000_000_000_000, 57);
        for _ in 0..3 {
            rto.expired(&law);
            assert_eq!(rto.timer(&law), Span::from_secs(60));
        }
    }

    #[test]
    fn an_acknowledgment_takes_it_half_the_way_and_is_rounded_up() {
        let law = law(Span::ZERO, false);
        let mut rto = start(&law);
        let mut found = Vec::new();
        for rtt in [200_000_000, 200_000_000, 200_000_001, 900_000_000] {
            rto.acknowledged(&law, Span(rtt));
            found.push(rto.timer(&law).0);
        }
        assert_eq!(found, [600_000_000, 400_000_000, 300_000_001, 600_000_001]);
    }

    #[test]
    fn other_weights_are_weights_of_the_new_measurement() {
        let law = Law { weight: 0.2, ..law(Span::ZERO, false) };
        let mut rto = start(&law);
        rto.acknowledged(&law, Span::from_us(100));
        assert_eq!(rto.timer(&law), Span::from_us(820), "0.2 · 100 + 0.8 · 1000");
        rto.acknowledged(&law, Span::from_us(1820));
        assert_eq!(rto.timer(&law), Span::from_us(1020), "0.2 · 1820 + 0.8 · 820");
    }

    #[test]
    fn within_20_acknowledgments_it_falls_to_the_round_trip_time_and_never_below() {
        let law = law(Span::ZERO, false);
        let mut rto = start(&law);
        for n in 1..=100 {
            rto.acknowledged(&law, GAMMA);
            let above = rto.timer(&law) - GAMMA;
            // (1 ms − γ)/2^20 is 0.9 ns, /2^30 less than a picosecond.
            assert!(n < 20 || above < Span::from_ns(1), "after {n}: {above}");
            assert!(n < 30 || above <= Span::from_ps(1), "after {n}: {above}");
        }
    }

    #[test]
    fn the_two_readings_come_to_rest_at_p_tau_and_at_p_tau_over_beta() {
        for (weight, margin) in [(0.5, TAU * 4), (0.5, TAU), (0.25, TAU * 4)] {
            let plain = Law { weight, ..law(margin, false) };
            let fed_back = Law { weight, ..law(margin, true) };
            let (mut one, mut other) = (start(&plain), start(&fed_back));
            assert_eq!(one.timer(&plain), Span::from_ms(1) + margin);
            assert_eq!(other.timer(&fed_back), Span::from_ms(1) + margin);
            for _ in 0..200 {
                one.acknowledged(&plain, GAMMA);
                other.acknowledged(&fed_back, GAMMA);
            }
            let within = |timer: Span, rest: Span| timer >= rest && timer.0 - rest.0 <= 4;
            assert!(within(one.timer(&plain), GAMMA + margin));
            let over_beta = margin.scaled(1.0 / weight);
            assert!(within(other.timer(&fed_back), GAMMA + over_beta));
        }
    }

    #[test]
    fn the_maximum_bounds_t_and_the_margin_comes_on_top_in_both_readings() {
        for feedback in [false, true] {
            let law = law(TAU, feedback);
            let mut rto = start(&law);
            for _ in 0..200 {
                rto.expired(&law);
            }
            assert_eq!(rto.timer(&law), Span::from_secs(60) + TAU);
        }
    }

    #[test]
    fn an_expiry_starts_from_the_timer_itself_with_feedback_alone() {
        let margin = Span::from_us(100);
        let timers = [false, true].map(|feedback| {
            let law = law(margin, feedback);
            let mut rto = start(&law);
            rto.expired(&law);
            rto.timer(&law)
        });
        // 1.1 · 1000 + 100, and 1.1 · (1000 + 100) + 100.
        assert_eq!(timers, [Span::from_us(1200), Span::from_us(1310)]);
    }
}
