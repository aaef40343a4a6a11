//! The rows of a result, wherever they are: all here, still with the server, or behind a cursor of a prepared statement.

mod kept;
mod next;
mod reading;

use super::Session;
use super::advanced::Advanced;
use super::failure::Failed;
use crate::convert::Format;
use crate::statistics::Key;
use crate::zend::error::is_pending;
use crate::zend::guarded::Guarded;
use crate::zend::row::Recycler;
use crate::zend::slot::Slot;
use core::cell::Cell;
use core::ops::Deref;
pub(crate) use kept::{Kept, Unkept, Which};
pub(crate) use reading::{Reading, Readings, begin_request, end_request};
use std::rc::Rc;
use vaquita_client::{Buffered, Columns, Row, Statement, UNKNOWN_ROWS, codes};

/// Rows, and how they become values.
pub(crate) struct Rows {
    pub(crate) session: Rc<Session>,
    reading: Rc<Reading>,
    pub(super) place: Place,
    /// What a loop has let go of.
    pub(super) recycler: Recycler,
}

impl Deref for Rows {
    type Target = Reading;

    #[inline]
    fn deref(&self) -> &Reading {
        &self.reading
    }
}

/// That of rows which never came over a connection.
const NO_GENERATION: u64 = u64::MAX;

/// Where the rows are.
pub(super) enum Place {
    /// All here.
    Here {
        rows: Guarded<Option<Stored>>,
        count: u64,
        /// The row that is fetched next; `count + 1`: the end has been seen.
        position: Cell<u64>,
        /// The row that was fetched last: `lengths` speaks of it, also after a seek.
        fetched: Cell<Option<u64>>,
        /// Whether something is wrong with the last one.
        is_spoilt: bool,
    },
    /// Still with the server.
    There {
        /// The statement whose cursor has them, and the row that was fetched last; none if they are on their way already.
        cursor: Option<(Statement, Guarded<Option<Buffered>>)>,
        ended: Cell<bool>,
    },
}

/// Rows that are here.
pub(super) enum Stored {
    /// Nobody else has them.
    Own(Buffered),
    /// They may outlive their result.
    Shared(Rc<Buffered>),
}

impl Deref for Stored {
    type Target = Buffered;

    #[inline]
    fn deref(&self) -> &Buffered {
        match self {
            Stored::Own(rows) => rows,
            Stored::Shared(rows) => rows,
        }
    }
}

impl Session {
    /// Has numbers that come as text become integers and floats, or not. As in stock that holds also for results that are there already, as
    /// long as their link is not closed.
    pub(crate) fn set_native(&self, is_native: bool) {
        self.is_native.set(is_native);
        self.readings.each(|reading| {
            if reading.is_live(self) {
                reading.layout.set_native(&reading.columns, is_native);
            }
        });
    }
}

impl Rows {
    fn new(
        session: &Rc<Session>,
        generation: u64,
        columns: Columns,
        format: Format,
        place: Place,
    ) -> Rows {
        let counts = session.is_collecting.get().then(|| place.key(format));
        let is_native = session.is_native.get();
        let reading =
            session.readings.lend(session, columns, format, is_native, generation, counts);
        Rows { session: Rc::clone(session), reading, place, recycler: Recycler::new() }
    }

    /// Rows that were received.
    pub(crate) fn buffered(
        session: &Rc<Session>,
        columns: Columns,
        format: Format,
        stored: Buffered,
    ) -> Rows {
        let place = Place::Here {
            count: stored.rows(),
            is_spoilt: stored.spoilt_row().is_some(),
            rows: Guarded::new(Some(Stored::Own(stored))),
            position: Cell::new(0),
            fetched: Cell::new(None),
        };
        Rows::new(session, session.generation(), columns, format, place)
    }

    fn there(
        session: &Rc<Session>,
        generation: u64,
        columns: Columns,
        format: Format,
        cursor: Option<Statement>,
        ended: bool,
    ) -> Rows {
        let place = Place::There {
            cursor: cursor.map(|statement| (statement, Guarded::new(None))),
            ended: Cell::new(ended),
        };
        Rows::new(session, generation, columns, format, place)
    }

    /// Rows that the connection is about to receive.
    pub(crate) fn unbuffered(session: &Rc<Session>, columns: Columns, format: Format) -> Rows {
        Rows::there(session, session.generation(), columns, format, None, false)
    }

