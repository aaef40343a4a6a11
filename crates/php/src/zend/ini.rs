//! Ini settings: how they are declared, and how their values are read (by name, when a connection is made; what is needed each time is kept
//! until a setting changes).

use super::border::enter;
use super::error::warning;
use super::ffi;
use super::string::Str;
use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::ptr;
use vaquita_client::panic_point;

thread_local! {
    /// How often settings of ours were set, by whom ever: PHP's start, a request's, its end, a script.
    static CHANGES: Cell<u64> = const { Cell::new(0) };

    /// The most that a script may set, of the one setting that has such: what it was set to last by anybody else; 0: any.
    static CEILING: Cell<i64> = const { Cell::new(0) };
}

/// What was read of our own settings, until one of them changes. Not for those of others: nobody tells when they do.
pub(crate) struct Kept<T>(Cell<Option<(u64, T)>>);

impl<T: Copy> Kept<T> {
    pub(crate) const fn new() -> Kept<T> {
        Kept(Cell::new(None))
    }

    /// What it is now; `read` must run no user code.
    pub(crate) fn get(&self, read: fn() -> T) -> T {
        let changes = CHANGES.get();
        match self.0.get() {
            Some((at, kept)) if at == changes => kept,
            _ => {
                let kept = read();
                self.0.set(Some((changes, kept)));
                kept
            }
        }
    }
}

/// Who may change a setting.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// php.ini and the command line.
    System,
    /// A folder's .user.ini, or the web server's configuration.
    PerDir,
    /// All of these.
    NotScript,
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
    /// Who is told whether a flag is on, whenever that is set; on each thread.
    watcher: Option<fn(bool)>,
}

/// Which values a setting takes; another leaves it as it is.
#[derive(Clone, Copy)]
enum Accepts {
    /// Any.
    All,
    /// Any but none at all.
    NotEmpty,
    /// Any; one that is no number gets PHP's warning.
    Number,
    /// Numbers from this one on.
    AtLeast(i64),
    /// Whole numbers from 0 on; anything else gets a warning.
    NotNegative,
    /// The same, and -1 for no limit.
    Limit,
    /// Whole numbers from 0 on, 0 for no limit; a script, and a folder's .user.ini, which a script may have written, may set no higher limit
    /// than the configuration does. Anything else gets a warning. There can be one such setting.
    Ceiling,
    /// These words; another gets a warning.
    OneOf(&'static [&'static [u8]]),
    /// What this takes, in these words; anything else gets a warning.
    Checked(fn(&[u8]) -> bool, &'static CStr),
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
    /// As stars, whatever it is; but as none where there is none.
    Secret,
}

impl Setting {
    pub(crate) const fn new(
        name: &'static CStr,
        default: Option<&'static CStr>,
        scope: Scope,
    ) -> Setting {
        let (kind, accepts) = (Kind::Text, Accepts::All);
        Setting { name, default, scope, kind, accepts, watcher: None }
    }

    pub(crate) const fn flag(name: &'static CStr, default: &'static CStr, scope: Scope) -> Setting {
        let mut setting = Setting::new(name, Some(default), scope);
        setting.kind = Kind::Flag;
        setting
    }

    pub(crate) const fn number(
        name: &'static CStr,
        default: &'static CStr,
        scope: Scope,
    ) -> Setting {
        let mut setting = Setting::new(name, Some(default), scope);
        setting.accepts = Accepts::Number;
        setting
    }

    /// The setting, telling `watcher` whether it is on: at PHP's start, when it changes, and when it changes back.
    pub(crate) const fn watched_by(mut self, watcher: fn(bool)) -> Setting {
        self.watcher = Some(watcher);
        self
    }

    /// The setting, shown as a number of links.
    pub(crate) const fn counting_links(mut self) -> Setting {
        self.kind = Kind::Links;
        self
    }

