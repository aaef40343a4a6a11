//! What a session is like, as its server says: what decides whether a port's answer is SQL's.

use std::time::Duration;

use vaquita_client::{Connection, Dialect, Effect};

use crate::decimal::decimal;
use crate::error::Error;
use crate::plan::{Reason, has_ascii};
use crate::table::{rows, value};

/// What a session is like.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// All that was asked, as one text: sessions of the same text are alike.
    pub(crate) text: Box<[u8]>,
    /// Who it is to the server, and in which role.
    pub(crate) user: Box<[u8]>,
    /// The current database; empty if there is none.
    pub(crate) database: Box<[u8]>,
    /// The character set of statements and results.
    pub(crate) charset: Box<[u8]>,
    /// How long the server may hear nothing of it: half of what it waits for a statement.
    pub(crate) silence: Duration,
    /// Why no port's answer is SQL's in it.
    pub(crate) reason: Option<Reason>,
}

/// Modes in which statements mean something else than the matcher thinks.
const MODES: [&[u8]; 6] =
    [b"ORACLE", b"MSSQL", b"DB2", b"MAXDB", b"POSTGRESQL", b"EMPTY_STRING_IS_NULL"];

/// A session that may see what is not committed.
const DIRTY: &[u8] = b"READ-UNCOMMITTED";

impl State {
    /// That of a session that could not be asked.
    pub(crate) fn unknown() -> State {
        let (text, user, database, charset) = Default::default();
        State {
            text,
            user,
            database,
            charset,
            silence: Duration::ZERO,
            reason: Some(Reason::Settings),
        }
    }

    /// Asks the session, whose server tells of its changes from then on: without that temporary tables would go unnoticed that triggers make.
    pub(crate) fn ask(connection: &mut Connection) -> Result<State, Error> {
        connection.track_changes().map_err(Error::Lost)?;
        let (is_mariadb, version) = (connection.is_mariadb(), connection.server_version_number());
        let has_new_name = version >= if is_mariadb { 110_100 } else { 50_720 };
        let isolation = if has_new_name { "@@transaction_isolation" } else { "@@tx_isolation" };
        let others = match (is_mariadb, version) {
            (true, 100_304..) => ", CURRENT_ROLE(), @@wsrep_sync_wait, @@system_versioning_asof",
            (true, _) => ", CURRENT_ROLE(), 0, 'DEFAULT'",
            (false, 80_000..) => ", CURRENT_ROLE(), 0, 'DEFAULT'",
            (false, _) => ", '', 0, 'DEFAULT'",
        };
        let sql = format!(
            "SELECT @@sql_mode, @@sql_select_limit, @@character_set_client, @@character_set_connection, @@character_set_results, {isolation}, \
             DATABASE(), CURRENT_USER(), @@wait_timeout, @@init_connect{others}"
        );
        let said = rows(connection, sql.as_bytes())?;
        let [row] = &*said else { return Err(Error::Malformed("no row of settings")) };
        let [mode, limit, client, of_connection, results, isolation, database] =
            [0, 1, 2, 3, 4, 5, 6].map(|place| value(row, place));
        let [user, patience, begins_with, role, waits, asof] =
            [7, 8, 9, 10, 11, 12].map(|place| value(row, place));
        let is_mode = |mode: &[u8]| MODES.contains(&mode);
        let has_one_charset = client == of_connection && client == results && has_ascii(client);
        let reason = if !leaves_no_tables(begins_with, connection.session().dialect()) {
            Some(Reason::Session)
        } else if mode.split(|byte| *byte == b',').any(is_mode)
            || limit == b"0"
            || waits != b"0"
            || asof != b"DEFAULT"
        {
            Some(Reason::Settings)
        } else if isolation == DIRTY {
            Some(Reason::Isolation)
        } else if !has_one_charset {
            Some(Reason::Charset)
        } else {
            None
        };
        let text = (0..row.len()).map(|place| value(row, place));
        let text = text.collect::<Vec<_>>().join(&b'\n').into();
        let silence = Duration::from_secs(decimal(patience).unwrap_or_default()) / 2;
        let user = [user, role].join(&b'\n').into();
        Ok(State { text, user, database: database.into(), charset: client.into(), silence, reason })
    }
}

/// Whether what the server does as a session begins (`init_connect`) shows in what it says of its settings, if it does anything.
fn leaves_no_tables(sql: &[u8], dialect: Dialect) -> bool {
    let effect = || Effect::of_statement(sql, dialect);
    sql.is_empty() || matches!(effect(), Effect::Nothing | Effect::Transactions | Effect::Settings)
}
