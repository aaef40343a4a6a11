//! Opening and closing links: `mysqli_connect`, `mysqli_init`, `mysqli_real_connect`, `mysqli_close`.

use super::link::{Link, Status};
use super::report;
use crate::session::connecting::{CLIENT_MULTI_STATEMENTS, Defaults, Target};
use crate::session::options::{Options, load_server_public_key};
use crate::session::{Session, Unconnected, local_infile, pool, tls};
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, is_pending, throw_bug, warning};
use crate::zend::guarded::Bug;
use crate::zend::ini::{self, Kept};
use crate::zend::object::{Object, make};
use crate::zend::string::Str;
use crate::zend::version;
use vaquita_client::{ConnectOptions, PoolLimits};

/// What a host's name begins with that asks for a persistent connection.
const PERSISTENT_PREFIX: &[u8] = b"p:";

/// The arguments of a call that connects.
fn read_target<'a>(call: &mut Call<'a>) -> Outcome<Target<'a>> {
    Ok(Target {
        host: call.optional_bytes()?,
        user: call.optional_bytes()?,
        password: call.optional_bytes()?,
        database: call.optional_bytes()?,
        port: call.optional_long()?,
        socket: call.optional_bytes()?,
    })
}

/// Fills in what the call left out from the settings, and tells whether a persistent connection is asked for. The result must not
/// outlive the next user code, which may change the settings.
fn or_settings(mut target: Target<'_>) -> (Target<'_>, bool) {
    fn given(value: Option<&[u8]>) -> Option<&[u8]> {
        value.filter(|value| !value.is_empty())
    }
    target.host = given(target.host).or_else(|| given(ini::string(c"mysqli.default_host")));
    target.user = target.user.or_else(|| ini::string(c"mysqli.default_user"));
    target.password = target.password.or_else(|| ini::string(c"mysqli.default_pw"));
    target.port =
        target.port.filter(|port| *port != 0).or_else(|| Some(ini::long(c"mysqli.default_port")));
    target.socket = given(target.socket).or_else(|| given(ini::string(c"mysqli.default_socket")));
    let named = target.host.and_then(|host| host.split_at_checked(PERSISTENT_PREFIX.len()));
    let named = named.filter(|(prefix, _)| {
        prefix.eq_ignore_ascii_case(PERSISTENT_PREFIX) && target.host != Some(PERSISTENT_PREFIX)
    });
    target.host = named.map_or(target.host, |(_, name)| Some(name));
    (target, named.is_some())
}

/// `mysqli_connect`: a new object, or false.
pub(crate) fn connect(call: &mut Call<'_>) -> Outcome {
    if call.is_method() {
        return connect_this(call);
    }
    call.arity(0, 6)?;
    let place = read_target(call)?;
    let link = make::<Link>(call.returns());
    let connected = open(link, place, 0);
    if !matches!(connected, Ok(true)) {
        call.drop_returned();
        call.returns().bool(false);
    }
    connected.map(drop)
}

/// `mysqli::__construct`: connects, or only initialises where no argument is given.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    if call.given() == 0 {
        return init_this(call);
    }
    connect_this(call)
}

/// `mysqli::connect`, and the constructor with arguments.
fn connect_this(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 6)?;
    let place = read_target(call)?;
    let before = link.status.get();
    let connected = open(link, place, 0);
    if !matches!(connected, Ok(true)) && before > Status::Closed {
        link.status.set(Status::Emptied);
    }
    call.returns().bool(connected?);
    Ok(())
}

/// `mysqli_real_connect`.
pub(crate) fn real_connect(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 7)?;
    let place = read_target(call)?;
    // As in stock several statements in one query are for mysqli_multi_query alone.
    let flags = call.long_or(0)? & !CLIENT_MULTI_STATEMENTS;
    Link::session(link, Status::Initialised)?;
    // Where it fails the object stays as it was: it may try again.
    let connected = open(link, place, flags);
    call.returns().bool(connected?);
    Ok(())
}

/// Connects a link; `Ok(false)`: it failed, and the report mode wanted no exception. Then a new link stays as it was, and one that had a
/// connection is as new, as in stock 8.4.27; in 8.2 it goes on as one whose connection is gone.
fn open(link: Object<'_, Link>, place: Target<'_>, flags: i64) -> Outcome<bool> {
    let connected = try_open(link, place, flags);
    let is_as_new = version::is_at_least(804) && !matches!(connected, Ok(true));
    if is_as_new && link.status.get() == Status::Valid {
        link.status.set(Status::Initialised);
    }
    connected
}

fn try_open(link: Object<'_, Link>, place: Target<'_>, flags: i64) -> Outcome<bool> {
    let session: &Session = &link.state().session;
    if link.status.get() == Status::Valid {
        // The one that there was is gone in any case.
        let _ = give_up(link.state(), Key::implicit_close);
    }
    let allows_persistent = Own::now().allows_persistent;
    if or_settings(place).1 && !allows_persistent {
        warning(&[b"Persistent connections are disabled. Downgrading to normal"]);
    }
    load_server_public_key(session, true);
    let is_possible = !is_pending() && tls::may_read_files(session);
    // Settings are looked up only now: the handler of a warning above may have changed them.
    let (place, is_persistent) = or_settings(place);
    let defaults = Defaults::read();
    let is_persistent = allows_persistent && is_persistent;
    let attempted = if is_possible {
        let options = session.options.peek(|asked| place.options(&defaults, asked, flags));
        options.map(|mut options| {
            options.is_persistent = is_persistent;
            attempt(session, &options)
        })
    } else {
        Ok(Attempt::Failed)
    };
    // Nothing of the driver's is owned by this frame from here on.
    if let Ok(Attempt::TooMany(what, number)) = attempted {
        let number = Str::decimal(u64::try_from(number).unwrap_or_default());
        warning(&[b"Too many open ", what, b" (", number.bytes(), b")"]);
        number.release();
        return Ok(false);
    }
    let warned = session.error.warn();
    session.error.look(|failure| match failure {
        Some(failure) => report::set_connect_error(failure.errno, &failure.message),
        None => report::set_connect_error(0, &[]),
    });
    if let Ok(Attempt::Connected) = attempted {
        report::count_link(1);
        link.is_counted.set(true);
        link.status.set(Status::Valid);
        apply_local_infile(session);
        return Ok(true);
    }
    warned?;
    if is_pending() {
        return Err(Thrown);
    }
    // A failure to connect is reported in every mode, as in stock: `MYSQLI_REPORT_STRICT` only says how.
    session.error.raise()?;
    Ok(false)
}

