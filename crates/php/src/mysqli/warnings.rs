//! The class `mysqli_warning`: what SHOW WARNINGS tells of the last statement, one after the other.

use super::link::Status;
use super::link::only_argument as only_link;
use super::statement::only_argument as only_statement;
use crate::session::Session;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, throw_error};
use crate::zend::guarded::Guarded;
use crate::zend::object::{Class, ClassSlot, make};
use crate::zend::property::{Property, Reading};
use core::cell::Cell;
use vaquita_client::{Connection, Error, QueryResponse};

/// One warning.
pub(crate) struct Warning {
    errno: i64,
    message: Vec<u8>,
}

/// An object of class `mysqli_warning`; it is one of the warnings, and knows those that follow.
pub(crate) struct Warnings {
    all: Guarded<Vec<Warning>>,
    current: Cell<usize>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Warnings {
    fn new() -> Warnings {
        Warnings { all: Guarded::new(Vec::new()), current: Cell::new(0) }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<Warnings>] = &[
        Property {
            name: "message",
            read: |it, reading| {
                let Reading { slot, quiet } = reading;
                it.look(it.class_name(), quiet, |warning| slot.bytes(&warning.message))
            },
            write: None,
        },
        Property {
            name: "sqlstate",
            read: |it, reading| {
                let Reading { slot, quiet } = reading;
                it.look(it.class_name(), quiet, |_| slot.bytes(b"HY000"))
            },
            write: None,
        },
        Property {
            name: "errno",
            read: |it, reading| {
                let Reading { slot, quiet } = reading;
                it.look(it.class_name(), quiet, |warning| slot.long(warning.errno))
            },
            write: None,
        },
    ];
}

impl Warnings {
    fn look(&self, class: &[u8], quiet: bool, look: impl FnOnce(&Warning)) -> Outcome {
        let seen = self.all.peek(|all| all.get(self.current.get()).map(look));
        match seen {
            Ok(Some(())) => Ok(()),
            _ if quiet => Err(Thrown),
            _ => Err(throw_error(&[class, b" object is already closed"])),
        }
    }
}

/// The most warnings that are read. A server keeps max_error_count of them, at most 65,535
/// (<https://dev.mysql.com/doc/refman/8.0/en/server-system-variables.html#sysvar_max_error_count>).
const MAX_WARNINGS: usize = 1 << 16;

fn read(connection: &mut Connection) -> Result<Vec<Warning>, Error> {
    let mut all = Vec::new();
    connection.send_query(b"SHOW WARNINGS")?;
    if let QueryResponse::ResultSet(_) = connection.read_query_response()? {
        // Whatever the server sends, it is bounded as any stored result is.
        let mut stored = connection.store_result()?;
        // As in stock, which has them unbuffered: those count as none.
        connection.set_affected_rows(0);
        while let Some(row) = stored.next_row() {
            let mut values = row.values().skip(1).map(Option::unwrap_or_default);
            let errno = values.next().and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            let message = values.next().unwrap_or_default().to_vec();
            if all.len() < MAX_WARNINGS {
                all.push(Warning { errno: errno.unwrap_or_default(), message });
            }
        }
    }
    Ok(all)
}

fn give(call: &mut Call<'_>, session: &Session, count: u16) {
    if count == 0 {
        return call.returns().bool(false);
    }
    let object = make::<Warnings>(call.returns());
    let all = session.drive(read).unwrap_or_default();
    let is_empty = all.is_empty();
    let _ = object.all.with(|kept| *kept = all);
    if is_empty {
        call.drop_returned();
        call.returns().bool(false);
    }
}

/// `mysqli_get_warnings`: an object, or false.
pub(crate) fn get_warnings(call: &mut Call<'_>) -> Outcome {
    let session = only_link(call)?;
    give(call, session, session.last(0, |said| said.warnings));
    Ok(())
}

/// `mysqli_stmt_get_warnings`: an object, or false.
pub(crate) fn stmt_get_warnings(call: &mut Call<'_>) -> Outcome {
    let statement = only_statement(call, Status::Valid)?;
    match statement.session().filter(|session| statement.is_of(session)) {
        Some(session) => give(call, session, statement.said.get().warnings),
        None => call.returns().bool(false),
    }
    Ok(())
}

/// `mysqli_warning::__construct`, which is private.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    Err(throw_error(&[b"Cannot directly construct mysqli_warning"]))
}

/// `mysqli_warning::next`: whether there was another.
pub(crate) fn next(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Warnings>(0, 0)?;
    let next = object.current.get() + 1;
    let is_there = object.all.peek(|all| next < all.len()).unwrap_or(false);
    if is_there {
        object.current.set(next);
    }
    call.returns().bool(is_there);
    Ok(())
}
