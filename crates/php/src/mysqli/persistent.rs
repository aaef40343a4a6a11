//! Persistent connections (`p:` before the host's name), and how many links there are.
//!
//! The idle ones belong to the thread and outlive its requests; they are closed when PHP ends.

use super::report;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::guarded::Guarded;
use vaquita_client::{ConnectOptions, Connection, Lease, Pool};

thread_local! {
    static POOL: Guarded<Pool> = Guarded::new(Pool::default());
}

/// Takes an idle connection that was made so, with a fresh session on it.
pub(super) fn take(options: &ConnectOptions) -> Option<Connection> {
    POOL.with(|pool| pool.with(|pool| pool.take(options))).ok().flatten()
}

/// Notes that a connection, new or taken, is in use.
pub(super) fn lease(options: &ConnectOptions, rolls_back: bool) -> Option<Lease> {
    POOL.with(|pool| pool.with(|pool| pool.lease(options, rolls_back))).ok()
}

/// Takes a connection back.
pub(super) fn give(lease: Lease, connection: Option<Connection>) {
    let given = POOL.with(|pool| pool.with(|pool| pool.give(lease, connection)));
    debug_assert!(given.is_ok());
}

/// Closes the idle connections.
pub(super) fn stop() {
    let _ = POOL.with(|pool| pool.with(Pool::clear));
}

/// How many persistent links of this thread are in use.
pub(super) fn active() -> i64 {
    count(Pool::leased)
}

/// How many persistent connections of this thread nobody uses.
pub(super) fn idle() -> i64 {
    count(Pool::idle)
}

fn count(of: fn(&Pool) -> usize) -> i64 {
    let number = POOL.with(|pool| pool.peek(of)).unwrap_or_default();
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// `mysqli_get_links_stats`.
pub(crate) fn get_links_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let mut stats = Map::new(call.returns(), 3);
    stats.insert_named(b"total").long(report::open_links());
    stats.insert_named(b"active_plinks").long(active());
    stats.insert_named(b"cached_plinks").long(idle());
    Ok(())
}
