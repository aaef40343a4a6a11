//! Ini settings: how they are declared, and how their values are read (by name, when a connection is made).

use super::ffi;
use core::ffi::{CStr, c_int, c_void};
use core::ptr;

/// Who may change a setting.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// php.ini and the command line.
    System,
    /// A folder's .user.ini, or the web server's configuration.
    PerDir,
    /// Also a script.
    All,
}

/// One setting.
pub(crate) struct Setting {
    pub(crate) name: &'static CStr,
    /// `None`: no value.
    pub(crate) default: Option<&'static CStr>,
    pub(crate) scope: Scope,
    kind: Kind,
    accepts: Accepts,
}

/// Which values a setting takes; another leaves it as it is.
#[derive(Clone, Copy, PartialEq)]
enum Accepts {
    /// Any.
    All,
    /// Any but none at all.
    NotEmpty,
    /// Any; one that is no number gets PHP's warning.
    Number,
    /// Numbers from this one on.
    AtLeast(i64),
    /// These words.
    OneOf(&'static [&'static [u8]]),
}

/// How a setting is shown.
#[derive(Clone, Copy)]
enum Kind {
    /// As it is.
    Text,
    /// As On or Off.
    Flag,
    /// As a number of links, -1 as Unlimited.
    Links,
}

impl Setting {
    pub(crate) const fn new(
        name: &'static CStr,
        default: Option<&'static CStr>,
        scope: Scope,
    ) -> Setting {
        Setting { name, default, scope, kind: Kind::Text, accepts: Accepts::All }
    }

    pub(crate) const fn flag(name: &'static CStr, default: &'static CStr, scope: Scope) -> Setting {
        Setting { name, default: Some(default), scope, kind: Kind::Flag, accepts: Accepts::All }
    }

    pub(crate) const fn number(
        name: &'static CStr,
        default: &'static CStr,
        scope: Scope,
    ) -> Setting {
        Setting { name, default: Some(default), scope, kind: Kind::Text, accepts: Accepts::Number }
    }

    /// The setting, shown as a number of links.
    pub(crate) const fn counting_links(mut self) -> Setting {
        self.kind = Kind::Links;
        self
    }

    /// The setting, refusing an empty value.
    pub(crate) const fn not_empty(mut self) -> Setting {
        self.accepts = Accepts::NotEmpty;
        self
    }

    /// The setting, refusing numbers below `least`.
    pub(crate) const fn at_least(mut self, least: i64) -> Setting {
        self.accepts = Accepts::AtLeast(least);
        self
    }

    /// The setting, refusing all but these words. PHP makes an empty value of `off` in a php.ini.
    pub(crate) const fn one_of(mut self, words: &'static [&'static [u8]]) -> Setting {
        self.accepts = Accepts::OneOf(words);
        self
    }
}

/// Registers the settings of a module.
pub(super) fn register(settings: &'static [Setting], module_number: c_int) {
    // SAFETY: all-zero is the entry that ends the list.
    let end = unsafe { core::mem::zeroed() };
    let definitions: Vec<ffi::zend_ini_entry_def> =
        settings.iter().map(definition).chain([end]).collect();
    // SAFETY: the list ends with an empty entry; Zend copies what it keeps, but for the names, which are static.
    unsafe { ffi::zend_register_ini_entries(definitions.as_ptr(), module_number) };
}

fn definition(setting: &'static Setting) -> ffi::zend_ini_entry_def {
    let scope = match setting.scope {
        Scope::System => ffi::ZEND_INI_SYSTEM,
        Scope::PerDir => ffi::ZEND_INI_PERDIR,
        Scope::All => ffi::ZEND_INI_ALL,
    };
    ffi::zend_ini_entry_def {
        name: setting.name.as_ptr(),
        on_modify: if setting.accepts == Accepts::All { None } else { Some(check) },
        mh_arg1: ptr::from_ref(setting).cast_mut().cast(),
        mh_arg2: ptr::null_mut(),
        mh_arg3: ptr::null_mut(),
        value: setting.default.map_or(ptr::null(), CStr::as_ptr),
        displayer: match setting.kind {
            Kind::Text => None,
            Kind::Flag => Some(ffi::zend_ini_boolean_displayer_cb),
            Kind::Links => Some(ffi::display_link_numbers),
        },
        value_length: setting
            .default
            .map_or(0, |value| u32::try_from(value.count_bytes()).unwrap_or_default()),
        name_length: u16::try_from(setting.name.count_bytes()).unwrap_or_default(),
        modifiable: u8::try_from(scope).unwrap_or_default(),
    }
}

/// Refuses a value that the setting does not accept.
unsafe extern "C" fn check(
    entry: *mut ffi::zend_ini_entry,
    value: *mut ffi::zend_string,
    setting: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _stage: c_int,
) -> c_int {
    // SAFETY: `definition` put the setting there; Zend gives the entry, and the new value as a string or null for none.
    let accepted = unsafe {
        match (*setting.cast::<Setting>()).accepts {
            Accepts::All => true,
            Accepts::Number => {
                if !value.is_null() {
                    ffi::zend_ini_parse_quantity_warn(value, (*entry).name);
                }
                true
            }
            Accepts::NotEmpty => value.is_null() || (*value).len > 0,
            Accepts::AtLeast(least) => {
                !value.is_null()
                    && ffi::zend_atol(super::string::Str(value).as_ptr(), (*value).len) >= least
            }
            Accepts::OneOf(words) => {
                !value.is_null() && words.contains(&super::string::Str(value).bytes())
            }
        }
    };
    if accepted { ffi::ZEND_RESULT_CODE_SUCCESS } else { ffi::ZEND_RESULT_CODE_FAILURE }
}

/// The value of a setting now; `None`: it has none. It lives until a script changes the setting: copy it at once.
pub(crate) fn string<'a>(name: &CStr) -> Option<&'a [u8]> {
    let mut exists = false;
    // SAFETY: reads `name` with its length; a value is a C string.
    unsafe {
        let value = ffi::zend_ini_string_ex(name.as_ptr(), name.count_bytes(), 0, &raw mut exists);
        (exists && !value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

/// The number that a setting holds now, with PHP's shorthands (K, M, G); 0 if it has none.
pub(crate) fn long(name: &CStr) -> i64 {
    // SAFETY: `string` returned bytes with a NUL behind them.
    string(name).map_or(0, |value| unsafe { ffi::zend_atol(value.as_ptr().cast(), value.len()) })
}

/// Whether a setting is on now: yes, true, on, or a number other than 0.
pub(crate) fn flag(name: &CStr) -> bool {
    string(name).is_some_and(|value| {
        let word =
            [&b"yes"[..], b"true", b"on"].iter().any(|word| value.eq_ignore_ascii_case(word));
        word || long(name) != 0
    })
}
