//! The NSF network: its places, and the fibres between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

use super::{ChannelsSpec, LinkSpec};

/// A place of the NSF network, named by its state.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Place {
    /// Washington.
    Wa,
    /// California, north.
    Ca1,
    /// California, south.
    Ca2,
    /// Utah.
    Ut,
    /// Colorado.
    Co,
    /// Texas.
    Tx,
    /// Nebraska.
    Ne,
    /// Illinois.
    Il,
    /// Pennsylvania.
    Pa,
    /// Georgia.
    Ga,
    /// Michigan.
    Mi,
    /// New York.
    Ny,
    /// New Jersey.
    Nj,
    /// The District of Columbia.
    Dc,
}

impl Place {
    /// All of them, in the order of their nodes.
    pub const ALL: [Self; 14] = [
        Self::Wa,
        Self::Ca1,
        Self::Ca2,
        Self::Ut,
        Self::Co,
        Self::Tx,
        Self::Ne,
        Self::Il,
        Self::Pa,
        Self::Ga,
        Self::Mi,
        Self::Ny,
        Self::Nj,
        Self::Dc,
    ];

    /// Its name, which is that of its core router.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wa => "WA",
            Self::Ca1 => "CA1",
            Self::Ca2 => "CA2",
            Self::Ut => "UT",
            Self::Co => "CO",
            Self::Tx => "TX",
            Self::Ne => "NE",
            Self::Il => "IL",
            Self::Pa => "PA",
            Self::Ga => "GA",
            Self::Mi => "MI",
            Self::Ny => "NY",
            Self::Nj => "NJ",
            Self::Dc => "DC",
        }
    }
}

pub(super) fn all_places() -> Vec<Place> {
    Place::ALL.to_vec()
}

/// The speed of light in glass is 200,000 km per second.
pub(super) fn delay_per_km() -> Span {
    Span::from_us(5)
}

/// An optical link between two core routers, without its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CoreLinkSpec {
    /// Bit rate of a data channel.
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub rate: Rate,
    /// Data channels (wavelengths) in each direction.
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: u32,
    /// Control channels in each direction; 2 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub control_channels: Option<u32>,
    /// Bit rate of a control channel; `rate` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub control_rate: Option<Rate>,
}

impl CoreLinkSpec {
    /// What it has in common with other links.
    pub fn link(&self, delay: Span) -> LinkSpec {
        LinkSpec::plain(self.rate, delay)
    }

    /// The channels of such a link with this number of data channels.
    pub fn channels(&self, data: u32) -> ChannelsSpec {
        ChannelsSpec::new(data, self.rate, self.control_channels, self.control_rate)
    }
}
