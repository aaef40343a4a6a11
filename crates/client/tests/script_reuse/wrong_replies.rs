//! Servers that answer the reset wrongly, late or not at all.

use std::time::Instant;

use crate::fake::PATIENCE;
use vaquita_client::{PoolStats, QueryResponse, State};
use vaquita_fake_server::Script;
use vaquita_fake_server::packets::{AUTOCOMMIT, MORE_RESULTS, err, local_infile, ok};

use crate::{LIMITS, SHORT, Servers, ask, fresh, query, reset_twice, result, select};

/// What may be wrong with the replies to a reset and to the one command behind it, of a server that has received that and perhaps more. Where it
/// goes on, the answer to a query follows, as if nothing had happened.
fn wrong_replies(received: &Script) -> Vec<(&'static str, Script)> {
    let script = || received.clone();
    let ok = || ok(AUTOCOMMIT);
    let refused = |code| err(code, b"HY000", "no");
    let fine = || script().send_as(1, ok());
    let goes_on = |script: Script| {
        let mut old = result(&["old"]).into_iter();
        script.send_as(1, old.next().unwrap()).send_all(old)
    };
    vec![
        ("the reset is not known", goes_on(script().send_as(1, refused(1047)).send_as(1, ok()))),
        ("the reset fails", goes_on(script().send_as(1, refused(1105)).send_as(1, ok()))),
        ("what is behind it fails", goes_on(fine().send_as(1, refused(3530)))),
        ("all fails", goes_on(script().send_as(1, refused(1047)).send_as(1, refused(1064)))),
        ("the server says why it goes", script().send_as(1, refused(1053)).close()),
        ("the server says so and is gone", script().send_as(1, refused(1053)).reset()),
        ("a goodbye", script().send_as(0, refused(4031)).close()),
        ("a goodbye behind a reply", fine().send_as(0, refused(4031)).close()),
        ("a goodbye, and it is gone", fine().send_as(0, refused(4031)).reset()),
        ("no reply", script().close()),
        ("no reply, and it is gone", script().reset()),
        ("one reply of two", fine().close()),
        ("half a reply", fine().send_raw([7, 0, 0, 1, 0, 0]).close()),
        ("sequence id 0", goes_on(script().send_as(0, ok()).send_as(1, ok()))),
        ("sequence id 2", goes_on(fine().send_as(2, ok()))),
        ("sequence id 255", goes_on(fine().send_as(255, ok()))),
        ("rows", goes_on(goes_on(fine()))),
        ("a file is asked for", goes_on(fine().send_as(1, local_infile("/etc/passwd")))),
        ("an EOF packet", goes_on(script().send_as(1, [0xFE]).send_as(1, ok()))),
        ("an empty packet", goes_on(fine().send_as(1, []))),
        ("an OK packet cut short", goes_on(fine().send_as(1, ok().cut_in("status_flags")))),
        ("an ERR packet cut short", goes_on(fine().send_as(1, [0xFF, 0xFF]))),
        ("garbage", script().send_raw([0xA5; 64]).close()),
        ("a packet without an end", script().send_raw([0xFE, 0xFF, 0xFF, 1, 0]).close()),
        ("a packet in parts", script().send_raw([0xFF, 0xFF, 0xFF, 1, 0])),
        ("a large packet", goes_on(script().send_as(1, vec![0xFF; 1 << 20]).send_as(1, ok()))),
    ]
}

