//! The module `mysqli`: its settings, classes and constants, and what is common to its rooms.

pub(crate) mod asynchronous;
pub(crate) mod bound_query;
pub(crate) mod commands;
pub(crate) mod connect;
pub(crate) mod done;
pub(crate) mod execute;
pub(crate) mod fetch;
pub(crate) mod field;
pub(crate) mod link;
pub(crate) mod options;
pub(crate) mod parameters;
pub(crate) mod pipeline;
pub(crate) mod prepare;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod result;
pub(crate) mod statement;
pub(crate) mod statement_attribute;
pub(crate) mod statement_property;
pub(crate) mod statement_result;
pub(crate) mod statistics;
pub(crate) mod transaction;
pub(crate) mod warnings;

use crate::mysqlnd::Mysqlnd;
use crate::session::connecting::DEFAULT_SOCKET;
use crate::session::pool;
use crate::zend::classes;
use crate::zend::info;
use crate::zend::ini::{Scope, Setting};
use crate::zend::module::{Functions, Module, php_version};
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use core::ffi::{CStr, c_int};

/// What `mysqli_driver::$driver_version` has always been.
const DRIVER_VERSION: i64 = 101_009;
pub(crate) struct Mysqli;

impl Module for Mysqli {
    const NAME: &'static CStr = c"mysqli";
    const NEEDS: &'static [&'static CStr] = &[c"spl", c"mysqlnd"];
    const SETTINGS: &'static [Setting] = &[
        Setting::number(c"mysqli.max_links", c"-1", Scope::System).counting_links(),
        Setting::number(c"mysqli.max_persistent", c"-1", Scope::System).counting_links(),
        Setting::flag(c"mysqli.allow_persistent", c"1", Scope::System),
        Setting::flag(c"mysqli.rollback_on_cached_plink", c"0", Scope::System),
        Setting::new(c"mysqli.default_host", None, Scope::All),
        Setting::new(c"mysqli.default_user", None, Scope::All),
        Setting::new(c"mysqli.default_pw", None, Scope::All).secret(),
        Setting::number(c"mysqli.default_port", c"3306", Scope::All),
        Setting::new(c"mysqli.default_socket", Some(DEFAULT_SOCKET), Scope::All).not_empty(),
        Setting::flag(c"mysqli.allow_local_infile", c"0", Scope::System),
        Setting::new(c"mysqli.local_infile_directory", None, Scope::System),
    ];

    fn functions() -> Functions {
        classes::functions()
    }

    fn start(module_number: c_int) {
        classes::register(module_number);
    }

    fn stop() {
        pool::stop();
    }

    fn request_start() {
        report::request_start();
    }

    fn info() {
        let count = |number: i64| Str::decimal(u64::try_from(number).unwrap_or_default());
        let links = count(report::open_links());
        let (active, idle) = (count(pool::active()), count(pool::idle()));
        info::table(
            (c"MysqlI Support", c"enabled"),
            &[
                (c"Client API library version", Mysqlnd::version()),
                (c"Active Persistent Links", active.as_c_str()),
                (c"Inactive Persistent Links", idle.as_c_str()),
                (c"Active Links", links.as_c_str()),
            ],
        );
        for number in [links, active, idle] {
            number.release();
        }
    }
}

/// PHP's version as one number: major * 10000 + minor * 100 + patch.
fn client_version() -> i64 {
    php_version().to_str().unwrap_or_default().split('.').take(3).fold(0, |number, part| {
        let digits = part.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
        number * 100 + digits.parse::<i64>().unwrap_or(0)
    })
}

fn write_client_info(slot: Slot<'_>) {
    slot.bytes(Mysqlnd::version().to_bytes());
}
