//! The requests of inputs for outputs.

use super::Mask;
use super::mask::place;

/// A value for each of 64 `W` ports.
#[derive(Debug, Clone)]
pub(crate) struct PerPort<T, const W: usize>(Box<[[T; 64]; W]>);

impl<T: Copy, const W: usize> PerPort<T, W> {
    pub(crate) fn new(value: T) -> Self {
        Self(Box::new([[value; 64]; W]))
    }

    #[inline]
    pub(crate) fn get(&self, port: u32) -> T {
        let (word, bit) = place::<W>(port);
        self.0[word][bit as usize]
    }

    #[inline]
    pub(crate) fn at(&mut self, port: u32) -> &mut T {
        let (word, bit) = place::<W>(port);
        &mut self.0[word][bit as usize]
    }
}

/// For which outputs each input has a cell, by input and by output.
#[derive(Debug, Clone)]
pub struct Requests<const W: usize> {
    by_input: PerPort<Mask<W>, W>,
    by_output: PerPort<Mask<W>, W>,
    inputs: u32,
    outputs: u32,
}

impl<const W: usize> Requests<W> {
    /// No requests of so many inputs for so many outputs, at most 64 `W` of each.
    pub fn new(inputs: u32, outputs: u32) -> Self {
        check::<W>(inputs, outputs);
        let none = PerPort::new(Mask::EMPTY);
        Self { by_input: none.clone(), by_output: none, inputs, outputs }
    }

    /// The input requests the output.
    #[inline]
    pub fn set(&mut self, input: u32, output: u32) {
        debug_assert!(input < self.inputs && output < self.outputs, "no such port");
        self.by_input.at(input).set(output);
        self.by_output.at(output).set(input);
    }

    /// It no longer requests it.
    #[inline]
    pub fn clear(&mut self, input: u32, output: u32) {
        self.by_input.at(input).clear(output);
        self.by_output.at(output).clear(input);
    }

    /// The outputs that an input requests.
    #[inline]
    pub fn row(&self, input: u32) -> Mask<W> {
        self.by_input.get(input)
    }

    /// The inputs that request an output.
    #[inline]
    pub fn column(&self, output: u32) -> Mask<W> {
        self.by_output.get(output)
    }

    /// The outputs that any of these inputs requests.
    #[inline]
    pub(super) fn wanted(&self, among: Mask<W>) -> Mask<W> {
        among.iter().fold(Mask::EMPTY, |wanted, input| wanted | self.row(input))
    }
}

/// Whether so many ports fit into a mask.
pub(super) fn check<const W: usize>(inputs: u32, outputs: u32) {
    let words = inputs.max(outputs).div_ceil(64) as usize;
    assert!(words <= W, "{inputs} inputs and {outputs} outputs in masks of {W} words");
}
