//! Several PHP modules in one shared object: how they are described to Zend, and how they come to life.
//!
//! PHP asks the object for one module, mysqlnd; the others are registered on the way. That works while PHP starts, not
//! in `dl()`: see [`load`].

use super::border::enter;
use super::error::startup_warning;
use super::ffi;
use super::ini::{self, Setting};
use super::string::Str;
use super::version;
use core::ffi::{CStr, c_int};
use core::ptr;
use std::ffi::CString;
use std::sync::OnceLock;

/// A module of ours.
pub(crate) trait Module: 'static {
    const NAME: &'static CStr;
    /// The modules that must have started before.
    const NEEDS: &'static [&'static CStr];
    const SETTINGS: &'static [Setting];
    /// Its version; PHP's own where PHP would ship the module.
    fn version() -> &'static CStr {
        php_version()
    }
    /// Its functions' table, if it has functions.
    fn functions() -> Functions {
        Functions::NONE
    }
    /// Registers classes and constants; once a process, before any fork.
    fn start(_module_number: c_int) {}
    /// Ends what lives as long as a process; no request comes any more.
    fn stop() {}
    /// Puts the state of this thread back to what a request begins with.
    fn request_start() {}
    /// Ends what lives as long as a request, when its objects are gone and its memory is still there.
    fn request_end() {}
    /// Lets go of what a request leaves; its objects are still there, and user code may run after it.
    fn request_shutdown() {}
    /// Prints its part of `phpinfo()`. Printing may run user code: what it prints must be owned by nobody here.
    fn info();
}

/// A table of functions, as the stubs' generator makes them.
#[derive(Clone, Copy)]
pub(crate) struct Functions(pub(super) *const ffi::zend_function_entry);

impl Functions {
    /// No functions.
    pub(crate) const NONE: Functions = Functions(ptr::null());
}

/// A description of a module, on its way to PHP.
#[derive(Clone, Copy)]
pub(crate) struct Entry(*mut ffi::zend_module_entry);

/// What PHP looks for in a shared object that it loads.
///
/// # Safety
/// For PHP only, once, while it loads the object.
#[unsafe(no_mangle)]
#[expect(unreachable_pub, reason = "PHP reaches it, by its name in the shared object")]
pub unsafe extern "C" fn get_module() -> *mut ffi::zend_module_entry {
    crate::modules().0
}

/// The version of the PHP that runs, such as `8.2.35`.
pub(crate) fn php_version() -> &'static CStr {
    // SAFETY: PHP registers its constants before it loads extensions; this one is a string that lives as long as PHP.
    unsafe {
        let version = ffi::zend_get_constant_str(c"PHP_VERSION".as_ptr(), 11);
        if version.is_null() { c"" } else { CStr::from_ptr(Str((*version).value.str_).as_ptr()) }
    }
}

/// Zend's description of a module. It lives as long as PHP does, so it is never freed.
fn entry<M: Module>() -> *mut ffi::zend_module_entry {
    // SAFETY: all-zero is a description without anything; what is needed is set below. The lists are never freed.
    let entry: &'static mut ffi::zend_module_entry =
        Box::leak(Box::new(unsafe { core::mem::zeroed() }));
    entry.size = u16::try_from(size_of::<ffi::zend_module_entry>()).unwrap_or_default();
    entry.zend_api = ffi::ZEND_MODULE_API_NO;
    entry.zend_debug = u8::try_from(ffi::ZEND_DEBUG).unwrap_or_default();
    entry.zts = u8::try_from(ffi::USING_ZTS).unwrap_or_default();
    entry.deps = dependencies(M::NEEDS);
    entry.name = M::NAME.as_ptr();
    entry.functions = M::functions().0;
    entry.module_startup_func = Some(module_start::<M>);
    entry.module_shutdown_func = Some(module_shutdown::<M>);
    entry.request_startup_func = Some(request_start::<M>);
    entry.post_deactivate_func = Some(request_end::<M>);
    entry.request_shutdown_func = Some(request_shutdown::<M>);
    entry.info_func = Some(module_info::<M>);
    entry.version = M::version().as_ptr();
    entry.build_id = build_id().as_ptr();
    entry
}

fn dependencies(needs: &'static [&'static CStr]) -> *const ffi::zend_module_dep {
    let required = u8::try_from(ffi::MODULE_DEP_REQUIRED).unwrap_or_default();
    let end = ffi::zend_module_dep {
        name: ptr::null(),
        rel: ptr::null(),
        version: ptr::null(),
        type_: 0,
    };
    let list: Vec<_> = needs
        .iter()
        .map(|name| ffi::zend_module_dep { name: name.as_ptr(), type_: required, ..end })
        .chain([end])
        .collect();
    list.leak().as_ptr()
}