    /// The setting, never shown as it is.
    pub(crate) const fn secret(mut self) -> Setting {
        self.kind = Kind::Secret;
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

    /// The setting, refusing all but whole numbers from 0 on with a warning.
    pub(crate) const fn not_negative(mut self) -> Setting {
        self.accepts = Accepts::NotNegative;
        self
    }

    /// The setting, refusing all but whole numbers from 0 on, and -1 for no limit, with a warning.
    pub(crate) const fn limiting(mut self) -> Setting {
        self.accepts = Accepts::Limit;
        self
    }

    /// The setting as a limit that a script or a folder may lower and no more than undo: refusing with a warning all but whole numbers from
    /// 0 on, which is none, and there what is above the configuration's.
    pub(crate) const fn ceiling(mut self) -> Setting {
        self.accepts = Accepts::Ceiling;
        self
    }

    /// The setting, refusing with a warning what `is_accepted` does not take, which is `what`.
    pub(crate) const fn checked(
        mut self,
        is_accepted: fn(&[u8]) -> bool,
        what: &'static CStr,
    ) -> Setting {
        self.accepts = Accepts::Checked(is_accepted, what);
        self
    }

    /// The setting, refusing all but these words with a warning. PHP makes an empty value of `off` in a php.ini.
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
        Scope::NotScript => ffi::ZEND_INI_SYSTEM | ffi::ZEND_INI_PERDIR,
        Scope::All => ffi::ZEND_INI_ALL,
    };
    ffi::zend_ini_entry_def {
        name: setting.name.as_ptr(),
        on_modify: Some(changes),
        mh_arg1: ptr::from_ref(setting).cast_mut().cast(),
        mh_arg2: ptr::null_mut(),
        mh_arg3: ptr::null_mut(),
        value: setting.default.map_or(ptr::null(), CStr::as_ptr),
        displayer: match setting.kind {
            Kind::Text => None,
            Kind::Flag => Some(ffi::zend_ini_boolean_displayer_cb),
            Kind::Links => Some(ffi::display_link_numbers),
            Kind::Secret => Some(conceal),
        },
        value_length: setting
            .default
            .map_or(0, |value| u32::try_from(value.count_bytes()).unwrap_or_default()),
        name_length: u16::try_from(setting.name.count_bytes()).unwrap_or_default(),
        modifiable: u8::try_from(scope).unwrap_or_default(),
    }
}

/// Shows in phpinfo() that there is a value, or in PHP's own words that there is none.
unsafe extern "C" fn conceal(entry: *mut ffi::zend_ini_entry, which: c_int) {
    // SAFETY: Zend gives the entry; PHP's description of its surroundings lives as long as it does.
    unsafe {
        let is_first =
            which.cast_unsigned() == ffi::ZEND_INI_DISPLAY_ORIG && (*entry).modified != 0;
        let value = if is_first { (*entry).orig_value } else { (*entry).value };
        let is_text = ffi::sapi_module.phpinfo_as_text != 0;
        let shown = match (value.is_null() || Str(value).bytes().is_empty(), is_text) {
            (false, _) => c"********",
            (true, true) => c"no value",
            (true, false) => c"<i>no value</i>",
        };
        ffi::php_output_write(shown.as_ptr(), shown.count_bytes());
    }
}

/// Zend is about to set a value. It does if this is a success; at a request's end, where no user code runs, in any case, even after a long
/// jump.
unsafe extern "C" fn changes(
    entry: *mut ffi::zend_ini_entry,
    value: *mut ffi::zend_string,
    setting: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    stage: c_int,
) -> c_int {
    let count = || CHANGES.set(CHANGES.get() + 1);
    count();
    // SAFETY: they are Zend's.
    let outcome =
        enter(ffi::ZEND_RESULT_CODE_FAILURE, || unsafe { check(entry, value, setting, stage) });
    // Again: the handler of a warning may have read the old value. No user code runs before Zend has set the new one.
    count();
    outcome
}

/// Refuses a value that the setting does not accept.
///
/// # Safety
/// The arguments must be those that Zend gives.
unsafe fn check(
    entry: *mut ffi::zend_ini_entry,
    value: *mut ffi::zend_string,
    setting: *mut c_void,
    stage: c_int,
) -> c_int {
    panic_point("php/ini");
    // SAFETY: `definition` put the setting there; it is static.
    let setting: &'static Setting = unsafe { &*setting.cast::<Setting>() };
    let given = (!value.is_null()).then_some(Str(value));
    // SAFETY: Zend gives the new value as a string or null for none.
    let number = |value: Str| unsafe { ffi::zend_atol(value.as_ptr(), value.bytes().len()) };
    // SAFETY: Zend gives the entry; its name is a string.
    let number_or_warning =
        |value: Str| unsafe { ffi::zend_ini_parse_quantity_warn(value.0, (*entry).name) };
    let is_stage = |other| u32::try_from(stage) == Ok(other);
    let accepted = match setting.accepts {
        Accepts::All => true,
        Accepts::Number => {
            given.map(number_or_warning);
            true
        }
        Accepts::NotEmpty => given.is_none_or(|value| !value.bytes().is_empty()),
        Accepts::AtLeast(least) => given.is_some_and(|value| number(value) >= least),
        Accepts::NotNegative => given.is_none_or(|value| is_whole(value.bytes())),
        Accepts::Limit => {
            given.is_none_or(|value| value.bytes() == b"-1" || is_whole(value.bytes()))
        }
        Accepts::Ceiling => given.is_none_or(|value| {
            let is_bound =
                is_stage(ffi::ZEND_INI_STAGE_HTACCESS) || is_stage(ffi::ZEND_INI_STAGE_RUNTIME);
            let most = if is_bound { CEILING.get() } else { 0 };
            is_whole(value.bytes()) && (most == 0 || (1..=most).contains(&number(value)))
        }),
        Accepts::OneOf(words) => given.is_some_and(|value| words.contains(&value.bytes())),
        Accepts::Checked(is_accepted, _) => given.is_none_or(|value| is_accepted(value.bytes())),
    };
    if accepted {
        if let Some(watcher) = setting.watcher {
            watcher(given.is_some_and(|value| is_on(value.bytes(), number(value))));
        }
        if matches!(setting.accepts, Accepts::Ceiling) && !is_stage(ffi::ZEND_INI_STAGE_RUNTIME) {
            CEILING.set(given.map_or(0, number));
        }
        return ffi::ZEND_RESULT_CODE_SUCCESS;
    }
    // SAFETY: Zend gives the entry; while PHP starts it has no value yet.
    let current = unsafe { (*entry).value };
    let kept = if current.is_null() {
        setting.default.unwrap_or_default().to_bytes()
    } else {
        Str(current).bytes()
    };
    warn_of_refusal(setting, given.map_or(b"", Str::bytes), kept);
    ffi::ZEND_RESULT_CODE_FAILURE
}

