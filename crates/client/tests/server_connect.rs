//! Connecting to real servers: both ways, both plugins, and all the ways to be turned away.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::time::Duration;

use servers::{Feature, Server, on_each, run, text};
use vaquita_client::{Address, Capabilities, Charset, ConnectOptions, Connection, State};

/// Connecting fails with this number and SQLSTATE; the message is returned.
fn refused(options: &ConnectOptions, code: u16, sqlstate: &[u8; 5]) -> String {
    let error = Connection::connect(options).expect_err("this connection is refused");
    assert_eq!((error.code(), &error.sqlstate()), (code, sqlstate), "{error}");
    String::from_utf8_lossy(&error.message()).into_owned()
}

#[test]
fn the_greeting_is_kept() {
    on_each(|server, connection| {
        let version = text(connection, "SELECT VERSION()");
        assert_eq!(String::from_utf8_lossy(connection.server_version()), version);
        assert_eq!(text(connection, "SELECT CONNECTION_ID()"), connection.thread_id().to_string());
        assert_eq!(connection.protocol_version(), 10);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT DATABASE()"), server.database());
        assert_eq!(connection.charset().name, "utf8mb4");
        assert_eq!(text(connection, "SELECT @@character_set_client"), "utf8mb4");
    });
}

/// The users that these tests make: plugin, and the SQL that gives them a password.
fn plugins(server: &Server) -> Vec<(&'static str, &'static str)> {
    let native = match server.name {
        "mysql56" => "IDENTIFIED BY",
        _ if server.is_mariadb() => "IDENTIFIED VIA mysql_native_password USING PASSWORD",
        _ => "IDENTIFIED WITH mysql_native_password BY",
    };
    let mut plugins = vec![
        (Feature::NativePassword, "native", native),
        (Feature::CachingSha2Password, "sha2", "IDENTIFIED WITH caching_sha2_password BY"),
        (Feature::Sha256Password, "sha256", "IDENTIFIED WITH sha256_password BY"),
    ];
    plugins.retain(|(feature, ..)| server.has(*feature));
    plugins.into_iter().map(|(_, plugin, identified)| (plugin, identified)).collect()
}

/// Makes a user for one test and transport, so that tests in parallel don't meet.
fn make_user(server: &Server, user: &str, identified: &str, password: &str) {
    let mut admin = server.connect();
    let password = match identified.ends_with("PASSWORD") {
        true => format!("('{password}')"),
        false => format!("'{password}'"),
    };
    for host in ["%", "localhost"] {
        servers::drop_user(&mut admin, user, host);
        run(&mut admin, &format!("CREATE USER {user}@'{host}' {identified} {password}"));
    }
}

