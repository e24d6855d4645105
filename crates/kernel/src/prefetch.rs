//! Brings memory near before it is read.
//!
//! The one place of the engine with unsafe code. A safe read in advance, its result unused, was
//! measured against it: such a read must still end before the processor may go on far beyond it,
//! which cost a third of the time of a network with many packets in flight.

/// Asks for the cache line where a thing begins; a hint, without effect on what the program does.
#[inline]
pub fn prefetch<T>(thing: &T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "the processor's instruction has no safe form")]
    // SAFETY: the address is that of a live reference, the instruction changes nothing that a
    // program can see, and every x86_64 has it (SSE).
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(thing).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(thing);
}
