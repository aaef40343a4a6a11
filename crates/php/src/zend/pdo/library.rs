//! PDO's functions in C. They are looked up when PDO is there: Vaquita loads without it, too.

use super::super::ffi;
use super::super::symbol::address_of;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// Declares the functions that are looked up, with the types that PDO's headers give them.
macro_rules! library {
    ($($(#[$condition:meta])* $name:ident: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// What a driver calls of PDO's.
        pub(super) struct Library {
            $($(#[$condition])* pub(super) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Library {
            fn find() -> Option<Library> {
                Some(Library {
                    $($(#[$condition])* $name: {
                        let address = address_of(c_name(concat!(stringify!($name), "\0")))?;
                        // SAFETY: PDO has a function of this type by this name (php_pdo_driver.h, of the PHP that this is built for).
                        unsafe {
                            core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> $result>(address)
                        }
                    },)*
                })
            }
        }
    };
}

library! {
    php_pdo_register_driver: fn(*const ffi::pdo_driver_t) -> ffi::zend_result;
    php_pdo_unregister_driver: fn(*const ffi::pdo_driver_t) -> ();
    php_pdo_parse_data_source: fn(*const c_char, ffi::zend_ulong, *mut ffi::pdo_data_src_parser, c_int) -> c_int;
    php_pdo_get_dbh_ce: fn() -> *mut ffi::zend_class_entry;
    #[cfg(php_pdo_classes)]
    php_pdo_register_driver_specific_ce: fn(*const ffi::pdo_driver_t, *mut ffi::zend_class_entry) -> ffi::zend_result;
    php_pdo_stmt_set_column_count: fn(*mut ffi::pdo_stmt_t, c_int) -> ();
    pdo_parse_params: fn(*mut ffi::pdo_stmt_t, *mut ffi::zend_string, *mut *mut ffi::zend_string) -> c_int;
    pdo_throw_exception: fn(c_uint, *mut c_char, *mut ffi::pdo_error_type) -> ();
    pdo_raise_impl_error: fn(*mut ffi::pdo_dbh_t, *mut ffi::pdo_stmt_t, *mut c_char, *const c_char) -> ();
    pdo_get_long_param: fn(*mut ffi::zend_long, *mut ffi::zval) -> bool;
    pdo_get_bool_param: fn(*mut bool, *mut ffi::zval) -> bool;
}

static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();

/// PDO's functions; `None`: there is no PDO. Asked for when all modules are loaded.
pub(super) fn library() -> Option<&'static Library> {
    LIBRARY.get_or_init(Library::find).as_ref()
}

fn c_name(name: &'static str) -> &'static CStr {
    CStr::from_bytes_until_nul(name.as_bytes()).unwrap_or_default()
}
