//! A network that runs.
//!
//! A [`plan::Plan`] describes a network; a [`world::World`] is its running state. Hosts send what the workload offers;
//! links carry it, devices decide where it goes, and [`observe`] computes results between events.

pub mod credit_scheduler;
pub mod hops;
pub mod host;
pub mod network;
pub mod observe;
pub mod workload;
pub mod world;
