//! The module `mysqlnd`: the name under which PHP and its applications know the driver, and its settings.

use crate::pdo::PdoMysql;
use crate::session::rows;
use crate::statistics;
use crate::zend::dependents::{dependents, when_all_have_started};
use crate::zend::error::startup_warning;
use crate::zend::info;
use crate::zend::ini::{self, Scope, Setting};
use crate::zend::module::{self, Module, php_version, text};
use crate::zend::name;
use crate::zend::string::Str;
use core::ffi::{CStr, c_int};
use std::ffi::CString;
use std::sync::OnceLock;

/// What the client calls itself; PHP's version follows. Applications look for `mysqlnd` in it.
const CLIENT_INFO_PREFIX: &[u8] = b"mysqlnd ";

/// The least `mysqlnd.net_cmd_buffer_size`, in bytes; also its default.
const NET_CMD_BUFFER_MIN_BYTES: i64 = 4096;

pub(crate) struct Mysqlnd;

impl Module for Mysqlnd {
    const NAME: &'static CStr = c"mysqlnd";
    const NEEDS: &'static [&'static CStr] = &[c"standard"];
    const SETTINGS: &'static [Setting] = &[
        Setting::flag(c"mysqlnd.collect_statistics", c"1", Scope::All)
            .watched_by(statistics::collect),
        Setting::flag(c"mysqlnd.collect_memory_statistics", c"0", Scope::System),
        Setting::new(c"mysqlnd.debug", None, Scope::System),
        Setting::new(c"mysqlnd.trace_alloc", None, Scope::System),
        Setting::new(c"mysqlnd.net_cmd_buffer_size", Some(c"4096"), Scope::All)
            .at_least(NET_CMD_BUFFER_MIN_BYTES),
        Setting::number(c"mysqlnd.net_read_buffer_size", c"32768", Scope::All),
        Setting::number(c"mysqlnd.net_read_timeout", c"86400", Scope::All),
        Setting::number(c"mysqlnd.log_mask", c"0", Scope::All),
        Setting::number(c"mysqlnd.mempool_default_size", c"16000", Scope::All),
        Setting::new(c"mysqlnd.sha256_server_public_key", None, Scope::PerDir),
    ];

    fn version() -> &'static CStr {
        static VERSION: OnceLock<CString> = OnceLock::new();
        VERSION.get_or_init(|| text(&[CLIENT_INFO_PREFIX, php_version().to_bytes()]))
    }

    fn start(_module_number: c_int) {
        // Only now is known whether PDO is there, wherever in php.ini it stands.
        if module::is_loaded(c"pdo") {
            module::register::<PdoMysql>();
        }
        when_all_have_started(warn_of_dependents);
    }

    fn request_start() {
        name::begin_request();
        rows::begin_request();
    }

    fn request_shutdown() {
        rows::end_request();
    }

    fn info() {
        let number = |name| Str::new(ini::string(name).unwrap_or_default());
        let on = |name| if ini::flag(name) { c"Yes" } else { c"No" };
        let command_buffer = number(c"mysqlnd.net_cmd_buffer_size");
        let read_buffer = number(c"mysqlnd.net_read_buffer_size");
        let read_timeout = number(c"mysqlnd.net_read_timeout");
        info::table(
            (c"mysqlnd", c"enabled"),
            &[
                (c"Version", Self::version()),
                (c"Implementation", c"Vaquita"),
                (c"Compression", c"supported"),
                (c"core SSL", c"supported"),
                (c"extended SSL", c"supported"),
                (c"Command buffer size", command_buffer.as_c_str()),
                (c"Read buffer size", read_buffer.as_c_str()),
                (c"Read timeout", read_timeout.as_c_str()),
                (c"Collecting statistics", on(c"mysqlnd.collect_statistics")),
                (c"Collecting memory statistics", on(c"mysqlnd.collect_memory_statistics")),
                (c"Tracing", c"n/a"),
                (
                    c"Loaded plugins",
                    c"mysqlnd,auth_plugin_mysql_native_password,auth_plugin_mysql_clear_password,auth_plugin_caching_sha2_password,\
                      auth_plugin_sha256_password,auth_plugin_client_ed25519,auth_plugin_parsec",
                ),
                (c"API Extensions", c"mysqli"),
            ],
        );
        for string in [command_buffer, read_buffer, read_timeout] {
            string.release();
        }
    }
}

/// What needs the module by this name may want the functions in C that stock's has.
fn warn_of_dependents() {
    for name in dependents(Mysqlnd::NAME, crate::STOCK) {
        startup_warning(&text(&[
            b"Vaquita: the extension ",
            name.to_bytes(),
            b" is made for stock mysqlnd, whose functions in C Vaquita does not have: where it uses them, PHP ends with ",
            b"\"undefined symbol: mysqlnd_...\"; see docs/other_extensions.md",
        ]));
    }
}
