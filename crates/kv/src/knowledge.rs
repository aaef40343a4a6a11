//! What is known of a server's tables and its port, and of the statements that were seen: shared by all of a thread's connections to it,
//! asked anew after a while.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use vaquita_client::{Columns, Connection, MAX_ELSEWHERE_BYTES};

use crate::error::Error;
use crate::handler_socket::HandlerSocketPlan;
use crate::memcached::MemcachedPlan;
use crate::plan::{Origin, Reason};
use crate::proof::{InVain, Needed, Proof};
use crate::select::KeySelect;
use crate::server::Server;
use crate::settings::Name;
use crate::state::State;
use crate::table::{Table, rows};

/// How many shapes of statements are remembered before all are forgotten.
const MAX_SHAPES: usize = 1000;

/// How many kinds of sessions are told apart before all are forgotten.
const MAX_STATES: usize = 64;

/// How long it is believed that a statement has no plan, at least: asking costs more than is lost.
const LEAST_REFUSAL: Duration = Duration::from_secs(30);

/// What is known of a server.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    asked_at: Option<Instant>,
    /// What the server has besides SQL, by who has asked: not everybody may know.
    servers: FxHashMap<Box<[u8]>, Server>,
    /// Numbers from 1 on, which are never given again.
    states: HashMap<Box<[u8]>, u32>,
    last_state: u32,
    /// By the number of the kind of session, the table, and what the session may do there.
    tables: HashMap<(u32, Name), Option<Table>>,
    verdicts: FxHashMap<Box<[u8]>, Rc<Verdict>>,
    /// Shapes of statements that have succeeded.
    seen: FxHashSet<Box<[u8]>>,
    plans: u64,
    /// Up to where own statements that change tables were heeded.
    tables_heeded: u64,
    /// What was compared of each table, since the server was asked.
    proofs: FxHashMap<Name, Rc<Proof>>,
}

/// How statements of a shape are answered.
pub(crate) type Verdict = Result<Planned, Reason>;

/// A plan, and what a row consists of.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) way: Way,
    pub(crate) columns: Columns,
    pub(crate) proof: Needed,
    pub(crate) in_vain: InVain,
}

#[derive(Debug)]
pub(crate) enum Way {
    Memcached(MemcachedPlan),
    /// With a number of its own, and the secret.
    HandlerSocket(u64, HandlerSocketPlan, Box<[u8]>),
}

impl Knowledge {
    /// Whether a statement of this shape has succeeded.
    pub(crate) fn has_seen(&self, shape: &[u8]) -> bool {
        self.seen.contains(shape)
    }

    /// A statement of this shape has succeeded.
    pub(crate) fn see(&mut self, shape: &[u8]) {
        if self.seen.len() == MAX_SHAPES {
            self.seen.clear();
        }
        self.seen.insert(shape.into());
    }

    /// The verdict upon a shape; `None`: there is none, or it is too old.
    pub(crate) fn verdict(
        &self,
        shape: &[u8],
        now: Instant,
        max_stale: Duration,
    ) -> Option<Rc<Verdict>> {
        let verdict = self.verdicts.get(shape)?;
        if matches!(**verdict, Err(Reason::Form)) {
            return Some(Rc::clone(verdict));
        }
        let age = now.saturating_duration_since(self.asked_at?);
        let most = if verdict.is_ok() { max_stale } else { max_stale.max(LEAST_REFUSAL) };
        (age < most).then(|| Rc::clone(verdict))
    }

    /// The number of sessions like this one.
    pub(crate) fn number_of(&mut self, state: &State) -> u32 {
        if let Some(number) = self.states.get(&state.text) {
            return *number;
        }
        if self.states.len() == MAX_STATES {
            self.states.clear();
            self.tables.clear();
            self.verdicts.clear();
        }
        self.last_state += 1;
        self.states.insert(state.text.clone(), self.last_state);
        self.last_state
    }

    /// Forgets all that others may have changed.
    pub(crate) fn forget(&mut self) {
        self.asked_at = None;
    }

    /// Forgets it if own statements have changed tables since: `count` is another number then.
    pub(crate) fn heed_tables(&mut self, count: u64) {
        if self.tables_heeded != count {
            self.tables_heeded = count;
            self.forget();
        }
    }

