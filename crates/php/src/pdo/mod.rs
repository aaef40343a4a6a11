//! The module `pdo_mysql`: PDO's driver for MySQL, its settings and constants.

mod attribute;
mod column;
mod connect;
pub(crate) mod database;
mod failure;
mod parameter;
pub(crate) mod statement;

use crate::mysqlnd::Mysqlnd;
use crate::session::connecting::DEFAULT_SOCKET;
use crate::zend::info;
use crate::zend::ini::{Scope, Setting};
use crate::zend::module::Module;
use crate::zend::pdo;
use core::ffi::{CStr, c_int};
use database::Database;

// `PDO::PARAM_*`: the types of parameters and columns, and the flags that say how a string is quoted.
const PARAM_NULL: u32 = 0;
const PARAM_INT: u32 = 1;
const PARAM_STR: u32 = 2;
const PARAM_LOB: u32 = 3;
const PARAM_STMT: u32 = 4;
const PARAM_STR_CHAR: u32 = 0x2000_0000;
const PARAM_STR_NATL: u32 = 0x4000_0000;

/// What a data source's name begins with.
const DRIVER: &CStr = c"mysql";

pub(crate) struct PdoMysql;

impl Module for PdoMysql {
    const NAME: &'static CStr = c"pdo_mysql";
    const NEEDS: &'static [&'static CStr] = &[c"pdo", c"mysqlnd"];
    const SETTINGS: &'static [Setting] =
        &[Setting::new(c"pdo_mysql.default_socket", Some(DEFAULT_SOCKET), Scope::System)
            .not_empty()];

    fn start(_module_number: c_int) {
        for (name, value) in attribute::CONSTANTS {
            pdo::add_constant(name, *value);
        }
        pdo::register::<Database>(DRIVER);
    }

    fn stop() {
        pdo::unregister::<Database>(DRIVER);
    }

    fn info() {
        info::table(
            (c"PDO Driver for MySQL", c"enabled"),
            &[(c"Client API version", Mysqlnd::version())],
        );
    }
}
