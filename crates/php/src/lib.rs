//! The PHP extension: one shared object, `vaquita.so`, that registers the modules mysqlnd, mysqli, pdo_mysql and vaquita.
//!
//! # Lifecycles
//!
//! - **Process.** PHP loads the object and calls `get_module`, then starts each module (`Module::start`): classes, constants and
//!   settings are registered once and only read afterwards. No thread is started and no connection made: a fork may follow
//!   (FPM, Apache prefork), and each child goes on with its own copy.
//! - **Request.** `Module::request_start` puts this thread's state back: report mode, last connect error. `Module::request_shutdown`
//!   lets go of what sessions keep of the request's memory for later results.
//! - **Object.** Connections and results belong to PHP objects, whose free handler drops them at the latest at the request's end.
//!   Persistent connections are given back then, to a pool of their thread (`session::pool`), which `Module::stop` empties when
//!   PHP ends. A forked child lets go of what it inherited without a byte.
//! - **Thread.** The driver looks names up in a thread of its own, which knows nothing of PHP, takes none of its signals, and may outlive
//!   request and module: the object is never unloaded.
//!
//! # Per process, per thread
//!
//! Per process are only class entries and Zend's tables (written at start, then read-only). Everything a request changes is per
//! thread: `thread_local!` cells in `mysqli::report` and `session::pool`, what was read of settings (`zend::ini`), and in `zend::guarded` where PHP has threads. Objects never leave their thread (`Rc`, `Cell`), as Zend's
//! don't. So a ZTS build needs no other data layout.
//!
//! The only `unsafe` of this crate stands in `zend`.

mod convert;
mod mysqli;
mod mysqlnd;
mod observing;
mod pdo;
mod session;
mod statistics;
mod vaquita;
mod zend;

use mysqli::Mysqli;
use mysqlnd::Mysqlnd;
use vaquita::Vaquita;
use zend::module::{self, Entry};

/// The modules that stock PHP would have under our names, or that would drive stock's.
const STOCK: &[&core::ffi::CStr] = &[c"mysqlnd", c"mysqli", c"pdo_mysql"];

/// What PHP calls when it has loaded the object (through `zend::module`'s exported symbol): which module does it get?
fn modules() -> Entry {
    if !module::rivals(&[c"vaquita"]).is_empty() {
        // PHP says that it is loaded already, and leaves everything as it is.
        return module::load_alone::<Vaquita>();
    }
    let rivals = module::rivals(STOCK);
    if let Some(reason) = conflict(&rivals) {
        zend::error::startup_warning(&reason);
        let _ = vaquita::INACTIVE.set(module::text(&[b"inactive: ", reason.to_bytes()]));
        return module::load_alone::<Vaquita>();
    }
    module::load::<Mysqlnd, Mysqli, Vaquita>()
}

/// Why the driver can't be put in use, and what to do.
fn conflict(rivals: &[module::Rival]) -> Option<std::ffi::CString> {
    let name = |rival: &module::Rival| rival.name.to_string_lossy().into_owned();
    if let Some(rival) = rivals.iter().find(|rival| rival.is_built_in) {
        let text =
            format!("Vaquita: this PHP has {} built in, which can't be replaced", name(rival));
        return Some(module::text(&[text.as_bytes()]));
    }
    if !rivals.is_empty() {
        let names: Vec<String> = rivals.iter().map(name).collect();
        let lines: Vec<String> = names.iter().map(|name| format!("extension={name}")).collect();
        let text = format!(
            "Vaquita: stock {} {} loaded already, so Vaquita stays inactive; to use it, remove the ini line {}",
            names.join(" and "),
            if names.len() == 1 { "is" } else { "are" },
            lines.join(" and ")
        );
        return Some(module::text(&[text.as_bytes()]));
    }
    module::is_late().then(|| {
        module::text(&[
            b"Vaquita: dl() can't load several modules; put extension=vaquita into php.ini instead",
        ])
    })
}
