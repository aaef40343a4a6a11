//! What PHP sees of this extension, as Zend's tables: `vaquita-stub-gen` makes them of the stubs (build.rs), and they are registered here.

use super::ffi;
use core::ffi::{CStr, c_int};
use core::mem;

/// The tables of `stubs/mysqli.stub.php`.
pub(crate) mod mysqli {
    include!(concat!(env!("OUT_DIR"), "/mysqli_tables.rs"));
}

/// The tables of `stubs/pdo_mysql.stub.php`.
#[allow(dead_code, reason = "before PHP 8.4 there is no class, and this stub has nothing else")]
pub(crate) mod pdo_mysql {
    include!(concat!(env!("OUT_DIR"), "/pdo_mysql_tables.rs"));
}

/// The tables of `stubs/vaquita.stub.php`.
#[expect(dead_code, reason = "this stub has no constants, and no attributes")]
pub(crate) mod vaquita {
    include!(concat!(env!("OUT_DIR"), "/vaquita_tables.rs"));
}

/// The tables of `stubs/memcache.stub.php`.
#[expect(dead_code, reason = "this stub has no attributes")]
pub(crate) mod memcache {
    include!(concat!(env!("OUT_DIR"), "/memcache_tables.rs"));
}

/// A table that Zend keeps pointers into for as long as the process lives.
struct Table<T, const N: usize>([T; N]);

impl<T, const N: usize> Table<T, N> {
    const fn as_ptr(&'static self) -> *const T {
        self.0.as_ptr()
    }
}

// SAFETY: nothing writes to a table, neither here nor in Zend (which copies what it changes); its pointers lead to C strings and
// functions, all static.
unsafe impl<const N: usize> Sync for Table<ffi::zend_internal_arg_info, N> {}
// SAFETY: as above; these lead to argument infos besides.
unsafe impl<const N: usize> Sync for Table<ffi::zend_function_entry, N> {}

/// A global constant.
struct Constant {
    name: &'static CStr,
    value: Value,
    deprecated: bool,
}

/// A value that a stub can write.
#[expect(dead_code, reason = "not every stub has each kind of value")]
enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(&'static CStr),
}

/// A class, but for its parent and interfaces.
struct Class {
    name: &'static CStr,
    methods: *const ffi::zend_function_entry,
    /// ZEND_ACC_FINAL and the like.
    flags: u32,
    /// Public ones, integers.
    constants: &'static [(&'static CStr, i64)],
    properties: &'static [Property],
    attributes: &'static [Attribute],
}

/// A declared property.
struct Property {
    name: &'static CStr,
    /// ZEND_ACC_PUBLIC and the like.
    visibility: u32,
    /// The MAY_BE_* bits of its type; 0 if it has none.
    type_mask: u32,
    /// `None` of a typed property that is uninitialised until it is written.
    default: Option<Value>,
}

/// An attribute of a function or of one of its parameters.
struct Attribute {
    /// The function's name in lower case.
    function: &'static CStr,
    /// The parameter's number, from 0; `None`: it is the function's own.
    parameter: Option<u32>,
    name: &'static CStr,
    /// Names and values, all strings.
    arguments: &'static [(&'static CStr, &'static CStr)],
}

/// # Safety
/// Called in MINIT, with that module's number.
unsafe fn register_constants(constants: &[Constant], module_number: c_int) {
    for constant in constants {
        let (name, length) = (constant.name.as_ptr(), constant.name.count_bytes());
        let deprecated = if constant.deprecated { ffi::CONST_DEPRECATED } else { 0 };
        let flags = (ffi::CONST_PERSISTENT | deprecated).cast_signed();
        // SAFETY: the caller's promise; the names and strings are static and end in NUL.
        unsafe {
            match constant.value {
                Value::Null => ffi::zend_register_null_constant(name, length, flags, module_number),
                Value::Bool(value) => {
                    ffi::zend_register_bool_constant(name, length, value, flags, module_number)
                }
                Value::Int(value) => {
                    ffi::zend_register_long_constant(name, length, value, flags, module_number)
                }
                Value::Text(value) => {
                    ffi::zend_register_string_constant(
                        name,
                        length,
                        value.as_ptr(),
                        flags,
                        module_number,
                    );
                }
            }
        }
    }
}

