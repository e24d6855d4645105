//! End points without input or output.
//!
//! A connection is two values, a [`tcp::Sender`] where the data come from and a [`tcp::Receiver`]
//! where they go to (or those of [`stop_and_wait`] and [`message`]). Each takes
//! segments and instants and gives segments and deadlines; neither has a clock, an event queue or a
//! network. Data flow in one direction: a two-way exchange is two connections.
//!
//! Not modelled: urgent data, resets, path MTU discovery, silly windows (the application reads at
//! once, so the receiver's window never closes and there is no persist timer), wrap-around of
//! sequence numbers.

mod mean;
pub mod message;
pub mod mistake;
pub mod profile;
pub mod segment;
pub mod stop_and_wait;
pub mod tcp;
pub mod udp;
pub mod window_size;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use extension::Fault;
pub use message::MessageOptions;
pub use mistake::OptionError;
pub use profile::{CustomProfile, Defaults, Profile, ProfileSpec};
pub use stop_and_wait::StopAndWaitOptions;
pub use tcp::config::{Config, Preset, RtoLaw, TcpOptions, resolve};
pub use udp::{UdpConfig, UdpOptions};
pub use window_size::{Limit, WindowSize};

/// The transport protocol of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "there is one per entry of traffic")]
pub enum Transport {
    /// The transmission control protocol.
    Tcp(TcpOptions),
    /// The user datagram protocol.
    Udp(UdpOptions),
    /// Stop-and-wait: one packet of data in flight at a time, for paths that hold no more than one.
    StopAndWait(StopAndWaitOptions),
    /// A message transport that wants no order: packets take any path, and are accepted as they come.
    Message(MessageOptions),
}
