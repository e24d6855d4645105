//! Why an instance of the module has ended.

use std::fmt::Write;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of the text: no allocation may be needed to write it.
const ROOM: usize = 1_024;

/// A text of bounded length; the rest of what is written is cut off.
struct Words {
    text: [u8; ROOM],
    len: usize,
}

static WORDS: Mutex<Words> = Mutex::new(Words { text: [0; ROOM], len: 0 });

/// The bytes of an allocation that failed; 0 if none has.
static FAILED: AtomicUsize = AtomicUsize::new(0);

impl Write for Words {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let mut most = text.len().min(ROOM - self.len);
        while !text.is_char_boundary(most) {
            most -= 1;
        }
        self.text[self.len..self.len + most].copy_from_slice(&text.as_bytes()[..most]);
        self.len += most;
        Ok(())
    }
}

fn put(write: impl FnOnce(&mut Words) -> std::fmt::Result) {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    words.len = 0;
    // Writing into an array does not fail.
    let _ = write(&mut words);
}

/// Keeps the message of a panic.
pub(crate) fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A native test wants its own report of a panic.
        if cfg!(target_arch = "wasm32") {
            panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
                let message = info.payload_as_str().unwrap_or("a panic without a message");
                put(|words| {
                    write!(words, "{message}")?;
                    info.location().map_or(Ok(()), |at| write!(words, " ({at})"))
                });
            }));
        }
    });
}

/// An allocation of this many bytes has failed.
#[cfg(target_arch = "wasm32")]
pub(crate) fn out_of_memory(bytes: usize) {
    FAILED.store(bytes, Ordering::Relaxed);
}

/// The bytes of the text.
pub(crate) fn len() -> usize {
    let failed = FAILED.load(Ordering::Relaxed);
    if failed > 0 {
        put(|words| write!(words, "out of memory: cannot allocate {failed} bytes more"));
    }
    WORDS.lock().unwrap_or_else(PoisonError::into_inner).len
}

/// Where it is.
pub(crate) fn at() -> *const u8 {
    WORDS.lock().unwrap_or_else(PoisonError::into_inner).text.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        let mut words = Words { text: [0; ROOM], len: 0 };
        write!(words, "x{}", "ä".repeat(ROOM)).unwrap();
        let text = std::str::from_utf8(&words.text[..words.len]).unwrap();
        assert_eq!(words.len, ROOM - 1);
        assert!(text.starts_with('x') && text.ends_with('ä'));
    }
}
