//! How much memory the engine holds, and what happens when an allocation fails.
//!
//! The system's allocator with a counter of bytes. The event loop allocates almost nothing, so the
//! counter does not slow a run. Requested bytes are counted: memory that has not been touched yet
//! counts too, and is detected before it is used.

#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::pages;

/// Bytes that are held. No other memory depends on it, so relaxed ordering is sufficient.
static HELD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Where this thread, if it is one of [`on_failure`], reports an allocation that failed.
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

/// The minimum of a job's peak, in excess of what is held after it, that is worth giving back.
const WORTH_IT: usize = 64 << 20;

/// Gives free memory back to the system if a job has left much of it; `most` bytes were held at once.
///
/// glibc keeps memory freed by a thread for that thread's next allocations. Each job has its own thread, so
/// without this each of several large runs of one process would leave its memory allocated.
pub(crate) fn give_back(most: usize) {
    if most.saturating_sub(held()) > WORTH_IT {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: it takes no pointer, and locks what it reads.
        unsafe {
            malloc_trim(0);
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    /// glibc's: releases free memory of all heaps except `pad` bytes at the top of the main one.
    fn malloc_trim(pad: usize) -> std::ffi::c_int;
}

/// From here on an allocation that fails on this thread stops the thread permanently, and the returned
/// value is the number of its bytes; it is 0 otherwise.
///
/// An allocator must not unwind, and its caller cannot continue: so the thread stops where it is, and
/// the thread that waits for it must check here. Its memory stays allocated.
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
    // No thread waits for it: print a message and exit, without a core dump.
    let _ = writeln!(std::io::stderr(), "error: out of memory: cannot allocate {bytes} bytes more");
    #[expect(clippy::exit, reason = "there is no way to go on, and none to unwind")]
    std::process::exit(1);
}

// SAFETY: every call is passed to the system's allocator with the same layout; the counter, `note_block` and `fail`
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
    pages::note_block(block, size);
    block
}

/// The memory that a run may still take, in bytes, from the creation of this value.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    before: usize,
    most: Option<u64>,
    words: Arc<str>,
}

impl Limit {
    /// `most` bytes more than are held now; `words` is additional text for the message.
    pub(crate) fn new(most: Option<u64>, words: &str) -> Self {
        Self { before: held(), most, words: words.into() }
    }

    /// The message if more is held.
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

/// Bytes in gigabytes (10⁹).
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.3}", bytes as f64 / 1e9)
}
