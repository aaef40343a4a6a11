//! From which tables MySQL's memcached plugin answers, as its own tables say.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/innodb-memcached-internals.html>

use std::fmt;

use vaquita_client::Connection;

use crate::error::Error;
use crate::table::{Row, is_same_name, rows, value};

/// What the plugin was told, which it reads when it is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The tables, the first one that without whose name the plugin answers.
    pub containers: Box<[Container]>,
    /// What stands between the values of several columns.
    pub separator: Box<[u8]>,
    /// What stands between a table's name and a key.
    pub delimiter: Box<[u8]>,
    /// Whether what is asked for comes from InnoDB, and not from a cache of the plugin's.
    pub is_of_innodb: bool,
    /// What reads see (`innodb_api_trx_level`): from 1 on what is committed, at 0 also what is not.
    pub isolation: u64,
    /// After how many reads a connection of the plugin's looks at what is new (`daemon_memcached_r_batch_size`): at 1 each time.
    pub reads_a_look: u64,
    /// Whether the server is older than MySQL 8.0.
    pub is_old: bool,
}

/// A table that the plugin answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// The name that stands between `@@` and the delimiter.
    pub name: Box<[u8]>,
    /// The database and the table, as the plugin was told.
    pub path: [Box<[u8]>; 2],
    /// The names of the columns that are the key; the plugin knows one.
    pub key: Box<[Box<[u8]>]>,
    /// The names of the columns that are the value.
    pub values: Box<[Box<[u8]>]>,
    /// The column that has the flags.
    pub flags: Option<Box<[u8]>>,
    /// The column that has the expiry: rows may be there that the plugin does not give any more.
    pub expiry: Option<Box<[u8]>>,
    /// The unique index that is looked at.
    pub index: Box<[u8]>,
}

/// What asks for the tables.
pub const MAPPING_QUERY: &str = "SELECT name, db_schema, db_table, key_columns, value_columns, flags, expire_time_column, unique_idx_name_on_key \
     FROM innodb_memcache.containers ORDER BY name";

impl Mapping {
    /// What a server's plugin was told; `None` if it has none that is active.
    ///
    /// # Errors
    /// [`Error::Lost`]: the connection's, also where this user may not read the plugin's tables.
    pub fn read(connection: &mut Connection) -> Result<Option<Mapping>, Error> {
        let is_active = rows(
            connection,
            b"SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached' AND PLUGIN_STATUS = 'ACTIVE'",
        )?;
        if is_active.is_empty() {
            return Ok(None);
        }
        let settings = rows(
            connection,
            b"SELECT @@innodb_api_trx_level, @@daemon_memcached_r_batch_size, @@version",
        )?;
        let [isolation, reads_a_look] = [0, 1].map(|place| {
            let setting = settings.first().map(|row| value(row, place));
            setting.and_then(crate::decimal::decimal).unwrap_or_default()
        });
        let version = settings.first().map_or(&b""[..], |row| value(row, 2));
        let is_old = version.starts_with(b"5.");
        let policies = rows(connection, b"SELECT get_policy FROM innodb_memcache.cache_policies")?;
        let is_of_innodb = policies.iter().all(|row| value(row, 0) == b"innodb_only");
        let options = rows(connection, b"SELECT name, value FROM innodb_memcache.config_options")?;
        let option = |name: &[u8], usual: &[u8]| {
            let found = options.iter().find(|row| value(row, 0) == name);
            found.map_or(usual, |row| value(row, 1)).into()
        };
        let told = rows(connection, MAPPING_QUERY.as_bytes())?;
        let containers = told.iter().map(Container::of).collect();
        let [separator, delimiter] =
            [option(b"separator", b"|"), option(b"table_map_delimiter", b".")];
        Ok(Some(Mapping {
            containers,
            separator,
            delimiter,
            is_of_innodb,
            isolation,
            reads_a_look,
            is_old,
        }))
    }

    /// The container of a table.
    pub fn of(&self, database: &[u8], table: &[u8]) -> Option<&Container> {
        let is_meant =
            |it: &&Container| it.path.each_ref().map(|name| &**name) == [database, table];
        self.containers.iter().find(is_meant)
    }
}

impl Container {
    fn of(row: &Row) -> Container {
        let [name, database, table, key, values, flags, expiry, index] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(|place| value(row, place));
        let several = |names: &[u8]| {
            let names = names.split(|byte| matches!(byte, b' ' | b',' | b';' | b'|'));
            names.filter(|name| !name.is_empty()).map(Into::into).collect()
        };
        // "0" and nothing stand for none.
        let maybe =
            |name: &[u8]| Some(name).filter(|name| !matches!(*name, b"" | b"0")).map(Into::into);
        Container {
            name: name.into(),
            path: [database, table].map(Into::into),
            key: several(key),
            values: several(values),
            flags: maybe(flags),
            expiry: maybe(expiry),
            index: index.into(),
        }
    }

    /// Where a column stands among those of the value.
    pub fn place_of(&self, column: &[u8]) -> Option<usize> {
        self.values.iter().position(|value| is_same_name(value, column))
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let all = |names: &[Box<[u8]>]| {
            names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
        };
        let of = if self.is_of_innodb { "InnoDB" } else { "a cache" };
        writeln!(
            f,
            "from {of}, isolation {}, a look each {} reads, separator {:?}, delimiter {:?}",
            self.isolation,
            self.reads_a_look,
            shown(&self.separator),
            shown(&self.delimiter)
        )?;
        for it in &self.containers {
            let [database, table] = it.path.each_ref().map(|name| shown(name));
            write!(
                f,
                "{}: {database}.{table} by {} ({}): {}",
                shown(&it.name),
                shown(&it.index),
                all(&it.key),
                all(&it.values)
            )?;
            for (what, column) in [("flags", &it.flags), ("expiry", &it.expiry)] {
                if let Some(column) = column {
                    write!(f, ", {what} in {}", shown(column))?;
                }
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}
