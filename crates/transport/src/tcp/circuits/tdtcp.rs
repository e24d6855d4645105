//! Time-division TCP (Chen et al., *Time-division TCP for reconfigurable data center networks*, SIGCOMM 2022): a state
//! of its own for each of the two networks, that with a circuit and that without.
//!
//! 1. Each network has its window, its window rule, its round-trip times, what it has in flight, and its recovery
//!    (section 3.1). The window of the present network is compared with what was sent in it.
//! 2. Segments are known by the network in which they were sent last. What arrives counts for the growth of that
//!    network's window, and what is lost reduces it.
//! 3. A segment is not lost because one of the other network has overtaken it (section 3.4): it is so if a later one
//!    of its own network has arrived, and the patience of RACK with this network has passed. `Assumption:` it is also
//!    lost if a later one of any network has arrived, and the larger patience of both has passed, as far as they are
//!    measured; else what is lost at the end of a circuit would wait for the retransmission timer.
//! 4. A round-trip time counts if the network is the same when the acknowledgment comes as when the data were sent.
//! 5. The retransmission timeout, and the timer of the probe, follow the slower network.
//!
//! `Deviation:` a loss of the other network halves its window once for what is out, and does not begin a recovery there;
//! marks count for the present network; a reduction before a change is not undone after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A state of its own for the network with a circuit to the rack of the receiver, and for that without: window,
/// round-trip times, recovery (TDTCP, Chen et al., SIGCOMM 2022). A segment of one network that one of the other
/// overtakes is not deemed lost. It needs `recovery = "rack"`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}
