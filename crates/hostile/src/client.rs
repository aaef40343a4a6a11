//! The client of a recorded session: it leads the conversation, and notes what it hears.

use vaquita_client::{
    Address, ByteStream, Charset, ConnectOptions, Connection, Error, QueryResponse, Row, State,
};

use crate::conversation::{Ask, Conversation, LogIn, Over, Reading};

impl Conversation {
    /// What the client connects with.
    pub fn options(&self, address: Address) -> ConnectOptions {
        let LogIn { user, password, database, over: _, capabilities, compression } = self.log_in;
        ConnectOptions {
            user: user.into(),
            password: password.into(),
            database: database.map(Into::into),
            capabilities,
            compression: compression.to_vec(),
            ..ConnectOptions::new(address)
        }
    }

    /// Leads the conversation over a stream that stands for the server; where it is said to be, decides what may be said there.
    ///
    /// # Errors
    /// As [`converse`], and those of connecting.
    pub fn lead_over(
        &self,
        stream: Box<dyn ByteStream>,
        notes: &mut Notes,
    ) -> Result<Connection, Error> {
        let address = match self.log_in.over {
            Over::Tcp => Address::Tcp { host: "replayed".to_owned(), port: 0 },
            Over::Unix => Address::Unix("replayed".into()),
        };
        let mut connection = Connection::over(stream, &self.options(address))?;
        notes.connected(&connection);
        converse(&mut connection, self.asks, notes)?;
        Ok(connection)
    }
}

/// What a client made of what it heard, one line for each thing; or nothing, where nobody asks.
#[derive(Debug, Default)]
pub struct Notes {
    lines: Option<Vec<String>>,
}

impl Notes {
    /// Notes that are kept.
    pub fn kept() -> Self {
        Notes { lines: Some(Vec::new()) }
    }

    /// The lines.
    pub fn lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }

    fn add(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            lines.push(line());
        }
    }

    /// The log-in is done.
    pub fn connected(&mut self, connection: &Connection) {
        self.add(|| {
            let version = connection.server_version().escape_ascii();
            let charset = connection.charset().name;
            format!("connected {version} {:?} {charset}", connection.capabilities())
        });
    }

    fn done(&mut self, what: &str, connection: &Connection) {
        self.add(|| {
            let session = connection.session();
            let info = session.info.escape_ascii();
            format!(
                "{what} {} {} {} {:?} {info}",
                session.affected_rows, session.last_insert_id, session.warnings, session.status
            )
        });
    }

    fn row(&mut self, row: Row<'_>) {
        self.add(|| {
            let show = |value: Option<&[u8]>| match value {
                Some(value) => format!(" '{}'", value.escape_ascii()),
                None => " NULL".to_owned(),
            };
            format!("row{}", row.values().map(show).collect::<String>())
        });
    }
}

/// Asks one thing after the other. A refusal is noted, and the conversation goes on.
///
/// # Errors
/// The first error that broke the connection.
pub fn converse(connection: &mut Connection, asks: &[Ask], notes: &mut Notes) -> Result<(), Error> {
    for ask in asks {
        let outcome = match *ask {
            Ask::Query(sql, reading) => read_results(connection, sql, reading, "", notes),
            Ask::Load(sql, file) => {
                connection.allow_local_infile(true);
                let read = read_results(connection, sql, Reading::Discarded, file, notes);
                connection.allow_local_infile(false);
                read
            }
            Ask::Ping => connection.ping(),
            Ask::InitDb(database) => connection.init_db(database.as_bytes()),
            Ask::Charset(name) => {
                let charset = Charset::by_name(name.as_bytes());
                charset.map_or(Ok(()), |charset| connection.set_charset(charset))
            }
            Ask::MultiStatements(on) => connection.set_multi_statements(on),
            Ask::Statistics => connection.statistics().map(|text| {
                notes.add(|| format!("statistics {}", text.escape_ascii()));
            }),
            Ask::Debug => connection.debug(),
            Ask::Refresh(bits) => connection.refresh(bits),
            Ask::Kill(id) => connection.process_kill(id.into()),
            Ask::Reset => connection.reset_connection(),
            Ask::ChangeUser(user, password) => {
                connection.change_user(user.as_bytes(), password.as_bytes(), b"recorded")
            }
        };
        match outcome {
            Ok(()) => notes.done("done", connection),
            Err(error) if connection.state() == State::Broken => return Err(error),
            Err(error) => notes.add(|| format!("refused {error}")),
        }
    }
    Ok(())
}

/// Reads all results of a query, and sends the file that one of them asks for; a refused file is no end.
fn read_results(
    connection: &mut Connection,
    sql: &str,
    reading: Reading,
    file: &str,
    notes: &mut Notes,
) -> Result<(), Error> {
    connection.send_query(sql.as_bytes())?;
    loop {
        match connection.read_query_response() {
            Ok(QueryResponse::Ok) => notes.done("ok", connection),
            Ok(QueryResponse::ResultSet(columns)) => {
                notes.add(|| {
                    let names = columns.iter().map(|it| format!(" {}", it.name().escape_ascii()));
                    format!("columns{}", names.collect::<String>())
                });
                read_rows(connection, reading, notes)?;
                notes.done("end", connection);
            }
            Ok(QueryResponse::Cursor(_)) => notes.done("cursor", connection),
            Ok(QueryResponse::LocalInfile(name)) => {
                notes.add(|| format!("asked for {}", name.escape_ascii()));
                connection.send_local_infile(&mut file.as_bytes())?;
                notes.done("loaded", connection);
            }
            Err(error) if connection.more_results() => notes.add(|| format!("refused {error}")),
            Err(error) => return Err(error),
        }
        if !connection.more_results() {
            return Ok(());
        }
    }
}

fn read_rows(
    connection: &mut Connection,
    reading: Reading,
    notes: &mut Notes,
) -> Result<(), Error> {
    match reading {
        Reading::Discarded => connection.discard_result(),
        Reading::OneByOne => {
            while let Some(row) = connection.next_row()? {
                notes.row(row);
            }
            Ok(())
        }
        Reading::Stored => {
            let mut stored = connection.store_result()?;
            while let Some(row) = stored.next_row() {
                notes.row(row);
            }
            Ok(())
        }
    }
}
