//! `mysqlnd_memcache_set` and `mysqlnd_memcache_get_config`: the functions of PHP's old plugin, over what answers statements here.

use super::kv::given_session;
use crate::session::Session;
use crate::zend::array::{List, Map};
use crate::zend::call::Call;
use crate::zend::entries::Key;
use crate::zend::error::{Outcome, Thrown, deprecated_call, is_pending, throw_type_error, warning};
use crate::zend::given::Elements;
use crate::zend::slot::{Kind, Slot, Value};
use crate::zend::string::Str;
use vaquita_kv::{Access, Container, MAPPING_QUERY, Mapping, Settings};

/// MYSQLND_MEMCACHE_DEFAULT_REGEXP, as the stub has it.
const DEFAULT_REGEXP: &[u8] = b"/^[[:space:]]*SELECT[[:space:]]+(.+?)[[:space:]]+FROM[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]+WHERE[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]*=[[:space:]]*(?:'([^']*)'|(-?[0-9]+))[[:space:]]*;?[[:space:]]*$/is";

/// Where what was given stands in what a session holds.
const MEMCACHED: usize = 0;
const PATTERN: usize = 1;
const CALLBACK: usize = 2;

/// `mysqlnd_memcache_set`.
pub(crate) fn set(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 4)?;
    let session = given_session(call)?;
    let mut given = || call.value().filter(|value| !value.is_null());
    let (memcached, pattern, callback) = (given(), given(), given());
    if let Some(value) = pattern.filter(|value| value.bytes().is_none()) {
        return Err(throw_type_error(3, c"of type ?string", value));
    }
    if let Some(value) = callback.filter(|value| !value.is_callable()) {
        return Err(throw_type_error(4, c"a valid callback or null", value));
    }
    let Some(value) = memcached else {
        session.use_port(None);
        session.memcache.clear();
        call.returns().bool(true);
        return Ok(());
    };
    if pattern.and_then(Value::bytes).is_some_and(|pattern| pattern != DEFAULT_REGEXP) {
        deprecated_call(c"$pattern has no effect: what a statement means decides where it goes");
        if is_pending() {
            return Err(Thrown);
        }
    }
    let address = address(value)?;
    let parsed = Settings::address(address.bytes());
    address.release();
    let Some(parsed) = parsed else {
        let what = c"must be a Memcached object with a server, an address (host:port, [IPv6]:port or the path of a socket), or null";
        return Err(call.value_error(1, what));
    };
    if !session.use_port(Some(parsed)) {
        session.memcache.clear();
        warning(&[
            b"The server has no key-value port that this user may know of, or could not be asked",
        ]);
        call.returns().bool(false);
        return if is_pending() { Err(Thrown) } else { Ok(()) };
    }
    session.hold_memcache(&[Some(value), pattern, callback]);
    call.returns().bool(true);
    Ok(())
}

/// The address that a script gives: as a text, or that of a Memcached object's first server; an empty one is none.
fn address(value: Value<'_>) -> Outcome<Str> {
    match value.kind() {
        Kind::String => value.to_str().ok_or(Thrown),
        _ if value.is_object() => value.ask(b"getServerList", first_server)?,
        _ => Err(throw_type_error(2, c"of type object|string|null", value)),
    }
}

fn first_server(servers: Value<'_>) -> Outcome<Str> {
    let first = Elements::of(servers).next();
    let host = first.and_then(|server| server.named(b"host")?.bytes());
    let port = first.and_then(|server| server.named(b"port")).map_or(0, Value::to_long);
    let port = Str::decimal(u64::try_from(port).unwrap_or_default());
    let address = match host {
        None => Str::new(b""),
        Some(path) if path.starts_with(b"/") => Str::new(path),
        Some(host) if host.contains(&b':') => Str::concat(&[b"[", host, b"]:", port.bytes()]),
        Some(host) => Str::concat(&[host, b":", port.bytes()]),
    };
    port.release();
    if servers.count() > 1 {
        warning(&[b"The Memcached object has several servers, of which the first one is used"]);
    }
    if is_pending() {
        address.release();
        return Err(Thrown);
    }
    Ok(address)
}

