//! The way of a statement: to a key-value port where that is known to give SQL's answer, else to the server.

mod own;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use vaquita_client::{
    Columns, Connection, Data, Dialect, Error, Onlooker, Parameter, QueryResponse, Session,
    Statement, StatusFlags,
};

use crate::counts::Counts;
use crate::knowledge::{Knowledge, Planned, Verdict, Way};
use crate::plan::Reason;
use crate::port::Port;
use crate::select::{KeySelect, Literal};
use crate::settings::{Mode, Settings};
use crate::shared;
use crate::standing::Standing;
use crate::state::State;
use crate::watch::Watch;

/// How many bytes of a shape's key say which kind of session it is; none as long as that does not matter.
const STATE_BYTES: usize = size_of::<u32>();

/// What a connection's statements may be answered by besides the server.
#[derive(Debug)]
pub struct Access {
    settings: Settings,
    port: Arc<Port>,
    knowledge: Rc<RefCell<Knowledge>>,
    standing: Arc<Standing>,
    /// What the session was like, and how often it may have changed before.
    state: Option<(u64, u32, State)>,
    /// Whether the server tells of the session's changes.
    is_tracked: bool,
    counts: Counts,
    shape: Vec<u8>,
    key: Vec<u8>,
    /// What a port gave.
    row: Vec<Option<Vec<u8>>>,
    /// Where the prepared statement went that ran last.
    executing: Found,
}

impl Drop for Access {
    fn drop(&mut self) {
        self.port.close();
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
    ToPort(Arc<Verdict>),
}

/// What of a statement is asked for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    sql: &'a [u8],
    select: KeySelect<'a>,
    is_binary: bool,
}

impl Access {
    /// That of a new connection. It is told from now on what each command does.
    pub fn new(connection: &mut Connection, settings: Settings) -> Access {
        let (port, knowledge) = shared::of(connection.address(), &settings);
        let standing = Arc::new(Standing::new(Arc::clone(&port), connection.session()));
        connection.set_onlooker(Some(Arc::clone(&standing) as _));
        Access {
            settings,
            port,
            knowledge,
            standing,
            state: None,
            is_tracked: false,
            counts: Counts::default(),
            shape: Vec::new(),
            key: Vec::new(),
            row: Vec::new(),
            executing: Found::Server,
        }
    }

