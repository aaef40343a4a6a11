//! Sending a query and reading the beginning of each of its results.

use std::time::Duration;

use vaquita_protocol::panic_point;
use vaquita_protocol::{ComQueryResponse, Command, Malformed, StatusFlags};

use crate::columns::Columns;
use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::own::Own;
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::state::{Call, State};
use crate::statistics::PacketKind;

/// The most results of an init command. The limit is our own: a CALL has one for each SELECT that it runs, and nobody looks at them.
const MAX_INIT_COMMAND_RESULTS: usize = 1000;

/// A result that nobody asked for.
const UNASKED: Malformed = Malformed::new("COM_QUERY Response", "column_count");

/// What one result of a query begins with.
#[derive(Clone, Debug)]
pub enum QueryResponse {
    /// No rows; [`Connection::session`] says what was done.
    Ok,
    /// Rows of these columns follow.
    ResultSet(Columns),
    /// Rows of these columns are kept by the server, behind the cursor that [`Connection::send_execute`] asked for.
    Cursor(Columns),
    /// The server asks for the local file of this name, which the query names; it waits for [`Connection::send_local_infile`] or
    /// [`Connection::refuse_local_infile`]. Comes only where [`Connection::allow_local_infile`] allowed it.
    LocalInfile(Vec<u8>),
}

impl Connection {
    /// Sends a query and does not wait for its response.
    ///
    /// # Errors
    /// The connection is gone or in the middle of something else, or the query is too large.
    pub fn send_query(&mut self, sql: &[u8]) -> Result<(), Error> {
        self.state.allow(Call::Command)?; // else the files are those of what is still to come
        self.note_local_infiles(sql);
        self.send_command(Command::Query(sql))?;
        self.answer = Answer::Text;
        self.state = State::QuerySent;
        Ok(())
    }

    /// Reads what a query's first or next result begins with.
    ///
    /// # Errors
    /// The server refused the query, or the connection failed, or no response is due.
    pub fn read_query_response(&mut self) -> Result<QueryResponse, Error> {
        panic_point("client/query");
        self.state.allow(Call::ReadResponse)?;
        if self.reuse.is_first() {
            return self.read_first_response();
        }
        if self.state == State::NextResultPending {
            self.stream.transport().begin_watch();
        }
        let response = self.read_response_packets();
        self.settle(response)
    }

    pub(crate) fn read_response_packets(&mut self) -> Result<QueryResponse, Error> {
        let payload = self.stream.read_packet(PacketKind::ResultSetHeader, MAX_ANSWER_BYTES)?;
        match ComQueryResponse::parse(payload, self.capabilities)? {
            ComQueryResponse::Ok(ok) => {
                self.session.ok(&ok)?;
                self.elsewhere.statement_done();
                self.count_ok();
                self.state = self.state_after_result();
                Ok(QueryResponse::Ok)
            }
            ComQueryResponse::Err(err) => {
                let error = Error::server(&err);
                self.stream.note_refused();
                self.elsewhere.statement_failed();
                self.state = self.end_of_statement();
                Err(error)
            }
            ComQueryResponse::LocalInfileRequest(name) => {
                let is_named = self.local_infiles.take(name);
                let name = is_named.then(|| name.to_vec());
                self.local_infile_requested(name)
            }
            ComQueryResponse::ColumnCount(count) => {
                let columns = self.read_columns(count)?;
                self.elsewhere.statement_done();
                let status = self.session.status;
                self.stream.counted().result_set(status);
                let has_cursor = self.session.status.contains(StatusFlags::CURSOR_EXISTS);
                if has_cursor && self.answer == Answer::Cursor {
                    self.state = State::Ready;
                    return Ok(QueryResponse::Cursor(columns));
                }
                self.layout = self.known_columns.layout(&columns, self.answer != Answer::Text);
                self.columns = columns.clone();
                self.state = State::FetchingData;
                Ok(QueryResponse::ResultSet(columns))
            }
        }
    }

    /// Counts a result without columns.
    pub(crate) fn count_ok(&mut self) {
        let (is_binary, rows) = (self.answer != Answer::Text, self.session.affected_rows);
        let counted = self.stream.counted();
        counted.oks += 1;
        counted.rows_affected.add(is_binary, rows);
    }

    /// Runs a statement that has no rows.
    ///
    /// # Errors
    /// The server refused it, or answered with something else, or the connection failed.
    pub(crate) fn run_without_rows(&mut self, sql: &[u8]) -> Result<(), Error> {
        self.send_query(sql)?;
        match self.read_query_response()? {
            QueryResponse::Ok if !self.more_results() => Ok(()),
            _ => self.settle(Err(UNASKED.into())),
        }
    }

    /// Runs an init command and drops all its results.
    ///
    /// The connection phase is over by now, and a statement may take long; but all its packets together get the time that a single
    /// one has anywhere else, so that no server can keep a client connecting for ever.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or took too long.
    pub(crate) fn run_init_command(
        &mut self,
        sql: &[u8],
        read_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        self.stream.transport().finish_within(read_timeout);
        self.stream.counted().init_commands += 1;
        let run = self.by_itself(Own::InitCommand, |it| it.run_and_discard(sql));
        run.inspect_err(|_| self.stream.counted().init_commands_failed += 1)
    }

    fn run_and_discard(&mut self, sql: &[u8]) -> Result<(), Error> {
        self.send_query(sql)?;
        for _ in 0..MAX_INIT_COMMAND_RESULTS {
            match self.read_query_response()? {
                QueryResponse::Ok | QueryResponse::Cursor(_) => {}
                QueryResponse::ResultSet(_) => self.discard_result()?,
                QueryResponse::LocalInfile(_) => self.refuse_local_infile()?,
            }
            if !self.more_results() {
                return Ok(());
            }
        }
        self.settle(Err(UNASKED.into()))
    }
}