/// `mysqlnd_memcache_get_config`.
pub(crate) fn get_config(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 1)?;
    let session = given_session(call)?;
    if !session.has_memcache() {
        call.returns().bool(false);
        return Ok(());
    }
    let mut config = Map::new(call.returns(), 4);
    session.memcache.share(MEMCACHED, config.insert_named(b"memcached"));
    let pattern = config.insert_named(b"pattern");
    if session.memcache.has(PATTERN) {
        session.memcache.share(PATTERN, pattern);
    } else {
        pattern.bytes(DEFAULT_REGEXP);
    }
    // What the access owns stays where it is: nothing here runs user code.
    session.look_at_access(|access| {
        write_mappings(access, config.insert_named(b"mappings"));
        let query = access.plugin().map_or("", |_| MAPPING_QUERY);
        config.insert_named(b"mapping_query").bytes(query.as_bytes());
    });
    Ok(())
}

fn write_mappings(access: &Access, slot: Slot<'_>) {
    let mut mappings = Map::new(slot, 8);
    if let Some(plugin) = access.plugin() {
        for container in &plugin.containers {
            let name = Str::new(&container.name);
            let key = name.as_number().map_or(Key::Name(name), Key::Number);
            write_container(plugin, container, mappings.insert_at(key));
            name.release();
        }
        return;
    }
    for (database, table) in &access.settings().tables {
        let name = Str::concat(&[database, b".", table]);
        let mapping = mappings.insert_named(name.bytes());
        write_mapping(mapping, (b"", b""), [database, table], b"", &[]);
        name.release();
    }
}

fn write_container(plugin: &Mapping, container: &Container, slot: Slot<'_>) {
    let prefix = Str::concat(&[b"@@", &container.name, &plugin.delimiter]);
    let [database, table] = container.path.each_ref();
    let key = container.key.first().map_or(&b""[..], |key| key);
    let words = (prefix.bytes(), &*plugin.separator);
    write_mapping(slot, words, [database, table], key, &container.values);
    prefix.release();
}

/// Writes what is known of a table, by the names that the old plugin had for it.
fn write_mapping(
    slot: Slot<'_>,
    (prefix, separator): (&[u8], &[u8]),
    [database, table]: [&[u8]; 2],
    key: &[u8],
    values: &[Box<[u8]>],
) {
    let mut mapping = Map::new(slot, 6);
    mapping.insert_named(b"prefix").bytes(prefix);
    mapping.insert_named(b"schema_name").bytes(database);
    mapping.insert_named(b"table_name").bytes(table);
    mapping.insert_named(b"id_field_name").bytes(key);
    mapping.insert_named(b"separator").bytes(separator);
    let mut fields = List::new(mapping.insert_named(b"fields"), 8);
    values.iter().for_each(|value| fields.push().bytes(value));
}

/// Runs a statement, and calls who wants to know whether a port has answered it, unless it has failed: PDO loses what it keeps of the statement if
/// another one fails before it has raised the error. **User code runs** then, and may throw; what `run` returns must have no destructor.
#[inline]
pub(crate) fn telling<R: Copy>(session: &Session, run: impl FnOnce() -> R) -> R {
    if !session.has_memcache() {
        return run();
    }
    let before = session.answered_by_port();
    let outcome = run();
    let has_failed = session.error.errno() != 0 || is_pending();
    if session.memcache.has(CALLBACK) && !has_failed {
        let _ = session.memcache.call(CALLBACK, session.answered_by_port() != before);
    }
    outcome
}

/// The same for a function of PHP's, whose value goes if somebody has thrown.
pub(crate) fn telling_call<'a>(
    call: &mut Call<'a>,
    session: &Session,
    run: impl FnOnce(&mut Call<'a>) -> Outcome,
) -> Outcome {
    if !session.has_memcache() {
        return run(call);
    }
    let outcome = telling(session, || run(call));
    if outcome.is_ok() && is_pending() {
        call.drop_returned();
        return Err(Thrown);
    }
    outcome
}
