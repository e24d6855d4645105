//! Writes at the instants of a Poisson process.

use super::prelude::*;

/// Writes of one size into the connection at the instants of a Poisson process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoissonWrites {
    /// The mean bit rate of the data, headers not counted.
    #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
    pub rate: MeanRate,
    /// The data in a write; one full segment by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub write: Option<Bytes>,
}

impl Kind for PoissonWrites {
    fn facts(&self) -> Facts<'_> {
        Facts {
            rate: Some(RateKey::bits(self.rate)),
            packet: self.write.map(|write| Cow::Owned(write.into())),
            variation: Variation::Memoryless,
            ..Facts::of(Form::Stream)
        }
    }

    fn scale(&mut self, by: f64) {
        self.rate = self.rate.scaled(by);
    }

    fn check(&self, problems: &mut Problems) {
        problems.some_rate(self.rate);
        if let Some(write) = self.write {
            problems.some_bytes(write, "write");
        }
    }

    fn offers(&self, default_write: Bytes) -> Option<Offers> {
        let write = self.write.unwrap_or(default_write);
        let mean_gap_s = write.as_f64() * 8.0 / self.rate.0;
        Some(Offers::Poisson { mean_gap_s, size: Size::Plain(write), left: u64::MAX })
    }
}
