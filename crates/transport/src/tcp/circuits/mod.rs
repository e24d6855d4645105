//! What a sender does when a circuit to the rack of its receiver opens or closes.
//!
//! Racks that tell their hosts so call [`Sender::on_signal`](super::Sender::on_signal). To add a kind, write its
//! file and its line below; `hold` is the shortest.

kinds::options! {
    /// What a sender does when a circuit to the rack of its receiver opens or closes: a name, or a table with options.
    "Circuits";
    mod hold; use Hold as "hold";
    mod retcp; use ReTcp as "retcp";
    mod tdtcp; use TdTcp as "tdtcp";
}
