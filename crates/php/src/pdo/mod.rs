//! The module `pdo_mysql`: PDO's driver for MySQL, its settings and constants.

mod attribute;
mod column;
mod connect;
pub(crate) mod database;
mod failure;
mod statement;

use crate::mysqlnd::Mysqlnd;
use crate::session::connecting::DEFAULT_SOCKET;
use crate::zend::info;
use crate::zend::ini::{Scope, Setting};
use crate::zend::module::Module;
use crate::zend::pdo;
use core::ffi::{CStr, c_int};
use database::Database;

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
