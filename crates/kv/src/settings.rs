//! What somebody who has statements answered by a port has set.

use std::path::PathBuf;
use std::time::Duration;

use vaquita_client::Address;

/// A database and a table.
pub type Name = (Box<[u8]>, Box<[u8]>);

/// Whether ports are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Where their answer is SQL's.
    On,
    /// Never; but which statements they could have answered is noted.
    Advise,
}

/// What was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether ports are asked.
    pub mode: Mode,
    /// Where the port listens.
    pub address: Address,
    /// The tables that HandlerSocket may be asked for, by database and name; memcached's are the server's to name.
    pub tables: Box<[Name]>,
    /// Whether memcached may give what is not committed, or not there any more.
    pub allows_dirty: bool,
    /// After how long the server is asked again what others may have changed.
    pub max_stale: Duration,
}

impl Settings {
    /// An address as people write it: `host:port`, `[IPv6]:port`, or the path of a socket.
    pub fn address(text: &[u8]) -> Option<Address> {
        let text = std::str::from_utf8(text).ok()?;
        if text.starts_with('/') {
            return Some(Address::Unix(PathBuf::from(text)));
        }
        let (host, port) = text.rsplit_once(':')?;
        let bare = host.strip_prefix('[').map_or(Some(host), |host| host.strip_suffix(']'))?;
        let is_one = !bare.is_empty() && (bare.len() < host.len() || !bare.contains(':'));
        let port = port.parse().ok().filter(|port| *port > 0);
        Some(Address::Tcp { host: bare.to_owned(), port: port.filter(|_| is_one)? })
    }

    /// Tables as people write them: `db.t, db.u`; `None`: what stands there is none.
    pub fn tables(text: &[u8]) -> Option<Box<[Name]>> {
        let names = text.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let table = |name: &[u8]| {
            let dot = name.iter().position(|byte| *byte == b'.')?;
            let (database, table) = (name.get(..dot)?, name.get(dot + 1..)?);
            let is_name = |name: &[u8]| !name.is_empty() && name.is_ascii();
            (is_name(database) && is_name(table)).then(|| (database.into(), table.into()))
        };
        names.filter(|name| !name.is_empty()).map(table).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let tcp = |host: &str, port| Some(Address::Tcp { host: host.to_owned(), port });
        for (text, expected) in [
            ("localhost:11211", tcp("localhost", 11211)),
            ("[::1]:9998", tcp("::1", 9998)),
            ("/run/kv.sock", Some(Address::Unix("/run/kv.sock".into()))),
            ("", None),
            ("localhost", None),
            ("localhost:", None),
            ("localhost:0", None),
            ("localhost:65536", None),
            (":11211", None),
            ("::1:9998", None),
            ("[::1:9998", None),
        ] {
            assert_eq!(Settings::address(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn tables_are_read() {
        let names = |text: &str| {
            let tables = Settings::tables(text.as_bytes())?;
            let shown = tables.iter().map(|(database, table)| {
                format!("{}/{}", String::from_utf8_lossy(database), String::from_utf8_lossy(table))
            });
            Some(shown.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names("").as_deref(), Some(""));
        assert_eq!(names("a.b, c.d.e ,").as_deref(), Some("a/b c/d.e"));
        for wrong in ["a", "a.", ".b", "a.b c", "a.b, c"] {
            assert_eq!(names(wrong).is_none(), wrong != "a.b c", "{wrong}");
        }
    }
}
