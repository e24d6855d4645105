//! The exchange between parts: a barrier, what each reports, and parcels.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use kernel::Stop;
use units::{Span, Time};
use wire::context::Parcel;

use crate::network::Network;

/// What a part, or all parts together, report at an exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Report {
    /// The next event.
    pub next: Time,
    /// Events so far.
    pub events: u64,
    /// Flows that have ended and have not been removed.
    pub ended: usize,
    /// Why the run is over, if it is.
    pub stop: Option<Stop>,
}

impl Report {
    /// Nothing is known yet.
    const NONE: Self = Self { next: Time::NEVER, events: 0, ended: 0, stop: None };

    fn with(self, other: Self) -> Self {
        Self {
            next: self.next.min(other.next),
            events: self.events + other.events,
            ended: self.ended + other.ended,
            stop: self.stop.or(other.stop),
        }
    }
}

/// What a part leaves for the others at an exchange.
#[derive(Debug)]
#[repr(align(128))]
struct Desk {
    report: Mutex<Report>,
    /// By the part that it is for.
    parcels: Vec<Mutex<Parcel>>,
}

/// The parts of a run while they advance.
#[derive(Debug)]
pub(super) struct Team {
    /// How far all advance between two exchanges.
    pub lookahead: Span,
    /// By part, for exchanges with even and with odd numbers: whoever is first at the next exchange does not disturb
    /// those that are still busy with this one.
    desks: [Vec<Desk>; 2],
    barrier: Barrier,
}

/// Turns of a busy wait before a thread sleeps: some 50 µs, as long as it takes to wake.
const TURNS: u32 = 4_000;

/// Why a lock is open.
const OPEN: &str = "no thread panics while it has the lock";

impl Team {
    /// A team of so many parts.
    pub(super) fn new(count: usize, lookahead: Span) -> Self {
        let parcels = || (0..count).map(|_| Mutex::default()).collect();
        let desk = |_| Desk { report: Mutex::new(Report::NONE), parcels: parcels() };
        let desks = [0, 1].map(|_| (0..count).map(desk).collect());
        Self { lookahead, desks, barrier: Barrier::new(count) }
    }

    /// Lets the others know if this thread panics: they would wait for ever.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(&self.barrier)
    }

    /// The desks of all parts at an exchange.
    fn desks(&self, round: u64) -> &[Desk] {
        &self.desks[usize::from(round % 2 == 1)]
    }

    /// Leaves what a part has for the others, and what it reports.
    pub(super) fn leave(&self, (me, round): (usize, u64), found: Report, network: &mut Network) {
        let desk = &self.desks(round)[me];
        *desk.report.lock().expect(OPEN) = found;
        for (to, parcel) in desk.parcels.iter().enumerate() {
            if to != me {
                network.hand_over(to, &mut parcel.lock().expect(OPEN));
            }
        }
    }

    /// Waits until the threads of all parts do.
    pub(super) fn meet(&self) {
        self.barrier.wait();
    }

    /// Takes what all others have left for a part; `learn` gets what flows are to learn. Returns what all report.
    pub(super) fn take(
        &self,
        (me, round): (usize, u64),
        network: &mut Network,
        mut learn: impl FnMut(&mut Parcel),
    ) -> Report {
        let mut all = Report::NONE;
        for (from, desk) in self.desks(round).iter().enumerate() {
            all = all.with(*desk.report.lock().expect(OPEN));
            if from != me {
                let mut parcel = desk.parcels[me].lock().expect(OPEN);
                network.receive(from, &mut parcel);
                learn(&mut parcel);
            }
        }
        all
    }
}

/// Where all threads wait for each other: awake at first, since most waits are short, and asleep where one is long, since
/// another thread may need the core.
#[derive(Debug)]
struct Barrier {
    count: usize,
    /// Turns of a busy wait: none where threads share cores, of which the awaited one may need this.
    turns: u32,
    /// Threads that wait.
    waiting: AtomicUsize,
    /// Times that all were there.
    passed: AtomicUsize,
    /// Whether a thread has panicked.
    broken: AtomicBool,
    /// Threads that sleep, or are about to.
    asleep: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    fn new(count: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            count,
            turns: if count > cores { 0 } else { TURNS },
            waiting: AtomicUsize::new(0),
            passed: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Waits until all threads do.
    fn wait(&self) {
        let passed = self.passed.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            self.waiting.store(0, Ordering::Relaxed);
            self.passed.store(passed.wrapping_add(1), Ordering::SeqCst);
            self.wake_all();
            return;
        }
        for _ in 0..self.turns {
            if self.is_over(passed) {
                return;
            }
            std::hint::spin_loop();
        }
        // Whoever is last sees that one sleeps, or the one that is about to sees that all are there: the order of both
        // pairs of accesses is the same for all.
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_over(passed) {
            held = self.wake.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether all have been there since.
    fn is_over(&self, passed: usize) -> bool {
        assert!(!self.broken.load(Ordering::SeqCst), "another thread has panicked");
        self.passed.load(Ordering::SeqCst) != passed
    }

    /// Wakes those that sleep, which have found nothing new while they had the lock.
    fn wake_all(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
    }
}

/// Breaks the barrier if its thread panics.
#[derive(Debug)]
pub(super) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
            self.0.wake_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_before_all_are_there() {
        let barrier = Barrier::new(3);
        let (before, after) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=200 {
                        before.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                        assert!(before.load(Ordering::SeqCst) >= 3 * round);
                        assert!(after.load(Ordering::SeqCst) >= 3 * (round - 1));
                        after.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                    }
                });
            }
        });
        assert_eq!(after.load(Ordering::SeqCst), 600);
    }

    #[test]
    fn a_panic_of_one_thread_ends_the_others() {
        let team = Team::new(2, Span(1));
        let ended = thread::scope(|scope| {
            let waits = scope.spawn(|| team.barrier.wait());
            let panics = scope.spawn(|| {
                let _guard = team.guard();
                std::panic::resume_unwind(Box::new("a bug"));
            });
            [waits.join().is_err(), panics.join().is_err()]
        });
        assert_eq!(ended, [true, true]);
    }
}
