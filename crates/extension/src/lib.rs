//! A small language in which a congestion control or a policy is written without Rust.
//!
//! A program is a subset of Python in its form: assignments, which are state, and functions, of which those
//! with the names of hooks are called by the engine. It is checked and compiled once ([`Program::compile`]):
//! every name and every type is known then, so a hook runs without a look-up and without an allocation.
//!
//! It is safe and deterministic by what it does not have: no files, clocks, randomness, texts, recursion or
//! data that grow. Numbers are `f64`, whose functions are `libm`'s. A call ends after at most
//! [`FUEL`] instructions.
//!
//! An [`Interface`] says what a program sees: records with fields, methods, and hooks. This crate knows
//! nothing of what they mean; a [`Host`] carries the methods out.

mod code;
mod compile;
mod interface;
mod machine;
mod mistake;
mod parse;
mod program;
mod source;
mod token;
mod tree;

#[cfg(test)]
mod tests;

pub use interface::{Constant, Field, Hook, Host, Interface, Method, Record, Type, Wanted};
pub use machine::{FUEL, Outcome};
pub use mistake::{Fault, Mistake};
pub use program::{Entry, Parameter, Program, State};
pub use source::{Flaw, Hooks, Source};
