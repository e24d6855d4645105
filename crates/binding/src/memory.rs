//! How much memory the engine holds, and what becomes of an allocation that fails.
//!
//! The system's allocator with a counter of bytes before it. The event loop allocates next to nothing,
//! so that a run does not feel it. What is counted is what was asked for: memory that is not touched
//! yet counts too, and is seen before it is.

#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Bytes that are held. No other memory hangs on it, so any order of its changes will do.
static HELD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Where this thread, if it is one of [`on_failure`], tells of an allocation that failed.
    static FAILED: Cell<Option<&'static AtomicUsize>> = const { Cell::new(None) };
}

/// The allocator of this library.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that this library holds.
pub(crate) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// What a job must have held at most, beyond what is held when it is over, to be worth giving back.
const WORTH_IT: usize = 64 << 20;

/// Gives free memory back to the system where a job has left much of it; `most` bytes were held at once.
///
/// glibc keeps what a thread has freed for that thread's next allocations. Each job has a thread of its own,
/// so without this several large runs of one process would each leave their memory behind.
pub(crate) fn give_back(most: usize) {
    if most.saturating_sub(held()) > WORTH_IT {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: it takes no pointer, and locks what it looks at.
        unsafe {
            malloc_trim(0);
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    /// glibc's: releases free memory of all heaps but `pad` bytes at the top of the main one.
    fn malloc_trim(pad: usize) -> std::ffi::c_int;
}

/// From here on an allocation that fails on this thread stops the thread for good, and the number of its
/// bytes stands in what comes back, which is 0 otherwise.
///
/// An allocator must not unwind, and what called it cannot go on: so the thread stays where it is, and
/// whoever waits for it has to look here. What it holds stays held.
pub(crate) fn on_failure() -> &'static AtomicUsize {
    let failed: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    FAILED.set(Some(failed));
    failed
}

/// The system has no more memory.
#[cold]
fn fail(bytes: usize) -> ! {
    if let Ok(Some(failed)) = FAILED.try_with(Cell::get) {
        failed.store(bytes, Ordering::Release);
        loop {
            thread::park();
        }
    }
    // Nobody can be told: say it and go, without a dump.
    let _ = writeln!(std::io::stderr(), "error: out of memory: no {bytes} bytes more");
    #[expect(clippy::exit, reason = "there is no way to go on, and none to unwind")]
    std::process::exit(1);
}

// SAFETY: every call is handed to the system's allocator with the same layout; the counter and `fail`
// allocate nothing and do not unwind.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the system's.
        counted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        counted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let moved = counted(unsafe { System.realloc(block, layout, size) }, size);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        moved
    }
}

#[inline]
fn counted(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        fail(size);
    }
    HELD.fetch_add(size, Ordering::Relaxed);
    block
}

/// What a run may still take, in bytes, from the moment at which it is made.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    before: usize,
    most: Option<u64>,
    words: Arc<str>,
}

impl Limit {
    /// `most` bytes more than are held now; `words` are what there is to say beside.
    pub(crate) fn new(most: Option<u64>, words: &str) -> Self {
        Self { before: held(), most, words: words.into() }
    }

    /// What is wrong, where more is held.
    pub(crate) fn broken(&self) -> Option<String> {
        let most = self.most?;
        let taken = held().saturating_sub(self.before) as u64;
        (taken > most).then(|| {
            let (taken, most) = (gigabytes(taken), gigabytes(most));
            format!(
                "out of memory: the run has taken {taken} GB, and {most} GB were left{}",
                self.words
            )
        })
    }
}

/// Bytes as thousand millions of them.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.3}", bytes as f64 / 1e9)
}
