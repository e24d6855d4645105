//! Huge pages for the memory of a large run.
//!
//! A packet of a large network touches memory in ten places or more, each in a page whose address the processor has to look
//! up. With huge pages it knows them all. Large blocks are advised when they are allocated; the heaps of threads, where the
//! many small blocks of a run are, and what blocks have grown by, now and then. Where the system refuses, or is not Linux,
//! nothing changes.

pub(crate) use here::{note_block, use_huge_pages};

/// Bytes held from which on huge pages are worth their price: several times a core's cache.
pub(crate) const WORTH_IT: usize = 16 << 20;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod here {
    #![expect(unsafe_code, reason = "advice on memory is a system call")]

    use std::ffi::{c_int, c_void};
    use std::ptr::without_provenance_mut;

    /// Bytes of a block, or of another area of memory, from which on huge pages are asked for.
    const LARGE: usize = 8 << 20;
    /// The address space that glibc sets aside for a heap of a thread, and aligns it to.
    const HEAP: usize = 64 << 20;
    const PAGE: usize = 2 << 20;
    /// Linux' advices to use huge pages, and to put what is there into such.
    const MADV_HUGEPAGE: c_int = 14;
    const MADV_COLLAPSE: c_int = 25;

    /// A block has been allocated.
    #[inline]
    pub(crate) fn note_block(block: *mut u8, bytes: usize) {
        if bytes >= LARGE {
            advise(block, bytes, MADV_HUGEPAGE);
        }
    }

    /// Puts into huge pages what is in memory of large blocks and of the heaps of threads.
    pub(crate) fn use_huge_pages() {
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        for area in areas(&smaps) {
            let start = without_provenance_mut(area.start);
            let is_heap_of_thread = area.start % HEAP == 0;
            if is_heap_of_thread {
                // What is not used yet is advised on, too.
                advise(start, HEAP, MADV_HUGEPAGE);
            }
            // Both are used from their beginning on; the rest is not to be filled.
            if is_heap_of_thread || area.is_advised {
                advise(start, area.resident, MADV_COLLAPSE);
            }
        }
    }

    /// A large area of memory of no file.
    struct Area {
        start: usize,
        /// How many bytes of it are in memory.
        resident: usize,
        /// Whether huge pages are asked for.
        is_advised: bool,
    }

    /// Those of a process, by its `smaps`.
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
                    found.push(Area { start, resident: 0, is_advised: false });
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

    /// Advises the system on the whole huge pages in a range of memory.
    #[cold]
    fn advise(start: *mut u8, bytes: usize, advice: c_int) {
        let before = start.addr().next_multiple_of(PAGE) - start.addr();
        let whole = bytes.saturating_sub(before) / PAGE * PAGE;
        if whole > 0 {
            // SAFETY: these advices change the size of pages, never what is in them, whoever has mapped them.
            unsafe {
                madvise(start.wrapping_add(before).cast(), whole, advice);
            }
        }
    }

    unsafe extern "C" {
        /// Says how a range of memory is used.
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod here {
    pub(crate) fn note_block(_: *mut u8, _: usize) {}

    pub(crate) fn use_huge_pages() {}
}
