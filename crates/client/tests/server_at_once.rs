//! Statements that are prepared and run in one write, on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::sync::{Mutex, PoisonError};

use servers::{Server, rows, run, text};
use vaquita_client::{
    ConnectOptions, Connection, Data, Error, Parameter, QueryResponse, State, binary_value,
};

/// One of them has the servers refuse statements of everybody: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Prepares and runs a statement; its first value.
fn value(
    connection: &mut Connection,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> Result<Option<Vec<u8>>, Error> {
    let (statement, executed) = connection.prepare_and_execute(sql.as_bytes(), parameters)?;
    let value = match executed? {
        QueryResponse::ResultSet(_) => {
            let stored = connection.store_result()?;
            stored.row(0).unwrap().values().next().unwrap().map(<[u8]>::to_vec)
        }
        _ => None,
    };
    connection.close_statement_later(&statement);
    Ok(value)
}

fn string(value: &str) -> Parameter<'_> {
    Parameter::Text(Data::Bytes(value.as_bytes()))
}

/// Runs a test on each server by each way, with statements that are kept.
fn on_each(test: impl Fn(&Server, &mut Connection)) {
    for server in Server::all() {
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let options = ConnectOptions { statement_cache: 16, ..options };
            test(&server, &mut Connection::connect(&options).unwrap());
        }
    }
}

fn count(connection: &mut Connection) -> String {
    text(connection, "SELECT COUNT(*) FROM once")
}

#[test]
fn it_is_as_if_one_came_after_the_other() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    on_each(|_, connection| {
        run(connection, "DROP TABLE IF EXISTS once");
        run(connection, "CREATE TABLE once (a INT PRIMARY KEY, b VARCHAR(9))");
        for n in 0..3 {
            let parameters = [Parameter::Integer(Some(n)), string("é?")];
            assert_eq!(
                value(connection, "INSERT INTO once VALUES (?, ?)", &parameters).unwrap(),
                None
            );
            assert_eq!(connection.session().affected_rows, 1);
            let sql = "SELECT b FROM once WHERE a = ? AND b <> '?'";
            let b = value(connection, sql, &[Parameter::Integer(Some(n))]).unwrap();
            assert_eq!(b.as_deref(), Some("é?".as_bytes()));
            let one = value(connection, "SELECT 1 -- ?", &[]).unwrap();
            assert_eq!(binary_value::signed(one.as_deref().unwrap()), 1);
        }
        assert_eq!(count(connection), "3");

        // Refused when it is prepared, and when it runs.
        assert_eq!(value(connection, "SELEKT ?", &[string("x")]).unwrap_err().code(), 1064);
        let again = [Parameter::Integer(Some(1)), Parameter::Null];
        let refused = value(connection, "INSERT INTO once VALUES (?, ?)", &again);
        assert_eq!(refused.unwrap_err().code(), 1062);
        let refused = value(connection, "SELECT (SELECT 1 UNION SELECT ?)", &[string("2")]);
        assert_eq!(refused.unwrap_err().code(), 1242);
        // Too many and too few run never.
        for parameters in [&again[..], &[]] {
            let (_, executed) = connection
                .prepare_and_execute(b"DELETE FROM once WHERE a = ?", parameters)
                .unwrap();
            assert_eq!(executed.unwrap_err().code(), 2031);
        }
        let several = "DELETE FROM once WHERE a = ? /*!99999 OR a = ? */";
        let _ = connection.prepare_and_execute(several.as_bytes(), &again).map(|it| it.1.map(drop));
        assert_eq!((connection.state(), &*count(connection)), (State::Ready, "3"));

        let long = "x".repeat(100_000);
        let length = value(connection, "SELECT LENGTH(?)", &[string(&long)]).unwrap().unwrap();
        assert_eq!(binary_value::signed(&length), 100_000);
        run(connection, "DROP PROCEDURE IF EXISTS twice");
        run(connection, "CREATE PROCEDURE twice(a INT) BEGIN SELECT a; SELECT a + 1; END");
        let (_, executed) = connection.prepare_and_execute(b"CALL twice(?)", &again[..1]).unwrap();
        let mut results = 0;
        let mut response = executed.unwrap();
        while let QueryResponse::ResultSet(_) = response {
            connection.store_result().unwrap();
            results += 1;
            response = connection.read_query_response().unwrap();
        }
        assert_eq!((results, connection.more_results()), (2, false));
        run(connection, "DROP PROCEDURE twice");
        run(connection, "DROP TABLE once");
    });
}

/// MariaDB runs the one before when it has too many to prepare another one.
#[test]
fn a_statement_that_is_refused_runs_no_other_in_its_place() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for server in Server::all() {
        let mut admin = server.connect();
        run(&mut admin, "DROP TABLE IF EXISTS spared");
        run(&mut admin, "CREATE TABLE spared (a INT)");
        let usual = text(&mut admin, "SELECT @@GLOBAL.max_prepared_stmt_count");
        let mut connection = server.connect();
        for before in ["INSERT INTO spared VALUES (?)", "SELECT ?"] {
            let open = connection.prepare(before.as_bytes()).unwrap();
            run(&mut admin, "SET GLOBAL max_prepared_stmt_count = 1");
            for sql in ["SELECT ? + 1", "DO ?"] {
                let refused =
                    connection.prepare_and_execute(sql.as_bytes(), &[Parameter::Integer(Some(7))]);
                assert_eq!(refused.unwrap_err().code(), 1461, "{before}, {sql}");
                assert_eq!(connection.state(), State::Ready);
            }
            run(&mut admin, &format!("SET GLOBAL max_prepared_stmt_count = {usual}"));
            connection.close_statement(&open).unwrap();
        }
        assert_eq!(
            rows(&mut admin, "SELECT a FROM spared"),
            Vec::<Vec<_>>::new(),
            "{}",
            server.name
        );
        assert_eq!(text(&mut connection, "SELECT 'in step'"), "in step");
        run(&mut admin, "DROP TABLE spared");
    }
}
