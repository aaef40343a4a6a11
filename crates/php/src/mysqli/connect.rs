//! Opening and closing links: `mysqli_connect`, `mysqli_init`, `mysqli_real_connect`, `mysqli_close`.

use super::DEFAULT_SOCKET;
use super::link::Link;
use super::local_infile;
use super::options::Options;
use super::options::{load_server_public_key, milliseconds, seconds};
use super::persistent;
use super::report;
use super::session::{Session, Status};
use super::tls;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, is_pending, warning};
use crate::zend::ini;
use crate::zend::object::{Object, make};
use crate::zend::string::Str;
use std::time::Duration;
use vaquita_client::{
    Address, Capabilities, CleartextPassword, CompressionAlgorithm, ConnectOptions,
};

/// The connection attribute that has the host as it was given, with its brackets and its port.
pub(super) const GIVEN_HOST: &[u8] = b"_server_host";

/// `MYSQLI_CLIENT_COMPRESS`; `vaquita.compression` says how.
const CLIENT_COMPRESS: i64 = 32;
/// The flags of `mysqli_real_connect` that go to the server: FOUND_ROWS, NO_SCHEMA, IGNORE_SPACE, INTERACTIVE,
/// CAN_HANDLE_EXPIRED_PASSWORDS.
const CLIENT_FLAGS: i64 = 2 | 16 | 256 | 1024 | 1 << 22;
/// The port of a server that neither the call nor a setting names.
const DEFAULT_PORT: u16 = 3306;
/// What a host's name begins with that asks for a persistent connection.
const PERSISTENT_PREFIX: &[u8] = b"p:";

/// The arguments of a call that connects.
#[derive(Clone, Copy)]
struct Where<'a> {
    host: Option<&'a [u8]>,
    user: Option<&'a [u8]>,
    password: Option<&'a [u8]>,
    database: Option<&'a [u8]>,
    port: Option<i64>,
    socket: Option<&'a [u8]>,
}

impl<'a> Where<'a> {
    fn read(call: &mut Call<'a>) -> Outcome<Where<'a>> {
        Ok(Where {
            host: call.optional_bytes()?,
            user: call.optional_bytes()?,
            password: call.optional_bytes()?,
            database: call.optional_bytes()?,
            port: call.optional_long()?,
            socket: call.optional_bytes()?,
        })
    }

    /// Whether the host's name asks for a persistent connection.
    fn is_persistent(&self) -> bool {
        let prefix = self.host.and_then(|host| host.get(..PERSISTENT_PREFIX.len()));
        prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PERSISTENT_PREFIX))
            && self.host != Some(PERSISTENT_PREFIX)
    }

    /// The host's name, without the prefix that asks for a persistent connection.
    fn host(&self) -> &'a [u8] {
        let host = self.host.unwrap_or(b"localhost");
        if self.is_persistent() {
            host.get(PERSISTENT_PREFIX.len()..).unwrap_or(host)
        } else {
            host
        }
    }

    /// Fills in what the call left out from the settings. The result must not outlive the next user code, which may change them.
    fn or_settings(mut self) -> Where<'a> {
        let given = |value: Option<&'a [u8]>| value.filter(|value| !value.is_empty());
        self.host = given(self.host).or_else(|| given(ini::string(c"mysqli.default_host")));
        self.user = self.user.or_else(|| ini::string(c"mysqli.default_user"));
        self.password = self.password.or_else(|| ini::string(c"mysqli.default_pw"));
        self.port =
            self.port.filter(|port| *port != 0).or_else(|| Some(ini::long(c"mysqli.default_port")));
        self.socket = given(self.socket).or_else(|| given(ini::string(c"mysqli.default_socket")));
        self
    }

    /// What the driver is to do. No Zend call happens in here, for it owns what it makes.
    fn options(&self, defaults: &Defaults<'_>, asked: &Options, flags: i64) -> ConnectOptions {
        let own = |value: Option<&[u8]>| value.unwrap_or_default().to_vec();
        let mut options = ConnectOptions::new(self.address());
        options.user = own(self.user);
        options.password = own(self.password);
        options.database = self.database.filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
        options.charset = asked.charset;
        options.capabilities =
            Capabilities::from_bits(u64::try_from(flags & CLIENT_FLAGS).unwrap_or_default());
        if asked.can_handle_expired_passwords {
            options.capabilities |= Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS;
        }
        if flags & CLIENT_COMPRESS != 0 {
            options.compression =
                CompressionAlgorithm::parse_list(defaults.compression).unwrap_or_default();
        }
        options.connect_timeout = asked.connect_timeout.or(defaults.connect_timeout);
        options.read_timeout = asked.read_timeout.or(defaults.read_timeout);
        options.write_timeout = options.read_timeout;
        options.query_timeout = defaults.query_timeout;
        options.init_commands.clone_from(&asked.init_commands);
        options.server_public_key.clone_from(&asked.server_public_key);
        options.cleartext_password = defaults.cleartext_password;
        options.tls = tls::options(asked, &defaults.tls, flags);
        if self.host.is_some() {
            options.attributes.push((GIVEN_HOST.to_vec(), self.host().to_vec()));
        }
        options
    }

    fn address(&self) -> Address {
        let host = self.host();
        if host.eq_ignore_ascii_case(b"localhost") {
            // Never stock's last resort, /tmp/mysql.sock: anybody may listen there, and a unix socket gets passwords.
            let socket = self.socket.unwrap_or(DEFAULT_SOCKET.to_bytes());
            return Address::Unix(super::options::path_of(socket));
        }
        let (host, own_port) = split_port(host);
        let port = own_port.or(self.port.map(wrap_port)).unwrap_or(DEFAULT_PORT);
        Address::Tcp { host: String::from_utf8_lossy(host).into_owned(), port }
    }
}

