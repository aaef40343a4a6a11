//! What a server has besides SQL, as it says itself.

use vaquita_client::Connection;

use crate::error::Error;
use crate::memcached::Mapping;
use crate::settings::Name;
use crate::table::{rows, value};

/// What a server has besides SQL.
#[derive(Debug, Default)]
pub(crate) enum Server {
    /// Nothing, or this user may not know.
    #[default]
    Nothing,
    Memcached(Mapping),
    /// The secret that HandlerSocket asks for.
    HandlerSocket(Box<[u8]>),
}

impl Server {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Server::Nothing => "",
            Server::Memcached(_) => "memcached",
            Server::HandlerSocket(_) => "handlersocket",
        }
    }

    /// Asks for it.
    pub(crate) fn ask(connection: &mut Connection) -> Result<Server, Error> {
        if connection.is_mariadb() {
            handler_socket(connection)
        } else {
            Mapping::read(connection).map(|it| it.map_or(Server::Nothing, Server::Memcached))
        }
    }

    /// What the port answers from, for people.
    pub(crate) fn describe(&self, named: &[Name]) -> String {
        match self {
            Server::Nothing => String::new(),
            Server::Memcached(mapping) => mapping.to_string(),
            Server::HandlerSocket(_) => {
                let name = |(database, table): &Name| {
                    let [database, table] = [database, table].map(|it| String::from_utf8_lossy(it));
                    format!("{database}.{table}\n")
                };
                named.iter().map(name).collect()
            }
        }
    }
}

/// MariaDB's HandlerSocket, if it is there.
fn handler_socket(connection: &mut Connection) -> Result<Server, Error> {
    let active = rows(
        connection,
        b"SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'handlersocket' AND PLUGIN_STATUS = 'ACTIVE'",
    )?;
    if active.is_empty() {
        return Ok(Server::Nothing);
    }
    let secret = rows(connection, b"SELECT @@handlersocket_plain_secret")?;
    let secret = secret.first().map_or(&b""[..], |row| value(row, 0)).into();
    Ok(Server::HandlerSocket(secret))
}
