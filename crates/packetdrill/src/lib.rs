//! An interpreter of packetdrill's language that drives the ends of `transport`.
//!
//! [`script`] reads a text, [`scan`] says what of it is not modelled, [`machine`] is the host that a script
//! tests, with our ends inside, [`run()`] performs the events and compares, and [`table`] keeps the verdicts on a
//! folder of scripts.
//!
//! The language is that of packetdrill's `syntax.md`. One option is added: `--profile=NAME` chooses the
//! defaults of the ends, `linux` without it.
//!
//! What is compared: the octets of each packet, so that a packet of several segments may be sent as such or
//! piecewise; what it acknowledges; SYN, FIN, ECE and CWR; the codepoint of ECN; blocks of selective
//! acknowledgments; timestamps; and the time, within the tolerance. What is not: PSH, the window of outgoing packets (ours has
//! no limit), and the options of a SYN-ACK, which the interpreter gives in the place of an end.

pub mod machine;
pub mod run;
pub mod scan;
pub mod script;
pub mod settings;
pub mod table;

pub use run::{Verdict, run};