/// A port of 16 bits, as stock cuts it: a number out of range names some port, never the default.
fn wrap_port(port: i64) -> u16 {
    u16::try_from(port & 0xFFFF).unwrap_or_default()
}

/// A host and the port behind it, as PHP's streams take them: `host:port`, `[IPv6]:port`, `[IPv6]`. An IPv6 address without
/// brackets has no port.
fn split_port(host: &[u8]) -> (&[u8], Option<u16>) {
    let number = |text: &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
        let value =
            digits.fold(0_i64, |value, digit| (value * 10 + i64::from(digit - b'0')) & 0xFFFF_FFFF);
        wrap_port(value)
    };
    let mut parts = host.splitn(3, |byte| *byte == b':');
    if let Some(bracketed) = host.strip_prefix(b"[") {
        let mut parts = bracketed.splitn(2, |byte| *byte == b']');
        let address = parts.next().unwrap_or_default();
        return (address, parts.next().and_then(|rest| rest.strip_prefix(b":")).map(number));
    }
    match (parts.next(), parts.next(), parts.next()) {
        (Some(name), Some(port), None) => (name, Some(number(port))),
        _ => (host, None),
    }
}

/// What settings give. It must not outlive the next user code, which may change them.
struct Defaults<'a> {
    compression: &'a [u8],
    connect_timeout: Option<Duration>,
    read_timeout: Option<Duration>,
    query_timeout: Option<Duration>,
    tls: tls::Settings<'a>,
    cleartext_password: CleartextPassword,
}

impl Defaults<'_> {
    fn read() -> Self {
        Defaults {
            compression: ini::string(c"vaquita.compression").unwrap_or_default(),
            connect_timeout: seconds(ini::long(c"default_socket_timeout")),
            read_timeout: seconds(ini::long(c"mysqlnd.net_read_timeout")),
            query_timeout: milliseconds(ini::long(c"vaquita.query_timeout_ms")),
            cleartext_password: match ini::string(c"vaquita.cleartext_password") {
                Some(b"secure") => CleartextPassword::Secure,
                _ => CleartextPassword::Off,
            },
            tls: tls::Settings::read(),
        }
    }
}

