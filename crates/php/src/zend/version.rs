//! The PHP that this object is built for, where its versions behave differently.

use super::ffi;

/// Whether it is this minor version, as 804 for 8.4, or a later one.
pub(crate) const fn is_at_least(minor: u32) -> bool {
    ffi::PHP_VERSION_ID / 100 >= minor
}

/// Whether an answer without rows leaves a prepared statement without columns, as in stock 8.4.27. In 8.2 and 8.4.24 it keeps those of the
/// answer before.
pub(crate) const fn forgets_columns() -> bool {
    is_at_least(804)
}

/// Whether it is a PHP with threads (ZTS).
pub(crate) const fn is_thread_safe() -> bool {
    ffi::USING_ZTS == 1
}