#[test]
fn what_was_sent_behind_wrong_replies_is_asked_again() {
    // The query comes before the replies: nobody waits for them.
    for (name, script) in wrong_replies(&reset_twice().expect_query()) {
        let mut servers = Servers::new([script, fresh().send_all(result(&["new"]))]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        let answer = select(&mut connection);
        assert_eq!(answer.unwrap_or_else(|error| panic!("{name}: {error}")), "new", "{name}");
        assert!(begun.elapsed() < PATIENCE / 2, "{name}");
        assert_eq!(connection.state(), State::Ready, "{name}");
        let lease = servers.pool.lease();
        servers.pool.give(lease, Some(connection), &LIMITS);
        assert_eq!(servers.pool.stats().replaced, 1, "{name}");
        assert_eq!(servers.finish()[1], [query("SELECT 1")], "{name}");
    }
}

#[test]
fn what_may_write_is_not_sent_behind_wrong_replies() {
    for (name, script) in wrong_replies(&reset_twice()) {
        let mut servers = Servers::new([script, fresh().send(ok(AUTOCOMMIT))]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        let answer = ask(&mut connection, "INSERT");
        assert!(matches!(answer, Ok(QueryResponse::Ok)), "{name}: {answer:?}");
        assert!(begun.elapsed() < PATIENCE / 2, "{name}");
        assert_eq!(connection.state(), State::Ready, "{name}");
        drop(connection);
        let sent = servers.finish();
        assert!(!sent[0].contains(&query("INSERT")), "{name}");
        assert_eq!(sent[1], [query("INSERT")], "{name}");
    }
}

#[test]
fn who_looks_at_wrong_replies_gets_no_connection() {
    for (name, script) in wrong_replies(&reset_twice()) {
        let mut servers = Servers::new([script]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        // Until they have come.
        loop {
            let lease = servers.pool.lease();
            servers.pool.give(lease, Some(connection), &LIMITS);
            match servers.pool.take(&servers.options, &LIMITS) {
                Some(taken) => connection = taken,
                None => break,
            }
            assert!(begun.elapsed() < PATIENCE, "{name}");
        }
        let PoolStats { replaced, misses, .. } = servers.pool.stats();
        assert_eq!((replaced, misses, servers.pool.idle()), (1, 1, 0), "{name}");
        assert_eq!(servers.finish().len(), 1, "{name}");
    }
}

/// Replies that are right, and one too many: nobody can tell whose it is, but nothing is sent on such a connection any more.
#[test]
fn a_reply_too_many_is_the_last() {
    let more = |script: Script| script.send_as(1, ok(MORE_RESULTS)).send_as(1, ok(AUTOCOMMIT));
    for (name, script) in [
        ("the same", reset_twice().send_as(1, ok(AUTOCOMMIT))),
        ("more are promised", reset_twice().send_as(1, ok(MORE_RESULTS))),
    ] {
        let mut servers = Servers::new([more(script), fresh().send(ok(AUTOCOMMIT))]);
        let mut connection = servers.take_after_reset();
        let answer = ask(&mut connection, "INSERT");
        drop(connection);
        let sent = servers.finish();
        assert!(matches!(answer, Ok(QueryResponse::Ok)), "{name}: {answer:?}");
        assert!(!sent[0].contains(&query("INSERT")), "{name}");
    }
}

#[test]
fn a_server_that_never_answers_the_reset_keeps_nobody_waiting_longer_than_connecting_may_take() {
    let check = |what: &str, harmless: bool| {
        let script = if harmless { reset_twice().expect_query() } else { reset_twice() };
        let answer = if harmless { result(&["new"]) } else { vec![ok(AUTOCOMMIT).into()] };
        let mut servers = Servers::new([script, fresh().send_all(answer)]);
        servers.options.connect_timeout = Some(SHORT);
        servers.give(servers.connect());
        let connection = servers.pool.take(&servers.options, &LIMITS).unwrap();
        servers.give(connection);
        let begun = Instant::now();
        let mut connection = servers.pool.take(&servers.options, &LIMITS).expect("nobody waits");
        let sql = if harmless { "SELECT 1" } else { "INSERT" };
        ask(&mut connection, sql).unwrap();
        let waited = begun.elapsed();
        assert!(waited >= SHORT && waited < PATIENCE / 2, "{what}: {waited:?}");
        drop(connection);
        let sent = servers.finish();
        assert_eq!(sent[0].contains(&query(sql)), harmless, "{what}");
        assert_eq!(sent[1], [query(sql)], "{what}");
    };
    check("what can't write", true);
    check("what may write", false);
}
