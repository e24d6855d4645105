//! A network before it runs: what a scenario says of it, checked and assembled.
//!
//! [`spec`] and [`shapes`] have the options, [`topology`] is the graph that they make, [`routing`] finds the paths, [`partition`] divides the
//! network among threads. A [`Plan`] is what a run starts from.

pub mod builder;
pub mod check;
mod flaw;
pub mod partition;
pub mod partners;
mod plan;
pub mod routing;
pub mod shapes;
pub mod spec;
pub mod table;
pub mod topology;

pub use plan::{
    Between, GraphPlan, Member, OpticalPlan, Period, Plan, Shortcut, SplittingPlan, TrafficPlan,
    TransportPlan,
};
