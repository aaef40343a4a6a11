//! The end of a user's session: what it left is wiped out, by commands that are sent in one write.

use std::time::Duration;

use vaquita_protocol::panic_point;
use vaquita_protocol::{Capabilities, Command, SetOption, StatusFlags};

use super::harmless::{names_wait_timeout, only_sets};
use super::learnt::Learnt;
use super::{Left, Reset, first::First, traces::Traces};
use crate::connect::TRACK;
use crate::connection::Connection;
use crate::elsewhere::Elsewhere;
use crate::error::Error;
use crate::own::Own;
use crate::state::State;
use crate::statement_cache::Effect;

impl Connection {
    /// Wipes out what the user left who has it no more, without waiting; whether it may be handed on. One that was not made to be
    /// ([`crate::ConnectOptions::is_persistent`]) may not.
    ///
    /// With `idle_timeout` the server is told to end the session after that time, unless it would sooner anyhow; the next user's first
    /// command tells it otherwise. Where the first reset of a connection is due, this takes a round trip.
    pub fn release(&mut self, idle_timeout: Option<Duration>) -> bool {
        panic_point("client/reuse release");
        if !self.options.is_persistent
            || self.state != State::Ready
            || self.spoilt.is_some()
            || self.reuse.traces.is_indelible
            || self.options.init_commands.iter().any(|it| Traces::all_of(it).is_indelible)
            || (self.reuse.reset == Reset::Refused && self.reuse.traces.has_insert_id)
            || self.may_have_prepared()
        {
            return false;
        }
        // A kill that is still to be noticed would hit the next user.
        if self.stream.transport().end_watch().unwrap_or(true) {
            return false;
        }
        self.row = None;
        self.reuse.first = First::Past;
        self.reuse.is_observed.set(false);
        let is_fresh = !self.reuse.traces.is_used && !self.has_other_multi_statements();
        let is_told = is_fresh && self.reuse.has_idle_timeout;
        let has_own = || self.options.init_commands.iter().any(|it| names_wait_timeout(it));
        let idle_timeout = idle_timeout.filter(|_| !is_told && !has_own());
        if is_fresh && idle_timeout.is_none() {
            return true;
        }
        // Of what is dead already nobody has to find out later.
        if self.is_gone() {
            return false;
        }
        let sent = self.send_renewal(is_fresh, idle_timeout);
        if sent.is_err() {
            self.break_off();
        }
        sent.is_ok()
    }

    /// Whether the transaction that is there may be one that a procedure has prepared (XA PREPARE), which MariaDB's reset does not end.
    fn may_have_prepared(&self) -> bool {
        let has_called = self.reuse.traces.has_called;
        has_called && self.session.status.contains(StatusFlags::IN_TRANS) && self.is_mariadb()
    }

    /// Waits until the session that was wiped out has ended; whether it may be handed on still.
    pub(crate) fn await_release(&mut self) -> bool {
        let awaited = match std::mem::take(&mut self.reuse.left) {
            Left::Nothing => self.finish_owed(),
            Left::ToLearn => self.learn_from_first_reset(),
            Left::ToLogIn => self.log_in_again(),
        };
        if awaited.is_err() {
            self.break_off();
        }
        awaited.is_ok()
    }

    pub(super) fn send_renewal(
        &mut self,
        is_fresh: bool,
        idle_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        if !is_fresh {
            self.statements_to_close.clear(); // a session that ends closes them all
            self.heed(Effect::End);
            self.elsewhere = Elsewhere::default();
            self.note_forgotten(&Command::ResetConnection);
            self.reuse.counts.resets += 1;
            self.reuse.has_idle_timeout = false;
            self.gathering(Connection::write_renewal)?;
        }
        let Some(time) = idle_timeout else { return Ok(()) };
        if self.reuse.left == Left::ToLearn {
            // Nothing may be sent behind a reset that was never answered.
            self.within_connect_timeout(Connection::learn_from_first_reset)?;
            self.reuse.left = Left::Nothing;
        }
        self.reuse.has_idle_timeout = true;
        let seconds = time.as_secs().max(1);
        let sql = format!(
            "SET SESSION wait_timeout = CAST(LEAST(@@SESSION.wait_timeout, {seconds}) AS UNSIGNED)"
        );
        self.gathering(|it| it.write_owed(Own::WaitTimeout, Command::Query(sql.as_bytes())))
    }

