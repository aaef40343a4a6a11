//! Places where a test has us panic (`scripts/panics`), to see that a bug is not the end of PHP. Only a build with the feature `panic-points`
//! has them, and none such is installed; in all others this is nothing.

/// Panics if the environment's `VAQUITA_PANIC_AT` names this place, which is called after its crate and file.
#[inline(always)]
#[track_caller]
pub fn panic_point(_name: &'static str) {
    #[cfg(feature = "panic-points")]
    #[expect(clippy::panic, reason = "its whole purpose")]
    if std::env::var("VAQUITA_PANIC_AT").is_ok_and(|at| at == _name) {
        panic!("asked to at {_name}");
    }
}
