//! Packets at the instants of a Poisson process.

use super::prelude::*;

/// Packets at the instants of a Poisson process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoissonPackets {
    /// The mean bit rate of the data, headers not counted; with the mean packet size it gives
    /// the rate of packets.
    #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
    pub rate: MeanRate,
    /// The data in a packet; its mean must be finite.
    pub packet: Size,
}

impl Kind for PoissonPackets {
    fn facts(&self) -> Facts<'_> {
        Facts::packets(RateKey::bits(self.rate), &self.packet, Variation::Memoryless)
    }

    fn scale(&mut self, by: f64) {
        self.rate = self.rate.scaled(by);
    }

    fn check(&self, problems: &mut Problems) {
        problems.some_rate(self.rate);
        problems.mean_packet(&self.packet);
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        let mean_gap_s = self.packet.mean() * 8.0 / self.rate.0;
        Some(Offers::Poisson { mean_gap_s, size: self.packet.clone(), left: u64::MAX })
    }
}
