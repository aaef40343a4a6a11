//! A statement of PDO's: how it runs, and how its rows are fetched.

use super::column;
use super::database::{Database, Settings};
use super::failure::{self, Told};
use crate::convert::Format;
use crate::session::Session;
use crate::session::advanced::{Advanced, warn_of};
use crate::session::counting::Ending;
use crate::session::failure::{Failed, LastError};
use crate::session::prepared::{Executed, with_parameters};
use crate::session::rows::{Kept, Rows, Unkept, Which};
use crate::statistics::Key;
use crate::vaquita::memcache;
use crate::zend::error::Thrown;
use crate::zend::guarded::Guarded;
use crate::zend::held::Held;
use crate::zend::memory;
use crate::zend::pdo::{self, Bound, Running, Values};
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use crate::zend::version;
use core::cell::Cell;
use std::rc::Rc;
use vaquita_client::panic_point;
use vaquita_client::{Columns, Statement as Prepared, codes};

/// What PDO reports where a parameter is missing, or one too many.
pub(super) const INVALID_PARAMETER_NUMBER: [u8; 5] = *b"HY093";

/// What is said of parameters that belong into the text of a statement whose PDO object was constructed again.
const REPLACED: &[u8] =
    b"MySQL server has gone away: the PDO object has another connection; prepare the statement again";

/// The state of a `PDOStatement`.
pub(crate) struct Statement {
    session: Rc<Session>,
    /// What `errorInfo()` tells.
    error: LastError,
    settings: Rc<Settings>,
    /// `None`: PDO puts the parameters into the text.
    on_server: Guarded<Option<Prepared>>,
    rows: Guarded<Option<Rows>>,
    /// Rows on their way of a run that PDO has forgotten: as in stock they are in the way where the next run lacked a parameter.
    left: Guarded<Option<Rows>>,
    /// The columns of the last result; of one that the server has prepared, but not run yet, those that it told of.
    columns: Guarded<Option<Columns>>,
    /// Whether all results of the last run have been seen, or given up; as in stock not before the first one.
    is_done: Cell<bool>,
    /// How much memory the script used when it was run: after a fatal error that may be more than it may.
    used_bytes: Cell<usize>,
    /// How often the server was to run it, as one that it had prepared.
    runs: Cell<u64>,
    /// Whether one that the server has prepared has, or would have, a result: then as in stock it takes what waits for its own.
    has_result: Cell<bool>,
    /// How the server's last answer to one that it has prepared was; as in stock that is told again where nothing is asked.
    pub(super) last: LastError,
    /// The parameters of the next run.
    pub(super) parameters: Held,
    /// The values of the current row, none if there is no result.
    values: Values,
}

impl Statement {
    pub(super) fn new(database: &Database) -> Statement {
        Statement {
            session: Rc::clone(&database.session),
            error: LastError::none(),
            settings: Rc::clone(&database.settings),
            on_server: Guarded::new(None),
            rows: Guarded::new(None),
            left: Guarded::new(None),
            columns: Guarded::new(None),
            is_done: Cell::new(false),
            used_bytes: Cell::new(0),
            runs: Cell::new(0),
            has_result: Cell::new(false),
            last: LastError::none(),
            parameters: Held::nothing(),
            values: Values::none(),
        }
    }

    /// Has the server prepare it; the session has the error.
    pub(super) fn prepare(&self, sql: &[u8]) -> Result<(), Failed> {
        let prepared = self.session.prepare(sql);
        let prepared = prepared.inspect_err(|_| {
            self.session.count_statement(Ending::Explicit, false, 0);
        })?;
        let parameters = prepared.params();
        let columns = prepared.columns();
        self.has_result.set(!columns.is_empty());
        let _ = self.columns.with(|it| *it = Some(columns));
        let _ = self.on_server.with(|it| *it = Some(prepared));
        self.parameters.hold_nulls(parameters.into());
        Ok(())
    }

    fn is_prepared(&self) -> bool {
        self.on_server.peek(Option::is_some).unwrap_or(false)
    }

    pub(super) fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// Whether something was done; if not, takes over the session's error.
    fn settle<R>(&self, running: Running<'_>, done: Result<R, Failed>) -> Option<R> {
        self.note(&done);
        if done.is_err() {
            self.tell(running, &self.session.error);
        }
        done.ok()
    }

