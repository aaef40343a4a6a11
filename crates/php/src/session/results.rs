//! What a session does with queries and their results: announced by the server, then received at once or row by row.

use super::Session;
use super::advanced::Advanced;
use super::failure::Failed;
use super::local_infile::{self, RequestedFile};
use crate::zend::guarded::Bug;
use crate::zend::request;
use vaquita_client::{Buffered, Columns, Connection, QueryResponse, Row, Session as Said};

impl Session {
    /// Runs a statement up to its first reply.
    pub(crate) fn query(&self, sql: &[u8]) -> Result<(), Failed> {
        let response = self.drive(|connection| self.run_query(connection, sql))?;
        self.note(response)
    }

    /// Runs a statement up to its first reply. If that is a failure, what follows has nobody who could ask for it, and is read away.
    pub(crate) fn query_whole(&self, sql: &[u8]) -> Result<(), Failed> {
        let is_another_pending = self.is_result_pending();
        self.query(sql).inspect_err(|_| {
            if !is_another_pending {
                self.keeping_failure(|session| {
                    let _ = session.skip_results();
                });
            }
        })
    }

    /// Sends a statement whose reply is read later, by [`Session::next_result`].
    pub(crate) fn send_query(&self, sql: &[u8]) -> Result<(), Failed> {
        self.drive(|connection| {
            // Who waits for the answer is not to be woken by what is owed of before.
            connection.await_owed()?;
            connection.send_query(sql)
        })?;
        self.forget_announced();
        Ok(())
    }

    /// Reads the first reply of the next statement.
    pub(crate) fn next_result(&self) -> Result<(), Failed> {
        let response = self.drive(Connection::read_query_response)?;
        self.note(response)
    }

    /// Keeps what a response announces; a file that the server asks for is answered.
    pub(crate) fn note(&self, response: QueryResponse) -> Result<(), Failed> {
        let (columns, name) = match response {
            QueryResponse::Ok => (None, None),
            QueryResponse::ResultSet(columns) | QueryResponse::Cursor(columns) => {
                (Some(columns), None)
            }
            QueryResponse::LocalInfile(name) => (None, Some(name)),
        };
        let _ = self.announced.with(|announced| *announced = columns);
        let requested = name.map(RequestedFile::new);
        let _ = self.requested_file.with(|file| *file = requested);
        local_infile::answer(self)
    }

    /// Reads all that the server has still to say of the last query.
    ///
    /// # Errors
    /// Of the first result that begins with one: a file that is refused is not the last one. As in stock not of rows that end with one. Without
    /// a word if results are to come behind rows that somebody has still to read.
    pub(crate) fn skip_results(&self) -> Result<(), Failed> {
        if self.more_results() && !self.is_result_pending() {
            self.error.clear();
            return Err(Failed);
        }
        let mut first = None;
        while self.is_result_pending() && !self.gives_up_rest() {
            if self.next_result().is_err() {
                first.get_or_insert_with(|| self.error.take());
            } else if self.take_announced().is_some() {
                let _ = self.drive(Connection::discard_result);
            }
        }
        let Some(failures) = first else { return Ok(()) };
        self.error.put(failures);
        Err(Failed)
    }

    pub(super) fn forget_announced(&self) {
        let _ = self.announced.with(|announced| *announced = None);
    }

    /// Whether a result was announced that nobody has fetched yet.
    pub(crate) fn has_announced(&self) -> bool {
        self.announced.peek(Option::is_some).unwrap_or(false)
    }

    /// The columns of the announced result, which the caller fetches now.
    pub(crate) fn take_announced(&self) -> Option<Columns> {
        self.announced.with(Option::take).ok().flatten()
    }

    /// Whether more results of the same query follow.
    pub(crate) fn more_results(&self) -> bool {
        self.last(false, Said::more_results)
    }

    /// Whether the server waits for its next result to be read.
    pub(crate) fn is_result_pending(&self) -> bool {
        self.look(Connection::more_results).unwrap_or(false)
    }

    /// Receives the rest of the current result.
    pub(crate) fn store(&self) -> Result<Buffered, Failed> {
        let kept = self.error.take();
        let stored = self.drive(Connection::store_result);
        if stored.is_ok() {
            self.error.put(kept); // as in stock it is the last command's that counts
        }
        stored
    }

    /// Receives the next row of the unbuffered result, which [`Session::current_row`] then shows.
    pub(crate) fn advance(&self) -> Result<Advanced, Failed> {
        self.drive_on(|connection| match connection.next_row()? {
            None => Ok(Advanced::End),
            Some(_) => Ok(Advanced::to_row(connection.spoilt_row())),
        })
    }

    /// Goes on to the next row of the unbuffered result, where that has come already; false: [`Session::advance`] has more to do.
    #[inline]
    pub(crate) fn advance_received(&self) -> bool {
        self.error.clear();
        let advanced = self.work(|slot| {
            let connection = slot.as_mut()?;
            Some(self.counting(connection, Connection::next_received_row))
        });
        match advanced {
            Ok(advanced) => advanced == Some(true),
            Err(Bug) => {
                self.error.set_bug();
                false
            }
        }
    }

    /// Receives the next row and those that have come with it, which [`Connection::current_rows`] then shows; and how many.
    pub(crate) fn advance_many(&self) -> Result<(Advanced, u32), Failed> {
        self.drive_on(|connection| match connection.next_rows()? {
            0 => Ok((Advanced::End, 0)),
            count => Ok((Advanced::to_row(connection.spoilt_row()), count)),
        })
    }

    /// Looks at the row that `advance` received. No user code may run inside.
    pub(crate) fn current_row<R>(&self, look: impl FnOnce(Row<'_>) -> R) -> Option<R> {
        self.look(|connection| connection.current_row().map(look)).flatten()
    }

    /// After a fatal error nobody waits for further results, of which there may be no end: the connection goes. Whether it has.
    pub(crate) fn gives_up_rest(&self) -> bool {
        let gives_up = request::is_past_fatal_error();
        if gives_up {
            self.give_up_connection();
        }
        gives_up
    }

    /// Skips the rest of the unbuffered result, so that the connection can be used again. After a fatal error only if all of it has come: what
    /// the script has registered for its end may use the connection still, but nobody waits for rows of which there may be no end.
    ///
    /// # Errors
    /// Nobody asked for it, so it is only kept for whoever looks at `errno`.
    pub(crate) fn skip(&self) -> Result<(), Failed> {
        if !self.is_fetching() {
            return Ok(());
        }
        let discard = if request::is_past_fatal_error() {
            Connection::discard_arrived
        } else {
            |it: &mut Connection| it.discard_result().map(|()| true)
        };
        match self.work(|slot| slot.as_mut().map(|it| self.counting(it, discard))) {
            Ok(Some(Ok(false))) => {
                self.give_up_connection();
                Ok(())
            }
            Ok(skipped) => self.error.settle(skipped.unwrap_or(Ok(true))).map(|_| ()),
            Err(Bug) => Err(self.error.set_bug()),
        }
    }
}