    /// What was set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What became of statements.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Which kind of port there is; empty: none, or it is not known yet.
    pub fn port_name(&self) -> &'static str {
        self.knowledge.borrow().server.name()
    }

    /// What the port answers from, for people; empty if it is not known.
    pub fn mapping(&self) -> String {
        self.knowledge.borrow().describe(&self.settings.tables)
    }

    /// What the connection's own statements do.
    pub fn watch(&self) -> &Arc<Watch> {
        &self.standing.watch
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
        let asked = KeySelect::parse(sql, connection.session().dialect());
        let asked = asked.map(|select| Asked { sql, select, is_binary: false });
        let found = self.find(connection, asked)?;
        if let Found::Answered(columns) = found {
            return Ok(QueryResponse::ResultSet(columns));
        }
        connection.send_query(sql)?;
        let response = connection.read_query_response()?;
        if let (Some(asked), QueryResponse::ResultSet(columns)) = (asked, &response) {
            self.succeeded(&found, &asked, columns);
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
        let dialect = connection.session().dialect();
        let asked = asked_by(statement, dialect, parameters);
        let epoch = statement.text().map_or(0, |(_, epoch)| epoch);
        let keeps_kinds = statement.keeps_kinds(parameters);
        if asked.is_some() && (epoch != self.standing.epoch() || !keeps_kinds) {
            self.counts.statements += 1;
            self.counts.refuse(Reason::Prepared);
            return Ok(None);
        }
        self.run(connection, asked)
    }

    fn run(
        &mut self,
        connection: &mut Connection,
        asked: Option<Asked<'_>>,
    ) -> Result<Option<Columns>, Error> {
        let found = self.find(connection, asked)?;
        let answered = match &found {
            Found::Answered(columns) => Some(Arc::clone(columns)),
            _ => None,
        };
        self.executing = found;
        Ok(answered)
    }

    /// A prepared statement's run that went to the server begins to answer with these columns.
    pub fn executed(&mut self, connection: &Connection, statement: &Statement, columns: &Columns) {
        let found = std::mem::replace(&mut self.executing, Found::Server);
        if let Found::ToSee | Found::ToLearn = found
            && let Some(asked) = asked_of(statement, connection.session().dialect())
        {
            self.succeeded(&found, &asked, columns);
        }
    }

    /// Finds a statement's way; if it is to a port, goes there.
    fn find(
        &mut self,
        connection: &mut Connection,
        asked: Option<Asked<'_>>,
    ) -> Result<Found, Error> {
        match (self.way(connection, asked)?, asked) {
            (Found::ToPort(verdict), Some(asked)) => {
                let Ok(planned) = &*verdict else { return Ok(Found::Server) };
                self.ask_port(connection, &asked, planned, Instant::now())
            }
            (found, _) => Ok(found),
        }
    }

    /// Finds a statement's way.
    fn way(
        &mut self,
        connection: &mut Connection,
        asked: Option<Asked<'_>>,
    ) -> Result<Found, Error> {
        self.counts.statements += 1;
        let Some(asked) = asked else {
            return self.refuse(Reason::Form);
        };
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
        self.shape.clear();
        self.shape.extend([0; STATE_BYTES]);
        self.shape.push(asked.is_binary.into());
        asked.select.put_shape(asked.sql, &mut self.shape);
        if !self.knowledge.borrow().has_seen(&self.shape) {
            self.counts.refuse(Reason::First);
            return Ok(Found::ToSee);
        }
        let now = Instant::now();
        let mut has_asked = false;
        if self.port.have_tables_changed() {
            self.knowledge.borrow_mut().forget();
        }
        if self.state.as_ref().is_none_or(|(at, ..)| *at != changes) {
            self.ask_state(connection, changes)?;
            has_asked = true;
        }
        let Some((_, number, state)) = &self.state else { return self.refuse(Reason::Settings) };
        if let Some(reason) = state.reason {
            return self.refuse(reason);
        }
        let of_state = number.to_le_bytes();
        self.shape.iter_mut().zip(of_state).for_each(|(to, from)| *to = from);
        let verdict = self.knowledge.borrow().verdict(&self.shape, now, self.settings.max_stale);
        match verdict {
            None => self.look(connection, &asked, now),
            Some(verdict) => match &*verdict {
                Err(reason) => self.refuse(*reason),
                Ok(_) if has_asked || self.settings.mode == Mode::Advise => {
                    Ok(self.left_to_server())
                }
                Ok(_) => Ok(Found::ToPort(verdict)),
            },
        }
    }

    fn ask_state(&mut self, connection: &mut Connection, changes: u64) -> Result<(), Error> {
        self.state = None;
        let is_tracked = self.is_tracked;
        let asked = self.apart(connection, |connection| State::ask(connection, !is_tracked));
        let state = match asked {
            Ok(state) => state,
            Err(crate::Error::Lost(error))
                if connection.state() != vaquita_client::State::Ready =>
            {
                return Err(error);
            }
            Err(_) => State::unknown(),
        };
        self.is_tracked = true;
        let number = self.knowledge.borrow_mut().number_of(&state);
        self.state = Some((changes, number, state));
        Ok(())
    }

    /// Asks the server what has to be known of a table.
    fn look(
        &mut self,
        connection: &mut Connection,
        asked: &Asked<'_>,
        now: Instant,
    ) -> Result<Found, Error> {
        let Some((_, _, state)) = &self.state else { return self.refuse(Reason::Settings) };
        let mut knowledge = self.knowledge.borrow_mut();
        let looked = self.apart(connection, |connection| {
            knowledge.refresh(connection, now, self.settings.max_stale)?;
            knowledge.look(connection, &asked.select, state, &self.settings.tables)
        });
        match looked {
            Ok(Ok(())) => Ok(Found::ToLearn),
            Ok(Err(reason)) => {
                knowledge.refuse(&self.shape, reason);
                drop(knowledge);
                self.refuse(reason)
            }
            Err(crate::Error::Lost(error)) => Err(error),
            Err(_) => {
                drop(knowledge);
                self.refuse(Reason::Port)
            }
        }
    }

    /// A statement that went to the server has columns.
    fn succeeded(&mut self, found: &Found, asked: &Asked<'_>, columns: &Columns) {
        match found {
            Found::ToSee => self.knowledge.borrow_mut().see(&self.shape),
            Found::ToLearn => self.learn(asked, columns),
            Found::Answered(_) | Found::Server | Found::ToPort(_) => {}
        }
    }

    fn learn(&mut self, asked: &Asked<'_>, columns: &Columns) {
        let Some((_, _, state)) = &self.state else { return };
        let dirty = self.settings.allows_dirty;
        let mut knowledge = self.knowledge.borrow_mut();
        match knowledge.learn(&self.shape, &asked.select, state, columns, dirty) {
            Ok(()) => {
                self.counts.learnt += 1;
                self.counts.eligible += 1;
            }
            Err(reason) => self.counts.refuse(reason),
        }
    }

    fn ask_port(
        &mut self,
        connection: &mut Connection,
        asked: &Asked<'_>,
        planned: &Planned,
        now: Instant,
    ) -> Result<Found, Error> {
        let dialect = connection.session().dialect();
        let columns = &planned.columns;
        self.row.clear();
        let mut is_silent = false;
        let reply = match &planned.way {
            Way::Memcached(plan) => {
                let mut conditions = asked.select.conditions();
                let Some(condition) = conditions.next() else { return self.refuse(Reason::Form) };
                let key = match plan.put_key(condition.value, dialect, &mut self.key) {
                    Ok(key) => key,
                    Err(reason) => return self.refuse(reason),
                };
                self.counts.ask();
                let row = &mut self.row;
                self.port.memcached(now, |port| {
                    port.send_get(&[key])?;
                    is_silent = connection.is_silent();
                    port.read_values(&[key], |_, _, given| row.push(Some(given.to_vec())))?;
                    Ok((!row.is_empty()).then_some(()))
                })
            }
            Way::HandlerSocket(id, plan, secret) => {
                let key = match plan.key(&asked.select, dialect) {
                    Ok(key) => key,
                    Err(reason) => return self.refuse(reason),
                };
                let key: Vec<_> = key.iter().map(|value| Some(&**value)).collect();
                self.counts.ask();
                let row = &mut self.row;
                self.port.handler_socket(now, secret, (*id, plan), |port, index| {
                    let mut found = None;
                    port.send_find(index, &[&key], 1)?;
                    is_silent = connection.is_silent();
                    port.read_rows(index, |given| {
                        found = Some(());
                        row.extend(given.iter().map(|value| value.as_deref().map(<[u8]>::to_vec)));
                    })?;
                    Ok(found)
                })
            }
        };
        match reply {
            Ok(Some(())) => {}
            Ok(None) => {
                self.counts.misses += 1;
                return self.refuse(Reason::Miss);
            }
            Err(_) => {
                self.counts.errors += 1;
                return self.refuse(Reason::Port);
            }
        }
        let given: Vec<_> = self.row.iter().map(Option::as_deref).collect();
        let row = match &planned.way {
            Way::Memcached(plan) => plan.row(given.first().copied().flatten().unwrap_or_default()),
            Way::HandlerSocket(_, plan, _) => plan.check(&given).map(|()| given),
        };
        let answered = row.and_then(|row| {
            let row = std::iter::once(&row[..]);
            let is_answered =
                is_silent && connection.answer_rows(columns, asked.is_binary, row) == 1;
            if is_answered { Ok(()) } else { Err(Reason::Row) }
        });
        match answered {
            Ok(()) => {
                self.counts.answered += 1;
                Ok(Found::Answered(Arc::clone(columns)))
            }
            Err(reason) => self.refuse(reason),
        }
    }

    /// Asks something of the server without telling it to whoever looks on.
    fn apart<R>(&self, connection: &mut Connection, ask: impl FnOnce(&mut Connection) -> R) -> R {
        let said = connection.apart(ask);
        self.standing.accept_told(connection.session());
        said
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

/// What a prepared statement asks for, if it is for a row by its key.
fn asked_of(statement: &Statement, dialect: Dialect) -> Option<Asked<'_>> {
    let (sql, _) = statement.text()?;
    Some(Asked { sql, select: KeySelect::parse(sql, dialect)?, is_binary: true })
}

/// What it asks for with these parameters.
fn asked_by<'a>(
    statement: &'a Statement,
    dialect: Dialect,
    parameters: &[Parameter<'a>],
) -> Option<Asked<'a>> {
    let mut asked = asked_of(statement, dialect)?;
    asked.select.bind(parameters.iter().map(literal)).then_some(asked)
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
