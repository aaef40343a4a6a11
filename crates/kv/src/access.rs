//! The way of a statement: to a key-value port where that is known to give SQL's answer, else to the server.

mod advising;
mod asking;
mod comparing;
mod learning;
mod midway;
mod own;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vaquita_client::panic_point;
use vaquita_client::{
    Columns, Connection, Data, Dialect, Encoding, Error, Onlooker, Parameter, QueryResponse,
    Session, Statement, StatusFlags,
};

use advising::Advising;

use crate::counts::Counts;
use crate::knowledge::{Knowledge, Verdict};
use crate::memcached::Mapping;
use crate::plan::Reason;
use crate::port::Port;
use crate::select::{KeySelect, Literal, may_be_by_key};
use crate::server::Server;
use crate::settings::{Mode, Settings};
use crate::shape::{Values, put_shape};
use crate::shared::{self, Changes};
use crate::standing::Standing;
use crate::state::State;
use crate::watch::Watch;

/// How many bytes of a shape's key say which kind of session it is; none as long as that does not matter.
const STATE_BYTES: usize = size_of::<u32>();

/// How old what is known of tables may be where it is only for advice: that is for all tables, and nobody is answered wrongly.
const ADVICE_STALE: Duration = Duration::from_mins(1);

/// What a connection's statements may be answered by besides the server.
#[derive(Debug)]
pub struct Access {
    settings: Settings,
    port: Arc<Port>,
    knowledge: Rc<RefCell<Knowledge>>,
    /// What own statements do to the server's tables, and up to where that was heeded.
    tables: Arc<Changes>,
    tables_heeded: u64,
    standing: Arc<Standing>,
    /// What the session was like, and how often it may have changed before.
    state: Option<(u64, u32, State)>,
    /// Since when the server may have heard nothing of the session.
    heard_at: Instant,
    counts: Counts,
    shape: Vec<u8>,
    /// Where the prepared statement went that ran last.
    executing: Found,
    /// Where statements are noted, if no port is asked.
    advising: Option<Box<Advising>>,
    plugin: Option<Box<Mapping>>,
}

impl Drop for Access {
    fn drop(&mut self) {
        self.counts.end();
        self.port.close();
        self.hand_over_advice();
    }
}

/// Where a statement goes.
#[derive(Debug)]
enum Found {
    /// It has been answered.
    Answered(Columns),
    /// To the server.
    Server,
    /// To the server; if it succeeds, the next one of its shape is looked at.
    ToSee,
    /// To the server; its answer tells the columns of its shape.
    ToLearn,
    /// To the port.
    ToPort(Rc<Verdict>),
}

/// A statement that is asked for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    sql: &'a [u8],
    /// What was given for its parameters, where it is a prepared one.
    given: Option<&'a [Parameter<'a>]>,
}

impl Access {
    /// That of a new connection. It is told from now on what each command does.
    pub fn new(connection: &mut Connection, mut settings: Settings) -> Access {
        if settings.mode == Mode::Advise {
            settings.max_stale = settings.max_stale.max(ADVICE_STALE);
        }
        let shared = shared::of(connection.address(), &settings);
        let standing = Arc::new(Standing::new(&shared, connection.session()));
        connection.set_onlooker(Some(Arc::clone(&standing) as _));
        let advising = (settings.mode == Mode::Advise).then(Box::default);
        Access {
            settings,
            port: shared.port,
            knowledge: shared.knowledge,
            tables: shared.changes,
            tables_heeded: 0,
            standing,
            state: None,
            heard_at: Instant::now(),
            counts: Counts::default(),
            shape: Vec::new(),
            executing: Found::Server,
            advising,
            plugin: None,
        }
    }

    /// What was set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the connection's own statements do.
    pub fn watch(&self) -> &Arc<Watch> {
        &self.standing.watch
    }