    /// Asks what the server has besides SQL, if this user has not asked for some time.
    pub(crate) fn refresh(
        &mut self,
        connection: &mut Connection,
        state: &State,
        now: Instant,
        max_stale: Duration,
    ) -> Result<(), Error> {
        let is_fresh = |asked: Instant| now.saturating_duration_since(asked) < max_stale;
        if !self.asked_at.is_some_and(is_fresh) {
            self.verdicts.retain(|_, verdict| matches!(**verdict, Err(Reason::Form)));
            self.tables.clear();
            self.proofs.clear();
            self.servers.clear();
            self.asked_at = Some(now);
        }
        if !self.servers.contains_key(&state.user) {
            let server = refused_is_none(Server::ask(connection), connection)?.unwrap_or_default();
            self.servers.insert(state.user.clone(), server);
        }
        Ok(())
    }

    /// What the server has besides SQL, as far as who has such a session knows.
    pub(crate) fn server(&self, state: &State) -> &Server {
        self.servers.get(&state.user).unwrap_or(&Server::Nothing)
    }

    /// Whether there may be a plan for a statement: of its table is asked what a plan needs.
    ///
    /// # Errors
    /// The inner: why there is none.
    pub(crate) fn look(
        &mut self,
        connection: &mut Connection,
        select: &KeySelect<'_>,
        state: &State,
        named: &[Name],
    ) -> Result<Result<(), Reason>, Error> {
        let database = select.database.unwrap_or(&state.database);
        let is_named = match self.server(state) {
            Server::Nothing => return Ok(Err(Reason::Port)),
            Server::Memcached(mapping) => mapping.of(database, select.table).is_some(),
            Server::HandlerSocket(_) => {
                named.iter().any(|it| *it.0 == *database && *it.1 == *select.table)
            }
        };
        if !is_named {
            return Ok(Err(Reason::Table));
        }
        // HandlerSocket takes names as UTF-8, and what a server said of them is in the session's character set.
        if !(database.is_ascii() && select.table.is_ascii()) {
            return Ok(Err(Reason::Table));
        }
        if self.proof(database, select.table).differs() {
            return Ok(Err(Reason::Differs));
        }
        self.look_at_table(connection, select, state)
    }

    /// Asks what the server says of a statement's table, unless that is known.
    ///
    /// # Errors
    /// The inner: it says nothing, or the user may not read all of it.
    pub(crate) fn look_at_table(
        &mut self,
        connection: &mut Connection,
        select: &KeySelect<'_>,
        state: &State,
    ) -> Result<Result<(), Reason>, Error> {
        let database = select.database.unwrap_or(&state.database);
        let key = (self.number_of(state), (database.into(), select.table.into()));
        if let Some(known) = self.tables.get(&key) {
            return Ok(known.as_ref().map(|_| ()).ok_or(Reason::Rights));
        }
        let mut table = Table::read(connection, database, select.table);
        if let Ok(Some(_)) = table
            && !may_select_all(connection, database, select.table)?
        {
            table = Ok(None);
        }
        let table = refused_is_none(table, connection)?.flatten();
        let found = table.as_ref().map(|_| ()).ok_or(Reason::Rights);
        self.tables.insert(key, table);
        Ok(found)
    }

    /// What the server says of a statement's table, if it was asked.
    pub(crate) fn table(&mut self, select: &KeySelect<'_>, state: &State) -> Option<&Table> {
        let database = select.database.unwrap_or(&state.database);
        let key = (self.number_of(state), (database.into(), select.table.into()));
        self.tables.get(&key)?.as_ref()
    }

    /// Remembers how statements of a shape are answered, whose columns are these.
    pub(crate) fn learn(
        &mut self,
        shape: &[u8],
        select: &KeySelect<'_>,
        state: &State,
        columns: &Columns,
        allows_dirty: bool,
    ) -> Result<(), Reason> {
        let planned = self.plan(select, state, columns, allows_dirty);
        let learnt = planned.as_ref().map(|_| ()).map_err(|reason| *reason);
        if self.verdicts.len() == MAX_SHAPES {
            self.verdicts.clear();
        }
        self.verdicts.insert(shape.into(), Rc::new(planned));
        learnt
    }

    /// What was compared of a table.
    fn proof(&mut self, database: &[u8], table: &[u8]) -> Rc<Proof> {
        Rc::clone(self.proofs.entry((database.into(), table.into())).or_default())
    }

    /// A row of the port's was not the server's: nothing is answered from that table until the server is asked anew.
    pub(crate) fn differ(&mut self, proof: &Rc<Proof>) {
        proof.set_differs();
        let is_of_it = |planned: &Planned| Rc::ptr_eq(&planned.proof.table, proof);
        self.verdicts.retain(|_, verdict| !verdict.as_ref().as_ref().is_ok_and(is_of_it));
    }

