//! Devices on the kernel: the crate that connects all parts.
//!
//! A [`plan::Plan`] describes a network; a [`world::World`] is its running state. Packets wait and
//! travel in [`link`]s, [`device`]s decide where they go, [`record`] stores what happened.

pub mod builder;
mod chain;
pub mod check;
pub mod context;
pub mod device;
pub mod event;
pub mod hops;
pub mod host;
pub mod link;
pub mod network;
pub mod observe;
pub mod optical;
pub mod packet;
pub mod partition;
pub mod partners;
pub mod plan;
pub mod record;
pub mod routing;
pub mod spec;
pub mod spread;
pub mod table;
pub mod topology;
pub mod trace;
pub mod turns;
pub mod workload;
pub mod world;
