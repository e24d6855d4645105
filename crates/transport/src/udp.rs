//! UDP: one datagram for each packet that the application writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use crate::profile::Defaults;

/// The options of a UDP flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct UdpOptions {
    /// Octets that a datagram adds on the wire, at most 65,535 B. Default: 28 B (IPv4 and UDP);
    /// 0 B in ns-2's profiles, where a packet's size is its size on the wire.
    #[schemars(extend("x-max" = "65535 B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Bytes>,
}

/// Every setting of a UDP flow, resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UdpConfig {
    /// See [`UdpOptions::header`].
    pub header: Bytes,
}

impl UdpOptions {
    /// The options on top of a profile.
    pub fn resolve(&self, profile: impl AsRef<Defaults>) -> UdpConfig {
        UdpConfig { header: self.header.unwrap_or(profile.as_ref().udp_header()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn the_header_comes_from_the_profile_unless_given() {
        assert_eq!(UdpOptions::default().resolve(Profile::Modern).header, Bytes(28));
        assert_eq!(UdpOptions::default().resolve(Profile::Ns2_2003).header, Bytes(0));
        let given = UdpOptions { header: Some(Bytes(8)) };
        assert_eq!(given.resolve(Profile::Modern).header, Bytes(8));
    }
}
