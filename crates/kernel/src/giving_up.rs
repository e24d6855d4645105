//! Cancellation of long work whose result is no longer wanted.
//!
//! The caller starts such work on a separate thread and passes it a flag. The work checks the flag
//! with [`checkpoint`] in every loop that may be long, and unwinds when it is set: what it has
//! built so far is freed. Nothing that a run computes depends on it.

use std::cell::OnceCell;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static ASKED: OnceCell<Arc<AtomicBool>> = const { OnceCell::new() };
}

/// The payload with which a [`checkpoint`] unwinds cancelled work. It is not a panic: no hook sees
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp;

/// From now on this thread's checkpoints check a flag, the first one that is passed to the thread.
pub fn heed(flag: Arc<AtomicBool>) {
    ASKED.with(|asked| {
        asked.get_or_init(|| flag);
    });
}

/// The flag that this thread's checkpoints check, for threads that share its work.
pub fn asked() -> Option<Arc<AtomicBool>> {
    ASKED.with(|asked| asked.get().cloned())
}

/// Unwinds with [`GivenUp`] when this thread's work is cancelled. It costs two reads.
#[inline]
pub fn checkpoint() {
    let over = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
    if ASKED.with(|asked| asked.get().is_some_and(over)) {
        panic::resume_unwind(Box::new(GivenUp));
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn work_that_is_given_up_ends_at_its_next_checkpoint_and_other_threads_go_on() {
        let flag = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&flag);
        let work = thread::spawn(move || {
            heed(asked);
            loop {
                checkpoint();
            }
        });
        checkpoint();
        flag.store(true, Ordering::Relaxed);
        checkpoint();
        let thrown = work.join().unwrap_err();
        assert_eq!(thrown.downcast_ref(), Some(&GivenUp));
    }
}
