//! Pipelines on real servers: what becomes of each command, and of those after it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::time::{Duration, Instant};

use servers::{Feature, Server, on_each, run, text};
use vaquita_client::{
    ConnectOptions, Connection, Data, Done, Error, Parameter, Pipelined, Pool, PoolCheck,
    PoolLimits, State, Statement, Until,
};

/// What became of a command, in words: its rows' first values, `ok AFFECTED INSERT_ID`, or the error's number.
fn words(done: Result<Done, Error>) -> String {
    match done {
        Ok(Done { rows: Some(mut rows), .. }) => {
            let mut values = Vec::new();
            while let Some(row) = rows.next_row() {
                let value = row.values().next().unwrap().unwrap_or(b"NULL");
                values.push(String::from_utf8_lossy(value).into_owned());
            }
            values.join(",")
        }
        Ok(done) => format!("ok {} {}", done.affected_rows, done.last_insert_id),
        Err(error) => error.code().to_string(),
    }
}

fn pipeline<'a>(
    connection: &mut Connection,
    commands: impl IntoIterator<Item = Pipelined<'a>>,
    until: Until,
) -> Vec<String> {
    let mut done = Vec::new();
    connection.pipeline(commands, until, |one| done.push(words(one))).unwrap();
    done
}

fn queries(connection: &mut Connection, sql: &[&str]) -> Vec<String> {
    pipeline(connection, sql.iter().map(|sql| Pipelined::Query(sql.as_bytes())), Until::End)
}

/// Runs of a statement with a text each, or NULL.
fn runs<'a>(statement: &'a Statement, rows: &'a [&'a [Option<&'a str>]]) -> Vec<Pipelined<'a>> {
    let parameter = |value: &Option<&'a str>| match value {
        Some(text) => Parameter::Text(Data::Bytes(text.as_bytes())),
        None => Parameter::Text(Data::Null),
    };
    let run = |row: &&[Option<&'a str>]| {
        Pipelined::Execute(statement, row.iter().map(parameter).collect())
    };
    rows.iter().map(run).collect()
}

#[test]
fn each_command_has_its_own_outcome() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE p (id INT AUTO_INCREMENT PRIMARY KEY, a INT)");
        let many: Vec<String> = (0..1000).map(|number| format!("SELECT {number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(queries(connection, &[]), [""; 0]);
        let sent = connection.counted().commands(0x03);
        let done = queries(connection, &many);
        assert!(done.iter().enumerate().all(|(number, done)| *done == number.to_string()));
        assert_eq!((done.len(), connection.counted().commands(0x03) - sent), (1000, 1000));
        let done = queries(
            connection,
            &[
                "SELECT 1 UNION ALL SELECT 2",
                "INSERT INTO p (a) VALUES (10), (20)",
                "SELECT nonsense",
                "INSERT INTO p (a) VALUES (30)",
                "SELECT a FROM p WHERE FALSE",
                "SELECT (SELECT 1 UNION SELECT 2)",
                "UPDATE p SET a = 0",
                "SELECT 1; SELECT 2",
                "SELECT COUNT(*) FROM p",
            ],
        );
        let expected = ["1,2", "ok 2 1", "1054", "ok 1 3", "", "1242", "ok 3 0", "1064", "3"];
        assert_eq!(done, expected);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT 'on'"), "on");
    });
}

#[test]
fn further_results_belong_to_their_command() {
    on_each(|_, connection| {
        let name = format!("several_{}", connection.thread_id());
        run(connection, &format!("CREATE PROCEDURE {name}() BEGIN SELECT 1; SELECT 2; END"));
        let fails =
            format!("CREATE PROCEDURE {name}_f() BEGIN SELECT 3; SELECT * FROM {name}; END");
        run(connection, &fails);
        let (call, fail) = (format!("CALL {name}()"), format!("CALL {name}_f()"));
        let done = queries(connection, &["SELECT 0", &call, &fail, &call, "SELECT 4"]);
        assert_eq!(done, ["0", "1", "1146", "1", "4"]);
        connection.set_multi_statements(true).unwrap();
        let several =
            ["SELECT 1; SELECT 2; SET @a = 3", "SELECT @a", "SELECT 5; SELECT no; SELECT 6"];
        assert_eq!(queries(connection, &several), ["1", "3", "1054"]);
        assert_eq!(queries(connection, &["SELECT 7"]), ["7"]);
        connection.set_multi_statements(false).unwrap();
        run(connection, &format!("DROP PROCEDURE {name}"));
        run(connection, &format!("DROP PROCEDURE {name}_f"));
    });
}

