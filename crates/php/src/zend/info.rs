//! What `phpinfo()` and `php --ri` show of a module.

use super::ffi;
use core::ffi::{CStr, c_int};

/// Prints a table: its head, then rows of a name and a value.
pub(crate) fn table(head: (&CStr, &CStr), rows: &[(&CStr, &CStr)]) {
    const COLUMNS: c_int = 2;
    // SAFETY: each call gets as many C strings as columns.
    unsafe {
        ffi::php_info_print_table_start();
        ffi::php_info_print_table_header(COLUMNS, head.0.as_ptr(), head.1.as_ptr());
        for (name, value) in rows {
            ffi::php_info_print_table_row(COLUMNS, name.as_ptr(), value.as_ptr());
        }
        ffi::php_info_print_table_end();
    }
}
