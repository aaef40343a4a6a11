//! A connection that outlives its users: what the last one left is wiped out as it is given back, and the next one gets it without
//! waiting.
//!
//! [`Connection::release`] sends COM_RESET_CONNECTION, and behind it what a reset forgets or leaves, in one write, and does not wait; the
//! replies stay owed. [`Connection::resume`] looks at what has come, without waiting either. Where replies are missing still, and
//! where the connection turns out to be dead, the first command of the new user ([`first`]) decides what is to be done.
//!
//! A server that does not know the reset refuses it, and runs the next command in the old session. So nothing is sent behind a reset
//! before one was answered on this connection; then it is learnt, too, what a reset forgets and leaves ([`learnt`]). Servers that
//! refuse it get ROLLBACK and UNLOCK TABLES, and COM_CHANGE_USER when the connection is taken.

mod first;
mod harmless;
mod learnt;
mod password;
mod traces;

use std::cell::Cell;
use std::time::Duration;

use vaquita_protocol::{Capabilities, Charset, Command, SetOption};

use crate::connection::Connection;
use crate::error::Error;
use crate::handshake::choose_charset;
use crate::options::ConnectOptions;
use crate::pool::PoolCheck;
use crate::state::State;
use crate::tokens::Dialect;
use first::First;
use harmless::{names_wait_timeout, only_sets};
use learnt::Learnt;
pub(crate) use password::PasswordDigest;
use traces::Traces;

/// What is to be known of a connection that is used again.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    traces: Traces,
    reset: Reset,
    learnt: Option<Learnt>,
    /// How many replies are owed to what was sent when it was given back.
    owed: usize,
    left: Left,
    /// Whether the init commands are to be run when it is taken.
    owes_init_commands: bool,
    /// Whether the server was told to end the session sooner while nobody uses it.
    has_idle_timeout: bool,
    first: First,
    /// Whether somebody has asked who the server is: then another one can't take its place in silence.
    is_observed: Cell<bool>,
    /// What is known of the password, once the connection was given back.
    password: Option<PasswordDigest>,
    counts: ReuseCounts,
}

/// What happened to a connection since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReuseCounts {
    /// Sessions that were begun anew.
    pub(crate) resets: u64,
    /// Connections that were dead when their next user gave the first command, and that another one has taken the place of.
    pub(crate) replaced: u64,
}

/// What is known of COM_RESET_CONNECTION.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reset {
    /// Nothing: it was not tried on this connection.
    #[default]
    Untried,
    Refused,
    Works,
}

/// What is left to be done when the connection is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Left {
    /// Nothing that has not been sent.
    #[default]
    Nothing,
    /// To learn what a reset leaves, and to restore that.
    ToLearn,
    /// To log in again, by COM_CHANGE_USER.
    ToLogIn,
}

impl Reuse {
    /// Notes a command that is about to be sent.
    #[inline]
    pub(crate) fn note(&mut self, command: &Command<'_>, dialect: Dialect, is_several: bool) {
        self.traces.note(command, dialect, is_several);
    }

    /// Whether the session's user has still to give the first command.
    #[inline]
    pub(crate) fn is_first(&self) -> bool {
        self.first != First::Past
    }

    /// Whether the server owes replies.
    pub(crate) fn is_owed(&self) -> bool {
        self.owed > 0
    }

    /// Somebody asks who the server is.
    pub(crate) fn observe(&self) {
        self.is_observed.set(true);
    }

    /// The session is as a new one is.
    pub(crate) fn is_fresh(&mut self) {
        self.traces = Traces::default();
    }

    /// The connection has become another user's, in a new session: what is known of the role is nothing.
    pub(crate) fn user_changed(&mut self) {
        self.traces.is_used = false;
        self.learnt = None;
        self.password = None;
    }
}

