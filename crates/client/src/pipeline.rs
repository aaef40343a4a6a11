//! Pipelining: commands that are sent without waiting for the replies to those before, and what became of each.
//!
//! All are put into a queue below TLS ([`crate::write_queue`]), which the socket empties as fast as the server takes it, also while replies
//! are read: so neither side ever waits for the other with its buffers full. The queue is filled up between two replies. A command is put in
//! as an exchange of its own, whose reply counts its packets on from those of the command; a reply that does not is not taken for it.
//!
//! A server that asks for a local file takes what comes next for that file. What may have it ask ([`crate::local_infile::asks`]) has nothing
//! sent behind it before it was answered, with no file; a server that asks all the same is not spoken to any more.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use vaquita_protocol::panic_point;
use vaquita_protocol::{ComStmtExecute, Command, Malformed, Parameter};

use crate::buffered::Buffered;
use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::local_infile::{Names, may_ask};
use crate::packet_stream::{MAX_PAYLOAD_BYTES, ReplyIds};
use crate::query::QueryResponse;
use crate::session::UNKNOWN_ROWS;
use crate::state::{Call, State};
use crate::statement::Statement;
use crate::statement_cache::Effect;

/// How much may wait in the queue; it is filled up when half of it is gone. One command may be longer.
const QUEUE_BYTES: usize = 256 << 10;

/// The most results of a command, of which all but the first are for nobody. The limit is our own: a CALL has one for each SELECT that it runs.
const MAX_RESULTS: usize = 1 << 16;

/// From so many due replies on it pays to let some of them gather before they are read: waking up somebody who waits costs a server more than a
/// small statement. Measured with 1,000 of `SELECT 1` by a unix socket: 220,000 a second instead of 140,000 (MariaDB 10.11), 180,000 instead of
/// 120,000 (MySQL 8.0); moments from 20 to 200 µs are as good.
const MANY: usize = 32;

/// How long. The kernel makes some 70 µs of it, in which a server runs less than half as many.
const MOMENT: Duration = Duration::from_micros(20);

/// A command of a pipeline.
#[derive(Clone, Debug)]
pub enum Pipelined<'a> {
    /// A query.
    Query(&'a [u8]),
    /// A prepared statement's run, with a parameter for each of its `?`.
    Execute(&'a Statement, Vec<Parameter<'a>>),
}

/// How far a pipeline goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All are on their way as fast as the server takes them, before the first reply is read; so all are run, whatever becomes of those before.
    End,
    /// Each is sent when the one before is known to have succeeded.
    FirstError,
}

/// What a pipelined command came to.
#[derive(Debug)]
pub struct Done {
    /// Its rows, if it has any; those of its first result, if it has several.
    pub rows: Option<Buffered>,
    /// Rows that it changed, or has; [`crate::UNKNOWN_ROWS`] if there is no such number.
    pub affected_rows: u64,
    /// The last AUTO_INCREMENT value that it made, or 0.
    pub last_insert_id: u64,
    /// How many warnings it has.
    pub warnings: u16,
    /// What the server says in words about it; empty if nothing.
    pub info: Vec<u8>,
}

/// What is to be read next.
enum Due<'a> {
    /// A reply.
    Reply {
        command: Pipelined<'a>,
        ids: ReplyIds,
        /// Where the command begins in the queue.
        place: u64,
        /// How many bytes it is, as they are counted.
        bytes: u64,
        /// When it began, by the clock.
        begun: u64,
    },
    /// Nothing, for the command was not sent.
    Refusal(Error),
}

