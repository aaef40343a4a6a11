//! Rows that outlive their result: what it has, or has still to receive, shared with whoever wants to keep it.

use super::{Place, Rows, Stored};
use crate::convert::{Format, Layout};
use crate::session::failure::Failed;
use crate::statistics::Key;
use std::rc::Rc;
use vaquita_client::{Buffered, Columns, Malformed, Row, codes};

/// Rows as they were received; nobody changes them any more.
pub(crate) struct Kept {
    pub(crate) columns: Columns,
    /// `None`: there are no rows.
    buffered: Option<Rc<Buffered>>,
    /// The first of its rows that belongs here, and how many do.
    first: u64,
    count: u64,
    format: Format,
    /// Whether numbers that come as text become integers and floats.
    is_native: bool,
    /// What is wrong with the row behind the last one.
    pub(crate) spoilt: Option<Malformed>,
}

/// Which of buffered rows are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// All.
    All,
    /// Those that were not fetched yet.
    Unfetched,
}

/// Why there is nothing to keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unkept {
    /// The rest could not be received; the session has the error.
    Failed,
    /// The connection that the rows were to come from is gone.
    Gone,
}

impl Rows {
    /// Shares buffered rows, which stay as they are. Of unbuffered ones the rest is received, which is their end here.
    pub(crate) fn keep(&self, which: Which) -> Result<Kept, Unkept> {
        let (buffered, first) = match &self.place {
            Place::Here { rows, position, count, .. } => {
                let first = if which == Which::All { 0 } else { position.get().min(*count) };
                (rows.with(share).ok().flatten(), first)
            }
            Place::There { ended, .. } if ended.get() => (None, 0),
            Place::There { .. } if !self.is_live() => return Err(Unkept::Gone),
            Place::There { .. } => (Some(Rc::new(self.receive_rest()?)), 0),
        };
        let spoilt = buffered.as_ref().and_then(|rows| rows.spoilt_row());
        if let Some(malformed) = spoilt {
            // As where it is fetched.
            self.session.error.set_spoilt(malformed);
        }
        let rows = buffered.as_ref().map_or(0, |rows| rows.rows());
        // As no fetch gives the row that can't be read.
        let count = rows.saturating_sub(first).saturating_sub(spoilt.is_some().into());
        Ok(Kept {
            columns: self.columns.clone(),
            buffered,
            first,
            count,
            format: self.format,
            is_native: self.layout.is_native(),
            spoilt,
        })
    }

    /// Receives what is still with the server.
    fn receive_rest(&self) -> Result<Buffered, Unkept> {
        let Place::There { cursor, ended } = &self.place else {
            return Err(Unkept::Gone);
        };
        let rest = match cursor {
            None => self.session.store(),
            Some((statement, _)) => self.session.fetch(statement, &self.columns, u32::MAX),
        };
        let rest = rest.map_err(|Failed| {
            // As where rows are fetched one by one.
            ended.set(self.session.error.errno() != codes::COMMANDS_OUT_OF_SYNC);
            Unkept::Failed
        })?;
        ended.set(true);
        self.count(rest.rows());
        let key = match self.format {
            Format::Text => Key::rows_buffered_from_client_normal,
            Format::Binary => Key::rows_buffered_from_client_ps,
        };
        self.session.count(key, rest.rows());
        Ok(rest)
    }
}

/// Shares the rows of a result, if they are there.
fn share(rows: &mut Option<Stored>) -> Option<Rc<Buffered>> {
    let shared = match rows.take()? {
        Stored::Own(rows) => Rc::new(rows),
        Stored::Shared(rows) => rows,
    };
    *rows = Some(Stored::Shared(Rc::clone(&shared)));
    Some(shared)
}

impl Kept {
    /// How many rows there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The row with this number, counted from 0.
    #[inline]
    pub(crate) fn row(&self, number: u64) -> Option<Row<'_>> {
        let rows = self.buffered.as_ref().filter(|_| number < self.count)?;
        rows.row(self.first + number)
    }

    /// How these rows become values, whatever is set later.
    pub(crate) fn layout(&self) -> Layout {
        Layout::new(&self.columns, self.format, self.is_native)
    }

    /// The bytes of all rows that are held, as they came over the wire.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.buffered.as_ref().map_or(0, |rows| rows.wire_bytes())
    }
}
