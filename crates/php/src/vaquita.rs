//! The module `vaquita`: what is new, and what an operator wants to know of the build.

mod about;
pub(crate) mod by_key;
pub(crate) mod kv;
pub(crate) mod kv_advice;
pub(crate) mod memcache;
pub(crate) mod metrics;
pub(crate) mod row;
pub(crate) mod row_iterator;
pub(crate) mod rows;
pub(crate) mod statistics;
mod table;
pub(crate) mod trace;

use crate::observing::{publishing, tracing};
use crate::session::{self, key_value, tls};
use crate::zend::border;
use crate::zend::classes;
use crate::zend::error::log_bug;
use crate::zend::ini::{Scope, Setting};
use crate::zend::module::{Functions, Module, text};
use core::ffi::{CStr, c_int};
use std::ffi::CString;
use std::sync::OnceLock;
use vaquita_client::panic_point;

/// Why the driver is not in use, if it isn't; written once, at PHP's start.
pub(crate) static INACTIVE: OnceLock<CString> = OnceLock::new();

pub(crate) struct Vaquita;

impl Module for Vaquita {
    const NAME: &'static CStr = c"vaquita";
    const NEEDS: &'static [&'static CStr] = &[];
    /// Each has a row in docs/settings.md.
    const SETTINGS: &'static [Setting] = &[
        Setting::new(c"vaquita.cleartext_password", Some(c"secure"), Scope::System)
            .one_of(&[b"secure", b"off", b""]),
        Setting::new(c"vaquita.compression", Some(c"zlib"), Scope::All).one_of(&[
            b"zlib",
            b"zstd",
            b"zstd,zlib",
            b"zlib,zstd",
        ]),
        Setting::number(c"vaquita.host_max_links", c"-1", Scope::System)
            .counting_links()
            .limiting(),
        Setting::new(c"vaquita.kv", Some(c"off"), Scope::All).one_of(&key_value::MODES),
        Setting::new(c"vaquita.kv_address", Some(c""), Scope::All)
            .checked(key_value::is_address, c"host:port, [IPv6]:port or the path of a socket"),
        Setting::new(c"vaquita.kv_advice", Some(c""), Scope::NotScript)
            .checked(key_value::is_path, c"the path of a file, from the root"),
        Setting::flag(c"vaquita.kv_allow_dirty", c"0", Scope::All),
        Setting::number(c"vaquita.kv_max_stale_ms", c"1000", Scope::All).not_negative(),
        Setting::new(c"vaquita.kv_tables", Some(c""), Scope::All)
            .checked(key_value::is_tables, c"a list of tables, each as database.table"),
        Setting::number(c"vaquita.max_result_bytes", c"0", Scope::All).ceiling(),
        Setting::flag(c"vaquita.metrics_shared", c"0", Scope::System),
        Setting::new(c"vaquita.pool_check", Some(c"peek"), Scope::System)
            .one_of(&[b"none", b"peek", b"ping", b""]),
        Setting::number(c"vaquita.pool_idle_timeout", c"0", Scope::System).not_negative(),
        Setting::number(c"vaquita.pool_max_idle", c"-1", Scope::System)
            .counting_links()
            .at_least(-1),
        Setting::number(c"vaquita.pool_max_lifetime", c"0", Scope::System).not_negative(),
        Setting::number(c"vaquita.query_timeout_ms", c"0", Scope::All).not_negative(),
        Setting::number(c"vaquita.read_timeout", c"0", Scope::All).not_negative(),
        Setting::new(c"vaquita.run_dir", Some(c""), Scope::System),
        Setting::number(c"vaquita.statement_cache", c"16", Scope::All).not_negative(),
        Setting::new(c"vaquita.tls", Some(c""), Scope::System),
        Setting::new(c"vaquita.tls_crl", Some(c""), Scope::System),
        Setting::new(c"vaquita.trace", Some(c"off"), Scope::System)
            .checked(tracing::is_place, c"off, stderr or the path of a file, from the root"),
        Setting::flag(c"vaquita.trace_literals", c"0", Scope::System),
        Setting::number(c"vaquita.trace_slow_ms", c"0", Scope::System).not_negative(),
    ];

    fn version() -> &'static CStr {
        static VERSION: OnceLock<CString> = OnceLock::new();
        VERSION.get_or_init(|| text(&[env!("CARGO_PKG_VERSION").as_bytes()]))
    }

    fn functions() -> Functions {
        // Beside stock's mysqli there are no objects of ours for them.
        if INACTIVE.get().is_some() { Functions::NONE } else { classes::own_functions() }
    }

    fn start(module_number: c_int) {
        border::note_panics();
        border::set_give_up(session::give_up);
        if INACTIVE.get().is_none() {
            classes::register_own(module_number);
        }
        tls::warn_of_least();
    }

    fn stop() {
        vaquita_kv::write_advice(true);
    }

    fn request_start() {
        tracing::begin_request();
        publishing::begin_request(metrics::page);
    }

    fn request_shutdown() {
        session::let_go();
        panic_point("php/request_shutdown");
        tracing::warn_of_failure();
        publishing::warn_of_failure();
    }

    fn request_end() {
        // Also of what the ends of objects came to, behind which no script runs.
        log_bug();
        session::end_request();
        panic_point("php/request_end");
        tracing::end_request();
        publishing::end_request(metrics::page);
    }

    fn info() {
        panic_point("php/info");
        about::print();
    }
}
