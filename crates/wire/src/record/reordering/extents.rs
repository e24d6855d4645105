//! The extents of reordered packets.

use std::collections::VecDeque;

/// The reordering extent of RFC 4737, section 4.2: of a packet that is reordered, the number of
/// arrivals from the first packet that was sent later to its own.
///
/// Only a packet sent later than all before it (one that raises `NextExp`) can be the first that was
/// sent later than another, so only these are stored, consecutive ones as one run.
#[derive(Debug, Clone, Default)]
pub struct Extents {
    runs: VecDeque<Run>,
    arrived: u64,
}

/// Packets `first`, `first + 1`, … that arrived one after the other, the first of them as arrival `at`.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: u64,
    at: u64,
    len: u64,
}

impl Run {
    fn last(&self) -> u64 {
        self.first + self.len - 1
    }
}

impl Extents {
    /// Packet `number` arrives for the first time; returns its extent if it is reordered. No packet
    /// below `least` arrives from now on: nothing needs to be stored for these.
    pub fn arrived(&mut self, number: u64, least: u64) -> Option<u64> {
        self.arrived += 1;
        let at = self.arrived;
        let extent = match self.runs.back_mut() {
            Some(run) if number <= run.last() => Some(at - self.first_beyond(number)),
            Some(run) if number == run.first + run.len && at == run.at + run.len => {
                run.len += 1;
                None
            }
            _ => {
                self.runs.push_back(Run { first: number, at, len: 1 });
                None
            }
        };
        while self.runs.len() > 1 && self.runs[0].last() <= least {
            self.runs.pop_front();
        }
        extent
    }

    /// The first arrival that was sent after `number`.
    fn first_beyond(&self, number: u64) -> u64 {
        let run = self.runs[self.runs.partition_point(|run| run.last() <= number)];
        run.at + (number + 1).saturating_sub(run.first)
    }
}
