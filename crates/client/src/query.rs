//! Sending a query and reading the beginning of each of its results.

use vaquita_protocol::{ComQueryResponse, Command, Malformed};

use crate::connection::Connection;
use crate::error::Error;
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::result_set::Columns;
use crate::state::{Call, State};

/// What one result of a query begins with.
#[derive(Clone, Debug)]
pub enum QueryResponse {
    /// No rows; [`Connection::session`] says what was done.
    Ok,
    /// Rows of these columns follow.
    ResultSet(Columns),
}

impl Connection {
    /// Sends a query and does not wait for its response.
    ///
    /// # Errors
    /// The connection is gone or in the middle of something else, or the query is too large.
    pub fn send_query(&mut self, sql: &[u8]) -> Result<(), Error> {
        self.send_command(Command::Query(sql))?;
        self.state = State::QuerySent;
        Ok(())
    }

    /// Reads what a query's first or next result begins with.
    ///
    /// # Errors
    /// The server refused the query, or the connection failed, or no response is due.
    pub fn read_query_response(&mut self) -> Result<QueryResponse, Error> {
        self.state.allow(Call::ReadResponse)?;
        let response = self.read_response_packets();
        self.settle(response)
    }

    fn read_response_packets(&mut self) -> Result<QueryResponse, Error> {
        let payload = self.stream.read_packet(MAX_ANSWER_BYTES)?;
        match ComQueryResponse::parse(payload, self.capabilities)? {
            ComQueryResponse::Ok(ok) => {
                self.session.ok(&ok);
                self.state = self.state_after_result();
                Ok(QueryResponse::Ok)
            }
            ComQueryResponse::Err(err) => {
                let error = Error::server(&err);
                self.state = State::Ready;
                Err(error)
            }
            ComQueryResponse::LocalInfileRequest(_) => {
                self.state = State::SendingLoadData;
                Err(self.refuse_local_infile()?)
            }
            ComQueryResponse::ColumnCount(count) => {
                let columns = self.read_columns(count)?;
                self.columns = columns.clone();
                self.state = State::FetchingData;
                Ok(QueryResponse::ResultSet(columns))
            }
        }
    }

    /// Answers a server that wants a file with no bytes at all, and reads what it says to that.
    fn refuse_local_infile(&mut self) -> Result<Error, Error> {
        self.stream.write_packet(&[])?;
        let payload = self.stream.read_packet(MAX_ANSWER_BYTES)?;
        match ComQueryResponse::parse(payload, self.capabilities)? {
            ComQueryResponse::Ok(ok) => {
                self.session.ok(&ok);
                self.state = self.state_after_result();
            }
            ComQueryResponse::Err(_) => self.state = State::Ready,
            ComQueryResponse::LocalInfileRequest(_) | ComQueryResponse::ColumnCount(_) => {
                return Err(Malformed { packet: "COM_QUERY Response", field: "header" }.into());
            }
        }
        Ok(Error::LocalInfileRefused)
    }

    /// Runs a statement and drops all its results.
    ///
    /// # Errors
    /// The server refused it, or the connection failed.
    pub(crate) fn execute(&mut self, sql: &[u8]) -> Result<(), Error> {
        self.send_query(sql)?;
        loop {
            if let QueryResponse::ResultSet(_) = self.read_query_response()? {
                self.discard_result()?;
            }
            if !self.more_results() {
                return Ok(());
            }
        }
    }
}