    /// Sends all that is written in one piece, without waiting.
    pub(crate) fn gathering(
        &mut self,
        write: impl FnOnce(&mut Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let before = self.stream.gather();
        let written = write(self);
        let sent = self.stream.send_gathered(before);
        written.and(sent)
    }

    pub(super) fn has_other_multi_statements(&self) -> bool {
        self.multi_statements != self.capabilities.contains(Capabilities::MULTI_STATEMENTS)
    }

    pub(super) fn write_renewal(&mut self) -> Result<(), Error> {
        match (self.reuse.reset, self.reuse.learnt.take()) {
            (Reset::Refused, learnt) => {
                self.reuse.learnt = learnt;
                self.reuse.left = Left::ToLogIn;
                self.write_end_of_transaction()
            }
            (Reset::Works, Some(learnt)) => {
                let written = self.write_restoration(&learnt);
                self.reuse.learnt = Some(learnt);
                written
            }
            (Reset::Untried | Reset::Works, _) => {
                self.reuse.left = Left::ToLearn;
                self.write_end_of_transaction()?;
                self.write_owed(Own::Reset, Command::ResetConnection)
            }
        }
    }

    /// Ends what others may wait for, where it is not known that a reset does.
    pub(super) fn write_end_of_transaction(&mut self) -> Result<(), Error> {
        self.write_owed(Own::Rollback, Command::Query(b"ROLLBACK"))?;
        self.write_owed(Own::UnlockTables, Command::Query(b"UNLOCK TABLES"))
    }

    /// Sends a reset, and what brings back what it forgets or leaves.
    pub(super) fn write_restoration(&mut self, learnt: &Learnt) -> Result<(), Error> {
        let traces = self.reuse.traces;
        self.write_owed(Own::Reset, Command::ResetConnection)?;
        self.write_end_of_profiles(traces)?;
        let home = self.options.database.clone();
        let is_elsewhere =
            traces.has_database || *home.as_deref().unwrap_or_default() != *self.session.database;
        if home.is_none() && is_elsewhere {
            // To none there is no other way.
            self.reuse.left = Left::ToLogIn;
            return Ok(());
        }
        let role = learnt.role.as_deref().filter(|_| traces.has_role);
        if let Some(role) = role {
            self.write_owed(Own::Role, Command::Query(role))?;
        }
        let is_lost = role.is_some() && self.role_takes_database();
        if let Some(home) = home.filter(|_| is_elsewhere || is_lost) {
            self.write_owed(Own::Database, Command::InitDb(&home))?;
        }
        if !learnt.resets_names {
            self.write_owed(Own::Names, Command::Query(&learnt.names))?;
        }
        (self.charset, self.collation_id) = self.home_charset();
        if self.is_interactive() {
            self.write_wait_timeout()?;
        }
        if self.has_other_multi_statements() {
            self.multi_statements = !self.multi_statements;
            let option = SetOption::multi_statements(self.multi_statements);
            self.write_owed(Own::MultiStatements, Command::SetOption(option))?;
        }
        if let Some(limit) = self.told_query_timeout() {
            self.write_owed(Own::Limit, Command::Query(limit.as_bytes()))?;
        }
        if self.tracks_changes {
            self.write_owed(Own::TrackChanges, Command::Query(TRACK))?;
        }
        let init_commands = std::mem::take(&mut self.options.init_commands);
        let written = self.write_init_commands(&init_commands);
        self.options.init_commands = init_commands;
        written
    }

    /// Has MariaDB throw away the profiles of statements that something may have had it make which can't be seen through: it keeps them
    /// over a reset and over another log-in, but not beyond the size of a history, which it heeds where it makes profiles.
    pub(super) fn write_end_of_profiles(&mut self, traces: Traces) -> Result<(), Error> {
        if traces.has_database && self.is_mariadb() {
            self.write_owed(Own::Profiles, Command::Query(b"SET profiling = 1"))?;
            let none = b"SET profiling_history_size = 0";
            self.write_owed(Own::Profiles, Command::Query(none))?;
            let back = b"SET profiling = DEFAULT, profiling_history_size = DEFAULT";
            self.write_owed(Own::Profiles, Command::Query(back))?;
        }
        Ok(())
    }

    /// Whether SET ROLE takes away what the user may do in the current database, until that is chosen again: so MySQL 8.0 does, not only to
    /// those who have it by a role.
    pub(super) fn role_takes_database(&self) -> bool {
        !self.is_mariadb()
    }

    /// Sends the init commands if nobody notices when they run; else they are run when the connection is taken.
    pub(super) fn write_init_commands(&mut self, commands: &[Vec<u8>]) -> Result<(), Error> {
        if !commands.iter().all(|command| only_sets(command)) {
            self.reuse.owes_init_commands = true;
            return Ok(());
        }
        let write = |command| self.write_owed(Own::InitCommand, Command::Query(command));
        commands.iter().map(|it| &**it).try_for_each(write)
    }

    /// Sends a command of the driver's own whose reply is read later.
    pub(crate) fn write_owed(&mut self, own: Own, command: Command<'_>) -> Result<(), Error> {
        self.reuse.owed += 1;
        let written =
            self.by_itself(own, |it| it.stream.write_behind(command.code(), &command.body()));
        // Whoever reads the reply has not waited for it since now.
        self.stream.rest();
        written
    }

    /// Sends what has the server wait for the session as long as for others.
    pub(super) fn write_wait_timeout(&mut self) -> Result<(), Error> {
        self.reuse.has_idle_timeout = false;
        self.write_owed(Own::WaitTimeout, Command::Query(self.home_wait_timeout()))
    }

    /// The statement that has the server wait as long as for a new session.
    pub(super) fn home_wait_timeout(&self) -> &'static [u8] {
        if self.is_interactive() {
            b"SET SESSION wait_timeout = @@GLOBAL.interactive_timeout"
        } else {
            b"SET SESSION wait_timeout = DEFAULT"
        }
    }

    /// Whether the session has another timeout from the beginning on, which no reset brings back.
    pub(super) fn is_interactive(&self) -> bool {
        self.capabilities.contains(Capabilities::INTERACTIVE)
    }
}