/// Neither side has buffers for all of that.
#[test]
fn much_goes_both_ways() {
    on_each(|_, connection| {
        let texts: Vec<String> = (0..1000).map(|number| format!("{number:065535}")).collect();
        let sql: Vec<String> = texts.iter().map(|text| format!("SELECT '{text}'")).collect();
        let mut expected = texts.iter();
        let commands = sql.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
        connection
            .pipeline(commands, Until::End, |done| {
                assert!(words(done) == *expected.next().unwrap());
            })
            .unwrap();
        assert_eq!(expected.next(), None);
        let statement = connection.prepare(b"SELECT ?").unwrap();
        let mut expected = texts[..100].iter();
        let commands = texts[..100].iter().map(|text| {
            Pipelined::Execute(&statement, vec![Parameter::Text(Data::Bytes(text.as_bytes()))])
        });
        connection
            .pipeline(commands, Until::End, |done| {
                assert!(words(done) == *expected.next().unwrap());
            })
            .unwrap();
        assert_eq!(expected.next(), None);
        // Packets of more than 16 MiB: the reply's numbers go on from those of the command.
        let long = format!("SELECT LENGTH('{}')", "x".repeat((16 << 20) + 5));
        run_if_allowed(connection, &["SELECT 1", &long, "SELECT 2", &long, "SELECT 3"]);
    });
}

/// A server may take no more than 16 MB at once; it says so and closes.
fn run_if_allowed(connection: &mut Connection, sql: &[&str]) {
    let most: usize = text(connection, "SELECT @@max_allowed_packet").parse().unwrap();
    let done = queries(connection, sql);
    let length = ((16 << 20) + 5).to_string();
    if most > 17 << 20 {
        assert_eq!(done, ["1", &length, "2", &length, "3"]);
    } else {
        assert_eq!(done[0], "1");
        assert!(["1153", "2013"].contains(&&*done[1]), "{done:?}");
        assert!(done[2..].iter().all(|it| it == "2013" || it == "2006"), "{done:?}");
    }
}

#[test]
fn a_window_of_one_ends_with_the_first_error() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE w (a INT)");
        let sql =
            ["INSERT INTO w VALUES (1)", "SELECT a FROM w", "nonsense", "INSERT INTO w VALUES (2)"];
        let commands = || sql.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
        let done = pipeline(connection, commands(), Until::FirstError);
        assert_eq!(done, ["ok 1 0", "1", "1064"]);
        assert_eq!(text(connection, "SELECT COUNT(*) FROM w"), "1");
        let done = pipeline(connection, commands().take(2), Until::FirstError);
        assert_eq!(done, ["ok 1 0", "1,1"]);
    });
}

#[test]
fn a_statement_runs_with_many_rows_of_parameters() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE e (id INT PRIMARY KEY, a VARCHAR(20))");
        let insert = connection.prepare(b"INSERT INTO e VALUES (?, ?)").unwrap();
        let rows: [&[Option<&str>]; 5] = [
            &[Some("1"), Some("one")],
            &[Some("1"), Some("again")],
            &[Some("2")],
            &[Some("3"), None],
            &[None, None],
        ];
        let done = pipeline(connection, runs(&insert, &rows), Until::End);
        assert_eq!(done, ["ok 1 0", "1062", "2031", "ok 1 0", "1048"]);
        let select = connection.prepare(b"SELECT a FROM e WHERE id = ?").unwrap();
        let rows: [&[Option<&str>]; 4] = [&[Some("1")], &[Some("2")], &[Some("3")], &[None]];
        let mut found = Vec::new();
        let give = |done: Result<Done, Error>| {
            let mut rows = done.unwrap().rows.unwrap();
            let value = rows.next_row().map(|row| row.values().next().unwrap().map(<[u8]>::to_vec));
            found.push(value);
        };
        connection.pipeline(runs(&select, &rows), Until::End, give).unwrap();
        assert_eq!(found, [Some(Some(b"one".to_vec())), None, Some(None), None]);
        // Queries and statements may be mixed.
        let mut mixed = runs(&insert, &[&[Some("4"), Some("four")]]);
        mixed.push(Pipelined::Query(b"SELECT COUNT(*) FROM e"));
        assert_eq!(pipeline(connection, mixed, Until::End), ["ok 1 0", "3"]);
    });
}

