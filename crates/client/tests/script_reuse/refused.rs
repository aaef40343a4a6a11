//! Servers that refuse the reset, or whose sessions it does not bring back.

use vaquita_fake_server::packets::{AUTOCOMMIT, err, ok};

use crate::{LIMITS, Servers, ask, queried, reset, reset_first, tells};

/// A server or a proxy that does not know the reset.
#[test]
fn where_the_reset_is_refused_another_log_in_takes_its_place() {
    let refused = err(1047, b"08S01", "Unknown command");
    let first = reset_first().send(refused);
    // The role, the database, of which MySQL forgets with the role what the user may do there, the time and the last id.
    let restored = |script| queried(queried(script).expect_packet().send(ok(AUTOCOMMIT)));
    let first = restored(tells(first.expect_packet().send(ok(AUTOCOMMIT)), ""));
    // Both are sent at once, and it does not matter what comes of them.
    let second = queried(first).expect_query().expect_query();
    let second = second.send_as(1, ok(AUTOCOMMIT)).send_as(1, err(1064, b"42000", "no"));
    let second = queried(restored(second.expect_packet().send(ok(AUTOCOMMIT))));
    let mut servers = Servers::new([second]);
    servers.options.database = Some(b"home".to_vec());
    servers.give(servers.connect());
    let connection = servers.pool.take(&servers.options, &LIMITS).expect("it logs in again");
    servers.give(connection);
    let mut connection = servers.pool.take(&servers.options, &LIMITS).expect("and again");
    ask(&mut connection, "INSERT").unwrap();
    drop(connection);
    let sent = servers.finish().remove(0);
    let begins = |it: &[u8]| it.get(..9).unwrap_or(it).escape_ascii().to_string();
    let sent: Vec<String> = sent.iter().map(|it| begins(it)).collect();
    let log_in = "\\x11me\\x00\\x14-\\x0e\\xf2\\x88";
    let expected = [
        "\\x03DO 1",
        "\\x03ROLLBACK",
        "\\x03UNLOCK T",
        "\\x1f",
        log_in,
        "\\x03SELECT @",
        "\\x03SET ROLE",
        "\\x02home",
        "\\x03SET time",
        "\\x03DO 1",
        "\\x03ROLLBACK",
        "\\x03UNLOCK T",
        log_in,
        "\\x03SET ROLE",
        "\\x02home",
        "\\x03SET time",
        "\\x03INSERT",
    ];
    assert_eq!(sent, expected);
}

#[test]
fn sessions_of_a_server_with_init_connect_are_not_handed_on() {
    let script = tells(reset_first().send(ok(AUTOCOMMIT)), "SET @a = 1");
    let script = queried(reset(script).send(ok(AUTOCOMMIT)));
    let mut servers = Servers::new([script]);
    servers.give(servers.connect());
    assert!(servers.pool.take(&servers.options, &LIMITS).is_none());
    assert_eq!(servers.pool.idle(), 0);
    let goodbye = &b"\x01"[..];
    assert_eq!(servers.finish()[0][5..], [goodbye]);
}
