//! What a PHP object that connects, its statements and its results share: the driver's connection.
//!
//! A link (of mysqli, or of PDO) has one session from its making to its end; closing or connecting again changes what is inside. So a body may
//! hold `&Session` while user code runs, whatever that code does to the link.

pub(crate) mod advanced;
mod aside;
pub(crate) mod connecting;
pub(crate) mod counting;
pub(crate) mod failure;
mod fetching;
pub(crate) mod key_value;
pub(crate) mod last_connection;
mod living;
pub(crate) mod local_infile;
pub(crate) mod options;
pub(crate) mod pipelined;
pub(crate) mod pool;
pub(crate) mod prepared;
mod results;
pub(crate) mod rows;
mod server;
mod stock_words;
pub(crate) mod tls;

use crate::statistics::{self, Counters, Key};
use crate::zend::guarded::{Bug, Guarded};
use crate::zend::held::Held;
use crate::zend::lent::{self, LENT};
use core::cell::Cell;
use failure::{Failed, LastError};
use last_connection::LastConnection;
use living::Living;
use local_infile::RequestedFile;
use options::Options;
use pipelined::Outcomes;
use rows::Readings;
use std::process;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use stock_words::Warnings;
use vaquita_client::panic_point;
use vaquita_client::{
    Columns, ConnectOptions, Connection, Error, Lease, Pollable, PoolLimits, Session as Said,
    State, Statistics,
};
use vaquita_kv::{Access, Watch};

/// One connection and its history.
pub(crate) struct Session {
    pub(crate) options: Guarded<Options>,
    connection: Guarded<Option<Box<Connection>>>,
    /// What its statements may be answered by besides the server.
    access: Guarded<Option<Box<Access>>>,
    /// Whether there is anything.
    has_access: Cell<bool>,
    /// What `mysqlnd_memcache_set` was given: for that connection, whose generation this is.
    pub(crate) memcache: Held,
    memcache_generation: Cell<u64>,
    /// What its statements do to tables, where somebody has asked for that and there is no access that knows it.
    watch: Guarded<Option<Arc<Watch>>>,
    /// What goes back with a persistent connection.
    lease: Guarded<Option<(Lease, PoolLimits)>>,
    /// Since when nobody uses a connection that PDO's core keeps.
    idle_since: Cell<Option<Instant>>,
    /// The process that connected.
    process: Cell<u32>,
    /// Counts the connections, so that a result knows whether its own still lives.
    generation: Cell<u64>,
    pub(crate) error: LastError,
    /// The columns of a result that the server has announced and nobody has fetched yet.
    announced: Guarded<Option<Columns>>,
    /// The file that the server waits for.
    pub(crate) requested_file: Guarded<Option<RequestedFile>>,
    /// What became of a pipeline's commands, until it is given to the script.
    outcomes: Guarded<Outcomes>,
    /// Text on its way from the driver to PHP: here it has an owner while Zend allocates.
    scratch: Guarded<Vec<u8>>,
    /// What was counted of its connection beside the driver's counters.
    pub(crate) counters: Counters,
    /// How the rows that came over it are read, and what is fetched of them.
    readings: Readings,
    /// Whether it has a connection to count for.
    pub(crate) is_counting: Cell<bool>,
    /// Whether numbers that come as text become integers and floats.
    is_native: Cell<bool>,
    /// Whether statistics were collected when the driver was last asked for more than a row.
    pub(crate) is_collecting: Cell<bool>,
    /// Whether what the driver counts is nobody's, and what it had counted before.
    counts_in_vain: Cell<bool>,
    counted_before: Cell<Option<Box<Statistics>>>,
}

/// Why there is no connection.
pub(crate) enum Unconnected {
    /// The session has the reason.
    Failed,
    /// There are so many links to the server, as many as `vaquita.host_max_links` allows; the session says so, too.
    TooManyLinks(usize),
}

thread_local! {
    /// All of this thread, whoever has them: links, PDO's connections, those of them that wait for the next request.
    static SESSIONS: Living<Session> = const { Living::none() };
}

/// The request is about to end: what scripts have given goes, for it is of the request's memory.
pub(crate) fn let_go() {
    SESSIONS.with(|sessions| sessions.each(|session| session.memcache.clear()));
}

/// A panic of the glue's has ended a call: no connection of this thread that is in use is used again.
pub(crate) fn give_up() {
    SESSIONS.with(|sessions| sessions.each(Session::give_up_connection));
}

