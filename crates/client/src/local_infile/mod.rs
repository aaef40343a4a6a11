//! LOCAL INFILE: a server asks for a file of this machine, and gets it only if the query that it answers names it.
//!
//! A server can ask for any file in answer to any query, so what it asks for proves nothing. The query is read before it is
//! sent ([`names`]); what is not exactly the name that is due is refused here, without asking anybody. A request that
//! passes is a state of the connection ([`crate::State::SendingLoadData`]) that the caller answers, after its own rules.

mod asks;
mod file;
mod names;

use std::io::{self, Read};

use vaquita_protocol::{ComQueryResponse, Malformed};

use crate::connection::Connection;
use crate::error::{Error, LocalInfileRefusal};
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::query::QueryResponse;
use crate::state::{Call, State};
use crate::statistics::PacketKind;

pub(crate) use asks::may_ask;
pub use file::{LocalFile, LocalFileError};
pub(crate) use names::Names;

/// A file is sent in packets of this length: the servers' first buffer (`net_buffer_length`), so that none of theirs has to grow
/// (<https://dev.mysql.com/doc/refman/8.0/en/server-system-variables.html#sysvar_net_buffer_length>).
const FILE_PACKET_BYTES: usize = 16 << 10;

/// The packet that says that a file is at its end, or that there is none.
const END_OF_FILE: &[u8] = &[];

impl Connection {
    /// Lets the queries to come ask for local files, or not any more; at first none may.
    ///
    /// Each request still has to be answered, by [`Connection::send_local_infile`] or [`Connection::refuse_local_infile`].
    pub fn allow_local_infile(&mut self, on: bool) {
        self.allows_local_infile = on;
    }

    /// Notes the files that a query names, which is about to be sent.
    pub(crate) fn note_local_infiles(&mut self, sql: &[u8]) {
        self.local_infiles = Names::default();
        if self.allows_local_infile {
            self.local_infiles = Names::of(sql, self.session.dialect());
        }
    }

    /// Decides about a request whose name has just been received: the query has to name the file.
    pub(crate) fn local_infile_requested(
        &mut self,
        is_named: Option<Vec<u8>>,
    ) -> Result<QueryResponse, Error> {
        self.state = State::SendingLoadData;
        self.stream.transport().note_read();
        if let Some(name) = is_named {
            return Ok(QueryResponse::LocalInfile(name));
        }
        if self.is_followed {
            // The server is about to take for the file what was sent behind the query.
            return Err(Malformed::new("COM_QUERY Response", "filename").into());
        }
        self.stream.write_packet(END_OF_FILE)?;
        self.read_load_data_answer()?;
        let refusal = if self.stream.transport().queue().is_some() {
            LocalInfileRefusal::Pipelined
        } else if self.allows_local_infile {
            LocalInfileRefusal::NotNamed
        } else {
            LocalInfileRefusal::Forbidden
        };
        Err(Error::LocalInfileRefused(refusal))
    }

    /// Sends the file that the server asked for, in constant memory, and reads what it says to that.
    ///
    /// # Errors
    /// The server refused it, the file can't be read to its end, the connection failed, or no file was asked for. A file that
    /// breaks off costs the connection: its end would look like the whole, and a part would be stored without a word.
    pub fn send_local_infile(&mut self, file: &mut dyn Read) -> Result<(), Error> {
        self.state.allow(Call::SendFile)?;
        let sent = self.send_file(file);
        sent.map_err(|error| self.lost_in_writing(error))?;
        let answered = self.read_load_data_answer();
        self.settle(answered)
    }

    /// Sends no file although the server asked for one, and reads what it says to that.
    ///
    /// # Errors
    /// The server did not take it well, the connection failed, or no file was asked for.
    pub fn refuse_local_infile(&mut self) -> Result<(), Error> {
        self.send_local_infile(&mut io::empty())
    }

    fn send_file(&mut self, file: &mut dyn Read) -> Result<(), Error> {
        let mut packet = vec![0; FILE_PACKET_BYTES];
        loop {
            match file.read(&mut packet) {
                Ok(0) => return self.stream.write_packet(END_OF_FILE),
                Ok(length) => self.stream.write_packet(packet.get(..length).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::LocalInfileRead(error)),
            }
        }
    }

    fn read_load_data_answer(&mut self) -> Result<(), Error> {
        let payload = self.stream.read_packet(PacketKind::Ok, MAX_ANSWER_BYTES)?;
        match ComQueryResponse::parse(payload, self.capabilities)? {
            ComQueryResponse::Ok(ok) => {
                self.session.ok(&ok)?;
                self.count_ok();
                self.state = self.state_after_result();
                Ok(())
            }
            ComQueryResponse::Err(err) => {
                let error = Error::server(&err);
                self.stream.note_refused();
                self.state = self.end_of_statement();
                Err(error)
            }
            ComQueryResponse::LocalInfileRequest(_) | ComQueryResponse::ColumnCount(_) => {
                Err(Malformed::new("COM_QUERY Response", "header").into())
            }
        }
    }
}
