//! The variance of the time that an alternating process is ON, from its laws alone.
//!
//! ON periods have a mean of 1 and any law, OFF periods are exponential. With the survival function
//! F̄ of ON periods and the mean OFF period θ, a process that is ON in the steady state at 0 is ON at
//! t with the probability π(t): either the same ON period still goes on, or a later one has begun at
//! s, at the rate (1 − π(s)) / θ, and goes on. So π(t) = ∫ F̄ from t on + ∫ (1 − π(s)) F̄(t − s) ds / θ
//! from 0 to t. The time ON between 0 and t has the variance 2 ∫ (t − s) p (π(s) − p) ds, p being the
//! share of the time that is ON.

/// Variances at the multiples of a step.
pub(super) struct Alternating {
    step: f64,
    variances: Vec<f64>,
}

impl Alternating {
    /// Up to `until`. `survival` tells F̄ and its integral from there on. By the trapezoidal rule:
    /// errors are of the order of the squared step.
    pub(super) fn new(
        survival: impl Fn(f64) -> [f64; 2],
        off: f64,
        (step, until): (f64, f64),
    ) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let n = (until / step).round() as usize + 1;
        let known: Vec<[f64; 2]> = (0..n).map(|at| survival(at as f64 * step)).collect();
        // 1 − π at every step, the first of them halved.
        let mut is_off = vec![0.0];
        let rate = step / off;
        for at in 1..n {
            let later: f64 =
                is_off.iter().zip(known[1..=at].iter().rev()).map(|(off, [f, _])| off * f).sum();
            let is_on = (known[at][1] + rate * (later + 0.5)) / (1.0 + 0.5 * rate);
            is_off.push(1.0 - is_on);
        }
        let duty = 1.0 / (1.0 + off);
        let (mut variances, mut slope, mut variance, mut before) = (vec![0.0], 0.0, 0.0, 0.0);
        for at in 0..n - 1 {
            let covariance = |at: usize| duty * (1.0 - is_off[at] - duty);
            slope += step * (covariance(at) + covariance(at + 1));
            variance += 0.5 * step * (before + slope);
            before = slope;
            variances.push(variance);
        }
        Self { step, variances }
    }

    /// Pareto ON periods: min = (α − 1) / α.
    pub(super) fn pareto(shape: f64, off: f64, grid: (f64, f64)) -> Self {
        let min = (shape - 1.0) / shape;
        let survival = |x: f64| {
            if x < min {
                return [1.0, 1.0 - x];
            }
            let longer = libm::pow(min / x, shape);
            [longer, longer * x / (shape - 1.0)]
        };
        Self::new(survival, off, grid)
    }

    /// At the nearest step.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    pub(super) fn variance(&self, t: f64) -> f64 {
        self.variances[(t / self.step).round() as usize]
    }
}

/// With exponential ON periods the covariance is p (1 − p) e^(−t/τ) with 1/τ = 1 + 1/θ.
#[test]
fn the_variance_of_exponential_periods_is_that_of_the_closed_form() {
    for off in [0.3, 1.0, 10.0] {
        let (duty, tau) = (1.0 / (1.0 + off), off / (1.0 + off));
        let known = Alternating::new(|x| [libm::exp(-x), libm::exp(-x)], off, (0.005, 50.0));
        for t in [0.02, 0.1, 1.0, 10.0, 50.0] {
            let exact = 2.0 * duty * (1.0 - duty) * tau * (t + tau * libm::expm1(-t / tau));
            let found = known.variance(t);
            assert!((found / exact - 1.0).abs() < 2e-3, "{off} {t}: {found} {exact}");
        }
    }
}
