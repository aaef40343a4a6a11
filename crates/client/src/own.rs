//! What the driver sends by itself, by name: whoever compares its counters with the server's has to find each command.

use crate::connection::Connection;
use crate::error::Error;

/// Declares the names, so that the list of all of them has each.
macro_rules! own {
    ($($(#[$attribute:meta])* $own:ident = $name:literal,)*) => {
        /// Why the driver sends a command that nobody asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Own {
            $($(#[$attribute])* $own,)*
        }

        impl Own {
            /// All of them.
            pub const ALL: [Own; COUNT] = [$(Own::$own,)*];

            /// Its name: how the command begins, as a server's log shows it, and what it is for where that does not tell.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Own::$own => $name,)*
                }
            }
        }

        const COUNT: usize = [$($name,)*].len();
    };
}

own! {
    /// The character set is asked for again, where escaping depends on it, or the session was begun anew.
    Names = "SET NAMES",
    /// The server is to tell of changes of its session.
    TrackChanges = "SET session_track_state_change",
    /// An init command, whenever a session begins.
    InitCommand = "init command",
    /// The server takes several statements in one query, or only one.
    MultiStatements = "COM_SET_OPTION",
    /// The session of a connection that is given back ends.
    Reset = "COM_RESET_CONNECTION",
    /// The same, on a server that does not know the command, or where something can't be undone otherwise.
    LogInAgain = "COM_CHANGE_USER",
    /// A transaction ends where it is not known that a reset ends it.
    Rollback = "ROLLBACK",
    /// Locks end so.
    UnlockTables = "UNLOCK TABLES",
    /// What a reset leaves and forgets is asked for.
    Learn = "SELECT @@init_connect",
    /// The role of a new session.
    Role = "SET ROLE",
    /// The database of a new session, or of the next user.
    Database = "COM_INIT_DB",
    /// How long the server waits for a connection that nobody uses.
    WaitTimeout = "SET wait_timeout",
    /// The end of profiles that may have been made.
    Profiles = "SET profiling",
    /// What MySQL 5.6 leaves as it is for another user.
    Timestamp = "SET timestamp",
    /// A connection that nobody needs any more: that was kept, or was to stop a query.
    Quit = "COM_QUIT",
    /// Whether a connection that was kept still lives (`PoolCheck::Ping`).
    Check = "COM_PING",
    /// A first command that can't write is sent once more, on a connection in the place of a dead one.
    Again = "a command again",
    /// Which server it is, and its own limit of queries.
    AskLimit = "SELECT of the limit of queries",
    /// The limit of queries.
    Limit = "SET of the limit of queries",
    /// Whether a first command reads from a view, before it is sent once more.
    Views = "SELECT of views",
    /// A query that takes too long, over a second connection.
    KillQuery = "KILL QUERY",
    /// A kill that came too late hits nothing.
    AbsorbKill = "COM_STATISTICS",
    /// The same on a server that keeps it for the next statement.
    AbsorbOldKill = "DO 0",
    /// A statement that was kept is prepared anew.
    PrepareAgain = "COM_STMT_PREPARE",
    /// A statement that was kept is not needed any more.
    CloseKept = "COM_STMT_CLOSE",
    /// What became of a statement that was answered elsewhere.
    Elsewhere = "SELECT 1",
    /// FOUND_ROWS() of before the driver's own questions.
    FoundRows = "SELECT FOUND_ROWS()",
    /// What key-value access has to know of a server, its tables and rights.
    KeyValue = "SELECT for key-value access",
    /// Whether a temporary table hides one that is asked for by key.
    TemporaryTable = "SHOW CREATE TABLE",
    /// Whether the server still knows a statement, of which an error says that it does not.
    IsKnown = "COM_STMT_RESET",
    /// A server that does not know COM_REFRESH any more.
    Flush = "FLUSH",
    /// A server that does not know COM_PROCESS_KILL any more, or has larger ids.
    Kill = "KILL",
}

/// How many commands were sent under each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnCommands([u64; COUNT]);

impl OwnCommands {
    /// How many were sent under this name.
    pub fn of(&self, own: Own) -> u64 {
        self.0.get(own as usize).copied().unwrap_or_default()
    }

    pub(crate) fn count(&mut self, own: Own) {
        if let Some(counter) = self.0.get_mut(own as usize) {
            *counter += 1;
        }
    }

    pub(crate) fn discount(&mut self, own: Own) {
        if let Some(counter) = self.0.get_mut(own as usize) {
            *counter = counter.saturating_sub(1);
        }
    }

    pub(crate) fn add(&mut self, other: &OwnCommands) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, number)| *sum += number);
    }
}

impl Connection {
    /// Does something that nobody has asked for: its commands are counted under this name.
    pub fn by_itself<R>(&mut self, own: Own, work: impl FnOnce(&mut Connection) -> R) -> R {
        let outer = self.stream.count_as(Some(own));
        let done = work(self);
        // Another connection may have taken the place of this one meanwhile: it goes on so.
        self.stream.count_as(outer);
        done
    }

    /// Runs a statement of the driver's own, which has no rows.
    ///
    /// # Errors
    /// The server refused it, or answered with something else, or the connection failed.
    pub(crate) fn run_own(&mut self, own: Own, sql: &[u8]) -> Result<(), Error> {
        self.by_itself(own, |it| it.run_without_rows(sql))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_has_a_name_and_a_counter_of_its_own() {
        let names: HashSet<&str> = Own::ALL.iter().map(|own| own.name()).collect();
        assert_eq!(names.len(), Own::ALL.len());
        let mut counted = OwnCommands::default();
        for own in Own::ALL {
            counted.count(own);
        }
        let mut sum = counted.clone();
        sum.add(&counted);
        assert!(Own::ALL.iter().all(|own| sum.of(*own) == 2));
    }
}
