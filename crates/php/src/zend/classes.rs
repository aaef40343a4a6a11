//! Registers what the stubs declare: the generated tables, joined to the Rust types behind them.

use super::elements;
use super::ffi;
use super::globals;
use super::iterator;
use super::module::Functions;
use super::object;
use super::tables::{memcache, mysqli as tables, vaquita};
use crate::mysqli::done::Done;
use crate::mysqli::link::Link;
use crate::mysqli::report::{Driver, EXCEPTION};
use crate::mysqli::result::ResultSet;
use crate::mysqli::statement::Statement;
use crate::mysqli::warnings::Warnings;
use crate::vaquita::kv::Kv;
use crate::vaquita::row::Row;
use crate::vaquita::row_iterator::RowIterator;
use crate::vaquita::rows::Rows;
use core::ffi::c_int;
use core::ptr;

/// The functions of the module mysqli.
pub(crate) fn functions() -> Functions {
    Functions(tables::functions())
}

/// The functions of the module vaquita, which take mysqli's objects.
pub(crate) fn own_functions() -> Functions {
    Functions(vaquita::functions())
}

/// Registers the classes of the module vaquita; once, at PHP's start.
pub(crate) fn register_own(module_number: c_int) {
    // SAFETY: the module starts, so core, spl and json have started; each class is registered once, and has what its interfaces ask for. The
    // functions are the module's that starts, and as static as their table.
    unsafe {
        memcache::register_constants(module_number);
        let kind = ffi::MODULE_PERSISTENT.cast_signed();
        ffi::zend_register_functions(ptr::null_mut(), memcache::functions(), ptr::null_mut(), kind);
        let (countable, array) = (ffi::zend_ce_countable, ffi::zend_ce_arrayaccess);
        let (aggregate, json) = (ffi::zend_ce_aggregate, ffi::php_json_serializable_ce);
        // Zend wants to know the classes that a class's methods return.
        let row = vaquita::register_class_vaquita_row(ptr::null_mut());
        ffi::zend_class_implements(row, 4, aggregate, array, countable, json);
        elements::install::<Row>(row);
        let walk = vaquita::register_class_vaquita_rowiterator(ptr::null_mut());
        ffi::zend_class_implements(walk, 1, ffi::spl_ce_SeekableIterator);
        object::install::<RowIterator>(walk);
        let rows = vaquita::register_class_vaquita_rows(ptr::null_mut());
        ffi::zend_class_implements(rows, 4, aggregate, array, countable, json);
        elements::install::<Rows>(rows);
        iterator::install::<Rows>();
        // A link may hold the object that holds it.
        object::install_with::<Kv>(vaquita::register_class_vaquita_kv(ptr::null_mut()), |it| {
            it.get_gc = Some(object::tell_held::<Kv>);
        });
        object::install::<Done>(vaquita::register_class_vaquita_done(ptr::null_mut()));
    }
}

/// Registers mysqli's classes and constants; once, at PHP's start.
pub(crate) fn register(module_number: c_int) {
    // SAFETY: the module starts, so spl and core, which it needs, have started; each class is registered once; the
    // module's functions were registered before it starts.
    unsafe {
        tables::register_constants(module_number);
        tables::add_attributes((*globals::compiler()).function_table);
        EXCEPTION.set(tables::register_class_mysqli_sql_exception(ffi::spl_ce_RuntimeException));
        object::install::<Driver>(tables::register_class_mysqli_driver(ptr::null_mut()));
        object::install::<Link>(tables::register_class_mysqli(ptr::null_mut()));
        object::install::<Warnings>(tables::register_class_mysqli_warning(ptr::null_mut()));
        let result = tables::register_class_mysqli_result(ptr::null_mut());
        ffi::zend_class_implements(result, 1, ffi::zend_ce_aggregate);
        object::install::<ResultSet>(result);
        iterator::install::<ResultSet>();
        object::install::<Statement>(tables::register_class_mysqli_stmt(ptr::null_mut()));
    }
}
