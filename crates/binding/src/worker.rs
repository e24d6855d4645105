//! The thread on which the engine runs while Python's thread checks for signals.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use scenario::GivenUp;

use crate::clocks;
use crate::errors::{engine_error, take_panic};
use crate::memory::{self, Limit};
use crate::pages;

/// How long Python's thread waits before it checks signals and memory.
#[expect(clippy::disallowed_types, reason = "the wait for a thread is wall time")]
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);
/// The stack of the thread: that of a program's first one.
const STACK: usize = 8 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other for one caller.
///
/// The thread that waits for a job checks for signals meanwhile. When a signal or the memory limit ends
/// the wait, the job is cancelled: it ends at its next [`scenario::checkpoint`], or at its end, and its
/// results are dropped there. So control returns at once, regardless of what the engine is doing.
///
/// A thread without a job has ended when its worker is dropped. So the next one takes over the memory
/// that it freed: glibc keeps that by thread, and a thread that still lived would leave it unused.
pub(crate) struct Worker {
    /// Where jobs go, and who does them; `None` only while it is dropped.
    thread: Option<(Sender<Job>, JoinHandle<()>)>,
    /// Whether the result of each job has arrived.
    idle: AtomicBool,
    given_up: Arc<AtomicBool>,
    failed: Arc<OnceLock<&'static AtomicUsize>>,
    /// The maximum number of bytes observed to be held.
    most: Arc<AtomicUsize>,
    /// How often much memory was seen to be held.
    looks: AtomicUsize,
    limit: Limit,
}

impl Worker {
    /// A thread whose jobs may take no more memory than `limit` says.
    pub(crate) fn new(limit: Limit) -> PyResult<Self> {
        let (jobs, todo) = mpsc::channel::<Job>();
        let given_up = Arc::new(AtomicBool::new(false));
        let failed = Arc::new(OnceLock::new());
        let most = Arc::new(AtomicUsize::new(0));
        let (flag, cell, seen) = (Arc::clone(&given_up), Arc::clone(&failed), Arc::clone(&most));
        let work = move || {
            scenario::heed(flag);
            let _ = cell.set(memory::on_failure());
            for job in todo {
                job();
            }
            memory::give_back(seen.load(Ordering::Relaxed));
        };
        let thread = thread::Builder::new().name("engine".to_owned()).stack_size(STACK);
        let thread = thread.spawn(work).map_err(|error| {
            PyMemoryError::new_err(format!("out of memory: no thread for the engine: {error}"))
        })?;
        let (thread, idle) = (Some((jobs, thread)), AtomicBool::new(true));
        let looks = AtomicUsize::new(0);
        Ok(Self { thread, idle, given_up, failed, most, looks, limit })
    }

    /// Does a job and waits for it; a panic in it becomes an `EngineError`.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<T> {
        let (done, mut result) = mpsc::channel();
        let job = move || {
            // Incomplete state after a panic is dropped with the error: it is not used again.
            let outcome = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| {
                if thrown.is::<GivenUp>() { "given up".to_owned() } else { take_panic() }
            });
            // The receiver may no longer exist.
            let _ = done.send(outcome);
        };
        self.idle.store(false, Ordering::Relaxed);
        if self.thread.as_ref().is_none_or(|(jobs, _)| jobs.send(Box::new(job)).is_err()) {
            return Err(engine_error(py, "its thread has ended unexpectedly".to_owned()));
        }
        loop {
            let (back, found) = py.detach(move || wait(result));
            result = back;
            match found {
                Ok(outcome) => {
                    self.idle.store(true, Ordering::Relaxed);
                    return match outcome {
                        Ok(value) => self.within_limit(value),
                        Err(message) => Err(engine_error(py, message)),
                    };
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(engine_error(py, "its thread has ended unexpectedly".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => self.look(py)?,
            }
        }
    }

    /// Seconds of processor time of this thread so far.
    pub(crate) fn cpu_seconds(&self, py: Python<'_>) -> PyResult<f64> {
        self.call(py, || Python::attach(|py| clocks::clock(py, "thread_time")))?
    }

    fn within_limit<T>(&self, value: T) -> PyResult<T> {
        self.note_memory();
        match self.limit.broken() {
            Some(problem) => Err(PyMemoryError::new_err(problem)),
            None => Ok(value),
        }
    }

    /// Notes how much memory is held; if that is much, huge pages are asked for now and then, ever more rarely.
    fn note_memory(&self) {
        let held = memory::held();
        self.most.fetch_max(held, Ordering::Relaxed);
        if held >= pages::WORTH_IT && self.looks.fetch_add(1, Ordering::Relaxed).is_power_of_two() {
            pages::use_huge_pages();
        }
    }

    /// Checks signals and memory.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        self.note_memory();
        let failed = self.failed.get().map_or(0, |failed| failed.load(Ordering::Acquire));
        let problem = match failed {
            0 => self.limit.broken(),
            bytes => Some(format!("out of memory: the system has no {bytes} bytes more")),
        };
        py.check_signals().and(problem.map_or(Ok(()), |text| Err(PyMemoryError::new_err(text))))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        let Some((jobs, thread)) = self.thread.take() else { return };
        drop(jobs);
        if self.idle.load(Ordering::Relaxed) {
            // It has nothing left to do, and cannot panic.
            let _ = thread.join();
        }
    }
}

fn wait<T>(result: Receiver<T>) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    let found = result.recv_timeout(LOOK);
    (result, found)
}

/// Does a single job on its own thread and waits for it.
pub(crate) fn aside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    Worker::new(Limit::new(None, ""))?.call(py, work)
}