/// Takes the settings over into the options of a link that has just been connected; what it was told before is overruled.
fn apply_local_infile(session: &Session) {
    let own = Own::now();
    let directory = own
        .has_local_infile_directory
        .then(|| ini::string(c"mysqli.local_infile_directory"))
        .flatten()
        .map(Str::new);
    local_infile::set(session, own.allows_local_infile, directory);
    if let Some(directory) = directory {
        directory.release();
    }
}

/// What settings say that each connection needs.
#[derive(Clone, Copy)]
struct Own {
    allows_persistent: bool,
    /// Whether closing a persistent link takes until the server has rolled back.
    awaits_end: bool,
    allows_local_infile: bool,
    has_local_infile_directory: bool,
}

thread_local! {
    static OWN: Kept<Own> = const { Kept::new() };
}

impl Own {
    fn now() -> Own {
        OWN.with(|own| own.get(Own::read))
    }

    fn read() -> Own {
        Own {
            allows_persistent: ini::flag(c"mysqli.allow_persistent"),
            awaits_end: ini::flag(c"mysqli.rollback_on_cached_plink"),
            allows_local_infile: ini::flag(c"mysqli.allow_local_infile"),
            has_local_infile_directory: ini::string(c"mysqli.local_infile_directory").is_some(),
        }
    }
}

/// How many links there may be; `None`: any number.
#[derive(Clone, Copy)]
struct Limits {
    links: Option<i64>,
    persistent: Option<i64>,
}

impl Limits {
    fn read() -> Limits {
        let limit = |name| Some(ini::long(name)).filter(|limit| *limit != -1);
        Limits { links: limit(c"mysqli.max_links"), persistent: limit(c"mysqli.max_persistent") }
    }
}

/// What an attempt to connect came to.
enum Attempt {
    Connected,
    /// The session has the reason.
    Failed,
    /// There are as many as may be, of what and how many.
    TooMany(&'static [u8], i64),
}

/// Connects a session, or takes a persistent connection that is there. As in stock, limits do not count for the latter.
fn attempt(session: &Session, options: &ConnectOptions) -> Attempt {
    let is_persistent = options.is_persistent;
    let pool_limits = PoolLimits { awaits_end: Own::now().awaits_end, ..pool::limits() };
    if is_persistent && session.reuse(options, &pool_limits) {
        return Attempt::Connected;
    }
    let limits = Limits::read();
    let open = report::open_links();
    if limits.links.is_some_and(|limit| open >= limit) {
        return Attempt::TooMany(b"links", open);
    }
    let open = pool::active() + pool::idle();
    if is_persistent && limits.persistent.is_some_and(|limit| open >= limit) {
        return Attempt::TooMany(b"persistent links", open);
    }
    match session.connect(options) {
        Ok(()) => {}
        Err(Unconnected::TooManyLinks(open)) => {
            // As with the limits above nothing is left but a warning.
            session.error.clear();
            return Attempt::TooMany(b"links", i64::try_from(open).unwrap_or(i64::MAX));
        }
        Err(Unconnected::Failed) => return Attempt::Failed,
    }
    if is_persistent {
        session.count(Key::pconnect_success, 1);
        session.lease(&pool_limits);
    }
    Attempt::Connected
}

/// `mysqli_init`: a new object that is not connected yet.
pub(crate) fn init(call: &mut Call<'_>) -> Outcome {
    if call.is_method() {
        return init_this(call);
    }
    call.arity(0, 0)?;
    let link = make::<Link>(call.returns());
    link.status.set(Status::Initialised);
    Ok(())
}

/// `mysqli::init`, and the constructor without arguments.
fn init_this(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    if link.status.get() == Status::Closed {
        link.session.error.clear(); // of a constructor that failed
        link.status.set(Status::Initialised);
    }
    Ok(())
}

/// `mysqli_close`.
pub(crate) fn close(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    Link::session(link, Status::Initialised)?;
    let given_up = give_up(link.state(), Key::explicit_close);
    link.status.set(Status::Closed);
    call.returns().bool(true);
    given_up.map_err(|Bug| {
        throw_bug();
        Thrown
    })
}

/// Ends a link's connection, or gives it back, and forgets its options.
fn give_up(link: &Link, how: Key) -> Result<(), Bug> {
    let closed = link.session.close(how);
    link.session.set_native(false);
    let _ = link.session.options.with(|options| *options = Options::default());
    if link.is_counted.replace(false) {
        report::count_link(-1);
    }
    closed
}

impl Drop for Link {
    fn drop(&mut self) {
        // As in stock the end of the object counts as if the script had said it.
        let _ = give_up(self, Key::explicit_close);
    }
}

/// `mysqli_connect_errno`.
pub(crate) fn connect_errno(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    call.returns().long(report::connect_errno());
    Ok(())
}

/// `mysqli_connect_error`.
pub(crate) fn connect_error(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    report::write_connect_error(call.returns());
    Ok(())
}
