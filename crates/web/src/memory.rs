//! What is known of an allocation that fails: the module ends there, and its caller wants to say why.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::exit_reason;

/// The system's allocator, which notes a failure.
struct Noting;

#[global_allocator]
static NOTING: Noting = Noting;

#[inline]
fn noted(block: *mut u8, bytes: usize) -> *mut u8 {
    if block.is_null() {
        exit_reason::out_of_memory(bytes);
    }
    block
}

// SAFETY: every call is passed to the system's allocator with the same layout; noting a number neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the system's.
        noted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.realloc(block, layout, size) }, size)
    }
}
