//! Statements that a key-value port answers: what is set, and where the session's statements go that way.

use super::Session;
use super::failure::Failed;
use crate::zend::files;
use crate::zend::guarded::Bug;
use crate::zend::ini;
use crate::zend::slot::Value;
use crate::zend::string::Str;
use core::ffi::CStr;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use vaquita_client::{Address, Columns, Connection, Error, Parameter, QueryResponse, Statement};
use vaquita_kv::{Access, Counts, Does, KeyedTable, Mode, NamedTable, Settings, TableError, Watch};

/// ER_BAD_FIELD_ERROR: a column is not there.
const BAD_FIELD: u16 = 1054;

/// Whether statements go to a key-value port, as words that an ini file makes others of.
pub(crate) const MODES: [&[u8]; 6] = [b"off", b"on", b"advise", b"", b"0", b"1"];

/// Whether a setting is an address, or empty.
pub(crate) fn is_address(text: &[u8]) -> bool {
    text.is_empty() || Settings::address(text).is_some()
}

/// Whether a setting is a list of tables.
pub(crate) fn is_tables(text: &[u8]) -> bool {
    Settings::tables(text).is_some()
}

/// Whether a setting is a file's path from the root, or empty.
pub(crate) fn is_path(text: &[u8]) -> bool {
    text.is_empty() || text.starts_with(b"/")
}

/// Whether statements of the connections to come may be answered by a port.
pub(super) fn is_on() -> bool {
    settings().is_some_and(|settings| settings.mode == Mode::On)
}

/// What is set for the connections to come; `None`: they go to the server with all.
fn settings() -> Option<Settings> {
    let mode = match ini::string(c"vaquita.kv") {
        Some(b"on" | b"1") => Mode::On,
        Some(b"advise") => Mode::Advise,
        _ => return None,
    };
    let address = Settings::address(ini::string(c"vaquita.kv_address").unwrap_or_default());
    // What asks no port needs none.
    let nowhere = || (mode == Mode::Advise).then(|| Address::Unix(PathBuf::new()));
    settings_for(mode, address.or_else(nowhere)?)
}

/// What is set besides.
fn settings_for(mode: Mode, address: Address) -> Option<Settings> {
    let text = |name: &CStr| ini::string(name).unwrap_or_default();
    Some(Settings {
        mode,
        address,
        tables: Settings::tables(text(c"vaquita.kv_tables"))?,
        allows_dirty: ini::flag(c"vaquita.kv_allow_dirty"),
        max_stale: max_stale(),
    })
}

/// Whether advice goes to a file, and this script may have it written.
fn may_write_advice() -> bool {
    if ini::string(c"vaquita.kv") != Some(b"advise") {
        return false;
    }
    let path = Str::new(ini::string(c"vaquita.kv_advice").unwrap_or_default());
    let is_allowed = !path.bytes().is_empty() && files::is_allowed(path);
    path.release();
    is_allowed
}

/// Where it goes.
fn advice_file() -> Option<PathBuf> {
    let path = ini::string(c"vaquita.kv_advice")?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// How old may be what is known of tables.
pub(crate) fn max_stale() -> Duration {
    let milliseconds = u64::try_from(ini::long(c"vaquita.kv_max_stale_ms"));
    Duration::from_millis(milliseconds.unwrap_or_default())
}

/// A table of a script's, and what asks for its rows.
pub(crate) struct ByKey<'a> {
    pub(crate) table: &'a mut KeyedTable,
    pub(crate) connection: &'a mut Connection,
    pub(crate) access: Option<&'a mut Access>,
}

/// Goes on with a panic: nobody knows whether a statement was sent, and none may be sent twice, so the connection has to go, too.
fn go_on_with(Bug: Bug) -> ! {
    resume_unwind(Box::new(()))
}

impl Session {
    /// A connection is there for a new user: its statements go where the settings of now say.
    pub(super) fn begin_key_value(&self) {
        let may_write = may_write_advice();
        let settings = settings();
        self.has_access.set(settings.is_some());
        let _ = self.watch.with(|watch| *watch = None);
        // Its user before may have had one that looked on.
        if settings.is_none() && !self.access.peek(Option::is_some).unwrap_or(false) {
            self.adjust(|connection| connection.set_onlooker(None));
            return;
        }
        let _ = self.work(|connection| {
            let access = connection.as_mut().and_then(|connection| {
                connection.set_onlooker(None);
                if settings.as_ref().is_some_and(|settings| settings.mode == Mode::On) {
                    // One that fails is found out by the first command.
                    let _ = connection.track_changes();
                }
                settings.map(|settings| {
                    let mut access = Box::new(Access::new(connection, settings));
                    access.set_advice_file(advice_file().filter(|_| may_write));
                    access
                })
            });
            self.access.with(|kept| *kept = access)
        });
    }

