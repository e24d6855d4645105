//! The scenario keys of a link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Length, Rate, Span};

use super::{LossSpec, QueueSpec};

/// A table of a link: `wire` in it expands to the keys common to all links; two of them take additional text.
macro_rules! link_table {
    (
        $(#[$about:meta])*
        pub struct $Name:ident {
            $($(#[$ahead:meta])* pub $before:ident: $Before:ty,)*
            wire { delay { $(#[$delay:meta])* } loss { $(#[$loss:meta])* } }
            $($(#[$behind:meta])* pub $after:ident: $After:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Name {
            $($(#[$ahead])* pub $before: $Before,)*
            /// Bit rate on the wire, in each direction.
            #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
            pub rate: Rate,
            /// Propagation delay in each direction; or `length` instead.
            $(#[$delay])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-max" = "1 h"))]
            pub delay: Option<Span>,
            /// Its length, which with `delay-per-km` gives the delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-max" = "1000000 km"))]
            pub length: Option<Length>,
            /// Propagation delay per km of `length`; by default that of light in glass, 5 us (200,000
            /// km per second). Hollow-core fibre has 3.34 us.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-max" = "1 ms"))]
            pub delay_per_km: Option<Span>,
            /// The output queue in front of it; the profile's interface queue by default.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub queue: Option<QueueSpec>,
            /// Random loss on the wire; none by default.
            $(#[$loss])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss: Option<LossSpec>,
            $($(#[$behind])* pub $after: $After,)*
        }
    };
}

link_table! {
    /// A link of an explicit topology.
    pub struct ExplicitLink {
        /// The node it leaves (forward is from here).
        #[schemars(length(min = 1, max = 64))]
        pub from: String,
        /// The node at its other end.
        #[schemars(length(min = 1, max = 64))]
        pub to: String,
        wire { delay {} loss {} }
        /// Whether it carries packets only from `from` to `to`.
        #[serde(default)]
        pub one_way: bool,
        /// Parallel links in each direction (a bundle), 1 to 64; one by default. Each of them has this
        /// rate, its own queue and its own name (`"A -> B:0"`, `"A -> B:1"`, …). Between routers only,
        /// and not together with `channels`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 64))]
        pub lightpaths: Option<u32>,
        /// Data channels (wavelengths) in each direction: an optical link, between edge and core
        /// routers of an optical network, or between racks and cores of circuits or lightpaths,
        /// instead of `core.channels`. `rate` is that of one channel.
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
}

/// The channels of an optical link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelsSpec {
    /// Data channels.
    pub data: u32,
    /// Control channels.
    pub control: u32,
    /// Bit rate of a control channel.
    pub control_rate: Rate,
}

/// The default number of control channels of an optical link.
const CONTROL_CHANNELS: u32 = 2;

impl ChannelsSpec {
    /// This number of data channels at this rate; control channels as given, or the defaults.
    pub(crate) fn new(
        data: u32,
        rate: Rate,
        control: Option<u32>,
        control_rate: Option<Rate>,
    ) -> Self {
        Self {
            data,
            control: control.unwrap_or(CONTROL_CHANNELS),
            control_rate: control_rate.unwrap_or(rate),
        }
    }
}

impl ExplicitLink {
    /// What it has in common with the links of a generator.
    pub fn link(&self) -> LinkSpec {
        LinkSpec {
            rate: self.rate,
            delay: self.delay,
            length: self.length,
            delay_per_km: self.delay_per_km,
            queue: self.queue,
            loss: self.loss,
            lightpaths: self.lightpaths,
        }
    }

    /// Its channels, if it is an optical link.
    pub fn channels(&self) -> Option<ChannelsSpec> {
        let (control, control_rate) = (self.control_channels, self.control_rate);
        self.channels.map(|data| ChannelsSpec::new(data, self.rate, control, control_rate))
    }
}

link_table! {
    /// A two-way link and the output queues in front of it.
    #[derive(Copy)]
    pub struct LinkSpec {
        wire { delay {} loss {} }
        /// Parallel links in each direction (a bundle), 1 to 64; one by default. Each of them has this
        /// rate, its own queue and its own name (`"A -> B:0"`, `"A -> B:1"`, …). Between routers only:
        /// the link of a host is a single one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 64))]
        pub lightpaths: Option<u32>,
    }
}

impl LinkSpec {
    /// A link of this rate and delay, with the queue of the profile and without loss.
    pub const fn plain(rate: Rate, delay: Span) -> Self {
        Self {
            rate,
            delay: Some(delay),
            length: None,
            delay_per_km: None,
            queue: None,
            loss: None,
            lightpaths: None,
        }
    }
}

link_table! {
    /// The access links of a dumbbell; their delays may be given separately, one per pair.
    #[derive(Copy)]
    pub struct AccessSpec {
        wire {
            delay {
                /// Or `access-delays`, with one per pair.
            }
            loss {
                /// Forward is from the left side to the right side.
            }
        }
    }
}

impl AccessSpec {
    /// The link, with this delay if one is given.
    pub fn link(&self, delay: Option<Span>) -> LinkSpec {
        LinkSpec {
            rate: self.rate,
            delay: delay.or(self.delay),
            length: self.length,
            delay_per_km: self.delay_per_km,
            queue: self.queue,
            loss: self.loss,
            lightpaths: None,
        }
    }
}