/// # Safety
/// Called in MINIT; `parent` is a registered class or null.
unsafe fn register_class(
    class: &Class,
    parent: *mut ffi::zend_class_entry,
) -> *mut ffi::zend_class_entry {
    // SAFETY: zeros are a zend_class_entry: it has numbers, pointers and optional functions only, and Zend itself begins with
    // zeros. Zend copies the entry, and the class that it returns lives as long as the process.
    unsafe {
        let mut entry: ffi::zend_class_entry = mem::zeroed();
        entry.name = interned(class.name);
        entry.info.internal.builtin_functions = class.methods;
        let registered = ffi::zend_register_internal_class_ex(&raw mut entry, parent);
        (*registered).ce_flags |= class.flags;
        for (name, value) in class.constants {
            declare_constant(registered, name, *value);
        }
        for property in class.properties {
            declare_property(registered, property);
        }
        add_attributes(&raw mut (*registered).function_table, class.attributes);
        registered
    }
}

/// # Safety
/// Called in MINIT, with a class that this module has just registered.
unsafe fn declare_constant(class: *mut ffi::zend_class_entry, name: &CStr, value: i64) {
    // SAFETY: the caller's promise; Zend copies the zval.
    unsafe {
        let mut zval: ffi::zval = mem::zeroed();
        zval.value.lval = value;
        zval.u1.type_info = ffi::IS_LONG;
        let (name, public) = (interned(name), ffi::ZEND_ACC_PUBLIC.cast_signed());
        #[cfg(php_typed_constants)]
        ffi::zend_declare_typed_class_constant(
            class,
            name,
            &raw mut zval,
            public,
            core::ptr::null_mut(),
            ffi::zend_type { ptr: core::ptr::null_mut(), type_mask: ffi::MAY_BE_LONG },
        );
        #[cfg(not(php_typed_constants))]
        ffi::zend_declare_class_constant_ex(
            class,
            name,
            &raw mut zval,
            public,
            core::ptr::null_mut(),
        );
    }
}

/// # Safety
/// Called in MINIT, with a class that this module has just registered.
unsafe fn declare_property(class: *mut ffi::zend_class_entry, property: &Property) {
    let type_ = ffi::zend_type { ptr: core::ptr::null_mut(), type_mask: property.type_mask };
    let visibility = property.visibility.cast_signed();
    // SAFETY: the caller's promise; Zend copies the zval, whose string, if any, is interned, as an internal class asks for.
    unsafe {
        let mut default: ffi::zval = mem::zeroed();
        default.u1.type_info = match property.default {
            None => ffi::IS_UNDEF,
            Some(Value::Null) => ffi::IS_NULL,
            Some(Value::Bool(false)) => ffi::IS_FALSE,
            Some(Value::Bool(true)) => ffi::IS_TRUE,
            Some(Value::Int(value)) => {
                default.value.lval = value;
                ffi::IS_LONG
            }
            Some(Value::Text(value)) => {
                default.value.str_ = interned(value);
                ffi::IS_INTERNED_STRING_EX
            }
        };
        let name = interned(property.name);
        let no_comment = core::ptr::null_mut();
        ffi::zend_declare_typed_property(
            class,
            name,
            &raw mut default,
            visibility,
            no_comment,
            type_,
        );
    }
}

/// # Safety
/// Called in MINIT; `functions` is a table of functions that has all of `list`, registered by this module.
unsafe fn add_attributes(functions: *mut ffi::HashTable, list: &[Attribute]) {
    for Attribute { function, parameter, name, arguments } in list {
        // SAFETY: the caller's promise; such a table holds pointers to functions, and all kinds of functions have the common
        // part. An attribute's offset is the parameter's number from 1 (zend_add_parameter_attribute in zend_attributes.h), or 0.
        // Zend makes room for as many arguments as it is told, unset; the values are strings that live as long as PHP.
        unsafe {
            let found =
                ffi::zend_hash_str_find(functions, function.as_ptr(), function.count_bytes());
            debug_assert!(!found.is_null());
            let attributes = &raw mut (*(*found).value.func).common.attributes;
            let attribute = ffi::zend_add_attribute(
                attributes,
                interned(name),
                u32::try_from(arguments.len()).unwrap_or_default(),
                ffi::ZEND_ATTRIBUTE_PERSISTENT,
                parameter.map_or(0, |index| index + 1),
                0,
            );
            let mut place = (&raw mut (*attribute).args).cast::<ffi::zend_attribute_arg>();
            for (name, value) in *arguments {
                (*place).name = interned(name);
                (*place).value.value.str_ = interned(value);
                (*place).value.u1.type_info = ffi::IS_INTERNED_STRING_EX;
                place = place.add(1);
            }
        }
    }
}

/// A string that lives as long as the process.
///
/// # Safety
/// Called in MINIT.
unsafe fn interned(text: &CStr) -> *mut ffi::zend_string {
    // SAFETY: Zend sets the pointer before it starts modules, and changes it between requests only; it copies the text.
    unsafe {
        match ffi::zend_string_init_interned {
            Some(init) => init(text.as_ptr(), text.count_bytes(), true),
            None => unreachable!("Zend interns strings before it starts modules"),
        }
    }
}
