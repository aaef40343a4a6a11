//! Threads beside those that run scripts: they take no signal, for handlers of PHP's would run in them.

use std::{io, thread};

use nix::sys::signal::{SigSet, SigmaskHow};

/// Starts a thread that takes no signals.
///
/// # Errors
/// There can't be one more.
pub fn spawn_without_signals(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A thread begins with its maker's mask.
    let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    let restored = mask.thread_set_mask();
    debug_assert!(restored.is_ok(), "a mask that was one is none: {restored:?}");
    started.map(|_| ())
}