    /// Keeps how the server answered.
    fn note<R>(&self, answer: &Result<R, Failed>) {
        if answer.is_err() {
            self.last.put(self.session.error.copy());
        } else if self.last.errno() != 0 {
            self.last.clear();
        }
    }

    /// Tells PDO how the last call went.
    fn tell(&self, running: Running<'_>, last: &LastError) {
        running.set_sqlstate(failure::take_over(&self.error, last, &self.session));
    }

    /// Tells PDO how the last call went where the server was not asked.
    fn tell_again(&self, running: Running<'_>) {
        if !self.is_prepared() {
            self.last.clear();
        }
        self.tell(running, &self.last);
    }

    /// Lets go of the rows; those on their way are read to their end.
    fn free_rows(&self) {
        self.values.clear();
        for place in [&self.left, &self.rows] {
            let skipped = place.peek(|rows| rows.as_ref().map(Rows::skip)).ok().flatten();
            let Some(skipped) = skipped else { continue };
            let _ = place.with(|rows| *rows = None);
            self.session.count(Key::explicit_free_result, 1);
            if skipped.is_err() {
                self.note(&skipped);
            }
        }
    }

    /// Reads away what waits on the connection, as far as one that the server has prepared takes it for its own.
    fn flush(&self) {
        while self.has_result.get()
            && self.session.is_result_pending()
            && !self.session.gives_up_rest()
        {
            let next = self.session.next_executed();
            self.has_result.set(matches!(next, Ok(Executed::Rows(_) | Executed::Cursor(_))));
            let _ = self.session.skip();
        }
    }

    /// Runs it up to its first reply.
    fn run(&self, running: Running<'_>) -> Result<Executed, Failed> {
        if !self.is_prepared() {
            self.session.query_whole(running.text())?;
            return Ok(self.answered());
        }
        self.flush();
        // No Zend call from here to the reply: what the parameters borrow stays.
        let executed = self.on_server.peek(|it| {
            let prepared = it.as_ref().ok_or(Failed)?;
            let parameter = |number| self.parameter(number);
            with_parameters(self.parameter_count(), parameter, |parameters| {
                self.runs.set(self.runs.get() + 1);
                self.session.send_execute(prepared, parameters, false)?;
                self.session.first_executed(prepared, parameters, false)
            })
        });
        executed.unwrap_or(Err(Failed))
    }

    /// Runs it, and takes what comes; false: it has the error.
    fn execute_query(&self, running: Running<'_>, is_replaced: bool) -> bool {
        self.is_done.set(false);
        self.used_bytes.set(memory::used());
        if self.is_prepared() && running.bound_parameters() < self.parameter_count() {
            self.values.clear();
            let rows = self.rows.with(Option::take).ok().flatten();
            let _ = self.left.with(|left| *left = rows.or(left.take()));
            running.set_sqlstate(INVALID_PARAMETER_NUMBER);
            return false;
        }
        self.free_rows();
        if is_replaced && !self.is_prepared() && running.bound_parameters() > 0 {
            // Quoted for another character set a parameter could end its own quotes: stock sends it, or crashes.
            self.error.set(codes::SERVER_GONE_ERROR, *b"HY000", REPLACED.to_vec());
            running.set_sqlstate(self.error.sqlstate());
            return false;
        }
        let executed = self.run(running);
        let taken = executed.and_then(|executed| self.take(running, executed));
        self.settle(running, taken).is_some()
    }

    /// What a query has been answered with.
    fn answered(&self) -> Executed {
        self.session.take_announced().map_or(Executed::Done, Executed::Rows)
    }

