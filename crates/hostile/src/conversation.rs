//! What a client says in a recorded session: the log-in, and what it asks then.

use vaquita_client::{
    Address, ByteStream, Capabilities, Charset, CompressionAlgorithm, ConnectOptions, Connection,
    Error, QueryResponse, Row, State,
};

/// The password of all users of the recordings, and of none else.
pub const PASSWORD: &str = "a recorded password";
/// A password that is none's.
const WRONG_PASSWORD: &str = "no password";

/// How the client gets to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// TCP, where others listen.
    Tcp,
    /// A unix socket.
    Unix,
}

/// How rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As they arrive.
    OneByOne,
    /// Into memory.
    Stored,
    /// Not at all.
    Discarded,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// A query, and how the rows of all its results are read.
    Query(&'static str, Reading),
    /// A query that names a local file, and what is in that file.
    Load(&'static str, &'static str),
    /// COM_PING.
    Ping,
    /// COM_INIT_DB.
    InitDb(&'static str),
    /// SET NAMES.
    Charset(&'static str),
    /// COM_SET_OPTION.
    MultiStatements(bool),
    /// COM_STATISTICS.
    Statistics,
    /// COM_DEBUG.
    Debug,
    /// COM_REFRESH.
    Refresh(u8),
    /// COM_PROCESS_KILL.
    Kill(u32),
    /// COM_RESET_CONNECTION.
    Reset,
    /// COM_CHANGE_USER, to this user with this password, and the database of the recordings.
    ChangeUser(&'static str, &'static str),
}

/// Who logs in, and how.
#[derive(Clone, Copy, Debug)]
pub struct LogIn {
    /// The user.
    pub user: &'static str,
    /// The password.
    pub password: &'static str,
    /// The database, if any.
    pub database: Option<&'static str>,
    /// How the client gets there.
    pub over: Over,
    /// What it asks for besides the usual.
    pub capabilities: Capabilities,
    /// The ways to compress, best first.
    pub compression: &'static [CompressionAlgorithm],
}

/// A session as the client leads it.
#[derive(Clone, Copy, Debug)]
pub struct Conversation {
    /// Its name; that of the server stands in front of it in the names of files.
    pub name: &'static str,
    /// The servers that it can be led with.
    pub servers: &'static [&'static str],
    /// Who logs in.
    pub log_in: LogIn,
    /// What is asked then.
    pub asks: &'static [Ask],
}

const MARIADB: &str = "mariadb";
const MYSQL80: &str = "mysql80";
const MARIADB118: &str = "mariadb118";
const MYSQL56: &str = "mysql56";
const MYSQL97: &str = "mysql97";
const BOTH: &[&str] = &[MARIADB, MYSQL80];
/// One of each age: what they say differs most.
const AGES: &[&str] = &[MARIADB, MYSQL56, MYSQL80, MYSQL97];
/// Those that know what [`MODERN`] asks for.
const MODERNS: &[&str] = &[MARIADB, MYSQL80, MYSQL97];

const USUAL: LogIn = LogIn {
    user: "recorded_native",
    password: PASSWORD,
    database: Some("recorded"),
    over: Over::Tcp,
    capabilities: Capabilities::NONE,
    compression: &[],
};

/// What clients other than PHP's usual one ask for.
const MODERN: LogIn =
    LogIn { capabilities: Capabilities::DEPRECATE_EOF.with(Capabilities::SESSION_TRACK), ..USUAL };

const ZLIB: LogIn = LogIn { compression: &[CompressionAlgorithm::Zlib], ..USUAL };
const ZSTD: LogIn = LogIn { compression: &[CompressionAlgorithm::Zstd], ..USUAL };

const fn log_in(
    name: &'static str,
    servers: &'static [&'static str],
    user: &'static str,
    over: Over,
) -> Conversation {
    Conversation { name, servers, log_in: LogIn { user, over, ..USUAL }, asks: &[Ask::Ping] }
}

const fn query(sql: &'static str) -> Ask {
    Ask::Query(sql, Reading::Discarded)
}

const STATEMENTS: &[Ask] = &[
    query(
        "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, d DECIMAL(5,2), v VARCHAR(20), b BLOB)",
    ),
    query("INSERT INTO t (d, v, b) VALUES (1.5, 'one', NULL), (NULL, '', REPEAT('x', 300))"),
    query("UPDATE t SET v = 'two' WHERE id = 2"),
    Ask::Query("SELECT * FROM t", Reading::OneByOne),
    Ask::Query("SELECT * FROM t", Reading::Stored),
    Ask::Query("SELECT * FROM t WHERE id < 0", Reading::Stored),
    query("SELECT nonsense"),
    query("INSERT IGNORE INTO t (id, d) VALUES (1, 1), (9, 'x')"),
    Ask::Query("SHOW WARNINGS", Reading::OneByOne),
    Ask::InitDb("recorded"),
    Ask::InitDb("no_such_database"),
    Ask::Charset("latin1"),
    query("SET @a = 1"),
    Ask::Ping,
];

