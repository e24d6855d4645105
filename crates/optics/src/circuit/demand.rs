//! Matchings that follow from what waits: the rules of a core whose circuits are set on demand.
//!
//! A demand is a matrix of bytes, row by row, by source and destination. A slot carries so many of a pair
//! ([`Frame::slot`]), and what a matching carries is no longer a demand for the next one.

use random::Seed;

use crate::SchedulerSpec;
use crate::scheduling::{Arbiter, Mask, Requests};
use crate::spec::DemandRule;

/// What is decided at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Circuit switches.
    pub switches: usize,
    /// Slots of each.
    pub slots: usize,
    /// Bytes that a circuit carries in a slot.
    pub slot: u64,
}

/// The assignment of rows to columns with the largest sum: for each row its column (the Hungarian method,
/// Kuhn 1955, with potentials; n³ steps).
pub fn maximum_weight(weights: &[u64], n: usize) -> Vec<usize> {
    // Least cost, with rows and columns from 1; column 0 is where a search begins.
    let cost = |row: usize, column: usize| -i128::from(weights[(row - 1) * n + column - 1]);
    let (mut of_row, mut of_column) = (vec![0_i128; n + 1], vec![0_i128; n + 1]);
    let (mut row_at, mut way) = (vec![0; n + 1], vec![0; n + 1]);
    for row in 1..=n {
        row_at[0] = row;
        let (mut at, mut seen) = (0, vec![false; n + 1]);
        let mut least = vec![i128::MAX; n + 1];
        while row_at[at] != 0 {
            seen[at] = true;
            let (here, mut delta, mut next) = (row_at[at], i128::MAX, 0);
            for column in (1..=n).filter(|&column| !seen[column]) {
                let reduced = cost(here, column) - of_row[here] - of_column[column];
                if reduced < least[column] {
                    (least[column], way[column]) = (reduced, at);
                }
                if least[column] < delta {
                    (delta, next) = (least[column], column);
                }
            }
            for column in 0..=n {
                if seen[column] {
                    of_row[row_at[column]] += delta;
                    of_column[column] -= delta;
                } else if column > 0 {
                    least[column] -= delta;
                }
            }
            at = next;
        }
        while at != 0 {
            row_at[at] = row_at[way[at]];
            at = way[at];
        }
    }
    let mut found = vec![0; n];
    (1..=n).for_each(|column| found[row_at[column] - 1] = column - 1);
    found
}

/// Adds to a demand until all rows and columns have the sum of the largest: first where there is demand, then
/// anywhere (`QuickStuff` of Solstice: H. Liu et al., *Scheduling techniques for hybrid circuit/packet
/// networks*, 2015, section 4).
pub fn stuffed(demand: &[u64], n: usize) -> Vec<u64> {
    let mut all = demand.to_vec();
    let mut rows: Vec<u64> = (0..n).map(|row| demand[row * n..][..n].iter().sum()).collect();
    let mut columns: Vec<u64> =
        (0..n).map(|column| (0..n).map(|row| demand[row * n + column]).sum()).collect();
    let most = rows.iter().chain(&columns).copied().max().unwrap_or(0);
    for with_demand in [true, false] {
        for place in (0..n * n).filter(|&place| (demand[place] > 0) == with_demand) {
            let (row, column) = (place / n, place % n);
            let more = (most - rows[row]).min(most - columns[column]);
            all[place] += more;
            rows[row] += more;
            columns[column] += more;
        }
    }
    all
}

/// Matchings with bytes whose sum is a matrix with equal sums of rows and columns (Birkhoff 1946; von Neumann
/// 1953). Each is that of which the least entry is as large as can be found by halving a threshold
/// (`BigSlice` of Solstice, Liu et al. 2015), so that few have long times.
///
/// # Panics
/// If the sums are not equal.
pub fn decomposed(matrix: &[u64], n: usize) -> Vec<(u64, Vec<usize>)> {
    let mut left = matrix.to_vec();
    let mut found = Vec::new();
    let most = left.iter().copied().max().unwrap_or(0);
    let mut threshold = most.checked_next_power_of_two().unwrap_or(1 << 63);
    while left.iter().any(|&entry| entry > 0) {
        let Some(matching) = perfect(&left, n, threshold.max(1)) else {
            assert!(threshold > 1, "rows and columns with equal sums");
            threshold /= 2;
            continue;
        };
        let bytes = (0..n).map(|row| left[row * n + matching[row]]).min().expect("a row");
        (0..n).for_each(|row| left[row * n + matching[row]] -= bytes);
        found.push((bytes, matching));
    }
    found
}

/// A perfect matching of entries that are at least as large as a threshold: for each row its column.
fn perfect(matrix: &[u64], n: usize, threshold: u64) -> Option<Vec<usize>> {
    let mut row_of = vec![usize::MAX; n];
    for row in 0..n {
        let mut seen = vec![false; n];
        if !augment((matrix, n, threshold), row, &mut seen, &mut row_of) {
            return None;
        }
    }
    let mut column_of = vec![0; n];
    (0..n).for_each(|column| column_of[row_of[column]] = column);
    Some(column_of)
}

