//! The first command of a connection's new user: replies may be owed still, and the connection may be dead.
//!
//! A dead one is replaced by a new one as long as nobody can tell: before the first command went out, or if that command can't write
//! ([`super::harmless`]), and if nobody has asked who the server is. Such a command is sent behind what is owed replies; any other waits for
//! them. One that the server may have run is sent again only if it reads from no view ([`super::views`]).

use std::io;

use vaquita_protocol::{Command, StatusFlags};

use super::harmless::cannot_write;
use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::own::Own;
use crate::query::QueryResponse;
use crate::state::State;
use crate::statement_cache::Effect;
use crate::statistics::Statistics;

/// How far the first command has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum First {
    /// It is over, or there is nothing special about it.
    #[default]
    Past,
    /// It has not been given.
    Due,
    /// It was sent, and may be sent once more.
    Sent(Repeatable),
}

/// A command that can't write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repeatable {
    Ping,
    Query(Vec<u8>),
}

impl Repeatable {
    fn command(&self) -> Command<'_> {
        match self {
            Repeatable::Ping => Command::Ping,
            Repeatable::Query(sql) => Command::Query(sql),
        }
    }
}

impl Connection {
    /// Sends the first command of a new user.
    #[cold]
    pub(crate) fn send_first_command(&mut self, command: Command<'_>) -> Result<(), Error> {
        let dialect = self.session.dialect();
        let repeatable = match command {
            Command::Ping => Some(Repeatable::Ping),
            Command::Query(sql) if cannot_write(sql, dialect) => {
                Some(Repeatable::Query(sql.to_vec()))
            }
            _ => None,
        };
        if repeatable.is_none() {
            self.await_there()?;
        }
        self.reuse.first = First::Past;
        // Should that fail, the connection is closed, and another one counts in its place.
        let link = self.stream.transport().take_link();
        let sent = if self.reuse.has_idle_timeout {
            // Only before a command that can't write: the others have waited for this.
            let sent =
                self.gathering(|it| it.write_wait_timeout().and_then(|()| it.send_now(command)));
            sent.map_err(|error| self.lost_in_writing(error))
        } else {
            self.send_now(command)
        };
        match sent {
            // Of what can't write it does not matter how much was sent; the server's last words do not say so.
            Err(error)
                if self.state == State::Broken
                    && !is_timeout(&error)
                    && (error.nothing_sent() || repeatable.is_some()) =>
            {
                self.stream.transport().hold(link);
                self.replace(error)?;
                self.by_itself(Own::Again, |it| it.send_now(command))
            }
            Err(error) => {
                if self.state != State::Broken {
                    self.stream.transport().hold(link);
                }
                Err(error)
            }
            Ok(()) => {
                self.stream.transport().hold(link);
                if let Some(repeatable) = repeatable {
                    self.reuse.first = First::Sent(repeatable);
                }
                Ok(())
            }
        }
    }

    /// Waits for the replies that are owed where a new user's first commands are to be sent without waiting for any of them.
    ///
    /// # Errors
    /// As [`Connection::await_owed`].
    pub(crate) fn await_first(&mut self) -> Result<(), Error> {
        if self.reuse.is_first() {
            self.await_there()?;
            self.reuse.first = First::Past;
        }
        Ok(())
    }

    /// Waits for the replies that are owed, and looks whether the connection is there still.
    fn await_there(&mut self) -> Result<(), Error> {
        self.await_owed()?;
        self.look().or_else(|end| self.replace(end))
    }

    /// Waits for the replies that are owed, before a command that must not be sent behind them.
    ///
    /// # Errors
    /// The connection is dead, and no other could be made.
    pub fn await_owed(&mut self) -> Result<(), Error> {
        if self.reuse.has_idle_timeout {
            let written = self.write_wait_timeout();
            written.or_else(|error| self.replace(error))?;
        }
        self.await_session()
    }

    /// Waits until it is known what the session is like, by which values are escaped.
    ///
    /// # Errors
    /// As [`Connection::await_owed`].
    pub fn await_session(&mut self) -> Result<(), Error> {
        if !self.reuse.is_owed() {
            return Ok(());
        }
        self.within_connect_timeout(Connection::finish_owed).or_else(|error| self.replace(error))
    }

    /// Reads the response to the first command, if that was a query that can't write.
    #[cold]
    pub(crate) fn read_first_response(&mut self) -> Result<QueryResponse, Error> {
        let read = self.read_first(Connection::read_response_packets);
        self.settle(read)
    }

