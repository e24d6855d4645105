//! The two ends together, against traces worked by hand from the RFCs.

mod bbr;
mod circuits;
mod growth;
mod inet;
mod losses;
mod normal;
mod offers;
mod prague;
mod properties;
mod prr;
mod rack;
mod rack_corners;
mod rules;
mod undo;