/// `mysqli_connect`: a new object, or false.
pub(crate) fn connect(call: &mut Call<'_>) -> Outcome {
    if call.is_method() {
        return connect_this(call);
    }
    call.arity(0, 6)?;
    let place = Where::read(call)?;
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
    let place = Where::read(call)?;
    let before = link.session.status.get();
    let connected = open(link, place, 0);
    if !matches!(connected, Ok(true)) && before > Status::Closed {
        link.session.status.set(Status::Emptied);
    }
    call.returns().bool(connected?);
    Ok(())
}

/// `mysqli_real_connect`.
pub(crate) fn real_connect(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 7)?;
    let place = Where::read(call)?;
    let flags = call.long_or(0)?;
    Link::session(link, Status::Initialised)?;
    // Where it fails the object stays as it was: it may try again.
    let connected = open(link, place, flags);
    call.returns().bool(connected?);
    Ok(())
}

/// Connects a link; `Ok(false)`: it failed, and the report mode wanted no exception. Then the status is as it was.
fn open(link: Object<'_, Link>, place: Where<'_>, flags: i64) -> Outcome<bool> {
    let session: &Session = &link.state().session;
    if session.status.get() == Status::Valid {
        give_up(session, Key::implicit_close);
    }
    let allows_persistent = ini::flag(c"mysqli.allow_persistent");
    if place.or_settings().is_persistent() && !allows_persistent {
        warning(&[b"Persistent connections are disabled. Downgrading to normal"]);
    }
    load_server_public_key(session);
    let is_possible = !is_pending() && tls::may_read_files(session);
    // Settings are looked up only now: the handler of a warning above may have changed them.
    let place = place.or_settings();
    let defaults = Defaults::read();
    let limits = Limits::read();
    let is_persistent = allows_persistent && place.is_persistent();
    let attempted = if is_possible {
        let options = session.options.peek(|asked| place.options(&defaults, asked, flags));
        options.map(|options| attempt(session, &options, is_persistent, limits))
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
        session.is_counted.set(true);
        session.status.set(Status::Valid);
        local_infile::apply_settings(session);
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
fn attempt(
    session: &Session,
    options: &ConnectOptions,
    is_persistent: bool,
    limits: Limits,
) -> Attempt {
    if is_persistent && session.reuse(options) {
        return Attempt::Connected;
    }
    let open = report::open_links();
    if limits.links.is_some_and(|limit| open >= limit) {
        return Attempt::TooMany(b"links", open);
    }
    let open = persistent::active() + persistent::idle();
    if is_persistent && limits.persistent.is_some_and(|limit| open >= limit) {
        return Attempt::TooMany(b"persistent links", open);
    }
    if session.connect(options).is_err() {
        return Attempt::Failed;
    }
    if is_persistent {
        session.count(Key::pconnect_success, 1);
        session.lease(options);
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
    link.session.status.set(Status::Initialised);
    Ok(())
}

/// `mysqli::init`, and the constructor without arguments.
fn init_this(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    if link.session.status.get() == Status::Closed {
        link.session.status.set(Status::Initialised);
    }
    Ok(())
}

/// `mysqli_close`.
pub(crate) fn close(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    let session = Link::session(link, Status::Initialised)?;
    give_up(session, Key::explicit_close);
    session.status.set(Status::Closed);
    call.returns().bool(true);
    Ok(())
}

/// Ends a link's connection, or gives it back, and forgets its options.
fn give_up(session: &Session, how: Key) {
    session.close(how);
    let _ = session.options.with(|options| *options = Options::default());
    if session.is_counted.replace(false) {
        report::count_link(-1);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // As in stock the end of the object counts as if the script had said it.
        give_up(&self.session, Key::explicit_close);
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
