//! How a connection is described to the driver: who connects to what, what the script asked for, what the settings say.

use super::key_value;
use super::options::{Options, milliseconds, path_of, seconds};
use super::tls;
use crate::observing;
use crate::zend::ini::{self, Kept};
use core::ffi::CStr;
use std::time::Duration;
use vaquita_client::{
    Address, Capabilities, CleartextPassword, CompressionAlgorithm, ConnectOptions, HostLimit,
    Watched,
};

/// The connection attribute that has the host as it was given, with its brackets and its port.
pub(crate) const GIVEN_HOST: &[u8] = b"_server_host";

/// `MYSQLI_CLIENT_FOUND_ROWS`.
pub(crate) const CLIENT_FOUND_ROWS: i64 = 2;
/// `MYSQLI_CLIENT_COMPRESS`; `vaquita.compression` says how.
pub(crate) const CLIENT_COMPRESS: i64 = 32;
/// `MYSQLI_CLIENT_IGNORE_SPACE`.
pub(crate) const CLIENT_IGNORE_SPACE: i64 = 256;
/// CLIENT_MULTI_STATEMENTS: several statements in one query, from the beginning on.
pub(crate) const CLIENT_MULTI_STATEMENTS: i64 = 1 << 16;
/// The flags that go to the server; besides those above NO_SCHEMA, INTERACTIVE and CAN_HANDLE_EXPIRED_PASSWORDS.
const CLIENT_FLAGS: i64 =
    CLIENT_FOUND_ROWS | 16 | CLIENT_IGNORE_SPACE | 1024 | CLIENT_MULTI_STATEMENTS | 1 << 22;
/// The port of a server that neither the call nor a setting names.
const DEFAULT_PORT: u16 = 3306;
/// Where Debian's servers listen.
pub(crate) const DEFAULT_SOCKET: &CStr = c"/var/run/mysqld/mysqld.sock";

/// Who connects to what.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// A name or an address, perhaps with a port; `None` is localhost, which goes to a unix socket.
    pub(crate) host: Option<&'a [u8]>,
    pub(crate) user: Option<&'a [u8]>,
    pub(crate) password: Option<&'a [u8]>,
    pub(crate) database: Option<&'a [u8]>,
    pub(crate) port: Option<i64>,
    pub(crate) socket: Option<&'a [u8]>,
}

impl Target<'_> {
    /// What the driver is to do. No Zend call happens in here, for it owns what it makes.
    pub(crate) fn options(
        &self,
        defaults: &Defaults<'_>,
        asked: &Options,
        flags: i64,
    ) -> ConnectOptions {
        let own = |value: Option<&[u8]>| value.unwrap_or_default().to_vec();
        let mut options = ConnectOptions::new(self.address());
        options.user = own(self.user);
        options.password = self.password.unwrap_or_default().into();
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
        options.read_timeout = asked.read_timeout.or(defaults.own.read_timeout);
        options.write_timeout = options.read_timeout;
        options.query_timeout = defaults.own.query_timeout;
        options.init_commands.clone_from(&asked.init_commands);
        options.server_public_key.clone_from(&asked.server_public_key);
        options.statement_cache = defaults.own.statement_cache;
        options.tracks_changes = key_value::is_on();
        options.observer = Watched(observing::observer());
        options.cleartext_password = defaults.own.cleartext_password;
        options.tls = tls::options(asked, &defaults.tls, flags);
        options.host_limit = defaults.host_limit.map(|(most, folder)| HostLimit {
            most,
            folder: Some(folder).filter(|it| !it.is_empty()).map(path_of),
        });
        if self.host.is_some() {
            options.attributes.push((GIVEN_HOST.to_vec(), self.host().to_vec()));
        }
        options
    }

    fn host(&self) -> &[u8] {
        self.host.unwrap_or(b"localhost")
    }

    fn address(&self) -> Address {
        let host = self.host();
        if host.eq_ignore_ascii_case(b"localhost") {
            // Never stock's last resort, /tmp/mysql.sock: anybody may listen there, and a unix socket gets passwords.
            let socket = self.socket.unwrap_or(DEFAULT_SOCKET.to_bytes());
            return Address::Unix(path_of(socket));
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

/// The number that the digits make which a text begins with, cut to 32 bits; 0 if there are none.
pub(crate) fn leading_digits(text: &[u8]) -> i64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| (number * 10 + i64::from(digit - b'0')) & 0xFFFF_FFFF)
}

/// A host and the port behind it, as PHP's streams take them: `host:port`, `[IPv6]:port`, `[IPv6]`. An IPv6 address without
/// brackets has no port.
fn split_port(host: &[u8]) -> (&[u8], Option<u16>) {
    let number = |text: &[u8]| wrap_port(leading_digits(text));
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
pub(crate) struct Defaults<'a> {
    compression: &'a [u8],
    connect_timeout: Option<Duration>,
    own: Own,
    tls: tls::Settings<'a>,
    /// How many links this machine may have to a server, and the folder where they are counted.
    host_limit: Option<(usize, &'a [u8])>,
}

/// What settings of ours give that need not be copied.
#[derive(Clone, Copy)]
struct Own {
    read_timeout: Option<Duration>,
    query_timeout: Option<Duration>,
    cleartext_password: CleartextPassword,
    host_max_links: Option<usize>,
    statement_cache: usize,
}

thread_local! {
    static OWN: Kept<Own> = const { Kept::new() };
}

impl Defaults<'_> {
    pub(crate) fn read() -> Self {
        let own = OWN.with(|own| own.get(Own::read));
        Defaults {
            compression: ini::string(c"vaquita.compression").unwrap_or_default(),
            connect_timeout: seconds(ini::long(c"default_socket_timeout")),
            own,
            tls: tls::Settings::read(),
            host_limit: own
                .host_max_links
                .map(|most| (most, ini::string(c"vaquita.run_dir").unwrap_or_default())),
        }
    }
}

impl Own {
    fn read() -> Own {
        Own {
            read_timeout: seconds(ini::long(c"vaquita.read_timeout"))
                .or_else(|| seconds(ini::long(c"mysqlnd.net_read_timeout"))),
            query_timeout: milliseconds(ini::long(c"vaquita.query_timeout_ms")),
            cleartext_password: match ini::string(c"vaquita.cleartext_password") {
                Some(b"secure") => CleartextPassword::Secure,
                _ => CleartextPassword::Off,
            },
            host_max_links: usize::try_from(ini::long(c"vaquita.host_max_links")).ok(),
            statement_cache: usize::try_from(ini::long(c"vaquita.statement_cache"))
                .unwrap_or_default(),
        }
    }
}
