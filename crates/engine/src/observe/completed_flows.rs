//! What is stored of removed flows: their sums and their digest permanently, their rows until they
//! are taken.

use plan::Period;
use xxhash_rust::xxh3::Xxh3;

use super::{FlowRow, Totals};

/// What is stored of removed flows.
///
/// Sums and digest include each flow at its removal, so neither depends on whether, and when, the
/// rows are taken out.
pub struct Ended {
    period: Period,
    rows: Vec<FlowRow>,
    totals: Vec<Totals>,
    hash: Xxh3,
}

impl Ended {
    /// Nothing yet, for this number of entries of traffic.
    pub fn new(entries: usize, period: Period) -> Self {
        let totals = vec![Totals::default(); entries];
        Self { period, rows: Vec::new(), totals, hash: Xxh3::new() }
    }

    /// A flow is removed.
    pub fn add(&mut self, row: FlowRow) {
        self.totals[row.traffic as usize].add(&row, self.period);
        for word in row.words() {
            self.hash.update(&word.to_le_bytes());
        }
        self.rows.push(row);
    }

    /// The rows that have not been taken, in the order of removal.
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

    /// The digest of all rows in the order of removal; `None` without any.
    pub fn digest(&self) -> Option<u64> {
        self.totals.iter().any(|sum| sum.completions.flows > 0).then(|| self.hash.digest())
    }
}

impl std::fmt::Debug for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ended").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}
