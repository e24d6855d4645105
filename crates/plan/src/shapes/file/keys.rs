//! The keys of a network whose graph is in a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Length, Rate, Span};

use super::MissingLength;
use crate::spec::{LinkSpec, LossSpec, QueueSpec};

/// The graph of a file. With `link.channels` the network is optical: each place is a core router,
/// those of `edges` have an edge router (`edge-NAME`), and hosts (`host-NAME-0`, …) are behind it.
/// Without, each place is a router, and its hosts are attached to it. A link from a place to itself
/// is left out, and so are all parallel links but the shortest. In names everything but letters,
/// digits, `-`, `_` and `.` becomes `-`, and a name that is taken gets a number. `tcphoton show` says
/// where delays and rates come from, and what of the file is not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// A graph in GraphML, in GML, in the native or the XML format of SNDlib, or of REPETITA (`.graph`);
    /// instead of `graph`. A relative path starts at the folder of the file that names it, on the command
    /// line and in Python at the current directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "graph", "key": "graph" })
    )]
    pub file: Option<Box<str>>,
    /// What the file has: places and links, in its order.
    #[serde(default)]
    #[schemars(length(max = 300_000))]
    pub graph: Arc<[GraphPart]>,
    /// The places that have an edge router, or hosts in an electronic network, by their names in the file
    /// or in the network; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000), inner(length(min = 1, max = 1_000)))]
    pub edges: Option<Vec<String>>,
    /// The links between places. Those between edge and core routers are like them, without delay.
    pub link: FileLinkSpec,
    /// The rate of one unit of the capacities in the file (SNDlib's have none, REPETITA's is 1 kb/s): with it a link has the
    /// rate that its capacity says, and `link.rate` is that of links without a capacity. Without it
    /// capacities are not used. Not for optical networks, whose channels have one rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 b/s", "x-max" = "100 Tb/s"))]
    pub capacity_unit: Option<Rate>,
    /// The delay of links of which neither the length is known nor the coordinates of both ends: a delay, the
    /// `median` of all links of which it is known, or by `neighbours`: a place without coordinates is in the middle
    /// of the places to which it has links, so that one with a single link is where that leads to. Without this key
    /// such a link is a mistake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_length: Option<MissingLength>,
    /// What several links between the same places are, in the same direction; `first` by default, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<Parallel>,
    /// Whether only the largest part of the graph is the network: the most places between which paths lead both ways.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub largest_part: bool,
    /// Data channels in each direction between an edge router and its core router; by default as many
    /// as between core routers. Without wavelength conversion a burst on a channel that the core links
    /// do not have is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub add_channels: Option<u32>,
    /// Hosts at each place of `edges`; with 0, in an optical network only, the edge routers are themselves
    /// the endpoints of flows.
    #[serde(default)]
    #[schemars(range(min = 0, max = 50_000))]
    pub hosts: u32,
    /// The link of a host, forward from the host; required with hosts, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<LinkSpec>,
}

/// The links between the places of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileLinkSpec {
    /// Bit rate on the wire, or of a data channel, in each direction; required unless every link has a
    /// capacity, and `capacity-unit` its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub rate: Option<Rate>,
    /// Propagation delay of every link, whatever its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub delay: Option<Span>,
    /// Propagation delay per km of a link's length, or of the great circle between its ends if only their
    /// coordinates are known; by default that of light in glass, 5 us (200,000 km per second).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 ms"))]
    pub delay_per_km: Option<Span>,
    /// The output queue in front of an electronic link; the profile's interface queue by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueSpec>,
    /// Random loss on the wire of an electronic link; none by default. Forward is as the file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossSpec>,
    /// Parallel links in each direction of an electronic link (a bundle), 1 to 64; one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub lightpaths: Option<u32>,
    /// Data channels (wavelengths) in each direction: an optical network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: Option<u32>,
    /// Control channels of an optical link in each direction; 2 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub control_channels: Option<u32>,
    /// Bit rate of a control channel; `rate` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub control_rate: Option<Rate>,
}

/// What several links between the same places are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parallel {
    /// One link: the shortest, and of equal ones the first.
    First,
    /// One link with the rates of all, or the channels of all, and the delay of the shortest.
    Sum,
    /// Parallel links (a bundle of lightpaths) of one rate, with the delay of the shortest; not in optical networks.
    Bundle,
}

/// A part of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum GraphPart {
    /// A place.
    Place {
        /// Its name in the network: letters, digits, `-`, `_` and `.`.
        #[schemars(length(min = 1, max = 56))]
        name: Box<str>,
        /// Its name in the file, if that is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 1_000))]
        label: Option<Box<str>>,
        /// Its longitude in degrees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = -180.0, max = 180.0))]
        longitude: Option<f64>,
        /// Its latitude in degrees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = -90.0, max = 90.0))]
        latitude: Option<f64>,
    },
    /// A link between two places.
    Link {
        /// The name of a place.
        #[schemars(length(min = 1, max = 56))]
        from: Box<str>,
        /// The name of the place at its other end.
        #[schemars(length(min = 1, max = 56))]
        to: Box<str>,
        /// Its length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-max" = "1000000 km"))]
        length: Option<Length>,
        /// Its propagation delay, if the file has that; it goes before `length` and `delay-per-km`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-max" = "1 h"))]
        delay: Option<Span>,
        /// Its capacity, in units that the file does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1e18))]
        capacity: Option<f64>,
        /// Whether it leads only from `from` to `to`.
        #[serde(default)]
        one_way: bool,
    },
    /// What the file has besides, which no network uses.
    Unused {
        /// What it is, in words.
        #[schemars(length(min = 1, max = 1_000))]
        what: Box<str>,
    },
}

impl FileLinkSpec {
    /// What it has in common with other electronic links, at this rate and delay.
    pub fn link(&self, rate: Rate, delay: Span) -> LinkSpec {
        let Self { queue, loss, lightpaths, .. } = *self;
        LinkSpec { queue, loss, lightpaths, ..LinkSpec::plain(rate, delay) }
    }
}
