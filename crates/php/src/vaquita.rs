//! The module `vaquita`: what is new, and what an operator wants to know of the build.

use crate::zend::info;
use crate::zend::ini::Setting;
use crate::zend::module::{Module, build_id, text};
use core::ffi::CStr;
use std::ffi::CString;
use std::sync::OnceLock;

/// Why the driver is not in use, if it isn't; written once, at PHP's start.
pub(crate) static INACTIVE: OnceLock<CString> = OnceLock::new();

pub(crate) struct Vaquita;

impl Module for Vaquita {
    const NAME: &'static CStr = c"vaquita";
    const NEEDS: &'static [&'static CStr] = &[];
    /// Each has a row in docs/settings.md.
    const SETTINGS: &'static [Setting] = &[];

    fn version() -> &'static CStr {
        Box::leak(text(&[env!("CARGO_PKG_VERSION").as_bytes()]).into_boxed_c_str())
    }

    fn info() {
        let build = text(&[
            build_id().to_bytes(),
            if cfg!(debug_assertions) { b" (debug)" } else { b" (release)" },
        ]);
        let support: (&CStr, &CStr) = match INACTIVE.get() {
            Some(reason) => (c"Vaquita", reason),
            None => (c"Vaquita", c"enabled"),
        };
        info::table(
            support,
            &[(c"Version", Self::version()), (c"Build", &build), (c"TLS", c"not supported yet")],
        );
    }
}