    /// What became of statements.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Which kind of port there is; empty: none, or it is not known yet.
    pub fn port_name(&self) -> &'static str {
        self.of_server(Server::name).unwrap_or_default()
    }

    /// What the port answers from, for people; empty if it is not known.
    pub fn mapping(&self) -> String {
        self.of_server(|server| server.describe(&self.settings.tables)).unwrap_or_default()
    }

    /// What is known of what the server has besides SQL; `None`: it is not known yet who asks.
    fn of_server<R>(&self, look: impl FnOnce(&Server) -> R) -> Option<R> {
        let (_, _, state) = self.state.as_ref()?;
        Some(look(self.knowledge.borrow().server(state)))
    }

    /// Asks the server anew for all that is known of tables and rights, when it is needed next.
    pub fn refresh(&mut self) {
        self.knowledge.borrow_mut().forget();
    }

    /// Runs a query up to its first reply.
    ///
    /// # Errors
    /// As [`Connection::send_query`] and [`Connection::read_query_response`].
    pub fn query(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
    ) -> Result<QueryResponse, Error> {
        panic_point("kv/access");
        let asked = Asked { sql, given: None };
        let found = self.find(connection, asked)?;
        if let Found::Answered(columns) = found {
            return Ok(QueryResponse::ResultSet(columns));
        }
        self.begin_advising();
        connection.send_query(sql)?;
        let response = connection.read_query_response()?;
        let time = self.end_advising();
        let columns =
            if let QueryResponse::ResultSet(columns) = &response { Some(columns) } else { None };
        if let Some(columns) = columns {
            self.succeeded(&found, sql, connection.session().dialect(), columns);
        }
        if let Some(time) = time {
            self.advise(connection, sql, columns, time);
        }
        Ok(response)
    }

    /// Answers the run of a prepared statement if that can be done; else it is to be sent, and [`Access::executed`] told of its reply if
    /// there was one.
    ///
    /// # Errors
    /// The connection failed while it was asked what has to be known.
    pub fn execute(
        &mut self,
        connection: &mut Connection,
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Columns>, Error> {
        // The run before may have failed, and told nothing.
        self.executing = Found::Server;
        let keeps_kinds = statement.keeps_kinds(parameters);
        let Some((sql, epoch)) = statement.text() else { return Ok(None) };
        if (epoch != self.standing.epoch() || !keeps_kinds) && may_be_by_key(sql) {
            self.counts.look();
            self.counts.refuse(Reason::Prepared);
            self.begin_advising();
            return Ok(None);
        }
        self.run(connection, Asked { sql, given: Some(parameters) })
    }

    fn run(
        &mut self,
        connection: &mut Connection,
        asked: Asked<'_>,
    ) -> Result<Option<Columns>, Error> {
        let found = self.find(connection, asked)?;
        let answered = match &found {
            Found::Answered(columns) => Some(columns.clone()),
            _ => None,
        };
        self.executing = found;
        self.begin_advising();
        Ok(answered)
    }

    /// A prepared statement's run that went to the server begins to answer, with these columns if it has a result.
    pub fn executed(
        &mut self,
        connection: &Connection,
        statement: &Statement,
        columns: Option<&Columns>,
    ) {
        let time = self.end_advising();
        let found = std::mem::replace(&mut self.executing, Found::Server);
        if let (Some((sql, _)), Some(columns)) = (statement.text(), columns) {
            self.succeeded(&found, sql, connection.session().dialect(), columns);
        }
        if let (Some(time), Some((sql, _))) = (time, statement.text()) {
            self.advise(connection, sql, columns, time);
        }
    }

    /// Finds a statement's way; if it is to a port, goes there.
    fn find(&mut self, connection: &mut Connection, asked: Asked<'_>) -> Result<Found, Error> {
        let mut values = Values::none();
        match self.way(connection, asked, &mut values)? {
            Found::ToPort(verdict) => {
                let Ok(planned) = &*verdict else { return Ok(Found::Server) };
                self.ask_port(connection, asked, values, planned)
            }
            found => Ok(found),
        }
    }

    /// Finds a statement's way, and what it asks for.
    fn way<'a>(
        &mut self,
        connection: &mut Connection,
        asked: Asked<'a>,
        values: &mut Values<'a>,
    ) -> Result<Found, Error> {
        self.counts.look();
        if !may_be_by_key(asked.sql) {
            return self.refuse(Reason::Form);
        }
        if !is_between_transactions(connection.session()) {
            return self.refuse(Reason::Transaction);
        }
        if connection.state() != vaquita_client::State::Ready || connection.awaits_first_command() {
            return self.refuse(Reason::Session);
        }
        let changes = match self.standing.changes(connection.session()) {
            Ok(changes) => changes,
            Err(reason) => return self.refuse(reason),
        };
        if self.tables.count() != self.tables_heeded && !self.heed_tables() {
            return self.refuse(Reason::Locks);
        }
        let dialect = connection.session().dialect();
        match self.read_shape(asked, dialect) {
            Some(read) => *values = read,
            None => return self.refuse(Reason::Form),
        }
        let now = Instant::now();
        if self.state.as_ref().is_some_and(|(at, ..)| *at == changes)
            && let Some(verdict) = self.verdict(now)
        {
            return match &*verdict {
                // It would take the session for one that nobody uses.
                Ok(_) if self.has_been_silent(now) => {
                    self.heard_at = now;
                    Ok(self.left_to_server())
                }
                Ok(_) => Ok(Found::ToPort(verdict)),
                Err(reason) => self.refuse(*reason),
            };
        }
        self.set_state(0);
        if self.knowledge.borrow().verdict(&self.shape, now, self.settings.max_stale).is_some() {
            return self.refuse(Reason::Form);
        }
        let Some(select) = KeySelect::parse(asked.sql, dialect) else {
            self.knowledge.borrow_mut().refuse(&self.shape, Reason::Form);
            return self.refuse(Reason::Form);
        };
        // Whatever is known is of before.
        if self.settings.max_stale.is_zero() {
            return self.refuse(Reason::Port);
        }
        // Of what no port is asked it need not be known that the server takes it.
        if self.advising.is_none() && !self.knowledge.borrow().has_seen(&self.shape) {
            self.counts.refuse(Reason::First);
            return Ok(Found::ToSee);
        }
        self.ask(connection, &select, changes, now)
    }

    /// Forgets what is known of tables if own statements have changed some; false: one is still at it.
    #[cold]
    fn heed_tables(&mut self) -> bool {
        // This session's are done.
        self.standing.after();
        if self.tables.are_running() {
            return false;
        }
        self.tables_heeded = self.tables.count();
        self.knowledge.borrow_mut().heed_tables(self.tables_heeded);
        true
    }

    /// Whether the server may have heard nothing of the session for as long as it may.
    fn has_been_silent(&self, now: Instant) -> bool {
        let silence = self.state.as_ref().map(|(_, _, state)| state.silence);
        silence.is_some_and(|silence| now.saturating_duration_since(self.heard_at) >= silence)
    }

    /// Puts down a statement's shape, and gives its values; `None`: it does not ask for a row by its key.
    fn read_shape<'a>(&mut self, asked: Asked<'a>, dialect: Dialect) -> Option<Values<'a>> {
        self.shape.clear();
        self.shape.extend([0; STATE_BYTES]);
        self.shape.push(asked.given.is_some().into());
        let has_ascii = matches!(
            dialect.encoding,
            Encoding::SingleByte | Encoding::Utf8mb3 | Encoding::Utf8mb4
        );
        let begin = self.shape.len();
        let looked = if has_ascii { put_shape(asked.sql, &mut self.shape) } else { None };
        let mut values = match looked {
            Some(values) => values,
            None => {
                self.shape.truncate(begin);
                let select = KeySelect::parse(asked.sql, dialect)?;
                select.put_shape(asked.sql, &mut self.shape);
                select.values()
            }
        };
        values.bind(asked.given.unwrap_or_default().iter().map(literal)).then_some(values)
    }

    /// One that a port could have answered.
    fn left_to_server(&mut self) -> Found {
        self.counts.eligible += 1;
        Found::Server
    }

    fn refuse(&mut self, reason: Reason) -> Result<Found, Error> {
        self.counts.refuse(reason);
        Ok(Found::Server)
    }
}

/// The value of a parameter as a literal; what is neither a whole number nor a text stays a parameter, which no key is.
fn literal<'a>(parameter: &Parameter<'a>) -> Literal<'a> {
    match *parameter {
        Parameter::Tiny(number) => Literal::Number(number.into()),
        Parameter::Integer(Some(number)) => Literal::Number(number.into()),
        Parameter::Unsigned(Some(number)) => Literal::Number(number.into()),
        Parameter::Text(Data::Bytes(bytes)) => Literal::Bytes(bytes),
        _ => Literal::Parameter,
    }
}

/// Whether a statement is a transaction of its own.
fn is_between_transactions(session: &Session) -> bool {
    let status = session.status;
    status.contains(StatusFlags::AUTOCOMMIT) && !status.contains(StatusFlags::IN_TRANS)
}