/// What was sent and not answered may have been run or not; none of it is sent again.
#[test]
fn a_connection_that_dies_leaves_the_rest_unknown() {
    on_each(|server, connection| {
        let table = format!("d_{}", connection.thread_id());
        run(connection, &format!("CREATE TABLE {table} (a INT) ENGINE = InnoDB"));
        let insert = |number: u32| format!("INSERT INTO {table} VALUES ({number})");
        let kill = format!("KILL {}", connection.thread_id());
        let mut sql = vec![insert(1), kill];
        sql.extend((2..50).map(insert));
        let sql: Vec<&str> = sql.iter().map(String::as_str).collect();
        let done = queries(connection, &sql);
        assert_eq!((done.len(), &*done[0]), (50, "ok 1 0"));
        assert!(["1317", "1927", "2013"].contains(&&*done[1]), "{}", done[1]);
        assert!(done[2..].iter().all(|done| done == "2013"), "{done:?}");
        assert_eq!(connection.state(), State::Broken);
        let error = connection.pipeline([Pipelined::Query(b"SELECT 1")], Until::End, |_| panic!());
        assert_eq!(error.unwrap_err().code(), 2006);
        let mut other = server.connect();
        assert_eq!(text(&mut other, &format!("SELECT COUNT(*) FROM {table}")), "1");
        run(&mut other, &format!("DROP TABLE {table}"));
    });
}

/// A server that asks for a file takes what it receives next for it; so nothing is sent behind such a statement.
#[test]
fn a_local_file_is_refused_and_nothing_shifts() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE l (a VARCHAR(200)) ENGINE = InnoDB");
        let load = "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE l";
        let sql = ["SELECT 1", load, "INSERT INTO l VALUES ('x')", load, "SELECT 2"];
        for allowed in [false, true] {
            connection.allow_local_infile(allowed);
            let done = queries(connection, &sql);
            assert_eq!(done, ["1", "2068", "ok 1 0", "2068", "2"], "{allowed}");
        }
        assert_eq!(text(connection, "SELECT GROUP_CONCAT(a) FROM l"), "x,x");
    });
}

#[test]
fn the_session_is_followed() {
    on_each(|server, connection| {
        let database = format!("followed_{}", connection.thread_id());
        run(connection, &format!("CREATE DATABASE {database}"));
        let (select, back) = (format!("USE {database}"), format!("USE {}", server.database()));
        let done =
            queries(connection, &["SET NAMES latin1", &select, "SELECT DATABASE()", "nonsense"]);
        assert_eq!(done, ["ok 0 0", "ok 0 0", &database, "1064"]);
        if server.has(Feature::SessionTrack) {
            let session = connection.session();
            assert_eq!(session.database, database.as_bytes());
            assert_eq!(session.character_set_client.name, "latin1");
        }
        queries(connection, &[&back, &format!("DROP DATABASE {database}")]);
    });
}

#[test]
fn a_pipeline_may_be_the_first_that_a_user_sends() {
    let limits = PoolLimits {
        max_idle: None,
        idle_timeout: None,
        max_lifetime: None,
        check: PoolCheck::Peek,
        awaits_end: false,
    };
    for server in Server::all() {
        let mut pool = Pool::default();
        let options = server.persistent();
        for round in 0..4 {
            let (lease, mut connection) = match pool.take(&options, &limits) {
                Some(taken) => (pool.lease(), taken),
                None => (pool.lease(), Box::new(servers::connect(&options))),
            };
            let sql = [
                "SELECT COALESCE(@left, 'nothing')",
                "SET @left = 'something'",
                "SELECT @left",
                "BEGIN",
            ];
            let done = queries(&mut connection, &sql);
            assert_eq!(done, ["nothing", "ok 0 0", "something", "ok 0 0"], "{round}");
            pool.give(lease, Some(connection), &limits);
        }
    }
}

