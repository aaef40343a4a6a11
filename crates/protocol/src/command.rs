//! The commands of the command phase.

use std::borrow::Cow;

/// What COM_SET_OPTION sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOption {
    /// A COM_QUERY may hold several statements.
    MultiStatementsOn,
    /// A COM_QUERY holds one statement.
    MultiStatementsOff,
}

/// A command: one byte that names it, and its body.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// [COM_QUIT](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_quit.html): the end; there is no answer.
    Quit,
    /// [COM_INIT_DB](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_init_db.html): the database to use.
    InitDb(&'a [u8]),
    /// [COM_QUERY](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html): SQL, answered as text.
    Query(&'a [u8]),
    /// [COM_PING](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_ping.html): are you there.
    Ping,
    /// [COM_SET_OPTION](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_set_option.html): answered by EOF.
    SetOption(SetOption),
}

impl<'a> Command<'a> {
    /// The command's byte.
    pub const fn code(&self) -> u8 {
        match self {
            Command::Quit => 0x01,
            Command::InitDb(_) => 0x02,
            Command::Query(_) => 0x03,
            Command::Ping => 0x0E,
            Command::SetOption(_) => 0x1B,
        }
    }

    /// What follows that byte.
    pub const fn body(&self) -> Cow<'a, [u8]> {
        match self {
            Command::Quit | Command::Ping => Cow::Borrowed(&[]),
            Command::InitDb(database) => Cow::Borrowed(database),
            Command::Query(sql) => Cow::Borrowed(sql),
            Command::SetOption(SetOption::MultiStatementsOn) => Cow::Borrowed(&[0, 0]),
            Command::SetOption(SetOption::MultiStatementsOff) => Cow::Borrowed(&[1, 0]),
        }
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
        check(Command::Ping, &[0x0E]);
        check(Command::SetOption(SetOption::MultiStatementsOn), &[0x1B, 0, 0]);
        check(Command::SetOption(SetOption::MultiStatementsOff), &[0x1B, 1, 0]);
    }
}