/// The request's objects are gone: what connections that outlive it still have of its memory goes back.
pub(crate) fn end_request() {
    SESSIONS.with(|sessions| {
        sessions.each(|session| {
            session.adjust(|connection| {
                connection.forget_rows();
                connection.tell_reply();
            });
            session.hand_over_advice();
        });
    });
    vaquita_kv::close_ports();
    vaquita_kv::write_advice(false);
    lent::end_request();
}

impl Session {
    pub(crate) fn new() -> Rc<Session> {
        panic_point("php/session new");
        let session = Rc::new(Session {
            options: Guarded::new(Options::default()),
            connection: Guarded::new(None),
            access: Guarded::new(None),
            has_access: Cell::new(false),
            memcache: Held::nothing(),
            memcache_generation: Cell::new(0),
            watch: Guarded::new(None),
            lease: Guarded::new(None),
            idle_since: Cell::new(None),
            process: Cell::new(0),
            generation: Cell::new(0),
            error: LastError::none(),
            announced: Guarded::new(None),
            requested_file: Guarded::new(None),
            outcomes: Guarded::new(Outcomes::new()),
            scratch: Guarded::new(Vec::new()),
            counters: Counters::new(),
            readings: Readings::none(),
            is_counting: Cell::new(false),
            is_native: Cell::new(false),
            is_collecting: Cell::new(statistics::is_collecting()),
            counts_in_vain: Cell::new(false),
            counted_before: Cell::new(None),
        });
        SESSIONS.with(|sessions| sessions.add(&session));
        session
    }

    /// Looks at all of this thread; none may be made meanwhile.
    pub(crate) fn each_of_thread(look: impl FnMut(&Session)) {
        SESSIONS.with(|sessions| sessions.each(look));
    }

    /// What the server last said of a statement: rows, insert id, warnings. `default` if there is no connection.
    pub(crate) fn last<R>(&self, default: R, look: impl FnOnce(&Said) -> R) -> R {
        self.look(|connection| look(connection.session())).unwrap_or(default)
    }

    /// How many columns the last statement's result has; 0: it has none.
    pub(crate) fn field_count(&self) -> usize {
        self.last(0, |said| said.field_count)
    }

    /// Takes a persistent connection that is idle, in place of whatever was there; false: there is none to be had.
    pub(crate) fn reuse(&self, options: &ConnectOptions, limits: &PoolLimits) -> bool {
        self.begin();
        let taken = self.work(|connection| {
            *connection = pool::take(options, limits);
            connection.is_some()
        });
        let is_taken = taken.unwrap_or(false);
        if is_taken {
            self.count_reuse();
            self.lease(limits);
            self.begin_key_value();
        }
        is_taken
    }

    /// Connects, in place of whatever was there.
    pub(crate) fn connect(&self, options: &ConnectOptions) -> Result<(), Unconnected> {
        self.begin();
        self.process.set(process::id());
        let connected = self.work(|connection| {
            let mut spent = Statistics::default();
            let connected = Connection::connect_counting(options, &mut spent);
            let connected = connected.inspect_err(|_| statistics::count_driver(&spent));
            let connection = connection.insert(Box::new(connected?));
            LastConnection::note(connection);
            connection.set_memory(&LENT);
            connection.keep_spoilt_rows();
            if !statistics::is_collecting() {
                connection.set_counted(Statistics::default());
            }
            Ok(())
        });
        self.count_connect(matches!(connected, Ok(Ok(()))));
        match connected {
            Ok(Err(error)) => {
                let (code, message) = stock_words::of_connecting(&error, &options.address);
                // A log-in's own SQLSTATE is lost in stock, and scripts compare.
                let is_log_in = matches!(error, Error::Auth { .. });
                let sqlstate = if is_log_in { *b"HY000" } else { error.sqlstate() };
                let warnings = Warnings::of_connecting(&error);
                self.error.set_warning(code, sqlstate, message, warnings);
                Err(match error {
                    Error::TooManyLinks(open) => Unconnected::TooManyLinks(open),
                    _ => Unconnected::Failed,
                })
            }
            Ok(Ok(())) => {
                self.begin_key_value();
                Ok(())
            }
            Err(Bug) => {
                self.error.set_bug();
                Err(Unconnected::Failed)
            }
        }
    }

    /// Another connection is about to take the place of this one.
    fn begin(&self) {
        // One that there was is gone in any case.
        let _ = self.close(Key::implicit_close);
        self.error.clear();
        self.generation.set(self.generation.get() + 1);
    }