    /// Takes the rows that a run, or its next result, came to.
    fn take(&self, running: Running<'_>, executed: Executed) -> Result<(), Failed> {
        let (Executed::Rows(columns) | Executed::Cursor(columns)) = executed else {
            running.set_row_count(self.session.last(0, |said| said.affected_rows));
            if self.is_prepared() && version::forgets_columns() {
                running.set_column_count(0);
            } else if self.is_prepared() {
                // As in stock a procedure's end has the columns of its last result, and no rows.
                let columns = self.columns.peek(Clone::clone).ok().flatten();
                running.set_column_count(columns.as_ref().map_or(0, |columns| columns.len()));
                let columns = columns.filter(|_| self.has_result.get());
                let rows = columns.map(|columns| Rows::none(&self.session, columns));
                let _ = self.rows.with(|it| *it = rows);
            }
            return Ok(());
        };
        let _ = self.columns.with(|it| *it = Some(columns.clone()));
        self.has_result.set(self.is_prepared());
        let format = if self.is_prepared() { Format::Binary } else { Format::Text };
        let count = columns.len();
        if format == Format::Binary {
            running.set_column_count(count); // as in stock also where the rows end with an error
        }
        let rows = self.receive(columns, format).inspect_err(|_| self.has_result.set(false))?;
        // Of rows on their way nobody knows how many there are.
        if rows.is_buffered() || format == Format::Text {
            running.set_row_count(rows.row_count());
        }
        let _ = self.rows.with(|it| *it = Some(rows));
        self.values.reset(count);
        running.set_column_count(count);
        Ok(())
    }

    fn receive(&self, columns: Columns, format: Format) -> Result<Rows, Failed> {
        let session = &self.session;
        let is_text = format == Format::Text;
        if !self.settings.is_buffered.get() {
            let key = if is_text { Key::unbuffered_sets } else { Key::ps_unbuffered_sets };
            session.count(key, 1);
            return Ok(Rows::unbuffered(session, columns, format));
        }
        let (sets, rows) = if is_text {
            (Key::buffered_sets, Key::rows_buffered_from_client_normal)
        } else {
            (Key::ps_buffered_sets, Key::rows_buffered_from_client_ps)
        };
        session.count(sets, 1);
        let stored = session.store()?;
        session.count(rows, stored.rows());
        Ok(Rows::buffered(session, columns, format, stored))
    }

    /// Keeps the values of the current row, whose bytes are about to go: as in stock they can be had where no other row follows.
    fn keep_values(&self) {
        pdo::Statement::restore_values(self);
        self.values.keep();
    }

    /// Fetches a row that is not here yet, or none.
    #[inline(never)]
    fn fetch_on(&self, running: Running<'_>) -> bool {
        self.keep_values();
        let advanced =
            self.rows.peek(|rows| rows.as_ref().map(|rows| rows.advance())).ok().flatten();
        let Some(advanced) = advanced else { return false };
        match self.settle(running, advanced) {
            Some(Advanced::Row) => {
                let _ = self.rows.peek(|rows| {
                    let rows = rows.as_ref()?;
                    rows.row(|row| {
                        self.values.renew(|slots| rows.layout.write_in_order(row, slots));
                    })
                });
                true
            }
            Some(Advanced::End) if self.is_prepared() => {
                self.tell_again(running);
                false
            }
            Some(Advanced::End | Advanced::Gone) => false,
            None => {
                // PDO's loop over all rows takes any failure but the first row's for the end, and where there is no memory stock's script ends.
                if self.error.errno() == codes::OUT_OF_MEMORY {
                    self.throw();
                }
                false
            }
            Some(Advanced::Spoilt(malformed)) => {
                warn_of(malformed);
                self.tell(running, &self.session.error);
                false
            }
        }
    }

    /// Whether there is a result.
    pub(crate) fn has_rows(&self) -> bool {
        self.rows.peek(Option::is_some).unwrap_or(false)
    }

    /// Shares the rows that were not fetched yet.
    pub(crate) fn keep(&self, running: Running<'_>) -> Result<Kept, Unkept> {
        self.keep_values();
        let kept = self.rows.peek(|rows| rows.as_ref().map(|rows| rows.keep(Which::Unfetched)));
        let kept = kept.ok().flatten().unwrap_or(Err(Unkept::Gone));
        match &kept {
            Err(Unkept::Failed) => drop(self.settle::<()>(running, Err(Failed))),
            Ok(kept) if kept.spoilt.is_some() => self.tell(running, &self.session.error),
            _ => {}
        }
        kept
    }

    /// Throws the last error, whatever PDO does of errors.
    pub(crate) fn throw(&self) -> Thrown {
        if let Some(Told { number, sqlstate, text }) = failure::told(&self.error) {
            pdo::throw(number, sqlstate, text);
            text.release();
        }
        Thrown
    }

