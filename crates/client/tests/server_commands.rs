//! The commands besides queries, on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, on_each, rows, run, text};
use vaquita_client::{Charset, Connection, Error, State};

#[test]
fn each_command_is_answered() {
    on_each(|server, connection| {
        let line = String::from_utf8(connection.statistics().unwrap()).unwrap();
        assert!(line.starts_with("Uptime: "), "{line}");
        connection.debug().unwrap();
        connection.refresh(16).unwrap();
        connection.refresh(0).unwrap();
        assert_eq!(connection.process_kill(999_999_999).unwrap_err().code(), 1094);
        let mut other = server.connect();
        let id = u64::from(other.thread_id());
        // Not cut to the 32 bits of the command: that would be the other one. MySQL itself cuts it, in KILL too.
        if server.is_mariadb() {
            assert_eq!(connection.process_kill(id + (1 << 32)).unwrap_err().code(), 1094);
        }
        other.ping().unwrap();
        connection.process_kill(id).unwrap();
        // The other one finds out as soon as the server has done it.
        while other.ping().is_ok() {}
        assert_eq!(other.state(), State::Broken);
        assert_eq!(text(connection, "SELECT 'still'"), "still");
        connection.process_kill(connection.thread_id().into()).unwrap();
        assert_eq!(connection.state(), State::QuitSent);
        assert_eq!(connection.statistics().unwrap_err().code(), 2006);
    });
}

#[test]
fn a_reset_forgets_the_session_but_not_the_charset() {
    on_each(|server, connection| {
        if !server.has(Feature::ResetConnection) {
            let error = connection.reset_connection().unwrap_err();
            assert_eq!(error.code(), 1047);
            assert_eq!(text(connection, "SELECT 'still'"), "still");
            return;
        }
        let gbk = Charset::by_name(b"gbk").unwrap();
        connection.set_charset(gbk).unwrap();
        run(connection, "CREATE TEMPORARY TABLE gone (a INT)");
        run(connection, "SET @a = 1, autocommit = 0");
        let id = connection.thread_id();
        connection.reset_connection().unwrap();
        let session =
            "SELECT @a, @@autocommit, @@character_set_client, DATABASE(), CONNECTION_ID()";
        let own = |value: &str| Some(value.as_bytes().to_vec());
        let expected = [None, own("1"), own("gbk"), own(server.database()), own(&id.to_string())];
        assert_eq!(rows(connection, session), [expected]);
        assert_eq!(connection.escape(b"\xBF'"), b"\\\xBF\\'");
        connection.send_query(b"SELECT * FROM gone").unwrap();
        assert_eq!(connection.read_query_response().unwrap_err().code(), 1146);
    });
}

fn current_user(connection: &mut Connection) -> String {
    text(connection, "SELECT CURRENT_USER()")
}

/// By each plugin, with the right and with a wrong password; what a refusal leaves is the server's to say.
#[test]
fn another_user_by_each_plugin() {
    let plugins = |server: &Server| match server.name {
        "mysql56" => vec!["BY 'secret'"],
        name if name.starts_with("mariadb") => {
            vec!["VIA mysql_native_password USING PASSWORD('secret')", "BY ''"]
        }
        _ => {
            let mut all = vec![
                "WITH caching_sha2_password BY 'secret'",
                "WITH sha256_password BY 'secret'",
                "WITH caching_sha2_password BY ''",
            ];
            let native = server.has(Feature::NativePassword);
            all.extend(native.then_some("WITH mysql_native_password BY 'secret'"));
            all
        }
    };
    on_each(|server, connection| {
        for (number, identified) in plugins(server).into_iter().enumerate() {
            let mut root = server.connect();
            let user = format!("changed_{}_{number}", root.thread_id());
            run(&mut root, &format!("CREATE USER '{user}' IDENTIFIED {identified}"));
            let password: &[u8] = if identified.ends_with("''") { b"" } else { b"secret" };
            connection.change_user(user.as_bytes(), password, b"").unwrap();
            assert_eq!(current_user(connection), format!("{user}@%"), "{identified}");
            assert!(connection.session().database.is_empty());
            // A second time the password is in the server's cache.
            connection.change_user(user.as_bytes(), password, b"information_schema").unwrap();
            assert_eq!(text(connection, "SELECT DATABASE()"), "information_schema");
            assert_eq!(connection.session().database, b"information_schema");
            let error = connection.change_user(user.as_bytes(), b"wrong", b"").unwrap_err();
            assert!(
                matches!(error, Error::Auth { code: 1045, sqlstate, .. } if sqlstate == *b"28000")
            );
            if server.is_mariadb() {
                assert_eq!(connection.state(), State::Ready);
                assert_eq!(current_user(connection), format!("{user}@%"));
            } else {
                assert_eq!(connection.ping().unwrap_err().code(), 2006);
            }
            *connection = servers::connect(&server.options(connection.address().clone()));
            run(&mut root, &format!("DROP USER '{user}'"));
        }
    });
}
