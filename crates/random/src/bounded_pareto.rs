//! The bounded Pareto distribution in closed form.
//!
//! With L the smallest and H the largest value, r = ln(H / L) and a the shape:
//! F(x) = (1 − (L / x)^a) / (1 − (L / H)^a). As a goes to 0 it becomes the log-uniform
//! distribution, as H grows the Pareto distribution.

/// The value below which a share `u` of the distribution lies, for 0 ≤ `u` ≤ 1 and any shape.
///
/// A shape of 0 or less, with which large values are likely, is that of sizes biased by their
/// length. At 0 it is the log-uniform distribution, L · e^(u r).
pub fn bounded_pareto_quantile(u: f64, shape: f64, min: f64, max: f64) -> f64 {
    let r = libm::log(max / min);
    let x = if shape > 0.0 {
        min * libm::exp(-libm::log1p(u * libm::expm1(-shape * r)) / shape)
    } else if shape < 0.0 {
        // From the other end: 1 / x has the opposite shape between 1 / H and 1 / L.
        max * libm::exp(-libm::log1p((1.0 - u) * libm::expm1(shape * r)) / shape)
    } else {
        min * libm::exp(u * r)
    };
    x.clamp(min, max)
}

/// The mean of the bounded Pareto distribution.
///
/// L · g((1 − a) r) / g(−a r) with g(z) = (e^z − 1) / z, which has no gap at a shape of 1.
pub fn bounded_pareto_mean(shape: f64, min: f64, max: f64) -> f64 {
    let r = libm::log(max / min);
    min * growth((1.0 - shape) * r) / growth(-shape * r)
}

/// The shape that gives the bounded Pareto distribution between `min` and `max` this mean.
///
/// `None` when no shape above 0 does: the mean must lie above `min` and below the mean of the
/// log-uniform distribution, (max − min) / ln(max / min), which is the limit at a shape of 0.
pub fn bounded_pareto_shape(mean: f64, min: f64, max: f64) -> Option<f64> {
    let sound = min > 0.0 && max.is_finite() && mean > min && mean < max;
    if !sound || mean >= bounded_pareto_mean(0.0, min, max) {
        return None;
    }
    let mut low = 0.0;
    let mut high = 1.0;
    while bounded_pareto_mean(high, min, max) > mean {
        low = high;
        high *= 2.0;
    }
    // The mean falls as the shape grows. Halving ends where no number lies between the two.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Some(middle).filter(|shape| shape.is_finite());
        }
        if bounded_pareto_mean(middle, min, max) > mean {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// (e^z − 1) / z, and 1 at 0.
fn growth(z: f64) -> f64 {
    if z == 0.0 { 1.0 } else { libm::expm1(z) / z }
}
