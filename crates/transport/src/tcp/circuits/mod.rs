//! What a sender does when a circuit to the rack of its receiver opens or closes.
//!
//! Racks that tell their hosts so call [`Sender::on_circuit`](super::Sender::on_circuit). To add a kind, write its
//! file and its line below; `hold` is the shortest.

pub mod hold;
pub mod retcp;
pub mod tdtcp;

crate::word::kinds! {
    /// What a sender does when a circuit to the rack of its receiver opens or closes: a name, or a table with options.
    "Circuits", hold, Hold, "hold"; retcp, ReTcp, "retcp"; tdtcp, TdTcp, "tdtcp"
}