/// Finds a column for a row, if rows that have one may be moved (Kuhn).
fn augment(
    (matrix, n, threshold): (&[u64], usize, u64),
    row: usize,
    seen: &mut [bool],
    row_of: &mut [usize],
) -> bool {
    for column in 0..n {
        if matrix[row * n + column] >= threshold && !std::mem::replace(&mut seen[column], true) {
            let is_free = row_of[column] == usize::MAX;
            if is_free || augment((matrix, n, threshold), row_of[column], seen, row_of) {
                row_of[column] = row;
                return true;
            }
        }
    }
    false
}

/// Decides matchings, slot after slot, by a rule.
#[derive(Debug, Clone)]
pub struct Decider {
    rule: DemandRule,
    frame: Frame,
    racks: usize,
    /// The pointers of iSLIP, from slot to slot.
    islip: Option<Box<Arbiter<WORDS>>>,
}

/// Words of a set of racks.
const WORDS: usize = 16;

/// The most racks whose circuits follow demand.
pub const MOST_RACKS: usize = 64 * WORDS;

impl Decider {
    /// A rule for so many racks, at most [`MOST_RACKS`].
    pub fn new(rule: DemandRule, frame: Frame, racks: u32) -> Self {
        let islip = match rule {
            DemandRule::Islip { iterations } => {
                let spec = SchedulerSpec::Islip { iterations };
                // It draws nothing.
                let draws = Seed(0).stream("core/demand");
                Some(Box::new(Arbiter::new(&spec, racks, racks, draws)))
            }
            DemandRule::MaximumWeight {} | DemandRule::Birkhoff {} => None,
        };
        Self { rule, frame, racks: racks as usize, islip }
    }

    /// The matchings of the next slots: for each slot and each switch the rack to which each rack's light goes,
    /// itself if to none. What they carry is taken off the demand.
    pub fn decide(&mut self, demand: &mut [u64]) -> Vec<Vec<Vec<u32>>> {
        let Frame { switches, slots, .. } = self.frame;
        if self.rule == (DemandRule::Birkhoff {}) {
            return self.birkhoff(demand);
        }
        let mut slot = |_| (0..switches).map(|_| self.next(demand)).collect();
        (0..slots).map(&mut slot).collect()
    }

    /// The matching of one switch in one slot.
    fn next(&mut self, demand: &mut [u64]) -> Vec<u32> {
        let n = self.racks;
        let pairs: Vec<(usize, usize)> = match &mut self.islip {
            Some(islip) => {
                let racks = number(n);
                let mut requests = Requests::new(racks, racks);
                for place in (0..n * n).filter(|&place| demand[place] > 0) {
                    requests.set(number(place / n), number(place % n));
                }
                let mut pairs = Vec::new();
                // iSLIP does not look at the number of a slot.
                islip.slot(0, &requests, Mask::first_ports(racks), &mut pairs);
                pairs.into_iter().map(|(from, to)| (from as usize, to as usize)).collect()
            }
            None => maximum_weight(demand, n).into_iter().enumerate().collect(),
        };
        self.joined(pairs.into_iter(), demand)
    }

    /// A matching of pairs, of which those without a demand are left out.
    fn joined(&self, pairs: impl Iterator<Item = (usize, usize)>, demand: &mut [u64]) -> Vec<u32> {
        let mut to: Vec<u32> = (0..number(self.racks)).collect();
        for (from, far) in pairs {
            let demand = &mut demand[from * self.racks + far];
            if *demand > 0 {
                *demand = demand.saturating_sub(self.frame.slot);
                to[from] = number(far);
            }
        }
        to
    }

    /// The matchings of a decomposition, the longest first, each for as many slots as it takes: those of a switch
    /// follow each other, so that it keeps a matching where it can.
    fn birkhoff(&self, demand: &mut [u64]) -> Vec<Vec<Vec<u32>>> {
        let Frame { switches, slots, slot: carried } = self.frame;
        let idle: Vec<u32> = (0..number(self.racks)).collect();
        let mut all = vec![vec![idle; switches]; slots];
        let parts = decomposed(&stuffed(demand, self.racks), self.racks);
        let times = parts.iter().flat_map(|(bytes, matching)| {
            let count = usize::try_from(bytes.div_ceil(carried)).unwrap_or(usize::MAX);
            std::iter::repeat_n(matching, count)
        });
        let places = (0..switches).flat_map(|switch| (0..slots).map(move |slot| (slot, switch)));
        for ((slot, switch), matching) in places.zip(times) {
            all[slot][switch] = self.joined(matching.iter().copied().enumerate(), demand);
        }
        all
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("a number of racks")
}