const RESULTS: &[Ask] = &[
    Ask::MultiStatements(true),
    Ask::Query("SELECT 1 AS a; DO 1; SELECT 'b' AS b, NULL AS c", Reading::Stored),
    Ask::Query("CALL two_results()", Reading::OneByOne),
    Ask::Query("SELECT 1; SELECT nonsense; SELECT 2", Reading::OneByOne),
    Ask::MultiStatements(false),
    Ask::Query("SELECT 1; SELECT 2", Reading::Stored),
    Ask::Ping,
];

const COMMANDS: &[Ask] = &[
    Ask::Statistics,
    Ask::Debug,
    Ask::Refresh(1 << 2),
    Ask::Kill(u32::MAX),
    query("SET @a = 1"),
    Ask::Reset,
    Ask::Query("SELECT @a", Reading::OneByOne),
    Ask::ChangeUser("recorded_other", PASSWORD),
    Ask::Query("SELECT CURRENT_USER()", Reading::Stored),
    Ask::ChangeUser("recorded_native", WRONG_PASSWORD),
    Ask::Ping,
];

/// A subquery that gives a second row only for the third row around it.
const FAILS_LATE: &str = "SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 3 OR m = 1) AS v \
    FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS x";

/// All conversations.
pub const ALL: &[Conversation] = &[
    log_in("native", &[MARIADB, MYSQL56, MYSQL80], "recorded_native", Over::Tcp),
    log_in("caching-sha2-cold-rsa", &[MYSQL80, MYSQL97], "recorded_sha2", Over::Tcp),
    log_in("caching-sha2-warm", &[MYSQL80, MYSQL97], "recorded_sha2", Over::Tcp),
    log_in("caching-sha2-cold-unix", &[MYSQL80], "recorded_sha2_unix", Over::Unix),
    log_in("ed25519", &[MARIADB], "recorded_ed25519", Over::Tcp),
    log_in("parsec", &[MARIADB118], "recorded_parsec", Over::Tcp),
    log_in("sha256-rsa", &[MYSQL80], "recorded_sha256", Over::Tcp),
    Conversation {
        name: "wrong-password",
        servers: BOTH,
        log_in: LogIn { password: WRONG_PASSWORD, ..USUAL },
        asks: &[],
    },
    Conversation {
        name: "unknown-database",
        servers: BOTH,
        log_in: LogIn { database: Some("no_such_database"), ..USUAL },
        asks: &[],
    },
    Conversation { name: "statements", servers: AGES, log_in: USUAL, asks: STATEMENTS },
    Conversation { name: "statements-modern", servers: MODERNS, log_in: MODERN, asks: STATEMENTS },
    Conversation {
        name: "results",
        servers: &[MARIADB, MYSQL56, MYSQL80],
        log_in: USUAL,
        asks: RESULTS,
    },
    Conversation { name: "results-modern", servers: MODERNS, log_in: MODERN, asks: RESULTS },
    Conversation {
        name: "statements-zlib",
        servers: &[MARIADB, MYSQL56, MYSQL80],
        log_in: ZLIB,
        asks: STATEMENTS,
    },
    Conversation {
        name: "statements-zstd",
        servers: &[MYSQL80, MYSQL97],
        log_in: ZSTD,
        asks: STATEMENTS,
    },
    Conversation { name: "commands", servers: AGES, log_in: USUAL, asks: COMMANDS },
    Conversation {
        name: "error-in-rows",
        servers: &[MARIADB, MYSQL56, MYSQL80],
        log_in: USUAL,
        asks: &[
            Ask::Query(FAILS_LATE, Reading::OneByOne),
            Ask::Query(FAILS_LATE, Reading::Stored),
            Ask::Ping,
        ],
    },
    Conversation {
        name: "local-infile-refused",
        servers: BOTH,
        log_in: USUAL,
        asks: &[query("LOAD DATA LOCAL INFILE '/no/such/file' INTO TABLE loaded"), Ask::Ping],
    },
    Conversation {
        name: "local-infile",
        servers: AGES,
        log_in: USUAL,
        asks: &[
            query("CREATE TEMPORARY TABLE l (a TEXT)"),
            Ask::Load("LOAD DATA LOCAL INFILE 'a file' INTO TABLE l", "one\ntwo\n"),
            Ask::Load("LOAD DATA LOCAL INFILE 'empty' INTO TABLE l", ""),
            Ask::Query("SELECT * FROM l", Reading::Stored),
            Ask::Load("LOAD DATA LOCAL INFILE 'a file' INTO TABLE no_such_table", "one\n"),
            Ask::Ping,
        ],
    },
];

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
