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
use vaquita_client::{
    CleartextPassword, ConnectOptions, Connection, Error, QueryResponse, State, codes,
};
use vaquita_fake_server::{Delivery, Ending, Recording, Script, named, packets};

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

/// Connecting fails; what it fails with, and what the server has heard, which is not the password.
fn refused(script: Script, over: Over, change: impl Fn(&mut ConnectOptions)) -> (Error, Recording) {
    let server = fake::serve(&Arc::new(script), over, Delivery::WHOLE);
    let mut options = fake::options(&server);
    change(&mut options);
    let error = Connection::connect(&options).unwrap_err();
    let recording = server.finish().unwrap();
    let heard = |bytes: &[u8]| bytes.windows(fake::PASSWORD.len()).any(|it| it == fake::PASSWORD);
    assert!(!heard(&recording.rest), "{recording:?}");
    assert!(!recording.packets.iter().any(|packet| heard(&packet.payload)), "{recording:?}");
    (error, recording)
}

/// With a key known beforehand, a rogue's own key is not even asked for.
#[test]
fn a_pinned_key_is_the_only_one_used() {
    for plugin in ["caching_sha2_password", "sha256_password"] {
        let mut script = Script::greeted().send(packets::auth_switch(plugin, &[7; 21]));
        script = script.expect_packet();
        if plugin == "caching_sha2_password" {
            script = script.send(packets::auth_more_data(&[4])).expect_packet();
        }
        let script = script.send(packets::auth_more_data(KEY));
        let (error, recording) =
            refused(script, Over::Tcp, |options| options.server_public_key = Some(KEY.to_vec()));
        assert_eq!(error.code(), codes::MALFORMED_PACKET, "{error}");
        let lengths: Vec<_> = recording.packets.iter().map(|it| it.payload.len()).collect();
        assert_eq!(lengths[1..].iter().max(), Some(&256), "{plugin}: {recording:?}");
        assert!(!lengths[1..].contains(&1), "{plugin}: {recording:?}");
    }
}

#[test]
fn a_pinned_key_that_is_none_fails_the_log_in() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "caching_sha2_password"))
        .expect_packet()
        .send(packets::auth_more_data(&[4]))
        .expect_packet()
        .send(packets::err(1045, b"28000", "Access denied"));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.server_public_key = Some(b"no key".to_vec());
    assert_eq!(Connection::connect(&options).unwrap_err().code(), 1045);
    let recording = server.finish().unwrap();
    let answer = recording.packets.last().map(|packet| packet.payload.clone());
    assert_eq!(answer, Some(Vec::new()), "the server gets an empty answer: {recording:?}");
}

/// Scripts and people look for the name.
#[test]
fn an_unknown_plugin_is_named() {
    for plugin in ["dialog", "authentication_webauthn_client"] {
        let script = Script::greeted().send(packets::auth_switch(plugin, &[7; 32]));
        let (error, _) = refused(script, Over::Tcp, |_| {});
        assert!(matches!(error, Error::Auth { .. }), "{error:?}");
        assert_eq!((error.code(), error.sqlstate()), (2054, *b"HY000"));
        let message = String::from_utf8(error.message().into_owned()).unwrap();
        assert!(message.contains(&format!("[{plugin}]")), "{message}");
    }
}

/// The password itself, for whoever is known to be the right server: that is a question of the transport alone.
#[test]
fn a_password_in_clear_is_for_known_servers() {
    let script = || {
        Script::greeted().send(packets::auth_switch("mysql_clear_password", b"")).expect_packet()
    };
    let logged_in = script().send(packets::ok(packets::AUTOCOMMIT));
    let server = fake::serve(&Arc::new(logged_in), Over::Unix, Delivery::WHOLE);
    Connection::connect(&fake::options(&server)).unwrap();
    let recording = server.finish().unwrap();
    assert_eq!(recording.packets[1].payload, [fake::PASSWORD, &[0]].concat());
    let off = |options: &mut ConnectOptions| options.cleartext_password = CleartextPassword::Off;
    for (over, change, why) in [
        (Over::Tcp, None, "TLS with a verified certificate and name"),
        (Over::Tcp, Some(off), "cleartext_password is off"),
        (Over::Unix, Some(off), "cleartext_password is off"),
    ] {
        let (error, recording) = refused(script(), over, |options| {
            if let Some(change) = change {
                change(options);
            }
        });
        assert!(matches!(error, Error::Auth { .. }), "{error:?}");
        assert_eq!((error.code(), error.sqlstate()), (codes::AUTH_PLUGIN_ERR, *b"HY000"));
        assert!(error.to_string().contains(why), "{error}");
        assert!(recording.rest.is_empty(), "{recording:?}");
    }
}