    /// Runs a query up to its first reply, by the way that gives it soonest.
    #[inline]
    pub(super) fn run_query(
        &self,
        connection: &mut Connection,
        sql: &[u8],
    ) -> Result<QueryResponse, Error> {
        if self.has_access.get() {
            let run = |access: &mut Option<Box<Access>>| {
                access.as_mut().map(|access| access.query(connection, sql))
            };
            match self.access.with(run) {
                Ok(Some(response)) => return response,
                Ok(None) => {}
                Err(bug) => go_on_with(bug),
            }
        }
        connection.send_query(sql)?;
        connection.read_query_response()
    }

    /// Answers the run of a prepared statement, if that can be done without the server.
    #[inline]
    pub(super) fn answer_execute(
        &self,
        connection: &mut Connection,
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Columns>, Error> {
        if !self.has_access.get() {
            return Ok(None);
        }
        let run = |access: &mut Option<Box<Access>>| {
            access.as_mut().map(|access| access.execute(connection, statement, parameters))
        };
        match self.access.with(run) {
            Ok(answered) => answered.unwrap_or(Ok(None)),
            Err(bug) => go_on_with(bug),
        }
    }

    /// Notes that the server has answered the run of a prepared statement, and with what columns if it has a result.
    #[inline]
    pub(super) fn note_executed(&self, statement: &Statement, columns: Option<&Columns>) {
        if self.has_access.get() {
            let _ = self.connection.peek(|connection| {
                let Some(connection) = connection else { return };
                self.adjust_access(|access| access.executed(connection, statement, columns));
            });
        }
    }

    /// When a statement begins that is not looked at before it is sent; `None`: nobody wants to know.
    #[inline]
    pub(super) fn begin_unlooked(&self) -> Option<Instant> {
        let is_wanted =
            self.has_access.get() && self.look_at_access(Access::is_advising).unwrap_or_default();
        is_wanted.then(Instant::now)
    }

    /// It has succeeded.
    pub(super) fn note_unlooked(
        &self,
        sql: &[u8],
        columns: Option<&Columns>,
        begun: Option<Instant>,
    ) {
        let Some(time) = begun.map(|begun| begun.elapsed()) else { return };
        let _ = self.connection.peek(|connection| {
            let Some(connection) = connection else { return };
            self.adjust_access(|access| access.advise_unlooked(connection, sql, columns, time));
        });
    }

    /// The advice goes where it is to go; there may be more.
    pub(super) fn hand_over_advice(&self) {
        self.adjust_access(Access::hand_over_advice);
    }

    /// Puts the advice in order.
    pub(crate) fn sort_advice(&self) {
        self.adjust_access(Access::sort_advice);
    }

    /// Has this connection's statements answered by a port from now on, whatever the settings say; `None`: by none. False: the server has none, or
    /// it could not be asked.
    pub(crate) fn use_port(&self, address: Option<Address>) -> bool {
        let settings = address.and_then(|address| settings_for(Mode::On, address));
        let used = self.drive(|connection| {
            let mut access = None;
            if let Some(settings) = settings {
                let mut made = Box::new(Access::new(connection, settings));
                let _ = self.access.with(|before| made.take_over(connection, before.as_deref()));
                access = made.look_for_port(connection)?.then_some(made);
            }
            if access.is_none() {
                connection.set_onlooker(None);
            }
            Ok(access)
        });
        if used.is_err() {
            self.adjust(|connection| connection.set_onlooker(None));
        }
        let access = used.ok().flatten();
        let is_used = access.is_some();
        self.has_access.set(is_used);
        let _ = self.watch.with(|watch| *watch = None);
        let _ = self.access.with(|kept| *kept = access);
        is_used
    }

    /// Keeps what a script has given for this connection, in place of what it gave before; user code may run.
    pub(crate) fn hold_memcache(&self, values: &[Option<Value<'_>>]) {
        self.memcache_generation.set(self.generation.get());
        self.memcache.hold_values(values);
    }

    /// Whether a script has given anything for this connection.
    #[inline]
    pub(crate) fn has_memcache(&self) -> bool {
        self.memcache.is_there() && self.memcache_generation.get() == self.generation.get()
    }

    /// How many of its statements a port has answered.
    pub(crate) fn answered_by_port(&self) -> u64 {
        self.look_at_access(|access| access.counts().answered).unwrap_or_default()
    }

    /// Adds what became of the statements of all connections that this thread has.
    pub(crate) fn add_all_key_value_to(all: &mut Counts) {
        Session::each_of_thread(|session| {
            session.look_at_access(|access| all.add(access.counts()));
        });
    }

    /// Lets the driver work on a table by its keys: twice, if it reads and the table was another one than was known. What writes is never done
    /// again: a trigger may have failed for want of a column, and have written before where no rollback goes.
    ///
    /// # Errors
    /// The session has what the outer one is; the inner is the caller's own fault.
    pub(crate) fn by_key<R>(
        &self,
        table: &mut NamedTable,
        does: Does,
        mut work: impl FnMut(ByKey<'_>) -> Result<R, TableError>,
    ) -> Result<Result<R, TableError>, Failed> {
        let generation = self.generation();
        let mut run =
            |connection: &mut Connection, mut access: Option<&mut Access>, watch: &Watch| {
                let keyed = table.of(connection, watch, generation)?;
                let done = work(ByKey { table: keyed, connection, access: access.as_deref_mut() });
                if !matches!(&done, Err(TableError::Sql(Error::Server { code: BAD_FIELD, .. }))) {
                    return done;
                }
                // Somebody else may have changed it: then another statement is needed.
                let version = table.version();
                table.refresh();
                if does == Does::Write {
                    return done;
                }
                table.of(connection, watch, generation)?;
                if table.version() == version {
                    return done;
                }
                let keyed = table.of(connection, watch, generation)?;
                work(ByKey { table: keyed, connection, access })
            };
        self.drive(|connection| {
            let by_access = |access: &mut Option<Box<Access>>| {
                let access = access.as_deref_mut()?;
                let watch = Arc::clone(access.watch());
                Some(run(connection, Some(access), &watch))
            };
            let done = match self.access.with(by_access) {
                Ok(Some(done)) => done,
                Ok(None) => {
                    let watch = self.watch(connection);
                    run(connection, None, &watch)
                }
                Err(bug) => go_on_with(bug),
            };
            match done {
                Ok(done) => Ok(Ok(done)),
                Err(TableError::Sql(error)) => Err(error),
                Err(error) => Ok(Err(error)),
            }
        })
    }

    /// What is wrong with what a script asks of a table, in words.
    pub(crate) fn text_of(&self, error: TableError) -> Str {
        let text = error.to_string().into_bytes();
        drop(error);
        self.text(text)
    }

    /// What the connection's statements do from now on, or since that was asked first.
    fn watch(&self, connection: &mut Connection) -> Arc<Watch> {
        let watch = self.watch.with(|kept| {
            let watch = kept.get_or_insert_with(|| {
                let watch = Arc::<Watch>::default();
                connection.set_onlooker(Some(Arc::clone(&watch) as _));
                watch
            });
            Arc::clone(watch)
        });
        watch.unwrap_or_default()
    }

    /// Has the server forget what was prepared for a table, with the next command.
    pub(crate) fn close_table(&self, table: &mut NamedTable, generation: u64) {
        if self.generation() == generation {
            self.adjust(|connection| table.close(connection));
        }
    }

    /// Changes something of the access, if there is one. After a panic nobody knows what it takes for true: it goes, and the server answers all.
    fn adjust_access(&self, change: impl FnOnce(&mut Access)) {
        if let Err(Bug) = self.access.with(|access| access.as_deref_mut().map(change)) {
            self.has_access.set(false);
            let _ = self.access.with(|access| drop(access.take()));
        }
    }

    /// Looks at what is known of this connection's key-value access; `None`: it has none.
    pub(crate) fn look_at_access<R>(&self, look: impl FnOnce(&Access) -> R) -> Option<R> {
        self.access.peek(|access| access.as_deref().map(look)).ok().flatten()
    }

    /// What the port answers from, for people.
    pub(crate) fn mapping(&self) -> Str {
        let text = self.look_at_access(|access| access.mapping()).unwrap_or_default();
        self.text(text.into_bytes())
    }

    /// Has all that is known of tables and rights asked anew.
    pub(crate) fn refresh_access(&self) {
        self.adjust_access(Access::refresh);
    }
}
