//! Statements that a port may answer, on real servers: which go there, which do not, and what becomes of them when the port fails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../../client/tests/servers/mod.rs"]
mod servers;

mod changes;
#[path = "../places/mod.rs"]
mod places;
mod port;
#[path = "../ports/mod.rs"]
mod ports;
mod proof;
mod relay;
mod scripted;

use places::{BY_KEY, Place};
use vaquita_client::{Data, Parameter, QueryResponse};

#[test]
fn a_shape_is_learnt_once_and_then_asked_at_the_port() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        assert_eq!(user.answered(), 0);
        for (key, expected) in [("two", "zwei 2"), ("three", "drei 3"), ("one", "eins 1")] {
            assert_eq!(user.ask(&format!("SELECT v, n FROM t WHERE k = '{key}'")), expected);
            assert_eq!(user.connection.session().affected_rows, 1);
            assert_eq!(user.connection.session().warnings, 0);
        }
        assert_eq!(user.answered(), 3, "{}", place.server.name);
        assert_eq!(user.ask("SELECT v, n FROM t WHERE k = 'four'"), "none");
        let counts = *user.access.counts();
        assert_eq!((counts.learnt, counts.misses, counts.asked, counts.errors), (1, 1, 4, 0));
        // What is asked of the last statement is what SQL would have left.
        for (before, question, expected) in [
            ("SELECT v FROM t LIMIT 3", "SELECT FOUND_ROWS()", "1"),
            ("SELECT 1 + 'x' FROM t", "SELECT @@warning_count", "0"),
            ("SELECT 1 + 'x' FROM t", "SHOW WARNINGS", "none"),
            ("UPDATE t SET n = n", "SELECT ROW_COUNT()", "-1"),
        ] {
            user.ask(before);
            let answered = user.answered();
            user.ask(BY_KEY);
            assert_eq!(user.answered(), answered + 1);
            assert_eq!(user.ask(question), expected, "{question}");
        }
    }
}

#[test]
fn prepared_statements_go_there_too() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        let statement = user.connection.prepare(b"SELECT n, v FROM t WHERE k = ?").unwrap();
        let mut run = |parameter: Parameter<'_>| {
            let (connection, access) = (&mut user.connection, &mut user.access);
            if access.execute(connection, &statement, &[parameter]).unwrap().is_none() {
                connection.send_execute(&statement, &[parameter], false).unwrap();
                let response = connection.read_executed(&statement, &[parameter], false).unwrap();
                let QueryResponse::ResultSet(columns) = response else { panic!("{response:?}") };
                access.executed(connection, &statement, Some(&columns));
            }
            assert!(connection.has_binary_rows());
            let stored = connection.store_result().unwrap();
            let row =
                stored.row(0).map(|row| row.values().map(|it| it.unwrap().to_vec()).collect());
            (row, access.counts().answered)
        };
        let key = |key: &'static str| Parameter::Text(Data::Bytes(key.as_bytes()));
        let row = |n: u8, v: &str| Some(vec![vec![n, 0, 0, 0], v.as_bytes().to_vec()]);
        assert_eq!(run(key("one")), (row(1, "eins"), 0));
        assert_eq!(run(key("one")), (row(1, "eins"), 0));
        assert_eq!(run(key("two")), (row(2, "zwei"), 1));
        assert_eq!(run(key("one")), (row(1, "eins"), 2));
        // A server may make of the next text what it made of this number.
        assert_eq!(run(Parameter::Integer(Some(5))), (None::<Vec<Vec<u8>>>, 2));
        assert_eq!(run(key("one")).1, 2);
    }
}