    /// Reads the answer to the first command, if that was a ping.
    #[cold]
    pub(crate) fn read_first_ok(&mut self) -> Result<(), Error> {
        let read = self.read_first(Connection::receive_command_ok);
        self.settle(read)
    }

    fn read_first<R>(&mut self, read: fn(&mut Connection) -> Result<R, Error>) -> Result<R, Error> {
        let First::Sent(repeatable) = std::mem::take(&mut self.reuse.first) else {
            return read(self);
        };
        // The end of the last user's transaction may take long, longer than another connection.
        let finished = if self.reuse.is_owed() {
            self.within_connect_timeout(Connection::finish_owed)
        } else {
            Ok(())
        };
        let lost = match finished {
            // Its reply would be one of a session that nobody knows.
            Err(error) => error,
            Ok(()) => {
                self.stream.expect_reply();
                match read(self) {
                    Err(error) if is_lost(&error) => error,
                    answered => return answered,
                }
            }
        };
        self.replace_if(lost, |other| match &repeatable {
            Repeatable::Ping => true,
            Repeatable::Query(sql) => other.reads_no_view(sql),
        })?;
        self.by_itself(Own::Again, |it| it.send_now(repeatable.command()))?;
        if let Repeatable::Query(_) = repeatable {
            self.answer = Answer::Text;
            self.state = State::QuerySent;
        }
        read(self)
    }

    /// Puts a new connection in the place of a dead one, whose end was this error.
    ///
    /// # Errors
    /// That error: no other connection could be made, or it would be noticed that it is another one.
    fn replace(&mut self, end: Error) -> Result<(), Error> {
        self.replace_if(end, |_| true)
    }

    /// Does as [`Connection::replace`] with one that suits.
    fn replace_if(
        &mut self,
        end: Error,
        suits: impl FnOnce(&mut Connection) -> bool,
    ) -> Result<(), Error> {
        let mut spent = Statistics::default();
        let end = match end {
            // What a reset is refused with is no answer to anything that the user did.
            Error::Server { .. } => Error::gone(),
            end => end,
        };
        self.stream.count_unanswered();
        let link = self.stream.transport().close_for_another();
        let replacement = match self.reuse.is_observed.get() {
            true => None,
            false => Connection::connect_in_place_of(link, &self.options, &mut spent).ok(),
        };
        let replacement = replacement.and_then(|mut other| {
            if self.is_like(&other) && suits(&mut other) {
                return Some(other);
            }
            other.by_itself(Own::Quit, Connection::close);
            spent.add(&other.counted());
            None
        });
        let Some(mut replacement) = replacement else {
            let mut counted = self.counted();
            counted.add(&spent);
            counted.replacements += spent.attempts;
            self.set_counted(counted);
            self.break_off();
            return Err(end);
        };
        replacement.stream.count_as(self.stream.count_as(None));
        let mut counted = self.counted();
        counted.add(&replacement.counted());
        counted.replacements += 1;
        replacement.set_counted(counted);
        replacement.allows_local_infile = self.allows_local_infile;
        replacement.refuses_spoilt_rows = self.refuses_spoilt_rows;
        replacement.local_infiles = std::mem::take(&mut self.local_infiles);
        replacement.reuse.counts = self.reuse.counts;
        replacement.reuse.counts.replaced += 1;
        replacement.statement_cache = std::mem::take(&mut self.statement_cache);
        replacement.onlooker = self.onlooker.take();
        replacement.tells_end = self.tells_end;
        replacement.heed(Effect::End);
        replacement.tell_of_init_commands();
        // The command that found the end was told of before it.
        replacement.heed(self.last_effect);
        self.state = State::Broken;
        *self = replacement;
        Ok(())
    }

    /// Whether values that were escaped for this connection are safe on the other one.
    fn is_like(&self, other: &Connection) -> bool {
        let escapes =
            |it: &Connection| it.session.status.contains(StatusFlags::NO_BACKSLASH_ESCAPES);
        std::ptr::eq(self.charset, other.charset) && escapes(self) == escapes(other)
    }
}

/// Whether a connection is dead, and not only slow.
fn is_lost(error: &Error) -> bool {
    matches!(error, Error::Io { .. }) && !is_timeout(error)
}

fn is_timeout(error: &Error) -> bool {
    matches!(error, Error::Io { error, .. } if error.kind() == io::ErrorKind::TimedOut)
}
