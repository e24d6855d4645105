//! What a program may do to its window.

use extension::Host;

use super::interface::Do;
use crate::tcp::congestion::window::Window;
use crate::tcp::congestion::{Acked, Congested};

/// A window and the event of which a hook is told.
pub(super) struct Hands<'a> {
    pub(super) window: &'a mut Window,
    pub(super) acked: Option<&'a Acked>,
    pub(super) congested: Option<&'a Congested>,
}

impl<'a> Hands<'a> {
    /// Of no event that a method needs.
    pub(super) fn empty(window: &'a mut Window) -> Self {
        Self { window, acked: None, congested: None }
    }
}

/// Shows the window in the registers.
#[inline]
pub(super) fn show(window: &Window, registers: &mut [u64]) {
    registers[0] = window.cwnd.to_bits();
    registers[1] = window.ssthresh.to_bits();
    registers[2] = window.segment.to_bits();
}

/// The program can name a record only in a hook that is called with it.
const TOLD: &str = "the compiler lets only hooks with this record call the method";

impl Host for Hands<'_> {
    #[inline]
    fn call(&mut self, method: u8, registers: &mut [u64], at: usize) -> Result<u64, String> {
        let number = |place: usize| f64::from_bits(registers[place]);
        let window = &mut *self.window;
        let mut result = 0;
        match method {
            Do::SET_CWND => window.set(octets("window.cwnd", number(at))?),
            Do::SET_SSTHRESH => {
                let ssthresh = number(at);
                if ssthresh != f64::INFINITY {
                    octets("window.ssthresh", ssthresh)?;
                }
                window.ssthresh = ssthresh.max(window.segment);
            }
            Do::SLOW_START => window.slow_start(self.acked.expect(TOLD)),
            Do::GROW => {
                let increase = octets("the increase", number(at))?;
                window.grow(self.acked.expect(TOLD), increase);
                octets("window.cwnd", window.cwnd)?;
            }
            Do::SEGMENTS => result = window.segments(self.acked.expect(TOLD)).to_bits(),
            Do::REDUCE => {
                let share = octets("the share", number(at))?;
                window.reduce(self.congested.expect(TOLD), share);
                octets("window.ssthresh", window.ssthresh)?;
            }
            other => unreachable!("method {other} of a window"),
        }
        show(window, registers);
        Ok(result)
    }
}

/// What must be a number from 0.
fn octets(what: &str, found: f64) -> Result<f64, String> {
    if found.is_finite() && found >= 0.0 {
        return Ok(found);
    }
    Err(format!("{what} would be {found}; accepted a number from 0"))
}
