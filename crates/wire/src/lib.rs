//! What packets and bursts are on: links with their queues, fibres, and the record of what happened.
//!
//! A [`context::Context`] holds all of it for one run; devices and hosts change it.

pub mod chain;
pub mod context;
pub mod event;
pub mod link;
pub mod optical;
pub mod packet;
pub mod record;
pub mod spread;
pub mod trace;