    /// Remembers that statements of a shape have no plan.
    pub(crate) fn refuse(&mut self, shape: &[u8], reason: Reason) {
        if self.verdicts.len() == MAX_SHAPES {
            self.verdicts.clear();
        }
        self.verdicts.insert(shape.into(), Rc::new(Err(reason)));
    }

    fn plan(
        &mut self,
        select: &KeySelect<'_>,
        state: &State,
        columns: &Columns,
        allows_dirty: bool,
    ) -> Verdict {
        let database = select.database.unwrap_or(&state.database);
        let is_of_database = columns.iter().all(|column| column.schema() == database);
        let is_long = columns.first().is_some_and(|it| it.block_bytes() > MAX_ELSEWHERE_BYTES);
        if !is_of_database || is_long {
            return Err(Reason::Column);
        }
        let origins: Vec<Origin<'_>> = columns
            .iter()
            .map(|column| Origin { table: column.org_table(), column: column.org_name() })
            .collect();
        let proof = self.proof(database, select.table);
        if proof.differs() {
            return Err(Reason::Differs);
        }
        let key = (self.number_of(state), (database.into(), select.table.into()));
        let table = self.tables.get(&key).and_then(Option::as_ref).ok_or(Reason::Table)?;
        let server = self.servers.get(&state.user).unwrap_or(&Server::Nothing);
        let (way, (places, values)) = match server {
            Server::Nothing => return Err(Reason::Port),
            Server::Memcached(mapping) => {
                let charset = &state.charset;
                let plan =
                    MemcachedPlan::new(mapping, table, select, &origins, charset, allows_dirty)?;
                let places = plan.places();
                (Way::Memcached(plan), places)
            }
            Server::HandlerSocket(secret) => {
                let plan = HandlerSocketPlan::new(table, select, &origins, &state.charset)?;
                self.plans += 1;
                // It is asked for columns by their names: they are right or wrong together.
                (Way::HandlerSocket(self.plans, plan, secret.clone()), ([0].into(), 1))
            }
        };
        let proof = Needed::new(proof, places, values);
        Ok(Planned { way, columns: columns.clone(), proof, in_vain: InVain::default() })
    }
}

/// Whether a user may read all columns of a table: the server says so.
fn may_select_all(
    connection: &mut Connection,
    database: &[u8],
    table: &[u8],
) -> Result<bool, Error> {
    let from = [&quoted(database)[..], b".", &quoted(table)].concat();
    let asked = rows(connection, &[b"SELECT * FROM ", &from[..], b" WHERE 1 = 0"].concat());
    Ok(refused_is_none(asked, connection)?.is_some())
}

/// A name as it stands in a statement, whatever it is.
pub(crate) fn quoted(name: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'`'];
    name.iter().for_each(|byte| {
        quoted.extend(if *byte == b'`' { &b"``"[..] } else { std::slice::from_ref(byte) })
    });
    quoted.push(b'`');
    quoted
}

/// What a server refuses to tell is not there; other errors are the connection's end.
fn refused_is_none<R>(
    asked: Result<R, Error>,
    connection: &Connection,
) -> Result<Option<R>, Error> {
    match asked {
        Ok(said) => Ok(Some(said)),
        Err(_) if connection.state() == vaquita_client::State::Ready => Ok(None),
        Err(lost) => Err(lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vaquita_client::{Charset, ColumnDefinition41, ColumnType, Dialect};
    use vaquita_fake_server::packets::column;

    #[test]
    fn no_kind_of_session_has_another_ones_number() {
        let mut knowledge = Knowledge::default();
        let mut numbers = std::collections::HashSet::new();
        for kind in 0..3 * MAX_STATES {
            let state = State { text: kind.to_string().into_bytes().into(), ..State::unknown() };
            let number = knowledge.number_of(&state);
            assert!(numbers.insert(number), "{kind}");
            assert_eq!(knowledge.number_of(&state), number);
        }
    }

    #[test]
    fn long_definitions_of_columns_are_not_kept() {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let select = KeySelect::parse(b"SELECT a FROM fake.t WHERE k = 1", dialect).unwrap();
        let learn = |length: usize| {
            let definition = column(&"x".repeat(length), ColumnType::VAR_STRING).bytes();
            let columns =
                Columns::from(Arc::from([ColumnDefinition41::parse(&definition).unwrap()]));
            Knowledge::default().learn(b"shape", &select, &State::unknown(), &columns, false)
        };
        // Of this table nothing is known.
        assert_eq!(learn(64), Err(Reason::Table));
        // It says its name twice.
        assert_eq!(learn(MAX_ELSEWHERE_BYTES / 2 - 13), Err(Reason::Column));
    }
}