/// A kill from here might hit what was sent behind: only a server stops one command of a pipeline.
#[test]
fn the_limit_of_queries_holds_for_each() {
    const LIMIT: Duration = Duration::from_millis(300);
    for server in Server::with(Feature::StatementLimit) {
        let mut connection = server.connect();
        connection.set_query_timeout(Some(LIMIT)).unwrap();
        run(&mut connection, "CREATE TEMPORARY TABLE q (a INT)");
        run(&mut connection, "INSERT INTO q VALUES (1)");
        let slow = "SELECT a FROM q WHERE SLEEP(60)";
        let short = "SELECT SLEEP(0.2)";
        let done = queries(&mut connection, &[short, short, slow, "SELECT 1", slow, "SELECT 2"]);
        let code = if server.is_mariadb() { "1969" } else { "3024" };
        assert_eq!(done, ["0", "0", code, "1", code, "2"]);
        // MySQL stops nothing but a SELECT.
        let update = "UPDATE q SET a = SLEEP(60)";
        let begun = Instant::now();
        let done = queries(&mut connection, &["SELECT 3", update, "SELECT 4"]);
        let expected = if server.is_mariadb() { ["3", "1969", "4"] } else { ["3", "2013", "2013"] };
        assert_eq!(done, expected);
        assert!(begun.elapsed() < Duration::from_secs(40));
        // The last one has nothing behind it.
        let mut connection = server.connect();
        connection.set_query_timeout(Some(LIMIT)).unwrap();
        run(&mut connection, "CREATE TEMPORARY TABLE q (a INT)");
        run(&mut connection, "INSERT INTO q VALUES (1)");
        assert_eq!(queries(&mut connection, &["SELECT 5", update]), ["5", code]);
        assert_eq!(text(&mut connection, "SELECT 'on'"), "on");
        // A statement that is stopped may say nothing of it; then the next one is not stopped in its place.
        let sql = ["DO SLEEP(60)", "SELECT 6", "SELECT 7"];
        let commands = sql.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
        let done = pipeline(&mut connection, commands, Until::FirstError);
        assert_eq!(done, ["ok 0 0", "6", "7"]);
        assert_eq!(text(&mut connection, "SELECT 'on'"), "on");
    }
}

#[test]
fn a_pipeline_does_not_begin_in_the_middle_of_something_else() {
    on_each(|_, connection| {
        connection.send_query(b"SELECT 1").unwrap();
        connection.read_query_response().unwrap();
        let refused =
            connection.pipeline([Pipelined::Query(b"SELECT 2")], Until::End, |_| panic!());
        assert_eq!(refused.unwrap_err().code(), 2014);
        connection.discard_result().unwrap();
        assert_eq!(queries(connection, &["SELECT 3"]), ["3"]);
    });
}

#[test]
fn a_statement_that_was_kept_runs_as_a_new_one() {
    for server in Server::all() {
        let options = ConnectOptions { statement_cache: 4, ..server.options(server.unix()) };
        let mut connection = servers::connect(&options);
        run(&mut connection, "DROP TABLE IF EXISTS pipeline_kept");
        run(&mut connection, "CREATE TABLE pipeline_kept (a INT) ENGINE=InnoDB");
        run(&mut connection, "INSERT INTO pipeline_kept VALUES (1)");
        let integer = |value| vec![Parameter::Integer(Some(value))];
        for _ in 0..2 {
            // MySQL 8.0 keeps the type of the first run's parameter.
            let statement = connection.prepare(b"SELECT ?").unwrap();
            let done =
                pipeline(&mut connection, [Pipelined::Execute(&statement, integer(5))], Until::End);
            assert_eq!(done, ["\u{5}\0\0\0\0\0\0\0"]);
            connection.close_statement(&statement).unwrap();
            let statement = connection.prepare(b"SELECT ?").unwrap();
            connection.send_execute(&statement, &integer(5), false).unwrap();
            connection.read_executed(&statement, &integer(5), false).unwrap();
            connection.discard_result().unwrap();
            connection.close_statement(&statement).unwrap();
            let all = connection.prepare(b"SELECT * FROM pipeline_kept").unwrap();
            connection.close_statement(&all).unwrap();

            let statement = connection.prepare(b"SELECT ?").unwrap();
            let all = connection.prepare(b"SELECT * FROM pipeline_kept").unwrap();
            let commands = [
                Pipelined::Query(b"ALTER TABLE pipeline_kept ADD b VARCHAR(9) FIRST"),
                Pipelined::Query(b"UPDATE pipeline_kept SET b = 'b'"),
                Pipelined::Execute(&all, Vec::new()),
                Pipelined::Execute(&statement, vec![Parameter::Text(Data::Bytes(b"abc"))]),
                Pipelined::Query(b"ALTER TABLE pipeline_kept DROP b"),
            ];
            let done = pipeline(&mut connection, commands, Until::End);
            assert_eq!(done[2..4], ["b", "abc"], "{}", server.name);
            connection.close_statement(&all).unwrap();
            connection.close_statement(&statement).unwrap();
            let all = connection.prepare(b"SELECT * FROM pipeline_kept").unwrap();
            assert_eq!(all.columns().len(), 1);
            connection.close_statement(&all).unwrap();
        }
        run(&mut connection, "DROP TABLE pipeline_kept");
    }
}