/// What Zend compares with its own (ZEND_MODULE_BUILD_ID of zend_modules.h).
pub(crate) fn build_id() -> &'static CStr {
    static ID: OnceLock<CString> = OnceLock::new();
    ID.get_or_init(|| {
        let threads = if version::is_thread_safe() { "TS" } else { "NTS" };
        let debug = if ffi::ZEND_DEBUG == 1 { ",debug" } else { "" };
        let id = format!("API{},{threads}{debug}", ffi::ZEND_MODULE_API_NO);
        text(&[id.as_bytes()])
    })
}

/// A C string of all `parts`; NUL bytes are left out.
pub(crate) fn text(parts: &[&[u8]]) -> CString {
    let mut bytes = parts.concat();
    bytes.retain(|byte| *byte != 0);
    CString::new(bytes).unwrap_or_default()
}

unsafe extern "C" fn module_start<M: Module>(
    _kind: c_int,
    module_number: c_int,
) -> ffi::zend_result {
    // Of a module that could not start PHP says so, and ends.
    enter(ffi::ZEND_RESULT_CODE_FAILURE, || {
        ini::register(M::SETTINGS, module_number);
        M::start(module_number);
        ffi::ZEND_RESULT_CODE_SUCCESS
    })
}

unsafe extern "C" fn module_shutdown<M: Module>(
    _kind: c_int,
    module_number: c_int,
) -> ffi::zend_result {
    enter((), M::stop);
    // SAFETY: takes back what `module_start` registered under this number.
    unsafe { ffi::zend_unregister_ini_entries(module_number) };
    ffi::ZEND_RESULT_CODE_SUCCESS
}

unsafe extern "C" fn request_start<M: Module>(
    _kind: c_int,
    _module_number: c_int,
) -> ffi::zend_result {
    enter((), M::request_start);
    ffi::ZEND_RESULT_CODE_SUCCESS
}

unsafe extern "C" fn request_end<M: Module>() -> ffi::zend_result {
    enter((), M::request_end);
    ffi::ZEND_RESULT_CODE_SUCCESS
}

unsafe extern "C" fn request_shutdown<M: Module>(
    _kind: c_int,
    _module_number: c_int,
) -> ffi::zend_result {
    enter((), M::request_shutdown);
    ffi::ZEND_RESULT_CODE_SUCCESS
}

unsafe extern "C" fn module_info<M: Module>(module: *mut ffi::zend_module_entry) {
    enter((), M::info);
    // SAFETY: Zend gives the module that is asked for.
    unsafe { ffi::display_ini_entries(module) };
}

/// A module that somebody else registered under one of our names.
pub(crate) struct Rival {
    /// Its name.
    pub(crate) name: &'static CStr,
    /// Whether it is part of the PHP program itself.
    pub(crate) is_built_in: bool,
}

/// Finds modules of these names that are registered already.
pub(crate) fn rivals(names: &'static [&'static CStr]) -> Vec<Rival> {
    let found = names.iter().filter_map(|&name| {
        // SAFETY: the registry lives as long as PHP; its values are pointers to modules.
        unsafe {
            let registry = &raw const ffi::module_registry;
            let value = ffi::zend_hash_str_find(registry, name.as_ptr(), name.count_bytes());
            if value.is_null() {
                return None;
            }
            let module = (*value).value.ptr.cast::<ffi::zend_module_entry>();
            Some(Rival { name, is_built_in: (*module).handle.is_null() })
        }
    });
    found.collect()
}

/// Whether PHP has started already: `dl()` loads us, and would start only the module that it gets.
pub(crate) fn is_late() -> bool {
    // SAFETY: reads a flag of PHP's.
    unsafe { ffi::php_get_module_initialized() }
}

/// Gives PHP the first module, having registered the others.
pub(crate) fn load<First: Module, Second: Module, Third: Module>() -> Entry {
    // SAFETY: PHP is starting and loads us; the descriptions live as long as PHP. Zend copies a persistent one.
    unsafe {
        for entry in [entry::<Second>(), entry::<Third>()] {
            if ffi::zend_register_internal_module(entry).is_null() {
                startup_warning(c"Vaquita: one of its modules could not be registered");
            }
        }
    }
    load_alone::<First>()
}

/// Registers one more module while PHP starts its modules: it is started after all others.
pub(crate) fn register<Late: Module>() {
    // SAFETY: as in `load`.
    unsafe {
        if ffi::zend_register_internal_module(entry::<Late>()).is_null() {
            startup_warning(c"Vaquita: one of its modules could not be registered");
        }
    }
}

/// Whether a module by this name is loaded.
pub(crate) fn is_loaded(name: &'static CStr) -> bool {
    // SAFETY: the registry lives as long as PHP.
    unsafe {
        let registry = &raw const ffi::module_registry;
        !ffi::zend_hash_str_find(registry, name.as_ptr(), name.count_bytes()).is_null()
    }
}

/// Gives PHP a module alone.
pub(crate) fn load_alone<Only: Module>() -> Entry {
    Entry(entry::<Only>())
}
