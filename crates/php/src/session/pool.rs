//! Persistent connections (mysqli's `p:` before the host's name), and how many there are.
//!
//! The idle ones belong to the thread and outlive its requests; they are closed when PHP ends.

use super::options::seconds;
use crate::statistics;
use crate::zend::guarded::{Bug, Guarded};
use crate::zend::ini::{self, Kept};
use std::time::Instant;
use vaquita_client::{ConnectOptions, Connection, Lease, Pool, PoolCheck, PoolLimits, PoolStats};

thread_local! {
    static POOL: Guarded<Pool> = Guarded::new(Pool::default());
    static LIMITS: Kept<PoolLimits> = const { Kept::new() };
}

/// What the settings say. They must not be read inside of `Guarded::with`.
pub(crate) fn limits() -> PoolLimits {
    LIMITS.with(|limits| limits.get(read_limits))
}

fn read_limits() -> PoolLimits {
    let check = match ini::string(c"vaquita.pool_check") {
        Some(b"none") => PoolCheck::None,
        Some(b"ping") => PoolCheck::Ping,
        _ => PoolCheck::Peek,
    };
    PoolLimits {
        max_idle: usize::try_from(ini::long(c"vaquita.pool_max_idle")).ok(),
        idle_timeout: seconds(ini::long(c"vaquita.pool_idle_timeout")),
        max_lifetime: seconds(ini::long(c"vaquita.pool_max_lifetime")),
        check,
        awaits_end: false,
    }
}

/// Takes an idle connection that was made so, with a fresh session on it.
pub(crate) fn take(options: &ConnectOptions, limits: &PoolLimits) -> Option<Box<Connection>> {
    let taken = POOL.with(|pool| pool.with(|pool| pool.take(options, limits))).ok().flatten();
    count_spent();
    taken
}

/// Notes that a connection, new or taken, is in use.
pub(crate) fn lease() -> Option<Lease> {
    POOL.with(|pool| pool.with(Pool::lease)).ok()
}

/// Takes a connection back.
///
/// # Errors
/// The driver has panicked; the connection is gone.
pub(crate) fn give(
    lease: Lease,
    connection: Option<Box<Connection>>,
    limits: &PoolLimits,
) -> Result<(), Bug> {
    let given = POOL.with(|pool| pool.with(|pool| pool.give(lease, connection, limits)));
    count_spent();
    given
}

/// Counts what idle connections have cost.
fn count_spent() {
    if let Ok(spent) = POOL.with(|pool| pool.with(Pool::take_spent)) {
        statistics::count_driver(&spent);
    }
}

/// Whether a connection that is idle since then, in other hands, may be used again; if not, that is counted.
pub(crate) fn admit(limits: &PoolLimits, connection: &Connection, since: Instant) -> bool {
    let mut is_admitted = true;
    count(|stats| is_admitted = limits.admit(connection, since, stats));
    is_admitted
}

/// Wipes out what the user of a connection left that others keep; whether it may be used again.
pub(crate) fn release(connection: &mut Connection, limits: &PoolLimits) -> bool {
    let mut is_released = Ok(false);
    POOL.with(|pool| {
        is_released = pool.with(|pool| pool.stats_mut().release(connection, limits));
    });
    is_released.unwrap_or_else(|Bug| {
        connection.give_up();
        false
    })
}

/// Counts what became of a persistent connection that others keep.
pub(crate) fn count(change: impl FnOnce(&mut PoolStats)) {
    let _ = POOL.with(|pool| pool.with(|pool| change(pool.stats_mut())));
}

/// What became of this thread's persistent connections.
pub(crate) fn stats() -> PoolStats {
    POOL.with(|pool| pool.peek(Pool::stats)).unwrap_or_default()
}

/// Closes the idle connections.
pub(crate) fn stop() {
    let _ = POOL.with(|pool| pool.with(Pool::clear));
}

/// How many persistent links of this thread are in use.
pub(crate) fn active() -> i64 {
    number(Pool::leased)
}

/// How many persistent connections of this thread nobody uses.
pub(crate) fn idle() -> i64 {
    number(Pool::idle)
}

fn number(of: fn(&Pool) -> usize) -> i64 {
    let number = POOL.with(|pool| pool.peek(of)).unwrap_or_default();
    i64::try_from(number).unwrap_or(i64::MAX)
}
