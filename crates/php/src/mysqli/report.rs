//! How errors reach the script (`mysqli_report`, exceptions, warnings), and what is kept per thread for it.
//!
//! Everything here is the state of one request on one thread: it begins anew with each request, also under ZTS.

use crate::session::Session;
use crate::session::advanced::{Advanced, warn_of};
use crate::session::failure::{Failed, LastError, OUT_OF_SYNC};
use crate::session::rows::Rows;
use crate::zend::call::Call;
use crate::zend::error::{self, Outcome, Thrown, deprecated, is_pending, throw_object, warning};
use crate::zend::guarded::Guarded;
use crate::zend::object::{Class, ClassSlot};
use crate::zend::property::Property;
use crate::zend::slot::{Slot, Value};
use crate::zend::string::Str;
use core::cell::Cell;
use vaquita_client::{StatusFlags, codes};

/// `MYSQLI_REPORT_ERROR`.
const REPORT_ERROR: i64 = 1;
/// `MYSQLI_REPORT_STRICT`.
const REPORT_STRICT: i64 = 2;
/// `MYSQLI_REPORT_INDEX`.
const REPORT_INDEX: i64 = 4;

thread_local! {
    static REPORT_MODE: Cell<i64> = const { Cell::new(REPORT_ERROR | REPORT_STRICT) };
    static CONNECT_ERRNO: Cell<u16> = const { Cell::new(0) };
    static CONNECT_ERROR: Guarded<Vec<u8>> = const { Guarded::new(Vec::new()) };
    static OPEN_LINKS: Cell<i64> = const { Cell::new(0) };
}

/// Puts everything back to what a request begins with.
pub(crate) fn request_start() {
    REPORT_MODE.set(REPORT_ERROR | REPORT_STRICT);
    set_connect_error(0, &[]);
}

/// The exception's class.
pub(crate) static EXCEPTION: ClassSlot = ClassSlot::new();

/// Whether errors are reported at all.
pub(crate) fn reports_errors() -> bool {
    REPORT_MODE.get() & REPORT_ERROR != 0
}

/// Whether errors are thrown.
pub(crate) fn throws_errors() -> bool {
    REPORT_MODE.get() & (REPORT_ERROR | REPORT_STRICT) == REPORT_ERROR | REPORT_STRICT
}

/// Reports an error: an exception in strict mode, else a warning. The strings are given over.
pub(crate) fn raise(errno: u16, sqlstate: Str, message: Str) -> Outcome {
    if REPORT_MODE.get() & REPORT_STRICT != 0 {
        return Err(throw(errno, sqlstate, message));
    }
    let number = Str::decimal(errno.into());
    warning(&[b"(", sqlstate.bytes(), b"/", number.bytes(), b"): ", message.bytes()]);
    for string in [number, sqlstate, message] {
        string.release();
    }
    // The handler of the warning may have thrown.
    if is_pending() { Err(Thrown) } else { Ok(()) }
}

/// Throws an error, whatever the report mode. The strings are given over.
pub(crate) fn throw(errno: u16, sqlstate: Str, message: Str) -> Thrown {
    throw_object(&EXCEPTION, errno.into(), &[(c"message", message), (c"sqlstate", sqlstate)])
}

/// Writes the last error as the exception that it would be, whatever the report mode; nothing is thrown.
pub(crate) fn write_exception(error: &LastError, slot: Slot<'_>) {
    let (errno, sqlstate) = (error.errno(), Str::new(&error.sqlstate()));
    let message = error.look(|failure| Str::new(failure.map_or(b"", |it| &it.message)));
    let message = message.unwrap_or_else(|| Str::new(b""));
    let strings = [(c"message", message), (c"sqlstate", sqlstate)];
    error::write_exception(slot, &EXCEPTION, errno.into(), &strings);
}

/// Whether the mode asks for reports of statements without a (good) index.
pub(crate) fn reports_index() -> bool {
    REPORT_MODE.get() & REPORT_INDEX != 0
}

/// Reports a statement that found no (good) index, if the mode asks for that.
pub(crate) fn report_index(no_good_index: bool, no_index: bool, statement: &[u8]) -> Outcome {
    let what: &[u8] = match (no_good_index, no_index) {
        _ if REPORT_MODE.get() & REPORT_INDEX == 0 => return Ok(()),
        (true, _) => b"Bad index",
        (false, true) => b"No index",
        (false, false) => return Ok(()),
    };
    let message = Str::concat(&[what, b" used in query/prepared statement ", statement]);
    raise(0, Str::new(b"00000"), message)
}

/// What the report of a missing index calls a statement that was sent before.
pub(crate) const EARLIER_STATEMENT: &[u8] = b"from previous query";