    /// Rows behind the cursor of a statement.
    pub(crate) fn behind_cursor(
        session: &Rc<Session>,
        columns: Columns,
        statement: Statement,
    ) -> Rows {
        let generation = session.generation();
        Rows::there(session, generation, columns, Format::Binary, Some(statement), false)
    }

    /// Columns alone.
    pub(crate) fn none(session: &Rc<Session>, columns: Columns) -> Rows {
        Rows::there(session, NO_GENERATION, columns, Format::Binary, None, true)
    }

    pub(crate) fn is_buffered(&self) -> bool {
        matches!(self.place, Place::Here { .. })
    }

    /// Whether the end of unbuffered rows has been seen.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(&self.place, Place::There { ended, .. } if ended.get())
    }

    /// How many rows there are; of unbuffered ones 0 until their end has been seen.
    pub(crate) fn row_count(&self) -> u64 {
        match &self.place {
            Place::Here { count, .. } => *count,
            Place::There { ended, .. } if ended.get() => self.fetched.get(),
            Place::There { .. } => 0,
        }
    }

    pub(crate) fn field_count(&self) -> i64 {
        i64::try_from(self.columns.len()).unwrap_or(i64::MAX)
    }

    /// Makes a buffered row the next one; false, and nothing changes, if there is no such row.
    pub(crate) fn seek(&self, row: u64) -> bool {
        match &self.place {
            Place::Here { count, position, .. } if row < *count => {
                position.set(row);
                true
            }
            _ => false,
        }
    }

    /// Makes a buffered row the next one; beyond the last there is the end.
    pub(crate) fn seek_or_end(&self, row: u64) {
        if let Place::Here { count, position, .. } = &self.place {
            position.set(row.min(*count));
        }
    }

    /// Makes the first of buffered rows the next one.
    pub(crate) fn rewind(&self) {
        if let Place::Here { position, .. } = &self.place {
            position.set(0);
        }
    }

    /// Whether they can still come.
    fn is_live(&self) -> bool {
        self.reading.is_live(&self.session)
    }

    /// Whether their connection is still the session's.
    fn is_current(&self) -> bool {
        self.reading.is_current(&self.session)
    }

    /// Counts rows that were fetched.
    #[inline]
    pub(super) fn count(&self, rows: u64) {
        self.fetched.set(self.fetched.get() + rows);
    }

    /// Goes on to the next row; `Err` after a failure, which the session keeps.
    pub(crate) fn advance(&self) -> Result<Advanced, Failed> {
        self.go_on_telling(false).map(|(advanced, _)| advanced)
    }

    /// Does as [`Rows::advance`]; with `many` to the last of those rows that have come, of which it tells how many there are.
    pub(super) fn go_on_telling(&self, many: bool) -> Result<(Advanced, u32), Failed> {
        let advanced = self.go_on(many)?;
        if let (Advanced::Spoilt(malformed), _) = advanced {
            // Stock only warns; here the link remembers, too.
            self.session.error.set_spoilt(malformed);
        }
        Ok(advanced)
    }

    fn go_on(&self, many: bool) -> Result<(Advanced, u32), Failed> {
        match &self.place {
            Place::Here { rows, count, position, fetched, is_spoilt } => {
                let row = position.get();
                position.set((row + 1).min(count + 1));
                if row >= *count {
                    return Ok((Advanced::End, 0));
                }
                fetched.set(Some(row));
                self.count(1);
                let spoilt = if *is_spoilt && row + 1 == *count {
                    let last = |rows: &Option<Stored>| rows.as_ref().and_then(|it| it.spoilt_row());
                    rows.peek(last).ok().flatten()
                } else {
                    None
                };
                Ok((Advanced::to_row(spoilt), 1))
            }
            Place::There { ended, .. } if ended.get() => Ok((Advanced::End, 0)),
            // A panic that has just ended the connection has been told of.
            Place::There { .. } if !self.is_live() && is_pending() => Err(Failed),
            Place::There { .. } if !self.is_live() => Ok((Advanced::Gone, 0)),
            Place::There { cursor, ended } => {
                let advanced = match cursor {
                    None if many => self.session.advance_many(),
                    None => self.session.advance().map(|it| (it, 1)),
                    Some((statement, current)) => {
                        let row = self.session.fetch(statement, &self.columns, 1);
                        // Of rows one by one nobody knows how many there are.
                        self.session.adjust(|it| it.set_affected_rows(UNKNOWN_ROWS));
                        row.map(|row| {
                            let advanced = match row.rows() {
                                0 => (Advanced::End, 0),
                                _ => (Advanced::to_row(row.spoilt_row()), 1),
                            };
                            let _ = current.with(|current| *current = Some(row));
                            advanced
                        })
                    }
                };
                match advanced {
                    Ok((Advanced::End, _)) => ended.set(true),
                    Ok((_, count)) => self.count(count.into()),
                    // Out of sync is not the end: as in stock, each further fetch fails again.
                    Err(_) => ended.set(self.session.error.errno() != codes::COMMANDS_OUT_OF_SYNC),
                }
                advanced
            }
        }
    }

    /// Looks at the row that was fetched last. Zend calls that allocate are welcome inside, user code is not.
    pub(crate) fn row<R>(&self, look: impl FnOnce(Row<'_>) -> R) -> Option<R> {
        match &self.place {
            Place::Here { rows, fetched, .. } => {
                let row = fetched.get()?;
                rows.peek(|rows| rows.as_ref().and_then(|rows| rows.row(row)).map(look))
                    .ok()
                    .flatten()
            }
            Place::There { cursor: Some((_, current)), .. } => current
                .peek(|current| current.as_ref().and_then(|rows| rows.row(0)).map(look))
                .ok()
                .flatten(),
            Place::There { ended, .. } if ended.get() || !self.is_current() => None,
            Place::There { .. } => self.session.current_row(look),
        }
    }

    /// Forgets the session's last error, if that is still about the connection that they come from.
    pub(crate) fn begin(&self) {
        if self.is_current() {
            self.session.error.clear();
        }
    }

    /// Writes the lengths of the row that was fetched last; false, and nothing is written, if there are none to speak of.
    pub(crate) fn write_lengths(&self, slot: Slot<'_>) -> bool {
        // As in stock nobody knows those of a prepared statement's rows.
        if self.format == Format::Binary {
            return false;
        }
        if let Place::Here { count, position, .. } = &self.place {
            // Before the first row, and after the end.
            if position.get() == 0 || position.get() > *count {
                return false;
            }
        }
        // The list is begun inside, so that without a row the slot is still to be written.
        let mut slot = Some(slot);
        self.row(|row| {
            if let Some(slot) = slot.take() {
                self.layout.write_lengths(row, slot);
            }
        });
        match slot {
            None => true,
            Some(slot) if self.is_buffered() => {
                // Sought to, but nothing fetched yet.
                self.layout.write_zero_lengths(slot);
                true
            }
            Some(_) => false,
        }
    }

    /// Reads rows that are on their way to their end, so that the connection can be used again.
    ///
    /// # Errors
    /// As [`Session::skip`].
    pub(crate) fn skip(&self) -> Result<(), Failed> {
        match &self.place {
            Place::There { cursor: None, ended, .. } if self.is_live() && !ended.replace(true) => {
                self.session.skip()
            }
            _ => Ok(()),
        }
    }

    /// Gives the rows back; those on their way are read to their end, so that the connection can be used again.
    pub(crate) fn free(&self) {
        self.recycler.clear();
        match &self.place {
            Place::Here { rows, .. } => {
                let _ = rows.with(|rows| *rows = None);
            }
            Place::There { .. } => {
                let _ = self.skip();
            }
        }
    }
}

impl Place {
    /// As what the rows count that are fetched from here.
    fn key(&self, format: Format) -> Key {
        match (self, format) {
            (Place::Here { .. }, Format::Text) => Key::rows_fetched_from_client_normal_buffered,
            (Place::Here { .. }, Format::Binary) => Key::rows_fetched_from_client_ps_buffered,
            (Place::There { cursor: Some(_), .. }, _) => Key::rows_fetched_from_client_ps_cursor,
            (Place::There { .. }, Format::Text) => Key::rows_fetched_from_client_normal_unbuffered,
            (Place::There { .. }, Format::Binary) => Key::rows_fetched_from_client_ps_unbuffered,
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.free();
        self.session.readings.take_back(&self.session, &self.reading);
    }
}