#[test]
fn each_plugin_takes_the_right_password_only() {
    for server in Server::all() {
        for (plugin, identified) in plugins(&server) {
            for (password, kind) in [("secret", "short"), ("", "none"), (&"x".repeat(200), "long")]
            {
                for address in server.addresses() {
                    let user = format!("{plugin}_{kind}");
                    // Made anew each time, so that caching_sha2_password knows no hash and asks for the password itself.
                    make_user(&server, &user, identified, password);
                    let mut options = ConnectOptions::new(address.clone());
                    options.user = user.clone().into_bytes();
                    options.password = b"wrong".into();
                    let message = refused(&options, 1045, b"28000");
                    assert!(
                        message.contains(&user) && message.contains("using password: YES"),
                        "{message}"
                    );
                    options.password = password.as_bytes().into();
                    let mut first = Connection::connect(&options).unwrap();
                    assert!(text(&mut first, "SELECT USER()").starts_with(&user));
                    // The second time the hash is in the server's cache.
                    let mut second = Connection::connect(&options).unwrap();
                    second.ping().unwrap();
                    if !password.is_empty() {
                        options.password = b"".into();
                        let message = refused(&options, 1045, b"28000");
                        assert!(message.contains("using password: NO"), "{message}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_password_too_long_for_the_key_is_refused_here() {
    for server in Server::with(Feature::CachingSha2Password) {
        let password = "y".repeat(230);
        make_user(&server, "sha2_too_long", "IDENTIFIED WITH caching_sha2_password BY", &password);
        let mut options = ConnectOptions::new(server.tcp());
        options.user = b"sha2_too_long".to_vec();
        options.password = password.into_bytes().into();
        let message = refused(&options, 2000, b"HY000");
        assert!(message.contains("too long"), "{message}");
    }
}

#[test]
fn the_server_says_why_it_refuses() {
    for server in Server::all() {
        for address in server.addresses() {
            let mut options = server.options(address);
            options.database = Some(b"no_such_database".to_vec());
            let message = refused(&options, 1049, b"42000");
            assert_eq!(message, "Unknown database 'no_such_database'");
        }
    }
}

#[test]
fn an_unreachable_server_is_a_connection_error() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let tcp = |host: &str, port| ConnectOptions::new(Address::Tcp { host: host.to_owned(), port });
    assert_eq!(refused(&tcp("127.0.0.1", closed), 2002, b"HY000"), "Connection refused");
    assert_eq!(refused(&tcp("localhost", closed), 2002, b"HY000"), "Connection refused");
    let message = refused(&tcp("no-such-host.invalid", 3306), 2002, b"HY000");
    assert!(message.starts_with("getaddrinfo for no-such-host.invalid failed: "), "{message}");
    let unix = ConnectOptions::new(Address::Unix("/no/such.sock".into()));
    assert_eq!(refused(&unix, 2002, b"HY000"), "No such file or directory");
    let long = ConnectOptions::new(Address::Unix(format!("/{}", "x".repeat(200)).into()));
    refused(&long, 2002, b"HY000");
}

#[test]
fn names_and_ipv6_are_resolved() {
    for server in Server::all() {
        let Address::Tcp { port, .. } = server.tcp() else { panic!("an address of TCP") };
        // The servers listen on 127.0.0.1 alone: if the name has ::1 too, that is refused and the next one tried.
        let mut options = server.options(Address::Tcp { host: "localhost".to_owned(), port });
        options.connect_timeout = Some(Duration::from_secs(10));
        let mut connection = Connection::connect(&options).unwrap();
        assert_eq!(connection.host_info(), "localhost via TCP/IP");
        connection.ping().unwrap();
        assert_eq!(server.connect().host_info(), "Localhost via UNIX socket");
    }
}

#[test]
fn flags_are_asked_for_where_offered() {
    for server in Server::all() {
        for address in server.addresses() {
            let mut options = server.options(address);
            let plain = Connection::connect(&options).unwrap();
            let usual = plain.capabilities();
            assert!(usual.contains(Capabilities::CONNECT_WITH_DB));
            let tracking = match server.has(Feature::SessionTrack) {
                true => Capabilities::SESSION_TRACK,
                false => Capabilities::NONE,
            };
            let stock = 0x001A_A285 | tracking.bits();
            assert_eq!(usual.without(Capabilities::CONNECT_WITH_DB).bits(), stock);
            options.database = None;
            options.capabilities = Capabilities::FOUND_ROWS
                | Capabilities::MULTI_STATEMENTS
                | Capabilities::SSL
                | Capabilities::COMPRESS
                | Capabilities::from_bits(1 << 63);
            let mut connection = Connection::connect(&options).unwrap();
            assert_eq!(connection.capabilities().bits(), stock | 0x1_0002);
            connection.init_db(server.database().as_bytes()).unwrap();
            run(&mut connection, "CREATE TEMPORARY TABLE found (a INT)");
            run(&mut connection, "INSERT INTO found VALUES (1), (2)");
            run(&mut connection, "UPDATE found SET a = 1");
            assert_eq!(connection.session().affected_rows, 2);
        }
    }
}

#[test]
fn an_end_of_rows_may_be_an_ok_packet() {
    for server in Server::with(Feature::SessionTrack) {
        let mut options = server.options(server.unix());
        options.capabilities = Capabilities::DEPRECATE_EOF | Capabilities::SESSION_TRACK;
        let mut connection = Connection::connect(&options).unwrap();
        assert!(connection.capabilities().contains(options.capabilities));
        assert_eq!(text(&mut connection, "SELECT 'x'"), "x");
        run(&mut connection, "SET NAMES latin1");
        connection.set_multi_statements(true).unwrap();
        connection.init_db(b"mysql").unwrap();
        connection.ping().unwrap();
        assert_eq!(text(&mut connection, "SELECT DATABASE()"), "mysql");
    }
}

#[test]
fn attributes_reach_the_server() {
    for server in Server::with(Feature::SessionConnectAttrs) {
        let mut options = server.options(server.unix());
        options.attributes = vec![(b"_server_host".to_vec(), b"localhost".to_vec())];
        let mut connection = Connection::connect(&options).unwrap();
        let sql = "SELECT GROUP_CONCAT(ATTR_NAME, '=', ATTR_VALUE ORDER BY ORDINAL_POSITION) \
                   FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID()";
        assert_eq!(text(&mut connection, sql), "_client_name=mysqlnd,_server_host=localhost");
    }
}

#[test]
fn init_commands_run_in_order() {
    on_each(|server, connection| {
        let mut options = server.options(connection.address().clone());
        options.init_commands =
            vec![b"SET @a = 1".to_vec(), b"SELECT 1, 2".to_vec(), b"SET @a = @a + 1".to_vec()];
        let mut connection = Connection::connect(&options).unwrap();
        assert_eq!(text(&mut connection, "SELECT @a"), "2");
        options.init_commands.push(b"no statement".to_vec());
        refused(&options, 1064, b"42000");
    });
}

#[test]
fn without_a_wish_the_charset_is_the_servers() {
    for server in Server::all() {
        let mut options = server.options(server.tcp());
        options.charset = None;
        let mut connection = Connection::connect(&options).unwrap();
        let name = text(&mut connection, "SELECT @@character_set_client");
        let expected = Charset::by_name(name.as_bytes()).unwrap();
        assert_eq!(connection.charset(), expected);
    }
}

#[test]
fn each_collation_leads_to_its_charset() {
    for server in Server::all() {
        let mut connection = server.connect();
        let table = match server.is_mariadb() {
            true => "COLLATION_CHARACTER_SET_APPLICABILITY",
            false => "COLLATIONS",
        };
        let sql = format!(
            "SELECT ID, CHARACTER_SET_NAME FROM information_schema.{table} WHERE ID IS NOT NULL"
        );
        let collations = servers::rows(&mut connection, &sql);
        assert!(collations.len() > 200);
        for row in collations {
            let [Some(id), Some(name)] = &row[..] else { panic!("{row:?}") };
            let id: u16 = String::from_utf8_lossy(id).parse().unwrap();
            assert_eq!(Charset::by_collation_id(id), Charset::by_name(name), "{id}");
            assert!(Charset::by_collation_id(id).is_some(), "{id}");
        }
        let sql = "SELECT CHARACTER_SET_NAME, MAXLEN FROM information_schema.CHARACTER_SETS";
        for row in servers::rows(&mut connection, sql) {
            let [Some(name), Some(length)] = &row[..] else { panic!("{row:?}") };
            let charset = Charset::by_name(name).unwrap();
            assert_eq!(charset.max_bytes.to_string().as_bytes(), &length[..], "{}", charset.name);
        }
    }
}

#[test]
fn a_connection_shows_no_password() {
    for server in Server::with(Feature::CachingSha2Password) {
        let password = "hunter2hunter2";
        make_user(&server, "shown", "IDENTIFIED WITH caching_sha2_password BY", password);
        let mut options = ConnectOptions::new(server.unix());
        options.user = b"shown".to_vec();
        options.password = password.as_bytes().into();
        // The server does not have the hash yet, so the password itself has just been sent.
        let connection = Connection::connect(&options).unwrap();
        let shown = format!("{connection:?}");
        assert!(!shown.contains("104, 117, 110") && !shown.contains("hunter"), "{shown}");
        assert!(shown.len() < 4096, "{} bytes", shown.len());
    }
}
