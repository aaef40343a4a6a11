//! What a client says in a recorded session: the log-in, and what it asks then.

use vaquita_client::{Capabilities, CompressionAlgorithm};

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
