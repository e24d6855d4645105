//! Devices on the kernel: the one place where all parts meet.
//!
//! A [`plan::Plan`] says what there is; a [`world::World`] is that plan alive. Packets wait and
//! travel in [`link`]s, [`device`]s decide what becomes of them, [`record`] keeps what happened.

pub mod builder;
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
pub mod partners;
pub mod plan;
pub mod record;
pub mod routing;
pub mod spec;
pub mod spread;
pub mod table;
pub mod topology;
pub mod trace;
pub mod workload;
pub mod world;
