//! The commands besides queries.

use vaquita_protocol::{Capabilities, Charset, Command, EofPacket, ErrPacket, OkPacket, SetOption};

use crate::connection::Connection;
use crate::error::Error;
use crate::packet_stream::MAX_ANSWER_BYTES;

impl Connection {
    /// Asks whether the server is there.
    ///
    /// # Errors
    /// It is not, or the connection is in the middle of something else.
    pub fn ping(&mut self) -> Result<(), Error> {
        self.send_command(Command::Ping)?;
        self.read_command_ok()
    }

    /// Makes a database the one that unqualified names refer to.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn init_db(&mut self, database: &[u8]) -> Result<(), Error> {
        self.send_command(Command::InitDb(database))?;
        self.read_command_ok()?;
        database.clone_into(&mut self.session.database);
        Ok(())
    }

    /// Changes the connection's character set, by SET NAMES.
    ///
    /// # Errors
    /// As a query.
    pub fn set_charset(&mut self, charset: &'static Charset) -> Result<(), Error> {
        self.run_own(format!("SET NAMES {}", charset.name).as_bytes())?;
        self.charset = charset;
        self.session.character_set_client = charset;
        Ok(())
    }

    /// Allows or forbids several statements in one query.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn set_multi_statements(&mut self, on: bool) -> Result<(), Error> {
        let option = if on { SetOption::MultiStatementsOn } else { SetOption::MultiStatementsOff };
        self.send_command(Command::SetOption(option))?;
        self.read_command_ok()
    }

    /// Reads the answer to a command that has nothing more to tell than OK.
    fn read_command_ok(&mut self) -> Result<(), Error> {
        let answer = self.stream.read_packet(MAX_ANSWER_BYTES).and_then(|payload| {
            if ErrPacket::is_err(payload) {
                return Err(Error::server(&ErrPacket::parse(payload)?));
            }
            if EofPacket::is_eof(payload)
                && !self.capabilities.contains(Capabilities::DEPRECATE_EOF)
            {
                self.session.status = EofPacket::parse(payload)?.status;
                return Ok(());
            }
            self.session.command_ok(&OkPacket::parse(payload, self.capabilities)?)?;
            Ok(())
        });
        self.settle(answer)
    }
}
