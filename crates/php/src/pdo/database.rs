//! A connection of PDO's: what it is asked for between its making and its end.

use super::failure::{self, Told};
use super::statement::Statement;
use super::{PARAM_LOB, PARAM_STR_CHAR, PARAM_STR_NATL, attribute, connect};
use crate::session::Session;
use crate::session::failure::LastError;
use crate::statistics::Key;
use crate::vaquita::memcache;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, is_pending, warning};
use crate::zend::held::Held;
use crate::zend::pdo::{self, Attribute, Handle, Options, Running};
use crate::zend::slot::{Slot, Value};
use crate::zend::string::Str;
use crate::zend::version;
use core::cell::Cell;
use std::rc::Rc;
use vaquita_client::panic_point;
use vaquita_client::{StatusFlags, UNKNOWN_ROWS};

/// ER_UNSUPPORTED_PS: the server does not prepare statements of this kind.
const UNSUPPORTED_PS: u16 = 1295;

/// The state of a `PDO` object; of a persistent one it outlives the request.
pub(crate) struct Database {
    pub(crate) session: Rc<Session>,
    /// What `errorInfo()` tells.
    pub(super) error: LastError,
    pub(super) settings: Rc<Settings>,
    /// Whether PDO has it for no further object, although it is persistent.
    is_retired: Cell<bool>,
}

/// What attributes set; the statements look there, too.
pub(super) struct Settings {
    /// Whether results are received at once.
    pub(super) is_buffered: Cell<bool>,
    /// Whether PDO puts parameters into the text.
    pub(super) emulates_prepares: Cell<bool>,
    /// Whether strings are of the national character set unless the script says otherwise.
    pub(super) is_national: Cell<bool>,
    /// Whether the name of a column begins with that of its table.
    pub(super) names_tables: Cell<bool>,
    /// Whether a statement may have any file sent.
    pub(super) local_infile: Cell<bool>,
    /// Whether the server was told that each statement is a transaction of its own; so a session begins.
    pub(super) autocommits: Cell<bool>,
}

impl Settings {
    fn new() -> Settings {
        let settings = Settings {
            is_buffered: Cell::default(),
            emulates_prepares: Cell::default(),
            is_national: Cell::default(),
            names_tables: Cell::default(),
            local_infile: Cell::new(false),
            autocommits: Cell::default(),
        };
        settings.set_defaults();
        settings
    }

    /// What the next object's options don't say is as for a new connection; but local files are the connection's.
    fn set_defaults(&self) {
        self.is_buffered.set(true);
        self.emulates_prepares.set(true);
        self.is_national.set(false);
        self.names_tables.set(false);
        self.autocommits.set(true);
    }
}

impl Database {
    /// Takes over the session's error for `errorInfo()`.
    pub(super) fn fail(&self, handle: Handle<'_>) {
        handle.set_sqlstate(self.take_over());
    }

    /// Takes it over, and gives the SQLSTATE that PDO is to be told.
    fn take_over(&self) -> [u8; 5] {
        failure::take_over(&self.error, &self.session.error, &self.session)
    }

    /// Takes over the session's error, as an exception where the script wants those.
    fn throw_or_fail(&self, handle: Handle<'_>) {
        let sqlstate = self.take_over();
        let told = handle.throws().then(|| failure::told(&self.error));
        match told.flatten() {
            Some(Told { number, text, .. }) => {
                handle.throw(number, sqlstate, text);
                text.release();
            }
            None => handle.set_sqlstate(sqlstate),
        }
    }

    /// Forgets the last error, before something else is done.
    pub(crate) fn begin_call(&self, handle: Handle<'_>) {
        self.error.clear();
        handle.set_sqlstate(*b"00000");
    }

    /// Reports the session's error as the script wants it: an exception, a warning, or nothing.
    pub(crate) fn report(&self, handle: Handle<'_>) -> Outcome {
        self.throw_or_fail(handle);
        handle.set_sqlstate(self.error.sqlstate());
        if let Some(told) = handle.warns().then(|| failure::told(&self.error)).flatten() {
            let number = Str::decimal(told.number.into());
            let state = &told.sqlstate;
            warning(&[b"SQLSTATE[", state, b"] [", number.bytes(), b"] ", told.text.bytes()]);
            number.release();
            told.text.release();
        }
        if is_pending() { Err(Thrown) } else { Ok(()) }
    }

    /// Whether something was done; if not, takes over the session's error.
    fn settle<R, E>(&self, handle: Handle<'_>, done: Result<R, E>) -> Option<R> {
        if done.is_err() {
            self.fail(handle);
        }
        done.ok()
    }

    /// Runs a statement whose rows nobody wants: how many it changed.
    fn run_query(&self, handle: Handle<'_>, sql: &[u8]) -> Option<i64> {
        self.settle(handle, self.session.query_whole(sql))?;
        let changed = self.session.last(UNKNOWN_ROWS, |said| said.affected_rows);
        if changed == UNKNOWN_ROWS {
            // As in stock rows stay where they are, in the way of the next statement, and an earlier error is forgotten.
            self.fail(handle);
            return Some(0);
        }
        self.settle(handle, self.session.skip_results())?;
        Some(changed.cast_signed())
    }

