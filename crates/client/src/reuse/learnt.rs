//! What a reset forgets and leaves, learnt from the server after the first one on a connection.

use vaquita_protocol::Charset;

use crate::connection::Connection;
use crate::error::Error;
use crate::own::Own;

/// The default role of the user, which a new session has on MariaDB; NULL if there is none.
const MARIADB_ROLE: &str = "(SELECT ROLE_NAME FROM information_schema.APPLICABLE_ROLES \
     WHERE IS_DEFAULT = 'YES' LIMIT 1)";
/// Whether a new session has all roles of the user's, or the default ones, on MySQL.
const MYSQL_ROLE: &str = "@@activate_all_roles_on_login";

/// The first versions with roles.
const MARIADB_WITH_ROLES: u64 = 100_005;
const MYSQL_WITH_ROLES: u64 = 80_000;

/// What is sent behind a reset.
#[derive(Debug)]
pub(super) struct Learnt {
    /// The statement that brings the role of a new session back; `None`: the server has no roles.
    pub(super) role: Option<Vec<u8>>,
    /// The statement that brings the character set and the collation of a new session back.
    pub(super) names: Vec<u8>,
    /// Whether the reset does that, too.
    pub(super) resets_names: bool,
}

impl Connection {
    /// Asks a server whose session has just been reset, or is new.
    ///
    /// # Errors
    /// The connection failed, or the server does not tell; or it has an `init_connect`: what that does to a session is nowhere undone or
    /// done again.
    pub(super) fn learn(&mut self) -> Result<Learnt, Error> {
        let version = self.version_number();
        let role = match self.is_mariadb() {
            true if version >= MARIADB_WITH_ROLES => Some(MARIADB_ROLE),
            false if version >= MYSQL_WITH_ROLES => Some(MYSQL_ROLE),
            _ => None,
        };
        let (charset, collation_id) = self.home_charset();
        let sql = format!(
            "SELECT @@init_connect, @@character_set_client, @@character_set_results, \
             @@collation_connection, \
             (SELECT COLLATION_NAME FROM information_schema.COLLATIONS WHERE ID = {collation_id}), {}",
            role.unwrap_or("NULL")
        );
        let row = self.only_row(Own::Learn, sql.as_bytes())?;
        let [init_connect, client, results, collation, home_collation, told_role] = &*row else {
            return Err(Error::Unsupported("the server does not tell what a session is like"));
        };
        if !init_connect.is_empty() {
            return Err(Error::Unsupported(
                "sessions of a server with init_connect are not reused",
            ));
        }
        let is_home =
            |name: &[u8]| Charset::by_name(name).is_some_and(|it| std::ptr::eq(it, charset));
        // MariaDB comes back to the set and the collation of the log-in. Which collation it takes for the id of a set's default is its own
        // affair there (character_set_collations), as it is in SET NAMES.
        let is_mariadb = self.is_mariadb();
        let is_default = is_mariadb && collation_id == charset.default_collation_id;
        Ok(Learnt {
            role: role.map(|role| role_statement(role, told_role)),
            names: names_statement(charset, if is_default { b"" } else { home_collation }),
            // On a set that escaping depends on the server's word of once is not enough.
            resets_names: is_home(client)
                && is_home(results)
                && (is_mariadb || collation == home_collation)
                && charset.encoding.is_ascii_safe(),
        })
    }
}

fn names_statement(charset: &Charset, collation: &[u8]) -> Vec<u8> {
    let mut statement = format!("SET NAMES {}", charset.name).into_bytes();
    if !collation.is_empty() {
        statement.extend_from_slice(b" COLLATE ");
        statement.extend_from_slice(collation);
    }
    statement
}

fn role_statement(asked: &str, told: &[u8]) -> Vec<u8> {
    match told {
        _ if asked == MYSQL_ROLE && told == b"1" => b"SET ROLE ALL".to_vec(),
        _ if asked == MYSQL_ROLE => b"SET ROLE DEFAULT".to_vec(),
        b"" => b"SET ROLE NONE".to_vec(),
        name => {
            let mut statement = b"SET ROLE `".to_vec();
            for byte in name {
                statement.extend_from_slice(if *byte == b'`' {
                    b"``"
                } else {
                    std::slice::from_ref(byte)
                });
            }
            statement.push(b'`');
            statement
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_set_as_a_new_session_has_it() {
        for (asked, told, expected) in [
            (MYSQL_ROLE, "0", "SET ROLE DEFAULT"),
            (MYSQL_ROLE, "1", "SET ROLE ALL"),
            (MARIADB_ROLE, "", "SET ROLE NONE"),
            (MARIADB_ROLE, "a`b", "SET ROLE `a``b`"),
        ] {
            let statement = role_statement(asked, told.as_bytes());
            assert_eq!(String::from_utf8_lossy(&statement), expected);
        }
    }
}