/// Not even where it may be given: a greeting speaks to everybody, and whom it speaks to may have another plugin.
#[test]
fn a_password_in_clear_is_not_given_unasked() {
    for over in [Over::Tcp, Over::Unix] {
        let script = Script::new()
            .send(packets::greeting(packets::OFFERED, "mysql_clear_password"))
            .expect_packet()
            .close();
        let (_, recording) = refused(script, over, |_| {});
        let [response] = &recording.packets[..] else { panic!("{recording:?}") };
        let names_native = b"mysql_native_password\0";
        assert!(response.payload.windows(names_native.len()).any(|it| it == names_native));
    }
}

/// As stock does it: a server may ask for a weaker hash, which gives the password away to nobody who does not guess it.
#[test]
fn a_downgrade_gets_a_hash_at_most() {
    for (plugin, length) in [("mysql_native_password", 20), ("client_ed25519", 64)] {
        let nonce = &[7; 32][..if length == 20 { 21 } else { 32 }];
        let script = Script::new()
            .send(packets::greeting(packets::OFFERED, "caching_sha2_password"))
            .expect_packet()
            .send(packets::auth_switch(plugin, nonce))
            .expect_packet()
            .close();
        let (_, recording) = refused(script, Over::Tcp, |_| {});
        assert_eq!(recording.packets[1].payload.len(), length, "{plugin}");
    }
}

/// A key that a rogue has sent decrypts for the rogue; but what is sent in clear, anybody reads.
#[test]
fn a_password_for_a_key_is_encrypted() {
    for (plugin, request) in [("caching_sha2_password", 2), ("sha256_password", 1)] {
        let mut script = Script::greeted().send(packets::auth_switch(plugin, &[7; 21]));
        script = script.expect_packet();
        if plugin == "caching_sha2_password" {
            script = script.send(packets::auth_more_data(&[4])).expect_packet();
        }
        let script = script.send(packets::auth_more_data(KEY)).expect_packet().close();
        let (_, recording) = refused(script, Over::Tcp, |_| {});
        let [.., asked, encrypted] = &recording.packets[..] else { panic!("{recording:?}") };
        assert_eq!((&asked.payload[..], encrypted.payload.len()), (&[request][..], 256));
    }
}

/// Where there is room for 255 bytes only, what is longer is not cut, but sent when the server has asked for it again.
#[test]
fn what_does_not_fit_is_sent_later() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "sha256_password"))
        .expect_packet()
        .send(packets::auth_switch("sha256_password", &[7; 21]))
        .expect_packet()
        .close();
    let (_, recording) =
        refused(script, Over::Tcp, |options| options.server_public_key = Some(KEY.to_vec()));
    let [response, encrypted] = &recording.packets[..] else { panic!("{recording:?}") };
    let names_native = b"mysql_native_password\0";
    assert!(response.payload.windows(names_native.len()).any(|it| it == names_native));
    assert_eq!(encrypted.payload.len(), 256);
}

/// Goes on as long as an honest server might, and no longer.
#[test]
fn an_account_of_several_plugins_is_tried_to_its_end() {
    let switches = ["client_ed25519", "mysql_native_password", "parsec"];
    let mut script = switches.iter().fold(Script::greeted(), |script, plugin| {
        let nonce = &[7; 32][..if *plugin == "mysql_native_password" { 21 } else { 32 }];
        script.send(packets::auth_switch(plugin, nonce)).expect_packet()
    });
    script = script.send(packets::auth_more_data(&[&[b'P', 0][..], &[7; 18]].concat()));
    script = script.expect_packet().send(packets::ok(packets::AUTOCOMMIT));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    Connection::connect(&fake::options(&server)).unwrap();
    let endless = named::by_name("auth-endless-parsec").unwrap();
    let (error, recording) = refused(endless.script(), Over::Tcp, |_| {});
    assert_eq!(error.code(), codes::MALFORMED_PACKET);
    assert_eq!(recording.packets.len(), 11);
}

/// A key was asked for, by a plugin that is no more in play: what comes then is data for nobody.
#[test]
fn a_key_after_a_switch_is_none() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "caching_sha2_password"))
        .expect_packet()
        .send(packets::auth_more_data(&[4]))
        .expect_packet()
        .send(packets::auth_switch("mysql_native_password", packets::NONCE))
        .expect_packet()
        .send(packets::auth_more_data(KEY));
    let (error, recording) = refused(script, Over::Tcp, |_| {});
    assert_eq!(error.code(), codes::MALFORMED_PACKET, "{error:?}");
    assert_eq!(recording.packets[1].payload, [2], "the key was asked for");
    assert_eq!((recording.packets.len(), &recording.rest[..]), (3, &b""[..]));
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

/// A server that broke the rules is left at once, not when its caller is done with the connection.
#[test]
fn a_broken_connection_is_closed_at_once() {
    let script = Script::queried().send(Vec::new());
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.send_query(b"SELECT 1").unwrap();
    connection.read_query_response().unwrap_err();
    // It waits for the client to close, and says so if it waited in vain.
    assert_eq!(server.finish().unwrap().ending, Ending::Played);
    assert_eq!(connection.state(), State::Broken);
}