/// Whether it is a number in digits, with one of PHP's multipliers perhaps, that fits.
fn is_whole(value: &[u8]) -> bool {
    let (digits, shift) = match value {
        [digits @ .., b'k' | b'K'] => (digits, 10),
        [digits @ .., b'm' | b'M'] => (digits, 20),
        [digits @ .., b'g' | b'G'] => (digits, 30),
        digits => (digits, 0),
    };
    let text = core::str::from_utf8(digits).unwrap_or_default();
    let number = text.parse::<i64>().ok().filter(|_| digits.iter().all(u8::is_ascii_digit));
    number.is_some_and(|number| number <= i64::MAX >> shift)
}

/// Says what is wrong with a value, at PHP's start as well as in a request; the settings that stock has too are refused silently.
fn warn_of_refusal(setting: &Setting, given: &[u8], kept: &[u8]) {
    let allowed = match setting.accepts {
        Accepts::NotNegative => Str::concat(&[b"a whole number, 0 or more"]),
        Accepts::Limit => Str::concat(&[b"a whole number, 0 or more, or -1 for no limit"]),
        Accepts::Ceiling => Str::concat(&[
            b"a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows",
        ]),
        Accepts::OneOf(words) => {
            let mut list = Str::new(b"");
            for word in words.iter().filter(|word| !word.is_empty()) {
                let or: &[u8] = if list.bytes().is_empty() { b"" } else { b" or " };
                let longer = Str::concat(&[list.bytes(), or, word]);
                list.release();
                list = longer;
            }
            list
        }
        Accepts::Checked(_, what) => Str::concat(&[what.to_bytes()]),
        Accepts::All | Accepts::NotEmpty | Accepts::Number | Accepts::AtLeast(_) => return,
    };
    let name = setting.name.to_bytes();
    // Without quotes: in an HTML log they would be hard to read.
    let [given, kept] =
        [given, kept].map(|value| if value.is_empty() { &b"empty"[..] } else { value });
    let parts: [&[u8]; 7] =
        [name, b" stays ", kept, b": it must be ", allowed.bytes(), b", not ", given];
    warning(&parts);
    allowed.release();
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
    string(name).map_or(0, number_of)
}

/// Whether a setting is on now: yes, true, on, or a number other than 0.
pub(crate) fn flag(name: &CStr) -> bool {
    string(name).is_some_and(|value| is_on(value, number_of(value)))
}

/// The number that a value is, which `string` gave.
fn number_of(value: &[u8]) -> i64 {
    // SAFETY: there is a NUL behind it.
    plain_number(value)
        .unwrap_or_else(|| unsafe { ffi::zend_atol(value.as_ptr().cast(), value.len()) })
}

/// The number that a value is, if it is nothing but a decimal one, as nearly all are.
fn plain_number(value: &[u8]) -> Option<i64> {
    let (sign, digits) = match value {
        [b'-', digits @ ..] => (-1, digits),
        digits => (1, digits),
    };
    let is_plain = match digits {
        [] | [b'0', _, ..] => false, // octal, or hexadecimal
        digits => digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit),
    };
    let number = || digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    is_plain.then(|| sign * number())
}

fn is_on(value: &[u8], number: i64) -> bool {
    let is_word = [&b"yes"[..], b"true", b"on"].iter().any(|word| value.eq_ignore_ascii_case(word));
    is_word || number != 0
}
