//! Persistent connections (mysqli's `p:` before the host's name), and how many there are.
//!
//! The idle ones belong to the thread and outlive its requests; they are closed when PHP ends.

use crate::zend::guarded::Guarded;
use vaquita_client::{ConnectOptions, Connection, Lease, Pool};

thread_local! {
    static POOL: Guarded<Pool> = Guarded::new(Pool::default());
}

/// Takes an idle connection that was made so, with a fresh session on it.
pub(crate) fn take(options: &ConnectOptions) -> Option<Connection> {
    POOL.with(|pool| pool.with(|pool| pool.take(options))).ok().flatten()
}

/// Notes that a connection, new or taken, is in use.
pub(crate) fn lease(options: &ConnectOptions, rolls_back: bool) -> Option<Lease> {
    POOL.with(|pool| pool.with(|pool| pool.lease(options, rolls_back))).ok()
}

/// Takes a connection back.
pub(crate) fn give(lease: Lease, connection: Option<Connection>) {
    let given = POOL.with(|pool| pool.with(|pool| pool.give(lease, connection)));
    debug_assert!(given.is_ok());
}

/// Closes the idle connections.
pub(crate) fn stop() {
    let _ = POOL.with(|pool| pool.with(Pool::clear));
}

/// How many persistent links of this thread are in use.
pub(crate) fn active() -> i64 {
    count(Pool::leased)
}

/// How many persistent connections of this thread nobody uses.
pub(crate) fn idle() -> i64 {
    count(Pool::idle)
}

fn count(of: fn(&Pool) -> usize) -> i64 {
    let number = POOL.with(|pool| pool.peek(of)).unwrap_or_default();
    i64::try_from(number).unwrap_or(i64::MAX)
}
