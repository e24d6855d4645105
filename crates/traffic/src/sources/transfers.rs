//! File transfers that begin at the instants of a Poisson process.

use super::prelude::*;

/// File transfers that begin at the instants of a Poisson process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Transfers {
    /// The mean number of transfers that begin in a second; with 0 there are only those under way.
    #[schemars(range(min = 0, max = 1e9))]
    pub per_second: f64,
    /// The size of a file.
    pub size: Size,
    /// The number of transfers after which the source ends; without it the source never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub limit: Option<u64>,
    /// Transfers in progress when the source starts, in addition to those that begin: the
    /// steady state from the start on. The remaining data of each are drawn from the
    /// residual-life distribution of `size` (density (1 − F(x)) / mean), which is exact if the
    /// rate of a transfer does not depend on its size; the mean size must be finite. Each draws
    /// its own `start`; `limit` does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10_000_000))]
    pub under_way: Option<u32>,
}

impl Transfers {
    fn has_some_under_way(&self) -> bool {
        self.under_way.is_some_and(|transfers| transfers > 0)
    }
}

impl Kind for Transfers {
    fn facts(&self) -> Facts<'_> {
        let each = Some((&self.size, 1.0));
        let rate = RateKey { key: "per-second", value: self.per_second, least: 1e-15, each };
        // Those in progress at the start begin then, too.
        let is_steady = !self.has_some_under_way();
        let variation = if is_steady { Variation::Memoryless } else { Variation::Unknown };
        Facts { rate: Some(rate), variation, ..Facts::of(Form::Transfers(self)) }
    }

    fn scale(&mut self, by: f64) {
        self.per_second *= by;
    }

    fn check(&self, problems: &mut Problems) {
        let rate = self.per_second;
        let some = rate > 0.0 && rate.is_finite() || rate == 0.0 && self.has_some_under_way();
        problems.demand(some, "per-second", "must be above 0, or 0 with some under way");
        let sound = problems.size(&self.size, "size");
        problems.demand(
            !self.has_some_under_way() || !sound || self.size.mean().is_finite(),
            "under-way",
            "the mean size is infinite, so there is no steady state to start in",
        );
        problems.demand(self.limit != Some(0), "limit", "must be at least 1");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        let left = if self.per_second > 0.0 { self.limit.unwrap_or(u64::MAX) } else { 0 };
        let mean_gap_s = 1.0 / self.per_second;
        Some(Offers::Poisson { mean_gap_s, size: self.size.clone(), left })
    }
}
