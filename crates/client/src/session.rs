//! What the server last said about the session.

use vaquita_protocol::{
    Charset, EofPacket, Malformed, OkPacket, SessionState, SessionStateChange, StatusFlags,
};

use crate::auth::Accepted;
use crate::tokens::Dialect;

/// [`Session::affected_rows`] when there is no such number: after an error, and before a result set was read.
pub const UNKNOWN_ROWS: u64 = u64::MAX;

/// What the last OK or EOF packet said.
#[derive(Clone, Debug)]
pub struct Session {
    /// Rows changed by the last statement, or rows of the last stored result; [`UNKNOWN_ROWS`] if there is no such number.
    pub affected_rows: u64,
    /// The last AUTO_INCREMENT value that the last statement made, or 0.
    pub last_insert_id: u64,
    /// How many warnings the last statement has.
    pub warnings: u16,
    /// The session's status.
    pub status: StatusFlags,
    /// How many columns the last result set has; 0 after a statement without rows.
    pub field_count: usize,
    /// What the server says in words about the last statement; empty if nothing.
    pub info: Vec<u8>,
    /// The current database, as far as is known: a server that does not track sessions (MySQL 5.6, MariaDB before 10.6) says nothing of
    /// a USE in a query. Empty if there is none.
    pub database: Vec<u8>,
    /// The character set in which the server reads statements, as far as is known: SET NAMES in a query changes it where the server
    /// tracks sessions.
    pub character_set_client: &'static Charset,
    /// The character set that it makes of texts in them, as far as is known.
    pub character_set_connection: &'static Charset,
    /// Whether the last statement failed.
    pub(crate) has_failed: bool,
    /// Whether the server tells of another current database: it has, since a statement may last have stopped it.
    pub(crate) tells_database: bool,
    /// How often the server has told of another value of a variable, but for autocommit, which changes no statement's meaning.
    pub(crate) variables_changed: u64,
    /// How often the server has told that something has changed of what only this session has: where `session_track_state_change` is on.
    pub state_changes: u64,
}

impl Session {
    /// A session begins, with what was asked for unless the server says otherwise.
    pub(crate) fn new(
        accepted: &Accepted,
        charset: &'static Charset,
        database: Option<&[u8]>,
    ) -> Result<Self, Malformed> {
        let mut session = Session {
            affected_rows: 0,
            last_insert_id: 0,
            warnings: 0,
            status: accepted.status.without(StatusFlags::MORE_RESULTS_EXISTS),
            field_count: 0,
            info: Vec::new(),
            database: database.unwrap_or_default().to_vec(),
            character_set_client: charset,
            character_set_connection: charset,
            has_failed: false,
            tells_database: false,
            variables_changed: 0,
            state_changes: 0,
        };
        session.follow(&accepted.session_state)?;
        Ok(session)
    }

    /// A statement without rows is done.
    pub(crate) fn ok(&mut self, packet: &OkPacket<'_>) -> Result<(), Malformed> {
        self.affected_rows = packet.affected_rows;
        self.last_insert_id = packet.last_insert_id;
        self.warnings = packet.warnings;
        self.field_count = 0;
        self.command_ok(packet)
    }

    /// A command that is no statement is done.
    pub(crate) fn command_ok(&mut self, packet: &OkPacket<'_>) -> Result<(), Malformed> {
        self.status = packet.status;
        self.info.clear();
        self.info.extend_from_slice(packet.info);
        self.follow(packet.session_state)
    }

    /// Notes what changed in the session. A character set that is not known here is no reason to escape otherwise than before.
    pub(crate) fn follow(&mut self, session_state: &[u8]) -> Result<(), Malformed> {
        let mut state = SessionState::new(session_state);
        while let Some(change) = state.next_change()? {
            match change {
                SessionStateChange::Schema(name) => {
                    name.clone_into(&mut self.database);
                    self.tells_database = true;
                }
                SessionStateChange::SystemVariable { name: b"autocommit", .. } => {}
                SessionStateChange::State => self.state_changes += 1,
                SessionStateChange::SystemVariable { name, value } => {
                    self.variables_changed += 1;
                    let known = match name {
                        b"character_set_client" => &mut self.character_set_client,
                        b"character_set_connection" => &mut self.character_set_connection,
                        _ => continue,
                    };
                    *known = Charset::by_name(value).unwrap_or(*known);
                }
            }
        }
        Ok(())
    }

    /// A result set begins: nothing is known yet.
    pub(crate) fn columns(&mut self, count: usize, eof: Option<EofPacket>) {
        self.field_count = count;
        self.affected_rows = UNKNOWN_ROWS;
        self.last_insert_id = 0;
        self.info.clear();
        if let Some(eof) = eof {
            self.warnings = eof.warnings;
            self.status = eof.status;
        }
    }

    /// A result set's rows are at their end.
    pub(crate) fn end_of_rows(&mut self, eof: EofPacket) {
        self.affected_rows = 0;
        self.last_insert_id = 0;
        self.warnings = eof.warnings;
        self.status = eof.status;
        // What it was, an EOF packet does not say.
        if eof.status.contains(StatusFlags::SESSION_STATE_CHANGED) {
            self.state_changes += 1;
        }
    }

    /// A statement failed. An ERR packet has no status, but it always ends a chain of results.
    pub(crate) fn error(&mut self) {
        self.affected_rows = UNKNOWN_ROWS;
        self.has_failed = true;
        self.status = self.status.without(StatusFlags::MORE_RESULTS_EXISTS);
    }

    /// What was said of the last statement stays, whatever the driver has asked of the server since.
    pub(crate) fn keep_statement(&mut self, said: Session) {
        self.affected_rows = said.affected_rows;
        self.last_insert_id = said.last_insert_id;
        self.warnings = said.warnings;
        self.field_count = said.field_count;
        self.info = said.info;
    }

    /// How the server reads statements.
    pub fn dialect(&self) -> Dialect {
        Dialect {
            encoding: self.character_set_client.encoding,
            no_backslash_escapes: self.status.contains(StatusFlags::NO_BACKSLASH_ESCAPES),
        }
    }

    /// The session begins anew, in this character set and database; the status stays as the server said it last.
    pub(crate) fn begin_anew(&mut self, charset: &'static Charset, database: Option<&[u8]>) {
        self.affected_rows = 0;
        self.last_insert_id = 0;
        self.warnings = 0;
        self.field_count = 0;
        self.info.clear();
        self.database.clear();
        self.database.extend_from_slice(database.unwrap_or_default());
        self.character_set_client = charset;
        self.character_set_connection = charset;
    }

    /// Whether the last packet said that another result of the same query follows.
    pub fn more_results(&self) -> bool {
        self.status.contains(StatusFlags::MORE_RESULTS_EXISTS)
    }
}
