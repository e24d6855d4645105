//! The errors of many points as one list.

use std::collections::BTreeMap;

use super::Sweep;
use crate::load::Checked;
use crate::mistake::Mistake;

/// The maximum number of errors listed for all points together.
const MOST: usize = 100;
/// The number of points with errors after which the search stops.
const MOST_POINTS: u64 = 1_000;

/// A check of the points of a sweep, one after the other: an error of many points is reported once, with the
/// first of them. Points that give the same scenario are also an error: their runs are the same, and would
/// count as independent ones.
#[derive(Debug)]
pub struct Look<'a> {
    sweep: &'a Sweep,
    found: Vec<Found>,
    /// Errors beyond those that are listed.
    more: usize,
    /// Points with errors.
    bad: u64,
    /// The digests so far, each with its point.
    known: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Found {
    mistake: Mistake,
    first: u64,
    others: u64,
}

impl<'a> Look<'a> {
    /// Nothing checked yet.
    pub fn new(sweep: &'a Sweep) -> Self {
        Self { sweep, found: Vec::new(), more: 0, bad: 0, known: BTreeMap::new() }
    }

    /// Creates a point, `None` if it has errors.
    pub fn point(&mut self, at: u64) -> Option<Checked> {
        let mistakes = match self.sweep.point(at) {
            Ok(checked) => return Some(checked),
            Err(mistakes) => mistakes,
        };
        self.note(at, mistakes);
        None
    }

    /// The digest of a point, `None` if it has errors or equals an earlier point.
    pub fn digest(&mut self, at: u64) -> Option<u64> {
        let digest = self.point(at)?.digest();
        let Some(&first) = self.known.get(&digest) else {
            self.known.insert(digest, at);
            return Some(digest);
        };
        self.note(at, vec![self.sweep.again(at, first)]);
        None
    }

    /// Collects the errors of a point.
    fn note(&mut self, at: u64, mistakes: Vec<Mistake>) {
        self.bad += 1;
        for mistake in mistakes {
            if let Some(known) = self.found.iter_mut().find(|known| known.mistake == mistake) {
                known.others += 1;
            } else if self.found.len() < MOST {
                self.found.push(Found { mistake, first: at, others: 0 });
            } else {
                self.more += 1;
            }
        }
    }

    /// Whether so many errors are found that the search can stop.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST || self.bad >= MOST_POINTS
    }

    /// All errors, each with the first point that has it; none where there is none.
    pub fn mistakes(self) -> Vec<Mistake> {
        let least = if self.is_full() { "at least " } else { "" };
        let Self { sweep, found, more, .. } = self;
        let several = sweep.points() > 1;
        let mut list: Vec<Mistake> = found
            .into_iter()
            .map(|Found { mut mistake, first, others }| {
                if several {
                    let others = match others {
                        0 => String::new(),
                        1 => " and one more point".to_owned(),
                        others => format!(" and {least}{others} more points"),
                    };
                    mistake.problem =
                        format!("{} (at {}{others})", mistake.problem, sweep.name(first));
                }
                mistake
            })
            .collect();
        if more > 0 {
            list.push(Mistake::of_file(&sweep.file, format!("{least}{more} more errors")));
        }
        list
    }
}
