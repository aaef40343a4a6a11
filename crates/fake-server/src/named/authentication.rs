//! Servers that are wrong about who their client is.

use super::Outcome::{Gone, Malformed, PluginError, Refused, TimedOut, Unsupported};
use super::{Expected, NamedScript, Outcome, Stage};
use crate::packets::{
    AUTOCOMMIT, NONCE, OFFERED, auth_more_data, auth_switch, err, greeting, lenenc, ok,
};
use crate::payload::Payload;
use crate::script::Script;

/// How often a server repeats itself that would do so for ever.
const ENDLESS: usize = 1000;
/// The plugin of all the greetings here, unless it is the other one.
const NATIVE: &str = "mysql_native_password";
/// The other one.
const SHA2: &str = "caching_sha2_password";
/// The random bytes of MariaDB's plugins.
const LONG_NONCE: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// A server that has asked for parsec, and the salt that it sends when the client asks for it: a key derivation function, the
/// binary logarithm of how many times 1024 rounds it makes, and so many bytes of salt.
fn parsec(function: u8, exponent: u8, salt_bytes: usize) -> Script {
    let salt = vec![7; salt_bytes];
    Script::greeted()
        .send(auth_switch("parsec", LONG_NONCE))
        .expect_packet()
        .send(auth_more_data(&[&[function, exponent], &salt[..]].concat()))
}

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Connect, outcome), description, build)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(Gone, "login-close", "closes when it has received the login", || {
        Script::greeted().close()
    }),
    fails(TimedOut, "login-silent", "never answers the login", Script::greeted),
    fails(Refused(1045), "login-refused", "wrong password", || {
        Script::greeted().send(err(1045, b"28000", "Access denied for user")).close()
    }),
    fails(Malformed, "login-empty-packet", "answers the login with a zero-length packet", || {
        Script::greeted().send(Payload::new())
    }),
    fails(Malformed, "login-unknown-packet", "answers the login with a result set", || {
        Script::greeted().send([0x02])
    }),
    fails(Malformed, "login-ok-cut", "answers the login with an OK packet that has no end", || {
        Script::greeted().send(ok(AUTOCOMMIT).cut_in("status_flags"))
    }),
    fails(Malformed, "login-wrong-sequence-id", "answers the login with sequence id 1", || {
        Script::greeted().send_as(1, ok(AUTOCOMMIT))
    }),
    fails(Unsupported, "auth-unknown-plugin", "wants a plugin that nobody has", || {
        Script::greeted().send(auth_switch("no_such_plugin", NONCE))
    }),
    fails(PluginError, "auth-clear-password", "wants the password in clear text", || {
        Script::greeted().send(auth_switch("mysql_clear_password", b"")).expect_packet()
    }),
    fails(PluginError, "auth-clear-password-later", "wants the password, not its hash", || {
        Script::new()
            .send(greeting(OFFERED, SHA2))
            .expect_packet()
            .send(auth_switch(NATIVE, NONCE))
            .expect_packet()
            .send(auth_switch("mysql_clear_password", b"Password: "))
            .expect_packet()
    }),
    fails(PluginError, "auth-clear-password-greeting", "greets with that wish", || {
        Script::new()
            .send(greeting(OFFERED, "mysql_clear_password"))
            .expect_packet()
            .send(auth_switch("mysql_clear_password", b""))
            .expect_packet()
    }),
    fails(Unsupported, "auth-dialog", "wants to ask questions", || {
        Script::greeted().send(auth_switch("dialog", b"\x04Password: ")).expect_packet()
    }),
    fails(Unsupported, "auth-old-password", "wants the password as before MySQL 4.1", || {
        Script::greeted().send([0xFE]).expect_packet()
    }),
    fails(Malformed, "auth-endless-switches", "wants another plugin again and again", || {
        (0..ENDLESS).fold(Script::greeted(), |script, round| {
            let plugin = if round % 2 == 0 { SHA2 } else { NATIVE };
            script.send(auth_switch(plugin, NONCE)).expect_packet()
        })
    }),
    fails(Malformed, "auth-endless-parsec", "wants a slow signature again and again", || {
        (0..ENDLESS).fold(Script::greeted(), |script, _| {
            script
                .send(auth_switch("parsec", LONG_NONCE))
                .expect_packet()
                .send(auth_more_data(&[&[b'P', 0][..], &[7; 18]].concat()))
                .expect_packet()
        })
    }),
    fails(Malformed, "auth-endless-data", "says \"almost there\" again and again", || {
        let fast_auth_success = || auth_more_data(&[3]);
        let greeted = Script::new().send(greeting(OFFERED, SHA2)).expect_packet();
        (0..ENDLESS).fold(greeted, |script, _| script.send(fast_auth_success()))
    }),
    fails(Malformed, "auth-switch-cut", "a switch to a plugin whose name has no end", || {
        Script::greeted().send(auth_switch(NATIVE, NONCE).cut_in("plugin name"))
    }),
    fails(Malformed, "auth-switch-short-nonce", "a switch with 5 random bytes", || {
        Script::greeted().send(auth_switch(NATIVE, b"short"))
    }),
    fails(Malformed, "auth-success-taken-back", "knows the hash, and then wants more", || {
        Script::new()
            .send(greeting(OFFERED, SHA2))
            .expect_packet()
            .send(auth_more_data(&[3]))
            .send(auth_more_data(&[4]))
            .expect_packet()
    }),
    fails(Malformed, "auth-ed25519-short-nonce", "wants 20 bytes signed, not 32", || {
        Script::greeted().send(auth_switch("client_ed25519", NONCE)).expect_packet()
    }),
    fails(Malformed, "auth-ed25519-no-nonce", "wants nothing signed", || {
        Script::greeted().send(auth_switch("client_ed25519", b"")).expect_packet()
    }),
    fails(Malformed, "auth-ed25519-data", "has more to say after a signature", || {
        Script::greeted()
            .send(auth_switch("client_ed25519", LONG_NONCE))
            .expect_packet()
            .send(auth_more_data(LONG_NONCE))
            .expect_packet()
    }),
    fails(PluginError, "auth-parsec-2^265", "wants more rounds than there is time", || {
        parsec(b'P', u8::MAX, 18).expect_packet()
    }),
    fails(PluginError, "auth-parsec-2^19", "wants more rounds than anybody needs", || {
        parsec(b'P', 9, 18).expect_packet()
    }),
    fails(Malformed, "auth-parsec-other-function", "wants another key derivation", || {
        parsec(b'A', 0, 18).expect_packet()
    }),
    fails(Malformed, "auth-parsec-no-salt", "sends no salt", || parsec(b'P', 0, 0).expect_packet()),
    fails(Malformed, "auth-parsec-short-salt", "sends too little salt", || {
        parsec(b'P', 0, 17).expect_packet()
    }),
    fails(Malformed, "auth-parsec-long-salt", "sends too much salt", || {
        parsec(b'P', 0, 200).expect_packet()
    }),
    fails(Malformed, "auth-parsec-short-nonce", "wants 20 bytes signed, not 32", || {
        Script::greeted().send(auth_switch("parsec", NONCE)).expect_packet()
    }),
    fails(Malformed, "auth-parsec-two-salts", "sends salt for a second signature", || {
        parsec(b'P', 0, 18)
            .expect_packet()
            .send(auth_more_data(&[&[b'P', 0][..], &[8; 18]].concat()))
            .expect_packet()
    }),
    fails(Malformed, "auth-data-for-nobody", "data for a plugin that takes none", || {
        Script::greeted().send(auth_more_data(&[4])).expect_packet()
    }),
    fails(Malformed, "auth-data-empty", "data for a plugin, but no byte of it", || {
        Script::new().send(greeting(OFFERED, SHA2)).expect_packet().send(auth_more_data(&[]))
    }),
    fails(Malformed, "auth-data-unknown", "data that its plugin does not know", || {
        Script::new().send(greeting(OFFERED, SHA2)).expect_packet().send(auth_more_data(&lenenc(9)))
    }),
];
