//! How many connections all processes of a user on this machine have to one server: each connection holds a slot that they share, from
//! before its socket is opened until that is closed.
//!
//! The connection that kills a query ([`crate::killer`]) has none: it helps one that is there, for a moment, and must not fail.

use std::cell::RefCell;
use std::io;
use std::path::{PathBuf, absolute};
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use vaquita_sys::{CAPACITY, Full, Process, Slot, Table, shared_folder};

use crate::error::Error;
use crate::options::{Address, ConnectOptions};

/// How many servers' tables a thread keeps open.
const MAX_TABLES: usize = 64;

/// How many connections to one server there may be at once, of all processes of this user on this machine that limit them so.
///
/// A server is what its address says: by another name, or another way, it is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLimit {
    /// The most connections; no more than [`CAPACITY`] are possible.
    pub most: usize,
    /// The folder where they are counted, an absolute path; `None`: `/run/vaquita` if this user may write there, else `/dev/shm`.
    pub folder: Option<PathBuf>,
}

/// A connection's slot; dropping it frees it.
#[derive(Debug)]
pub(crate) struct HostLink(Slot);

impl HostLink {
    /// Takes a slot for a connection with these options; `None`: they ask for none.
    ///
    /// # Errors
    /// There are as many connections as may be, or they can't be counted.
    pub(crate) fn take(options: &ConnectOptions) -> Result<Option<HostLink>, Error> {
        let Some(limit) = &options.host_limit else { return Ok(None) };
        let process = Process::this().map_err(Error::LinksUncounted)?;
        let table = table(limit, &options.address, process).map_err(Error::LinksUncounted)?;
        let taken = table.take(process, limit.most);
        taken.map(|slot| Some(HostLink(slot))).map_err(|Full { taken }| Error::TooManyLinks(taken))
    }

    /// Whether it is this process's, not that of the one which this one was forked from.
    pub(crate) fn is_own(&self) -> bool {
        self.0.is_own()
    }
}

/// A table that is open.
struct Known {
    /// A forked child opens its own: it may see other processes.
    process: Process,
    folder: Option<PathBuf>,
    server: Vec<u8>,
    table: Arc<Table>,
}

thread_local! {
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The table in which the connections to a server are counted.
fn table(limit: &HostLimit, address: &Address, process: Process) -> io::Result<Arc<Table>> {
    let HostLimit { most, folder } = limit;
    let server = name(address);
    KNOWN.with_borrow_mut(|known| {
        known.retain(|it| it.process == process);
        let is_meant = |it: &Known| it.server == server && it.folder == *folder;
        if let Some(Known { table, .. }) = known.iter().find(|it| is_meant(it))
            && table.room() >= CAPACITY.min(*most)
            && table.is_current()
        {
            return Ok(Arc::clone(table));
        }
        // Somebody has removed its file, or more room is needed.
        known.retain(|it| !is_meant(it));
        let table =
            Arc::new(Table::open(shared_folder(folder.as_deref())?, &hash(&server), *most)?);
        if known.len() == MAX_TABLES {
            known.remove(0);
        }
        known.push(Known { process, folder: folder.clone(), server, table: Arc::clone(&table) });
        Ok(table)
    })
}

/// What the server is called, whoever asks for it.
fn name(address: &Address) -> Vec<u8> {
    match address {
        Address::Tcp { host, port } => format!("{}:{port}", host.to_ascii_lowercase()).into_bytes(),
        Address::Unix(path) => {
            let path = absolute(path).unwrap_or_else(|_| path.clone());
            path.into_os_string().into_encoded_bytes()
        }
    }
}

/// That, as a part of a file's name.
fn hash(name: &[u8]) -> String {
    let hash = digest(&SHA256, name);
    hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_what_its_address_says() {
        let tcp = |host: &str| name(&Address::Tcp { host: host.to_owned(), port: 3306 });
        assert_eq!(tcp("DB.example"), b"db.example:3306");
        assert_eq!(tcp("::1"), b"::1:3306");
        assert_eq!(name(&Address::Unix("/run/my.sock".into())), b"/run/my.sock");
        assert!(name(&Address::Unix("my.sock".into())).ends_with(b"/my.sock"));
        assert_eq!(hash(b"db.example:3306").len(), 32);
    }
}