    /// Makes the connection one that is given back instead of closed.
    pub(crate) fn lease(&self, limits: &PoolLimits) {
        let _ = self.lease.with(|lease| *lease = pool::lease().map(|it| (it, *limits)));
        self.count(Key::active_persistent_connections, 1);
    }

    /// Gives a persistent connection back, says goodbye to the server of another, if there is one; `how` counts that.
    ///
    /// # Errors
    /// The driver has panicked; the connection is gone all the same.
    pub(crate) fn close(&self, how: Key) -> Result<(), Bug> {
        let lease = self.lease.with(Option::take).ok().flatten();
        if lease.is_some() {
            self.stop_own_trace();
        }
        // An idle one is the parent's, which may go on using it.
        let is_parents = self.idle_since.take().is_some() && self.is_of_parent();
        let closed = self.connection.with(|connection| {
            let mut connection = connection.take();
            if let Some(connection) = &mut connection {
                if is_parents {
                    connection.abandon();
                } else if lease.is_none() {
                    self.count_close(how, connection.is_answer_due());
                    self.counting(connection, Connection::close);
                }
                self.end_counting(&self.counted(connection));
                connection.set_counted(Statistics::default());
            }
            match lease {
                Some((lease, limits)) => pool::give(lease, connection, &limits),
                None => Ok(()),
            }
        });
        self.forget_announced();
        closed.flatten()
    }

    /// Lets the driver work on the connection, and keeps the books: error, warnings, rows.
    pub(crate) fn drive<R>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<R, Error>,
    ) -> Result<R, Failed> {
        self.is_collecting.set(statistics::is_collecting());
        self.drive_on(work)
    }

    /// Does as [`Session::drive`], collecting statistics as it did.
    fn drive_on<R>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<R, Error>,
    ) -> Result<R, Failed> {
        panic_point("php/session");
        self.error.clear();
        match self.work(|slot| slot.as_mut().map(|connection| self.counting(connection, work))) {
            Ok(Some(result)) => self.error.settle(result),
            Ok(None) => Err(self.error.set_absence()),
            Err(Bug) => Err(self.error.set_bug()),
        }
    }

    /// Lets the driver work on the connection, if there is one; after a panic nobody knows its state, and it goes.
    #[inline]
    fn work<R>(&self, work: impl FnOnce(&mut Option<Box<Connection>>) -> R) -> Result<R, Bug> {
        self.connection.with(work).inspect_err(|Bug| self.give_up_connection())
    }

    #[cold]
    fn give_up_connection(&self) {
        let _ = self.connection.with(|slot| {
            let mut connection = slot.take()?;
            self.end_counting(&self.counted(&connection));
            connection.give_up();
            Some(())
        });
    }

    /// Changes something of the connection that can't fail; nothing happens if there is none.
    pub(crate) fn adjust(&self, change: impl FnOnce(&mut Connection)) {
        let _ = self.work(|connection| connection.as_deref_mut().map(change));
    }

    /// Whether there is a connection, whatever became of it.
    pub(crate) fn is_connected(&self) -> bool {
        self.connection.peek(Option::is_some).unwrap_or(false)
    }

    /// Looks at the connection; `None` if there is none. No user code may run inside.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&Connection) -> R) -> Option<R> {
        self.connection.peek(|connection| connection.as_deref().map(look)).ok().flatten()
    }

    /// Does something that must not change what the last error was.
    pub(crate) fn keeping_failure(&self, work: impl FnOnce(&Session)) {
        let kept = self.error.take();
        work(self);
        self.error.put(kept);
    }

    /// Whether the server owes something.
    pub(crate) fn is_answer_due(&self) -> bool {
        self.look(Connection::is_answer_due).unwrap_or(false)
    }

    /// The connection as a poll needs it; `None` if there is none.
    pub(crate) fn pollable(&self) -> std::io::Result<Option<Pollable>> {
        self.look(Connection::pollable).unwrap_or(Ok(None))
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.get()
    }

    /// Whether the server waits for a command.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_in(State::Ready)
    }

    /// Whether rows are on their way.
    pub(crate) fn is_fetching(&self) -> bool {
        self.is_in(State::FetchingData)
    }

    fn is_in(&self, state: State) -> bool {
        self.look(|connection| connection.state() == state).unwrap_or(false)
    }

    /// Lets the server take several statements in one query, or only one.
    pub(crate) fn allow_multi_statements(&self, on: bool) {
        if self.look(Connection::multi_statements).unwrap_or(false) != on {
            // A failure shows at the query that follows, and leaves the server as it was.
            let _ = self.drive(|connection| connection.set_multi_statements(on));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.close(Key::explicit_close);
    }
}
