//! What a session does in between: it is reset, its tables are locked or changed, its limits are small.

use vaquita_client::Connection;
use vaquita_kv::{KeyValue, KeyedTable, TableError};

use crate::servers::{Feature, Server, connect, drop_user, rows, run, text as sql_text};
use crate::{first_values, get, in_database, keyed, table, text, written};

/// A table of a thousand numbers, and others that grow with it.
fn make(connection: &mut Connection) -> KeyedTable {
    run(connection, "DROP TABLE IF EXISTS t");
    run(connection, "CREATE TABLE t (k VARCHAR(20) PRIMARY KEY, v VARCHAR(20)) ENGINE = InnoDB");
    let all: Vec<String> = (0..1000).map(|it| format!("('key {it}', 'value {it}')")).collect();
    run(connection, &format!("INSERT INTO t VALUES {}", all.join(",")));
    connection.send_query(b"ANALYZE TABLE t").unwrap();
    connection.read_query_response().unwrap();
    connection.store_result().unwrap();
    keyed(connection, "t")
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|it| format!("key {it}")).collect()
}

fn keys(names: &[String]) -> Vec<KeyValue<'_>> {
    names.iter().map(|it| text(it)).collect()
}

/// Asks for so many keys in all ways, of which all have a row.
fn ask(connection: &mut Connection, t: &mut KeyedTable, count: usize) {
    let names = names(count);
    let expected: Vec<Option<String>> = (0..count).map(|it| Some(format!("value {it}"))).collect();
    let found = t.get_many(connection, &keys(&names)).unwrap();
    assert_eq!(first_values(&found), expected);
    assert_eq!(get(t, connection, text("key 7")).unwrap(), "value 7");
}

#[test]
fn a_session_that_is_reset_prepares_anew() {
    for server in Server::with(Feature::ResetConnection) {
        let mut connection = in_database(&server, "kv_by_sql_reset");
        let c = &mut connection;
        let mut t = make(c);
        let value: [(&[u8], _); 1] = [(b"v", written(b"x"))];
        ask(c, &mut t, 10);
        t.set(c, &[text("a")], &value).unwrap();
        assert!(t.delete(c, &[text("a")]).unwrap());
        for forgets in [false, true] {
            for way in 0..5 {
                c.reset_connection().unwrap();
                if forgets {
                    t.forget();
                }
                // Others have prepared something in between.
                let other = c.prepare(b"SELECT 'another'").unwrap();
                match way {
                    0 => ask(c, &mut t, 10),
                    1 => ask(c, &mut t, 3),
                    2 => assert!(t.add(c, &[text("a")], &value).unwrap()),
                    3 => t.set(c, &[text("a")], &value).unwrap(),
                    _ => assert!(t.delete(c, &[text("a")]).unwrap()),
                }
                c.close_statement(&other).unwrap();
            }
        }
    }
}

#[test]
fn a_statement_that_a_trigger_says_is_lost_is_not_run_again() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_trigger");
        let c = &mut connection;
        run(c, "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k)) ENGINE = InnoDB");
        // MyISAM keeps what was written before an error.
        run(c, "CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY) ENGINE = MyISAM");
        run(
            c,
            "CREATE TRIGGER lost BEFORE INSERT ON t FOR EACH ROW BEGIN INSERT INTO log VALUES (NULL); \
             SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1243; END",
        );
        let mut t = keyed(c, "t");
        let error = t.add(c, &[KeyValue::Integer(1)], &[]).unwrap_err();
        assert!(matches!(&error, TableError::Sql(error) if error.code() == 1243), "{error}");
        assert_eq!(sql_text(c, "SELECT COUNT(*) FROM log"), "1", "{}", server.name);
        run(c, "DROP TRIGGER lost");
        assert!(t.add(c, &[KeyValue::Integer(1)], &[]).unwrap());
    }
}

