//! What is kept of flows that are gone: their sums and their digest for good, their rows until they
//! are taken.

use xxhash_rust::xxh3::Xxh3;

use super::{FlowRow, Totals};

/// What is kept of flows that are gone.
///
/// Sums and digest take each flow at the moment at which it goes, so neither depends on whether, and
/// when, the rows are taken out.
pub struct Ended {
    rows: Vec<FlowRow>,
    totals: Vec<Totals>,
    hash: Xxh3,
}

impl Ended {
    /// Nothing yet, for so many entries of traffic.
    pub fn new(entries: usize) -> Self {
        Self { rows: Vec::new(), totals: vec![Totals::default(); entries], hash: Xxh3::new() }
    }

    /// A flow goes.
    pub fn add(&mut self, row: FlowRow) {
        self.totals[row.traffic as usize].add(&row);
        for word in row.words() {
            self.hash.update(&word.to_le_bytes());
        }
        self.rows.push(row);
    }

    /// The rows that have not been taken, in the order in which the flows went.
    pub fn rows(&self) -> &[FlowRow] {
        &self.rows
    }

    /// Takes the rows out.
    pub fn take(&mut self) -> Vec<FlowRow> {
        std::mem::take(&mut self.rows)
    }

    /// The sums, by entry of traffic.
    pub fn totals(&self) -> &[Totals] {
        &self.totals
    }

    /// The digest of all rows in the order in which the flows went; `None` when none has gone.
    pub fn digest(&self) -> Option<u64> {
        self.totals.iter().any(|sum| sum.flows > 0).then(|| self.hash.digest())
    }
}

impl std::fmt::Debug for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ended").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}