impl Connection {
    /// Wipes out what the user left who has it no more, without waiting; whether it may be handed on.
    ///
    /// With `idle_timeout` the server is told to end the session after that time, unless it would sooner anyhow; the next user's first
    /// command tells it otherwise. Where the first reset of a connection is due, this takes a round trip.
    pub fn release(&mut self, idle_timeout: Option<Duration>) -> bool {
        if self.state != State::Ready
            || self.spoilt.is_some()
            || self.reuse.traces.is_indelible
            || (self.reuse.reset == Reset::Refused && self.reuse.traces.has_insert_id)
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

    fn send_renewal(
        &mut self,
        is_fresh: bool,
        idle_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        if !is_fresh {
            self.statements_to_close.clear(); // a session that ends closes them all
            self.reuse.counts.resets += 1;
            self.reuse.has_idle_timeout = false;
            self.gathering(Connection::write_renewal)?;
        }
        let Some(time) = idle_timeout else { return Ok(()) };
        if self.reuse.left == Left::ToLearn {
            // Nothing may be sent behind a reset that was never answered.
            self.waiting(Connection::learn_from_first_reset)?;
            self.reuse.left = Left::Nothing;
        }
        self.reuse.has_idle_timeout = true;
        let seconds = time.as_secs().max(1);
        let sql = format!(
            "SET SESSION wait_timeout = CAST(LEAST(@@SESSION.wait_timeout, {seconds}) AS UNSIGNED)"
        );
        self.gathering(|it| it.write_owed(Command::Query(sql.as_bytes())))
    }

    /// Sends all that is written in one piece, without waiting.
    fn gathering(
        &mut self,
        write: impl FnOnce(&mut Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.stream.transport().gather();
        let written = write(self);
        let sent = self.stream.transport().send_gathered();
        written.and(sent)
    }

    /// Sends what has the server wait for the session as long as for others.
    fn write_wait_timeout(&mut self) -> Result<(), Error> {
        self.reuse.has_idle_timeout = false;
        self.write_owed(Command::Query(self.home_wait_timeout()))
    }

    /// The statement that has the server wait as long as for a new session.
    fn home_wait_timeout(&self) -> &'static [u8] {
        if self.is_interactive() {
            b"SET SESSION wait_timeout = @@GLOBAL.interactive_timeout"
        } else {
            b"SET SESSION wait_timeout = DEFAULT"
        }
    }

    /// Whether the session has another timeout from the beginning on, which no reset brings back.
    fn is_interactive(&self) -> bool {
        self.capabilities.contains(Capabilities::INTERACTIVE)
    }

    /// Takes a connection that was released, for a user who asks for what the last one had. Whatever the server has said meanwhile
    /// is looked at without waiting; only what could not be known before takes a round trip, within the connect timeout: the first time,
    /// and where a server refuses the reset.
    ///
    /// # Errors
    /// The connection is dead, or nobody knows its session's state: it is not to be used any more.
    pub fn resume(&mut self, check: PoolCheck) -> Result<(), Error> {
        self.resume_switched(None, check)
    }

    /// Does as [`Connection::resume`] for a user who asks with these options: they differ in the database, the character set and the
    /// query timeout at the most, which takes a round trip.
    ///
    /// # Errors
    /// As there; or the server does not let the user have the database.
    pub(crate) fn resume_for(
        &mut self,
        options: &ConnectOptions,
        check: PoolCheck,
    ) -> Result<(), Error> {
        self.options.password.clone_from(&options.password);
        self.resume_switched(Some(options).filter(|it| self.differs(it)), check)
    }

    fn resume_switched(
        &mut self,
        other: Option<&ConnectOptions>,
        check: PoolCheck,
    ) -> Result<(), Error> {
        match (self.reuse.left, check) {
            (Left::Nothing, PoolCheck::None) => {}
            (Left::Nothing, PoolCheck::Peek) => self.look()?,
            (Left::Nothing, PoolCheck::Ping) => self.waiting(Connection::check)?,
            (Left::ToLearn, _) => self.waiting(Connection::learn_from_first_reset)?,
            (Left::ToLogIn, _) => self.waiting(Connection::log_in_again)?,
        }
        self.reuse.left = Left::Nothing;
        if let Some(options) = other {
            self.waiting(|it| it.switch_to(options))?;
        }
        if std::mem::take(&mut self.reuse.owes_init_commands) {
            self.waiting(Connection::finish_owed)?;
            let options = self.options.clone();
            self.end_connection_phase(&options)?;
        }
        self.session.begin_anew(self.charset, self.options.database.as_deref());
        self.allows_local_infile = false;
        self.reuse.is_fresh();
        self.reuse.is_observed.set(false);
        self.reuse.first = First::Due;
        Ok(())
    }

    /// Whether the connection is known to be gone, or is by what has come from the server meanwhile, which is looked at without waiting
    /// where it has nothing to say.
    pub fn is_gone(&mut self) -> bool {
        if self.state == State::Ready && self.look().is_err() {
            self.break_off();
        }
        matches!(self.state, State::Broken | State::QuitSent)
    }

    /// Whether it was taken for a new user, who has not given a command yet.
    pub fn awaits_first_command(&self) -> bool {
        self.reuse.first == First::Due
    }

    /// Keeps no more of the password than it takes to know it again; [`Connection::resume`] brings it back.
    pub(crate) fn forget_password(&mut self) {
        let password = std::mem::take(&mut self.options.password);
        self.reuse.password.get_or_insert_with(|| PasswordDigest::of(&password));
    }

    /// Whether the forgotten password is this one.
    pub(crate) fn has_password(&self, password: &PasswordDigest) -> bool {
        self.reuse.password.as_ref() == Some(password)
    }

    /// Asks the server whether it is there.
    fn check(&mut self) -> Result<(), Error> {
        self.finish_owed()?;
        self.send_now(Command::Ping)?;
        self.read_command_ok()
    }

    /// What happened to it since this was last asked.
    pub(crate) fn take_reuse_counts(&mut self) -> ReuseCounts {
        std::mem::take(&mut self.reuse.counts)
    }

    fn has_other_multi_statements(&self) -> bool {
        self.multi_statements != self.capabilities.contains(Capabilities::MULTI_STATEMENTS)
    }

    /// The character set that a new connection has, and its collation.
    fn home_charset(&self) -> (&'static Charset, u8) {
        choose_charset(self.options.charset, self.greeting.character_set)
    }

    fn write_renewal(&mut self) -> Result<(), Error> {
        match (self.reuse.reset, self.reuse.learnt.take()) {
            (Reset::Refused, learnt) => {
                self.reuse.learnt = learnt;
                self.reuse.left = Left::ToLogIn;
                self.write_owed(Command::Query(b"ROLLBACK"))?;
                self.write_owed(Command::Query(b"UNLOCK TABLES"))
            }
            (Reset::Works, Some(learnt)) => {
                let written = self.write_restoration(&learnt);
                self.reuse.learnt = Some(learnt);
                written
            }
            (Reset::Untried | Reset::Works, _) => {
                self.reuse.left = Left::ToLearn;
                self.write_owed(Command::ResetConnection)
            }
        }
    }

    /// Sends a reset, and what brings back what it forgets or leaves.
    fn write_restoration(&mut self, learnt: &Learnt) -> Result<(), Error> {
        let traces = self.reuse.traces;
        self.write_owed(Command::ResetConnection)?;
        let home = self.options.database.clone();
        match home.as_deref() {
            Some(home) if traces.has_database || *home != *self.session.database => {
                self.write_owed(Command::InitDb(home))?;
            }
            None if traces.has_database || !self.session.database.is_empty() => {
                // To none there is no other way.
                self.reuse.left = Left::ToLogIn;
                return Ok(());
            }
            _ => {}
        }
        if let Some(role) = learnt.role.as_deref().filter(|_| traces.has_role) {
            self.write_owed(Command::Query(role))?;
        }
        if !learnt.resets_names {
            self.write_owed(Command::Query(&learnt.names))?;
        }
        (self.charset, self.collation_id) = self.home_charset();
        if self.is_interactive() {
            self.write_wait_timeout()?;
        }
        if self.has_other_multi_statements() {
            self.multi_statements = !self.multi_statements;
            self.write_owed(Command::SetOption(SetOption::multi_statements(
                self.multi_statements,
            )))?;
        }
        if let Some(limit) = self.told_query_timeout() {
            self.write_owed(Command::Query(limit.as_bytes()))?;
        }
        let init_commands = std::mem::take(&mut self.options.init_commands);
        let written = self.write_init_commands(&init_commands);
        self.options.init_commands = init_commands;
        written
    }

    /// Sends the init commands if nobody notices when they run; else they are run when the connection is taken.
    fn write_init_commands(&mut self, commands: &[Vec<u8>]) -> Result<(), Error> {
        if !commands.iter().all(|command| only_sets(command)) {
            self.reuse.owes_init_commands = true;
            return Ok(());
        }
        commands.iter().try_for_each(|command| self.write_owed(Command::Query(command)))
    }

    /// Sends a command whose reply is read later.
    fn write_owed(&mut self, command: Command<'_>) -> Result<(), Error> {
        self.reuse.owed += 1;
        self.stream.write_behind(command.code(), &command.body())
    }

    /// Reads a reply that is owed.
    fn read_owed(&mut self) -> Result<(), Error> {
        let answered = self.stream.receive_owed().and_then(|span| self.command_answer(span));
        if !answered.as_ref().is_err_and(Error::is_not_here_yet) {
            self.reuse.owed -= 1;
        }
        answered
    }

    /// Waits for all replies that are owed.
    ///
    /// # Errors
    /// The connection failed, or the server refused something: nobody knows what the session is like.
    pub(crate) fn finish_owed(&mut self) -> Result<(), Error> {
        while self.reuse.is_owed() {
            self.read_owed()?;
        }
        Ok(())
    }

    /// Reads the replies that have come. A server that has said anything else has said goodbye.
    fn look(&mut self) -> Result<(), Error> {
        self.stream.transport().set_waiting(false);
        let looked = self.look_without_waiting();
        self.stream.transport().set_waiting(true);
        match looked {
            Err(error) if error.is_not_here_yet() => Ok(()),
            looked => looked,
        }
    }

    fn look_without_waiting(&mut self) -> Result<(), Error> {
        if self.reuse.is_owed() {
            self.finish_owed()?;
            return self.stream.refuse_leftovers();
        }
        self.stream.receive_nothing()
    }

    /// Has done within the connect timeout what is waited for.
    fn waiting(
        &mut self,
        act: impl FnOnce(&mut Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.within_connect_timeout(act)
    }

    /// Waits for the first reset on this connection, and restores what it forgot or left.
    fn learn_from_first_reset(&mut self) -> Result<(), Error> {
        match self.finish_owed() {
            Err(Error::Server { .. }) => {
                self.reuse.reset = Reset::Refused;
                return self.log_in_again();
            }
            finished => finished?,
        }
        self.reuse.reset = Reset::Works;
        let traces = self.reuse.traces;
        let learnt = self.learn()?;
        let left = self.reuse.left;
        self.gathering(|it| it.write_restoration(&learnt))?;
        self.reuse.learnt = Some(learnt);
        self.finish_owed()?;
        if self.reuse.left != left {
            self.reuse.traces = traces;
            return self.log_in_again();
        }
        Ok(())
    }

    /// Makes of a used connection what a new one with its options would be, by COM_CHANGE_USER.
    fn log_in_again(&mut self) -> Result<(), Error> {
        if self.reuse.reset == Reset::Refused && self.reuse.traces.has_insert_id {
            return Err(Error::Unsupported("the server keeps an id that was to be inserted"));
        }
        // What was sent when it was given back may have been refused.
        while self.reuse.is_owed() {
            match self.read_owed() {
                Err(Error::Server { .. }) => {}
                read => read?,
            }
        }
        // COM_CHANGE_USER leaves this as it is.
        if self.has_other_multi_statements() {
            self.set_multi_statements(!self.multi_statements)?;
        }
        (self.charset, self.collation_id) = self.home_charset();
        let has_role = self.reuse.traces.has_role;
        let learnt = self.reuse.learnt.take();
        let options = self.options.clone();
        let database = options.database.as_deref().unwrap_or_default();
        self.change_user(&options.user, &options.password, database)?;
        let learnt = match learnt {
            Some(learnt) => learnt,
            None => self.learn()?,
        };
        if let Some(role) = learnt.role.as_deref().filter(|_| has_role) {
            self.run_own(role)?;
        }
        // MySQL 5.6 leaves these.
        self.run_own(b"SET timestamp = DEFAULT, last_insert_id = 0")?;
        if self.is_interactive() {
            self.run_own(self.home_wait_timeout())?;
        }
        self.reuse.learnt = Some(learnt);
        self.reuse.owes_init_commands = !options.init_commands.is_empty();
        Ok(())
    }

    fn differs(&self, options: &ConnectOptions) -> bool {
        self.options.database != options.database
            || self.options.charset != options.charset
            || self.options.query_timeout != options.query_timeout
    }

    /// Makes of a fresh session what it would be with these options.
    fn switch_to(&mut self, options: &ConnectOptions) -> Result<(), Error> {
        self.finish_owed()?;
        let has_other_charset = self.options.charset != options.charset;
        self.options.charset = options.charset;
        if has_other_charset {
            (self.charset, self.collation_id) = self.home_charset();
        }
        match &options.database {
            None if self.options.database.is_some() => {
                self.options.database = None;
                self.log_in_again()?;
            }
            Some(database) if self.options.database.as_ref() != Some(database) => {
                self.init_db(database)?;
                self.options.database = Some(database.clone());
            }
            _ => {}
        }
        if has_other_charset {
            let learnt = self.learn()?;
            self.run_own(&learnt.names)?;
            self.reuse.learnt = Some(Learnt { resets_names: false, ..learnt });
        }
        if self.options.query_timeout != options.query_timeout {
            self.set_query_timeout(options.query_timeout)?;
        }
        Ok(())
    }
}