impl Session {
    /// Reports the last statement if the server found no good index for it and the report mode asks for that.
    pub(crate) fn report_index(&self, sql: &[u8]) -> Outcome {
        let status = self.look(|connection| connection.session().status).unwrap_or_default();
        let no_good_index = status.contains(StatusFlags::NO_GOOD_INDEX_USED);
        report_index(no_good_index, status.contains(StatusFlags::NO_INDEX_USED), sql)
    }
}

impl LastError {
    /// Reports the error as the report mode asks: an exception, a warning or nothing.
    pub(crate) fn report(&self) -> Outcome {
        let is_told = self.look(|failure| failure.is_some_and(|it| it.warnings.replace_error));
        self.warn()?;
        if is_told == Some(true) {
            return Ok(());
        }
        if reports_errors() { self.raise() } else { Ok(()) }
    }

    /// Reports the error whatever the report mode; only how is up to it.
    pub(crate) fn raise(&self) -> Outcome {
        match self.told() {
            Some((errno, sqlstate, message)) => raise(errno, sqlstate, message),
            None => Ok(()),
        }
    }

    /// Throws the error, whatever the report mode, for a call that has nothing to return then.
    pub(crate) fn throw(&self) -> Thrown {
        match self.told() {
            Some((errno, sqlstate, message)) => throw(errno, sqlstate, message),
            None => Thrown,
        }
    }

    /// Its number, SQLSTATE and text; `None`: there is no error.
    fn told(&self) -> Option<(u16, Str, Str)> {
        let told = self.look(|failure| {
            failure.map(|failure| {
                (failure.errno, Str::new(&failure.sqlstate), Str::new(&failure.message))
            })
        });
        told.flatten()
    }
}

impl Rows {
    /// Reports why there is no further row for a script, unless that is the end.
    pub(crate) fn report(&self, advanced: Result<Advanced, Failed>) -> Outcome {
        match advanced {
            Ok(Advanced::Gone) if reports_errors() => {
                let (sqlstate, message) = (Str::new(b"HY000"), Str::new(OUT_OF_SYNC));
                raise(codes::COMMANDS_OUT_OF_SYNC, sqlstate, message)
            }
            Ok(Advanced::Row | Advanced::End | Advanced::Gone) => Ok(()),
            Ok(Advanced::Spoilt(malformed)) => {
                warn_of(malformed);
                Ok(())
            }
            Err(Failed) => self.session.error.report(),
        }
    }
}

/// Keeps the outcome of the last attempt to connect.
pub(crate) fn set_connect_error(errno: u16, message: &[u8]) {
    CONNECT_ERRNO.set(errno);
    CONNECT_ERROR.with(|error| {
        let _ = error.with(|error| {
            error.clear();
            error.extend_from_slice(message);
        });
    });
}

/// The number of the last failure to connect; 0: none.
pub(crate) fn connect_errno() -> i64 {
    CONNECT_ERRNO.get().into()
}

/// Writes the text of the last failure to connect, or NULL.
pub(crate) fn write_connect_error(slot: Slot<'_>) {
    match CONNECT_ERROR.with(|error| error.peek(|error| Str::new(error))) {
        Ok(error) if !error.bytes().is_empty() => slot.str(error),
        _ => slot.null(),
    }
}

/// How many links of this thread are open.
pub(crate) fn open_links() -> i64 {
    OPEN_LINKS.get()
}

/// Counts a link that opened (1) or closed (-1).
pub(crate) fn count_link(change: i64) {
    OPEN_LINKS.set(OPEN_LINKS.get() + change);
}

/// `mysqli_report`.
pub(crate) fn report(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 1)?;
    REPORT_MODE.set(call.long()?);
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_sql_exception::getSqlState`.
pub(crate) fn get_sqlstate(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let sqlstate = call.stored_property(&EXCEPTION, c"sqlstate");
    call.returns().str(sqlstate);
    Ok(())
}

/// An object of class `mysqli_driver`: a view of this thread's settings.
pub(crate) struct Driver;

static DRIVER: ClassSlot = ClassSlot::new();

impl Class for Driver {
    fn new() -> Driver {
        Driver
    }

    fn class() -> &'static ClassSlot {
        &DRIVER
    }

    const PROPERTIES: &'static [Property<Driver>] = &[
        Property {
            name: "client_info",
            read: |_, reading| {
                super::write_client_info(reading.slot);
                Ok(())
            },
            write: None,
        },
        Property {
            name: "client_version",
            read: |_, reading| {
                reading.slot.long(super::client_version());
                Ok(())
            },
            write: None,
        },
        Property {
            name: "driver_version",
            read: |_, reading| {
                if reading.quiet {
                    return Err(Thrown);
                }
                deprecated(c"The driver_version property is deprecated");
                reading.slot.long(super::DRIVER_VERSION);
                Ok(())
            },
            write: None,
        },
        Property {
            name: "report_mode",
            read: |_, reading| {
                reading.slot.long(REPORT_MODE.get());
                Ok(())
            },
            write: Some(|value: Value<'_>| REPORT_MODE.set(value.to_long())),
        },
    ];
}
