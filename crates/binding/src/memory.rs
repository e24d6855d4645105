//! How much memory the engine holds, and what happens when an allocation fails.
//!
//! The system's allocator with a counter of bytes. The event loop allocates almost nothing, so the
//! counter does not slow a run. Requested bytes are counted: memory that has not been touched yet
//! counts too, and is detected before it is used.

#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_int;
#[cfg(target_os = "linux")]
use std::ffi::c_void;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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

/// Puts the memory of a large run into huge pages: the heaps of threads, where its many small blocks are, and large blocks.
///
/// A packet of a large network touches memory in ten places or more, each in a page whose address the processor has to look
/// up. With huge pages it knows them all.
pub(crate) fn use_huge_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        for area in areas(&maps) {
            let start = std::ptr::without_provenance_mut(area.start);
            if area.is_heap_of_thread {
                // What is not used yet is advised on, too.
                advise(start, HEAP, MADV_HUGEPAGE);
            }
            // Both are used from their beginning on; the rest is not to be filled.
            if area.is_heap_of_thread || area.is_advised {
                advise(start, area.resident, MADV_COLLAPSE);
            }
        }
    }
}

/// A range of memory of no file.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
struct Area {
    start: usize,
    /// How many bytes of it are in memory.
    resident: usize,
    /// Whether it begins a heap of a thread: glibc aligns them.
    is_heap_of_thread: bool,
    /// Whether huge pages are asked for.
    is_advised: bool,
}

/// The larger ones of a process, by its `smaps`.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn areas(smaps: &str) -> Vec<Area> {
    let mut found: Vec<Area> = Vec::new();
    let mut is_wanted = false;
    for line in smaps.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let address = |digits| usize::from_str_radix(digits, 16).ok();
        let range = words.first().and_then(|range| range.split_once('-'));
        if let Some((start, end)) = range.and_then(|(a, b)| address(a).zip(address(b))) {
            is_wanted = words.len() == 5 && words[1] == "rw-p" && end - start >= LARGE;
            if is_wanted {
                let is_heap_of_thread = start % HEAP == 0;
                found.push(Area { start, resident: 0, is_heap_of_thread, is_advised: false });
            }
        } else if let Some(area) = found.last_mut().filter(|_| is_wanted) {
            match words.as_slice() {
                ["Rss:", kib, ..] => area.resident = kib.parse().unwrap_or(0) << 10,
                ["VmFlags:", flags @ ..] => area.is_advised = flags.contains(&"hg"),
                _ => {}
            }
        }
    }
    found
}

/// The address space that glibc sets aside for a heap of a thread.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
const HEAP: usize = 64 << 20;

/// Bytes of a block, or of a thread's heap, from which on huge pages are asked for.
const LARGE: usize = 8 << 20;

/// The advices of Linux to use huge pages, and to put what is there into such.
const MADV_HUGEPAGE: c_int = 14;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
const MADV_COLLAPSE: c_int = 25;

/// Advises the system on the whole huge pages in a range of memory. Where it refuses, nothing changes.
#[cold]
fn advise(start: *mut u8, bytes: usize, advice: c_int) {
    const PAGE: usize = 2 << 20;
    let before = start.addr().next_multiple_of(PAGE) - start.addr();
    let whole = bytes.saturating_sub(before) / PAGE * PAGE;
    #[cfg(target_os = "linux")]
    if whole > 0 {
        // SAFETY: these advices change the size of pages, never what is in them, whoever has mapped them.
        unsafe {
            madvise(start.wrapping_add(before).cast(), whole, advice);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (whole, advice);
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    /// Says how a range of memory is used.
    fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    /// glibc's: releases free memory of all heaps except `pad` bytes at the top of the main one.
    fn malloc_trim(pad: usize) -> c_int;
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

// SAFETY: every call is passed to the system's allocator with the same layout; the counter, `advise` and `fail`
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
    if size >= LARGE {
        advise(block, size, MADV_HUGEPAGE);
    }
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