    /// Looks at the columns of the result, if there is one.
    fn look_at_columns<R>(&self, look: impl FnOnce(&Columns) -> R) -> Option<R> {
        self.rows.peek(|rows| rows.as_ref().map(|rows| look(&rows.columns))).ok().flatten()
    }
}

impl pdo::Statement for Statement {
    fn give_up(&self, has_database: bool) {
        self.free_rows();
        // As in stock that may be what a later statement has left: scripts go on without closing the cursor of a CALL.
        self.flush();
        if has_database && !self.is_done.get() {
            let _ = self.session.skip_results();
        }
    }

    fn held(&self) -> &Held {
        &self.parameters
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn execute(&self, running: Running<'_>, is_replaced: bool) -> bool {
        memcache::telling(&self.session, || self.execute_query(running, is_replaced))
    }

    fn fetch(&self, running: Running<'_>) -> bool {
        panic_point("php/pdo/statement");
        // PDO's own loop over all rows does not give control back: PHP ends the script behind it.
        if memory::is_memory_exhausted() && memory::used() > self.used_bytes.get() {
            return false;
        }
        let fetched = self.rows.peek(|rows| {
            let rows = rows.as_ref()?;
            let fetched = rows.next_here(
                (),
                #[inline(always)]
                |(), row| self.values.renew(|slots| rows.layout.write_in_order(row, slots)),
            );
            fetched.ok()
        });
        if let Ok(Some(())) = fetched {
            self.last.clear();
            return true;
        }
        self.fetch_on(running)
    }

    fn describe(&self, running: Running<'_>) -> bool {
        self.look_at_columns(|columns| {
            column::describe(columns, running, self.settings.names_tables.get())
        })
        .is_some()
    }

    fn restore_values(&self) {
        let _ = self.rows.peek(|rows| {
            let rows = rows.as_ref()?;
            rows.row(|row| self.values.restore(|slots| rows.layout.write_again(row, slots)))
        });
    }

    fn bind(&self, running: Running<'_>, bound: Bound<'_>) -> bool {
        !self.is_prepared() || self.knows_parameter(running, bound)
    }

    fn send(&self, running: Running<'_>, bound: Bound<'_>) -> bool {
        !self.is_prepared() || self.take_parameter(running, bound)
    }

    fn write_column_meta(&self, running: Running<'_>, number: i64, slot: Slot<'_>) -> bool {
        let Some(number) = usize::try_from(number).ok().filter(|it| *it < running.column_count())
        else {
            return false;
        };
        self.look_at_columns(|columns| column::write_meta(columns, number, slot)).unwrap_or(false)
    }

    fn next_rowset(&self, running: Running<'_>) -> bool {
        self.free_rows();
        // As in stock it is no error to ask for one too many.
        let has_next = self.has_result.get() || !self.is_prepared();
        if !has_next || !self.session.is_result_pending() {
            self.is_done.set(true);
            self.tell_again(running);
            return false;
        }
        let next = if self.is_prepared() {
            self.has_result.set(false);
            self.session.next_executed()
        } else {
            self.session.next_result().map(|()| self.answered())
        };
        if next.is_err() {
            // After a file that was refused there may be more.
            self.is_done.set(!self.session.is_result_pending());
        }
        let taken = next.and_then(|executed| self.take(running, executed));
        self.settle(running, taken).is_some()
    }

    fn close_cursor(&self, running: Running<'_>) -> bool {
        self.is_done.set(true);
        self.free_rows();
        let skipped = self.session.skip_results();
        // Of one that the server has prepared stock tells how that went last.
        if skipped.is_err() {
            self.tell(running, if self.is_prepared() { &self.last } else { &self.session.error });
        }
        skipped.is_ok()
    }

    fn error(&self) -> Option<(u16, Str)> {
        let Told { number, text, .. } = failure::told(&self.error)?;
        Some((number, text))
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let on_server = self.on_server.with(Option::take).ok().flatten();
        if let Some(prepared) = on_server {
            self.session.count_statement(Ending::Explicit, true, self.runs.get());
            self.session.close_statement(&prepared, true);
        }
    }
}