impl Connection {
    /// Runs commands and gives away what became of each, in their order, when it is known. Results are stored; of several results of one
    /// command all are read, the first is given, and an error in any of them is what became of it. Local files are refused, whatever is
    /// allowed otherwise.
    ///
    /// If the connection fails, each command whose reply is missing has an error of its own: 2013 if some of it was sent, and nobody knows
    /// whether it was run, 2006 if it was not sent. None is sent again.
    ///
    /// With a limit for queries ([`Connection::set_query_timeout`]) a command that takes longer is stopped by a server that does that
    /// itself; of another the connection is closed, for a kill might hit one that was sent behind it.
    ///
    /// # Errors
    /// Nothing was sent: the connection is gone or in the middle of something else.
    pub fn pipeline<'a>(
        &mut self,
        commands: impl IntoIterator<Item = Pipelined<'a>>,
        until: Until,
        give: impl FnMut(Result<Done, Error>),
    ) -> Result<(), Error> {
        // What one of the commands does to statements that are kept would be known only as it is sent.
        self.run_pipeline(commands, until, Effect::Anything, give)
    }

    /// The same of commands that only read: what statements mean stays as it is.
    ///
    /// # Errors
    /// As [`Connection::pipeline`].
    pub fn pipeline_reading<'a>(
        &mut self,
        commands: impl IntoIterator<Item = Pipelined<'a>>,
        give: impl FnMut(Result<Done, Error>),
    ) -> Result<(), Error> {
        self.run_pipeline(commands, Until::End, Effect::Nothing, give)
    }

    fn run_pipeline<'a>(
        &mut self,
        commands: impl IntoIterator<Item = Pipelined<'a>>,
        until: Until,
        effect: Effect,
        mut give: impl FnMut(Result<Done, Error>),
    ) -> Result<(), Error> {
        self.begin_pipeline(effect)?;
        let mut commands = commands.into_iter();
        let mut due = VecDeque::new();
        let mut keeps_reading = true;
        loop {
            self.fill_queue(&mut due, &mut commands, until, &mut keeps_reading);
            self.let_replies_gather(due.len());
            let done = match due.pop_front() {
                Some(next) => self.finish(next, !due.is_empty()),
                None if self.state != State::Ready && commands.next().is_some() => {
                    Err(Error::gone())
                }
                None => break,
            };
            let has_failed = done.is_err();
            // Should this panic, nobody reads what is still due.
            let state = std::mem::replace(&mut self.state, State::Broken);
            give(done);
            self.state = state;
            if has_failed && until == Until::FirstError {
                break;
            }
        }
        if self.state != State::Ready {
            self.stream.transport().drop_queue();
        } else if let Err(error) = self.stream.transport().end_queue() {
            // All is answered: the next command hears of it.
            self.lost_in_writing(error);
        }
        Ok(())
    }

    /// Waits for what has to be over before a command that must not be sent twice.
    fn begin_pipeline(&mut self, effect: Effect) -> Result<(), Error> {
        self.state.allow(Call::Command)?;
        self.tell_of_elsewhere()?;
        if self.heeds_commands() {
            self.heed(effect);
        }
        self.await_first()?;
        self.await_kill()?;
        let closed = self.close_statements();
        closed.map_err(|error| self.lost_in_writing(error))?;
        let looked = self.stream.refuse_leftovers();
        self.settle(looked)?;
        self.stream.transport().begin_queue();
        Ok(())
    }

    /// Has a kill that is still to be noticed hit nothing that follows.
    fn await_kill(&mut self) -> Result<(), Error> {
        if self.stream.transport().end_watch()? { self.absorb_kill() } else { Ok(()) }
    }

    /// Puts commands into the queue, and sends of it what the server takes at once, until it takes no more.
    fn fill_queue<'a>(
        &mut self,
        due: &mut VecDeque<Due<'a>>,
        commands: &mut impl Iterator<Item = Pipelined<'a>>,
        until: Until,
        keeps_reading: &mut bool,
    ) {
        panic_point("client/pipeline");
        if due.is_empty() && self.state == State::Ready && self.await_kill().is_err() {
            return self.break_off();
        }
        while self.state == State::Ready && self.waiting_bytes() <= QUEUE_BYTES / 2 {
            let already_due = due.len();
            while self.waiting_bytes() < QUEUE_BYTES && self.may_send_behind(due, until) {
                let Some(command) = commands.next() else { break };
                if self.stream.tells_waits() {
                    self.tell_dialect_of_queued(&command, keeps_reading);
                }
                due.push_back(self.queue(command));
            }
            if due.len() == already_due {
                return;
            }
            self.stream.transport().write_queued();
        }
    }

    /// Waits a moment where the server is to have many replies and none has come.
    fn let_replies_gather(&mut self, due: usize) {
        let is_idle = !self.stream.has_received() && self.waiting_bytes() == 0;
        if due >= MANY && is_idle && !self.stream.transport().is_readable() {
            thread::sleep(MOMENT);
        }
    }

    fn waiting_bytes(&mut self) -> usize {
        self.stream.transport().queue().map_or(0, |queue| queue.len())
    }

    /// Whether another command may be sent before those that are due were answered.
    fn may_send_behind(&self, due: &VecDeque<Due<'_>>, until: Until) -> bool {
        let last = due.iter().rev().find_map(|due| match due {
            Due::Reply { command, .. } => Some(command),
            Due::Refusal(_) => None,
        });
        let may_ask_for_file = match last {
            None => false,
            Some(Pipelined::Query(sql)) => {
                may_ask(sql, self.session.dialect(), self.multi_statements, self.is_mariadb())
            }
            Some(Pipelined::Execute(statement, _)) => statement.may_ask_for_file(),
        };
        due.is_empty() || (until == Until::End && !may_ask_for_file)
    }

    fn queue<'a>(&mut self, command: Pipelined<'a>) -> Due<'a> {
        if let Pipelined::Execute(statement, parameters) = &command
            && parameters.len() != usize::from(statement.params())
        {
            let expected = statement.params();
            return Due::Refusal(Error::Parameters { expected, given: parameters.len() });
        }
        if let Pipelined::Execute(statement, _) = &command {
            if let Err(error) = self.check_without_cursor(statement) {
                return Due::Refusal(error);
            }
            // With what it runs here nobody knows what it leaves.
            statement.spend();
        }
        let place = self.stream.transport().queue().map_or(0, |queue| queue.queued());
        let before = self.stream.bytes_sent();
        let sent = with_wire_form(&command, |command| {
            let body = command.body();
            if body.len() >= MAX_PAYLOAD_BYTES {
                return Err(Error::TooLarge);
            }
            self.stream.write_behind(command.code(), &body)
        });
        match sent {
            Ok(()) => {
                let bytes = self.stream.bytes_sent() - before;
                let (ids, begun) = (self.stream.reply_ids(), self.stream.begun());
                Due::Reply { command, ids, place, bytes, begun }
            }
            Err(error) => Due::Refusal(error),
        }
    }

    /// Reads what became of a command.
    fn finish(&mut self, due: Due<'_>, is_followed: bool) -> Result<Done, Error> {
        let Due::Reply { command, ids, begun, .. } = &due else {
            return Err(self.loss(due, false));
        };
        if self.state != State::Ready {
            return Err(self.loss(due, false));
        }
        self.session.affected_rows = UNKNOWN_ROWS;
        self.session.has_failed = false;
        self.row = None;
        self.local_infiles = Names::default();
        self.is_followed = is_followed;
        // By now it is known how the server has read it.
        let (dialect, is_several) = (self.session.dialect(), self.multi_statements);
        let is_persistent = self.options.is_persistent;
        self.stream.expect_reply_to(*ids);
        with_wire_form(command, |command| {
            if is_persistent {
                self.reuse.note(&command, dialect, is_several);
            } else {
                self.reuse.note_unseen(&command, dialect, is_several);
            }
            if self.stream.tells_waits() {
                self.stream.set_dialect(Some(dialect));
                self.stream.begin_next_reply(command.code(), &command.body(), *begun);
            } else {
                self.stream.begin_next_reply(command.code(), &[], *begun);
            }
        });
        self.answer = match command {
            Pipelined::Query(_) => Answer::Text,
            Pipelined::Execute(..) => Answer::Binary,
        };
        self.state = State::QuerySent;
        let done = self.finish_results();
        self.is_followed = false;
        match done {
            Err(Error::Io { .. }) => {
                let has_begun = !self.stream.awaits_reply();
                Err(self.loss(due, has_begun))
            }
            done => done,
        }
    }

    /// Reads all results of a command and keeps the first, or the first error.
    fn finish_results(&mut self) -> Result<Done, Error> {
        let mut done = self.finish_result(|it| it.store_result().map(Some));
        for _ in 0..MAX_RESULTS {
            if !self.more_results() {
                return done;
            }
            let next = self.finish_result(|it| it.discard_result().map(|()| None));
            done = done.and_then(|done| next.and(Ok(done)));
        }
        self.settle(Err(Malformed::new("COM_QUERY Response", "status_flags").into()))
    }

    fn finish_result(
        &mut self,
        read_rows: fn(&mut Connection) -> Result<Option<Buffered>, Error>,
    ) -> Result<Done, Error> {
        let is_followed = self.is_followed;
        self.stream.transport().begin_watch_in_pipeline(is_followed);
        let response = self.read_response_packets();
        let rows = match self.settle(response)? {
            QueryResponse::ResultSet(_) => read_rows(self)?,
            // There are no cursors here, and a file that was asked for was refused.
            QueryResponse::Ok | QueryResponse::Cursor(_) | QueryResponse::LocalInfile(_) => None,
        };
        let session = &self.session;
        Ok(Done {
            rows,
            affected_rows: session.affected_rows,
            last_insert_id: session.last_insert_id,
            warnings: session.warnings,
            info: session.info.clone(),
        })
    }

    /// The error of a command that has no reply, or one that only `has_begun`.
    fn loss(&mut self, due: Due<'_>, has_begun: bool) -> Error {
        let (command, place, bytes) = match due {
            Due::Refusal(error) => return error,
            Due::Reply { command, place, bytes, .. } => (command, place, bytes),
        };
        let code = with_wire_form(&command, |command| command.code());
        match self.stream.transport().queue() {
            Some(queue) if queue.has_passed(place) => {
                if !has_begun {
                    self.stream.count_unanswered_command(code, bytes);
                }
                Error::unanswered()
            }
            _ => {
                self.stream.discount_command(code, bytes);
                Error::gone()
            }
        }
    }
}

/// Calls with a command as it goes over the wire.
fn with_wire_form<R>(command: &Pipelined<'_>, with: impl FnOnce(Command<'_>) -> R) -> R {
    match command {
        Pipelined::Query(sql) => with(Command::Query(sql)),
        Pipelined::Execute(statement, parameters) => with(Command::StmtExecute(ComStmtExecute {
            statement_id: statement.id(),
            opens_cursor: false,
            parameters,
        })),
    }
}
