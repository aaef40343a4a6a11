//! The commands of the command phase.

use std::borrow::Cow;

use crate::com_change_user::ComChangeUser;
use crate::com_stmt_execute::ComStmtExecute;

/// What COM_SET_OPTION sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOption {
    /// A COM_QUERY may hold several statements.
    MultiStatementsOn,
    /// A COM_QUERY holds one statement.
    MultiStatementsOff,
}

impl SetOption {
    /// One of the two.
    pub const fn multi_statements(on: bool) -> SetOption {
        if on { SetOption::MultiStatementsOn } else { SetOption::MultiStatementsOff }
    }
}

/// A command: one byte that names it, and its body.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html>
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command<'a> {
    /// [COM_QUIT](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_quit.html): the end; there is no answer.
    Quit,
    /// [COM_INIT_DB](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_init_db.html): the database to use.
    InitDb(&'a [u8]),
    /// [COM_QUERY](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html): SQL, answered as text.
    Query(&'a [u8]),
    /// [COM_REFRESH](https://dev.mysql.com/doc/dev/mysql-server/8.0/page_protocol_com_refresh.html): flushes what these bits name; MySQL 9
    /// does not know it any more.
    Refresh(u8),
    /// [COM_STATISTICS](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_statistics.html): answered by a text without a header.
    Statistics,
    /// [COM_PROCESS_KILL](https://dev.mysql.com/doc/dev/mysql-server/8.0/page_protocol_com_process_kill.html): ends a connection; MySQL 9 does not
    /// know it any more.
    ProcessKill(u32),
    /// [COM_DEBUG](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_debug.html): the server writes what it knows of itself to its log; answered by EOF.
    Debug,
    /// [COM_PING](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_ping.html): are you there.
    Ping,
    /// [COM_CHANGE_USER](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html): another user on the same connection, and a fresh session.
    ChangeUser(ComChangeUser<'a>),
    /// [COM_STMT_PREPARE](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_prepare.html): SQL with `?` for what comes later.
    StmtPrepare(&'a [u8]),
    /// [COM_STMT_EXECUTE](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html): runs a prepared statement; answered as COM_QUERY, with rows in
    /// binary form.
    StmtExecute(ComStmtExecute<'a>),
    /// [COM_STMT_SEND_LONG_DATA](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_send_long_data.html): a part of a parameter's bytes; there is no answer.
    StmtSendLongData {
        /// Which statement.
        statement_id: u32,
        /// Which `?`, counted from 0.
        parameter: u16,
        /// What is appended to its bytes.
        data: &'a [u8],
    },
    /// [COM_STMT_CLOSE](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_close.html): forgets the statement of this id; there is no answer.
    StmtClose(u32),
    /// [COM_STMT_RESET](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_reset.html): forgets the long data and the cursor of the statement of this id.
    StmtReset(u32),
    /// [COM_STMT_FETCH](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_fetch.html): the next rows of a cursor.
    StmtFetch {
        /// Which statement.
        statement_id: u32,
        /// How many rows at most.
        rows: u32,
    },
    /// [COM_RESET_CONNECTION](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_reset_connection.html): a fresh session for the same user; MySQL since 5.7.3, MariaDB since 10.2.4.
    ResetConnection,
    /// [COM_SET_OPTION](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_set_option.html): answered by EOF.
    SetOption(SetOption),
}

/// The name of the command with this code, without `COM_` and in lower case; `None`: no client sends it.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/my__command_8h.html>
pub const fn command_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0x01 => "quit",
        0x02 => "init_db",
        0x03 => "query",
        0x04 => "field_list",
        0x07 => "refresh",
        0x08 => "shutdown",
        0x09 => "statistics",
        0x0A => "process_info",
        0x0C => "process_kill",
        0x0D => "debug",
        0x0E => "ping",
        0x11 => "change_user",
        0x16 => "stmt_prepare",
        0x17 => "stmt_execute",
        0x18 => "stmt_send_long_data",
        0x19 => "stmt_close",
        0x1A => "stmt_reset",
        0x1B => "set_option",
        0x1C => "stmt_fetch",
        0x1F => "reset_connection",
        _ => return None,
    })
}

impl<'a> Command<'a> {
    /// The command's byte.
    pub const fn code(&self) -> u8 {
        match self {
            Command::Quit => 0x01,
            Command::InitDb(_) => 0x02,
            Command::Query(_) => 0x03,
            Command::Refresh(_) => 0x07,
            Command::Statistics => 0x09,
            Command::ProcessKill(_) => 0x0C,
            Command::Debug => 0x0D,
            Command::Ping => 0x0E,
            Command::ChangeUser(_) => 0x11,
            Command::StmtPrepare(_) => 0x16,
            Command::StmtExecute(_) => 0x17,
            Command::StmtSendLongData { .. } => 0x18,
            Command::StmtClose(_) => 0x19,
            Command::StmtReset(_) => 0x1A,
            Command::SetOption(_) => 0x1B,
            Command::StmtFetch { .. } => 0x1C,
            Command::ResetConnection => 0x1F,
        }
    }

    /// What follows that byte.
    pub fn body(&self) -> Cow<'a, [u8]> {
        let mut out = Vec::new();
        self.put_body(&mut out).map_or(Cow::Owned(out), Cow::Borrowed)
    }

    /// What follows that byte, where it stands; `None`: it was appended to `out`.
    pub fn put_body(&self, out: &mut Vec<u8>) -> Option<&'a [u8]> {
        match self {
            Command::Quit
            | Command::Statistics
            | Command::Debug
            | Command::Ping
            | Command::ResetConnection => return Some(&[]),
            Command::StmtPrepare(sql) | Command::Query(sql) => return Some(sql),
            Command::InitDb(database) => return Some(database),
            Command::SetOption(SetOption::MultiStatementsOn) => return Some(&[0, 0]),
            Command::SetOption(SetOption::MultiStatementsOff) => return Some(&[1, 0]),
            Command::Refresh(bits) => out.push(*bits),
            Command::ChangeUser(body) => body.encode(out),
            Command::StmtExecute(body) => body.encode(out),
            Command::StmtSendLongData { statement_id, parameter, data } => {
                out.extend_from_slice(&statement_id.to_le_bytes());
                out.extend_from_slice(&parameter.to_le_bytes());
                out.extend_from_slice(data);
            }
            Command::ProcessKill(id) | Command::StmtClose(id) | Command::StmtReset(id) => {
                out.extend_from_slice(&id.to_le_bytes());
            }
            Command::StmtFetch { statement_id, rows } => {
                out.extend_from_slice(&statement_id.to_le_bytes());
                out.extend_from_slice(&rows.to_le_bytes());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_the_servers_took() {
        let check = |command: Command<'_>, expected: &[u8]| {
            assert_eq!([&[command.code()], &command.body()[..]].concat(), expected);
        };
        check(Command::Quit, &[0x01]);
        check(Command::InitDb(b"mysql"), b"\x02mysql");
        check(Command::Query(b"SELECT 1"), b"\x03SELECT 1");
        check(Command::Refresh(0x10), &[0x07, 0x10]);
        check(Command::Statistics, &[0x09]);
        check(Command::ProcessKill(0x0403_0201), &[0x0C, 1, 2, 3, 4]);
        check(Command::Debug, &[0x0D]);
        check(Command::Ping, &[0x0E]);
        check(Command::ResetConnection, &[0x1F]);
        check(Command::StmtPrepare(b"SELECT ?"), b"\x16SELECT ?");
        let execute = ComStmtExecute { statement_id: 1, opens_cursor: false, parameters: &[] };
        check(Command::StmtExecute(execute), &[0x17, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
        let part = Command::StmtSendLongData { statement_id: 1, parameter: 2, data: b"abc" };
        check(part, b"\x18\x01\0\0\0\x02\0abc");
        check(Command::StmtClose(1), &[0x19, 1, 0, 0, 0]);
        check(Command::StmtReset(1), &[0x1A, 1, 0, 0, 0]);
        check(Command::StmtFetch { statement_id: 1, rows: 5 }, &[0x1C, 1, 0, 0, 0, 5, 0, 0, 0]);
        check(Command::SetOption(SetOption::MultiStatementsOn), &[0x1B, 0, 0]);
        check(Command::SetOption(SetOption::MultiStatementsOff), &[0x1B, 1, 0]);
    }

    #[test]
    fn each_command_has_a_name_of_its_own() {
        let names: Vec<&str> = (0..=u8::MAX).filter_map(command_name).collect();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!((names.len(), distinct.len()), (20, 20));
        let name = |command: Command<'_>| command_name(command.code());
        assert_eq!(name(Command::Ping), Some("ping"));
        assert_eq!(name(Command::StmtReset(1)), Some("stmt_reset"));
        assert_eq!(name(Command::ResetConnection), Some("reset_connection"));
    }
}