    /// Tells the server whether each statement is a transaction of its own.
    pub(super) fn autocommit(&self, handle: Handle<'_>) -> bool {
        let sql: &[u8] =
            if handle.autocommits() { b"SET AUTOCOMMIT=1" } else { b"SET AUTOCOMMIT=0" };
        let told = self.settle(handle, self.session.query(sql)).is_some();
        if told {
            self.settings.autocommits.set(handle.autocommits());
        }
        told
    }
}

impl pdo::Database for Database {
    type Statement = Statement;

    fn new() -> Database {
        Database {
            session: Session::new(),
            error: LastError::none(),
            settings: Rc::new(Settings::new()),
            is_retired: Cell::new(false),
        }
    }

    fn connect(&self, handle: Handle<'_>, options: Options<'_>) -> bool {
        connect::connect(self, handle, options)
    }

    fn held(&self) -> &Held {
        &self.session.memcache
    }

    fn statement(&self) -> Statement {
        Statement::new(self)
    }

    fn prepare(
        &self,
        handle: Handle<'_>,
        statement: &Statement,
        running: Running<'_>,
        sql: Str,
    ) -> bool {
        if self.settings.emulates_prepares.get() {
            running.emulate_placeholders();
            return true;
        }
        let Ok(rewritten) = running.number_placeholders(sql) else { return false };
        let prepared = statement.prepare(rewritten.unwrap_or(sql).bytes());
        if let Some(rewritten) = rewritten {
            rewritten.release();
        }
        if prepared.is_err() && self.session.error.errno() == UNSUPPORTED_PS {
            running.emulate_placeholders();
            return true;
        }
        self.settle(handle, prepared).is_some()
    }

    fn run(&self, handle: Handle<'_>, sql: &[u8]) -> Option<i64> {
        panic_point("php/pdo/database");
        memcache::telling(&self.session, || self.run_query(handle, sql))
    }

    fn quote(&self, handle: Handle<'_>, text: &[u8], kind: u32) -> Option<Str> {
        let is_national = kind & PARAM_STR_CHAR == 0
            && (self.settings.is_national.get() || kind & PARAM_STR_NATL != 0);
        let prefix: &[u8] = match kind {
            _ if kind & PARAM_LOB == PARAM_LOB && version::is_at_least(804) => b"_binary",
            _ if is_national => b"N",
            _ => b"",
        };
        let Some(escaped) = self.session.escape(text) else {
            // PDO itself says nothing of a statement's parameter that can't be quoted.
            self.throw_or_fail(handle);
            return None;
        };
        let quoted = Str::concat(&[prefix, b"'", escaped.bytes(), b"'"]);
        escaped.release();
        Some(quoted)
    }

    fn begin(&self, handle: Handle<'_>) -> bool {
        self.run_query(handle, b"START TRANSACTION").is_some()
    }

    fn commit(&self, handle: Handle<'_>) -> bool {
        self.settle(handle, self.session.query(b"COMMIT")).is_some()
    }

    fn roll_back(&self, handle: Handle<'_>) -> bool {
        self.settle(handle, self.session.query(b"ROLLBACK")).is_some()
    }

    fn is_in_transaction(&self) -> bool {
        self.session.last(false, |said| said.status.contains(StatusFlags::IN_TRANS))
    }

    fn set_attribute(&self, handle: Handle<'_>, attribute: i64, value: Value<'_>) -> bool {
        attribute::set(self, handle, attribute, value)
    }

    fn attribute(&self, handle: Handle<'_>, attribute: i64, slot: Slot<'_>) -> Attribute {
        attribute::write(self, handle, attribute, slot)
    }

    fn last_insert_id(&self) -> Str {
        Str::decimal(self.session.last(0, |said| said.last_insert_id))
    }

    fn error(&self) -> Option<(u16, Str)> {
        let Told { number, text, .. } = failure::told(&self.error)?;
        Some((number, text))
    }

    fn object_ends(&self, handle: Handle<'_>) {
        // The list's own reference, and that of the object which ends.
        if handle.references() == 2 && !self.is_retired.get() {
            self.session.set_aside();
            self.error.clear();
            self.settings.set_defaults();
            handle.set_sqlstate([0; 5]);
            self.session.memcache.clear();
        }
    }

    fn is_alive(&self, handle: Handle<'_>) -> bool {
        if handle.references() == 1 {
            return self.session.bring_back();
        }
        // Whose first command finds a dead one out gets another in its place.
        if self.session.is_new() {
            return true;
        }
        // As in stock another object that comes while rows or results wait, or when the connection is gone, gets one of its own, which is shared
        // next. Those that have this one are told of its end, whatever they had in its session: a transaction, locks, variables.
        self.is_retired.set(self.session.is_answer_due() || self.session.is_gone());
        !self.is_retired.get()
    }
}

/// `Pdo\Mysql::getWarningCount`.
#[cfg_attr(not(php_pdo_classes), expect(dead_code, reason = "the class has come with PHP 8.4"))]
pub(crate) fn warning_count(call: &mut Call<'_>) -> Outcome {
    let database = pdo::receiver::<Database>(call)?;
    call.returns().long(database.session.last(0, |said| said.warnings).into());
    Ok(())
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.session.close(Key::explicit_close);
    }
}