#[test]
fn a_session_is_as_it_is() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_session");
        let c = &mut connection;
        let mut t = make(c);
        run(c, "LOCK TABLES t READ");
        ask(c, &mut t, 10);
        run(c, "UNLOCK TABLES");
        run(c, "SET sql_select_limit = 1, sql_safe_updates = 1");
        ask(c, &mut t, 100);
        assert!(t.replace(c, &[text("key 7")], &[(b"v", written(b"value 7"))]).unwrap());
        run(c, "SET sql_select_limit = DEFAULT, sql_safe_updates = 0");
        // What is in a transaction is seen there, and only there.
        run(c, "BEGIN");
        assert!(t.delete(c, &[text("key 5")]).unwrap());
        let names = names(6);
        let in_transaction = first_values(&t.get_many(c, &keys(&names)).unwrap());
        assert_eq!(in_transaction[5], None);
        let other = &mut server.connect();
        run(other, "USE kv_by_sql_session");
        let mut others = keyed(other, "t");
        ask(other, &mut others, 10);
        run(c, "ROLLBACK");
        ask(c, &mut t, 10);
        // A column more, by others, is no matter; one less is an error of the server's.
        run(c, "ALTER TABLE t ADD w INT FIRST");
        ask(c, &mut t, 10);
        run(c, "ALTER TABLE t DROP v");
        for count in [1, 10] {
            let error = t.get_many(c, &keys(&names)[..count.min(6)]).unwrap_err();
            assert!(matches!(&error, TableError::Sql(error) if error.code() == 1054), "{error}");
        }
        run(c, "DROP TABLE t");
        let error = t.get(c, &[text("a")]).unwrap_err();
        assert!(matches!(&error, TableError::Sql(error) if error.code() == 1146), "{error}");
        assert!(matches!(keyed_by(c, "nothing"), Err(TableError::Index(_))));
    }
}

/// By another index, or a column of another kind, there are no keys.
fn keyed_by(c: &mut Connection, index: &str) -> Result<KeyedTable, TableError> {
    run(
        c,
        "CREATE TABLE IF NOT EXISTS u (d DATE PRIMARY KEY, v VARCHAR(20), UNIQUE begins (v(2)))",
    );
    let u = table(c, "u");
    assert!(matches!(KeyedTable::new(&u, b"PRIMARY", None), Err(TableError::KeyKind(_))));
    assert!(matches!(KeyedTable::new(&u, b"begins", None), Err(TableError::Index(_))));
    let columns: [&[u8]; 1] = [b"none"];
    KeyedTable::new(&u, index.as_bytes(), Some(&columns))
}

#[test]
fn keys_are_looked_up_in_the_index() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_index");
        let c = &mut connection;
        let mut t = make(c);
        run(
            c,
            "CREATE TABLE l (k VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY, v VARCHAR(20)) AS SELECT k, v FROM t",
        );
        let mut latin1 = keyed(c, "l");
        run(c, "CREATE TABLE b (k VARBINARY(20) PRIMARY KEY, v VARCHAR(20)) AS SELECT k, v FROM t");
        let mut bytes = keyed(c, "b");
        for (name, t) in [("t", &mut t), ("l", &mut latin1), ("b", &mut bytes)] {
            ask(c, t, 100);
            run(c, "FLUSH STATUS");
            ask(c, t, 100);
            // A key that is converted first, alone and among others.
            let keys = ["ä", "key 1", "ß", "key 2", "ü"].map(text);
            assert!(get(t, c, keys[0]).is_none());
            let found = t.get_many(c, &keys).unwrap();
            assert_eq!(first_values(&found).into_iter().flatten().count(), 2);
            let status = "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_rnd_next', 'Handler_read_next', 'Handler_read_first')";
            let read: u64 = rows(c, status)
                .iter()
                .map(|row| {
                    String::from_utf8(row[1].clone().unwrap()).unwrap().parse::<u64>().unwrap()
                })
                .sum();
            // The keys themselves, of which a server may make a table.
            assert!(read <= 120, "{} {name}: {read}", server.name);
        }
    }
}

#[test]
fn who_may_read_a_table_may_read_its_keys() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_rights");
        let c = &mut connection;
        make(c);
        drop_user(c, "kv_reader", "%");
        run(c, "CREATE USER kv_reader@'%' IDENTIFIED BY 'Secret-1'");
        run(c, "GRANT SELECT (k, v) ON kv_by_sql_rights.t TO kv_reader@'%'");
        let mut options = server.options(server.unix());
        options.user = b"kv_reader".to_vec();
        options.password = b"Secret-1".into();
        options.database = Some(b"kv_by_sql_rights".to_vec());
        let reader = &mut connect(&options);
        let mut t = keyed(c, "t");
        t.forget();
        ask(reader, &mut t, 10);
        let error = t.add(reader, &[text("key 1")], &[]).unwrap_err();
        assert!(matches!(&error, TableError::Sql(error) if error.code() == 1142), "{error}");
        drop_user(c, "kv_reader", "%");
    }
}
