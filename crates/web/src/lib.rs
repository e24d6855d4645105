//! The engine for WebAssembly: a plain C interface, and nothing else.
//!
//! A call is a text in JSON, one of `src/request.rs`, and so is its reply. The caller asks for
//! room ([`tcphoton_input`]), writes the request there, lets it be answered ([`tcphoton_call`]) and reads
//! the reply ([`tcphoton_reply`]). Rows are never JSON: a reply says where the columns of its tables
//! are in memory, and they stay there until the next call. The module imports nothing, so it is the same
//! in a page, in a worker and in Node.
//!
//! A panic, which is a bug of the engine, and memory that cannot be had end an instance of the module;
//! its caller reads why ([`tcphoton_last_words`]) and makes another one.

mod exit_reason;
#[cfg(target_arch = "wasm32")]
mod memory;
mod request;
mod session;

use std::sync::{Mutex, MutexGuard, PoisonError};

use session::Session;

static SESSION: Mutex<Session> = Mutex::new(Session::new());

fn session() -> MutexGuard<'static, Session> {
    // Only a native test goes on after a panic.
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for a request of this many bytes; it belongs to the module.
#[unsafe(no_mangle)]
pub extern "C" fn tcphoton_input(bytes: usize) -> *mut u8 {
    exit_reason::keep_panics();
    session().input(bytes).as_mut_ptr()
}

/// Answers the request that was written into the room, and returns the length of the reply in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tcphoton_call() -> usize {
    let mut session = session();
    session.call();
    session.reply().len()
}

/// Where the last reply is, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn tcphoton_reply() -> *const u8 {
    session().reply().as_ptr()
}

/// Why this instance has ended, as a text in UTF-8: its length in bytes; 0 if nobody knows.
#[unsafe(no_mangle)]
pub extern "C" fn tcphoton_last_words() -> usize {
    exit_reason::len()
}

/// Where the text is whose length [`tcphoton_last_words`] returns.
#[unsafe(no_mangle)]
pub extern "C" fn tcphoton_last_words_at() -> *const u8 {
    exit_reason::at()
}
