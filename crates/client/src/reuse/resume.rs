//! The beginning of the next user's session: what the server has said meanwhile, and what could not be done before.

use vaquita_protocol::Command;
use vaquita_protocol::panic_point;

use super::learnt::Learnt;
use super::{Left, Reset, first::First};
use crate::connection::Connection;
use crate::error::Error;
use crate::options::ConnectOptions;
use crate::own::Own;
use crate::pool::PoolCheck;
use crate::state::State;

impl Connection {
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

    pub(super) fn resume_switched(
        &mut self,
        other: Option<&ConnectOptions>,
        check: PoolCheck,
    ) -> Result<(), Error> {
        panic_point("client/reuse resume");
        match (self.reuse.left, check) {
            (Left::Nothing, PoolCheck::None) => {}
            (Left::Nothing, PoolCheck::Peek) => self.look()?,
            (Left::Nothing, PoolCheck::Ping) => self.within_connect_timeout(Connection::check)?,
            (Left::ToLearn, _) => {
                self.within_connect_timeout(Connection::learn_from_first_reset)?
            }
            (Left::ToLogIn, _) => self.within_connect_timeout(Connection::log_in_again)?,
        }
        self.reuse.left = Left::Nothing;
        if let Some(options) = other {
            self.within_connect_timeout(|it| it.switch_to(options))?;
        }
        if std::mem::take(&mut self.reuse.owes_init_commands) {
            self.within_connect_timeout(Connection::finish_owed)?;
            let options = self.options.clone();
            self.set_timeouts(&options)?;
        }
        if self.reuse.is_owed() {
            // The last word was the last user's; escaping goes by it.
            self.session.status = self.reuse.fresh_status;
        }
        self.session.begin_anew(self.charset, self.options.database.as_deref());
        self.allows_local_infile = false;
        self.reuse.is_fresh();
        self.reuse.is_observed.set(false);
        self.reuse.first = First::Due;
        Ok(())
    }

    /// Reads the replies that have come. A server that has said anything else has said goodbye.
    pub(super) fn look(&mut self) -> Result<(), Error> {
        self.stream.transport().set_waiting(false);
        let looked = self.look_without_waiting();
        self.stream.transport().set_waiting(true);
        match looked {
            Err(error) if error.is_not_here_yet() => Ok(()),
            looked => looked,
        }
    }

    pub(super) fn look_without_waiting(&mut self) -> Result<(), Error> {
        self.finish_owed()?;
        // A hang-up comes behind the replies.
        self.stream.receive_nothing()
    }

    /// Hears what the server has said meanwhile to a connection that nobody is going to use any more, whatever it is, without waiting.
    pub(crate) fn hear(&mut self) {
        if self.state != State::Ready {
            return;
        }
        self.stream.transport().set_waiting(false);
        let heard = self.skip_owed(0).and_then(|()| self.stream.receive_nothing());
        self.stream.transport().set_waiting(true);
        if !heard.is_err_and(|error| error.is_not_here_yet()) {
            self.break_off();
        }
    }

    /// Whether the connection is known to be gone, or is by what has come from the server meanwhile, which is looked at without waiting
    /// where it has nothing to say.
    pub fn is_gone(&mut self) -> bool {
        if self.state == State::Ready && self.look().is_err() {
            self.break_off();
        }
        matches!(self.state, State::Broken | State::QuitSent)
    }

    /// Asks the server whether it is there.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        self.finish_owed()?;
        self.by_itself(Own::Check, |it| it.send_now(Command::Ping))?;
        self.read_command_ok()
    }

    /// Reads a reply that is owed.
    pub(super) fn read_owed(&mut self) -> Result<(), Error> {
        // What it tells of a change is of a command of the driver's own.
        let changes = self.session.state_changes;
        let answered = self.stream.receive_owed().and_then(|span| self.command_answer(span));
        self.session.state_changes = changes;
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
            self.reuse.fresh_status = self.session.status;
        }
        Ok(())
    }

    /// Waits for the replies that are owed, but for the last ones, whatever they say.
    pub(super) fn skip_owed(&mut self, but: usize) -> Result<(), Error> {
        while self.reuse.owed > but {
            match self.read_owed() {
                Err(Error::Server { .. }) => {}
                read => read?,
            }
        }
        Ok(())
    }

    /// Waits for the first reset on this connection, and restores what it forgot or left.
    pub(super) fn learn_from_first_reset(&mut self) -> Result<(), Error> {
        self.skip_owed(1)?;
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
    pub(super) fn log_in_again(&mut self) -> Result<(), Error> {
        if self.reuse.reset == Reset::Refused && self.reuse.traces.has_insert_id {
            return Err(Error::Unsupported("the server keeps an id that was to be inserted"));
        }
        // What was sent when it was given back may have been refused.
        self.skip_owed(0)?;
        // COM_CHANGE_USER leaves this as it is.
        if self.has_other_multi_statements() {
            self.set_multi_statements(!self.multi_statements)?;
        }
        (self.charset, self.collation_id) = self.home_charset();
        let traces = self.reuse.traces;
        let learnt = self.reuse.learnt.take();
        let options = self.options.clone();
        let database = options.database.as_deref().unwrap_or_default();
        self.by_itself(Own::LogInAgain, |it| {
            it.change_user(&options.user, &options.password, database)
        })?;
        let learnt = match learnt {
            Some(learnt) => learnt,
            None => self.learn()?,
        };
        if let Some(role) = learnt.role.as_deref().filter(|_| traces.has_role) {
            self.run_own(Own::Role, role)?;
            if !database.is_empty() && self.role_takes_database() {
                self.by_itself(Own::Database, |it| it.init_db(database))?;
            }
        }
        self.gathering(|it| it.write_end_of_profiles(traces))?;
        self.finish_owed()?;
        // MySQL 5.6 leaves these.
        self.run_own(Own::Timestamp, b"SET timestamp = DEFAULT, last_insert_id = 0")?;
        if self.is_interactive() {
            self.run_own(Own::WaitTimeout, self.home_wait_timeout())?;
        }
        self.reuse.is_fresh();
        self.reuse.learnt = Some(learnt);
        self.reuse.owes_init_commands = !options.init_commands.is_empty();
        Ok(())
    }

    pub(super) fn differs(&self, options: &ConnectOptions) -> bool {
        self.options.database != options.database
            || self.options.charset != options.charset
            || self.options.query_timeout != options.query_timeout
    }

    /// Makes of a fresh session what it would be with these options.
    pub(super) fn switch_to(&mut self, options: &ConnectOptions) -> Result<(), Error> {
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
                self.by_itself(Own::Database, |it| it.init_db(database))?;
                self.options.database = Some(database.clone());
            }
            _ => {}
        }
        if has_other_charset {
            let learnt = self.learn()?;
            self.run_own(Own::Names, &learnt.names)?;
            self.reuse.learnt = Some(Learnt { resets_names: false, ..learnt });
        }
        if self.options.query_timeout != options.query_timeout {
            self.set_query_timeout(options.query_timeout)?;
        }
        Ok(())
    }
}
