//! What a server must not bring about before, or besides, what it is asked for.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;

use fake::Over;
use vaquita_client::{Connection, Error, QueryResponse, State, codes};
use vaquita_fake_server::{Delivery, Script, packets};

/// A key of nobody's, made for this test.
const KEY: &[u8] = b"-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6arGp2FrAJ4sU/D/PdL1
4q/X0XKfKUr9bURCkOfsbcEWsc573m9V2DCkamHZzx/2WajdQ8x1VvkvFi+keHS/
VoTOwdxzTbOl++djR/wYeFe0jGdKtLd4ct5XSeLbZo378NrJaGDXjakL0LglU3Ri
Xu63VxNt8x4WNpNhahcUpwhFEDbQv5dJlNjQG0sXreYHIfPBzxbXn+ipoATm37qE
al7cdzZuIjL4i1oIuht/x1W4hZ0Xvwit7iM2hlau5HsP5mR2McOtU6ljnkrtfmBI
ZsYtiqJKk77KBJaJPwzGoOyRNA/0/SBUzvV21cVERq0hI6lsKhk/jCSOOwU+dLQ0
SQIDAQAB
-----END PUBLIC KEY-----
";

/// With a key known beforehand, a rogue's own key is not even asked for.
#[test]
fn a_pinned_key_is_the_only_one_used() {
    for plugin in ["caching_sha2_password", "sha256_password"] {
        let mut script =
            Script::new().send(packets::greeting(packets::OFFERED, plugin)).expect_packet();
        if plugin == "caching_sha2_password" {
            script = script.send(packets::auth_more_data(&[4])).expect_packet();
        }
        let server = fake::serve(&Arc::new(script.close()), Over::Tcp, Delivery::WHOLE);
        let mut options = fake::options(&server);
        options.server_public_key = Some(KEY.to_vec());
        Connection::connect(&options).unwrap_err();
        let recording = server.finish().unwrap();
        let sent: Vec<u8> =
            recording.packets.iter().flat_map(|packet| packet.payload.clone()).collect();
        assert!(sent.len() > 256, "{plugin}: {recording:?}");
        if plugin == "caching_sha2_password" {
            assert_eq!(recording.packets[1].payload.len(), 256, "{plugin}: {recording:?}");
        }
        assert!(
            !recording.packets.iter().any(|packet| matches!(packet.payload[..], [1 | 2])),
            "{plugin}"
        );
    }
}

#[test]
fn a_pinned_key_that_is_none_fails_the_log_in() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "caching_sha2_password"))
        .expect_packet()
        .send(packets::auth_more_data(&[4]));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.server_public_key = Some(b"no key".to_vec());
    assert_eq!(Connection::connect(&options).unwrap_err().code(), codes::UNKNOWN_ERROR);
}

/// Scripts and people look for the name.
#[test]
fn an_unknown_plugin_is_named() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "mysql_native_password"))
        .expect_packet()
        .send(packets::auth_switch("client_ed25519", &[7; 32]));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let error = Connection::connect(&fake::options(&server)).unwrap_err();
    assert!(matches!(error, Error::Auth { .. }), "{error:?}");
    assert_eq!((error.code(), error.sqlstate()), (2054, *b"HY000"));
    assert!(error.message().ends_with(b"[client_ed25519]"), "{error}");
}

/// Before the log-in a server is a stranger: it gets no more than a few bytes' room.
#[test]
fn a_long_greeting_is_not_listened_to() {
    let script = Script::new().send_raw([0xFF, 0xFF, 0xFF, 0]);
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let error = Connection::connect(&fake::options(&server)).unwrap_err();
    assert!(matches!(error, Error::Malformed(_)), "{error:?}");
}

/// Two answers to one question: the second must not become the answer to the next.
#[test]
fn an_answer_too_many_breaks_the_connection() {
    let ok = packets::ok(packets::AUTOCOMMIT).bytes();
    let packet = [&[u8::try_from(ok.len()).unwrap(), 0, 0, 1], &ok[..]].concat();
    // In one write, so that both are there when the first is read.
    let script = Script::queried().send_raw(packet.repeat(2));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.send_query(b"DO 1").unwrap();
    assert!(matches!(connection.read_query_response(), Ok(QueryResponse::Ok)));
    let error = connection.send_query(b"SELECT 1").unwrap_err();
    assert_eq!(
        (error.code(), connection.state()),
        (codes::MALFORMED_PACKET, State::Broken),
        "{error:?}"
    );
}
