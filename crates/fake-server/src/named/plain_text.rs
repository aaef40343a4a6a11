//! Servers, or somebody between, that would rather not have TLS.

use vaquita_protocol::Capabilities;

use super::Outcome::{NoTls, Refused};
use super::{Deed, Expected, NamedScript, Outcome, Stage};
use crate::packets::{
    AUTOCOMMIT, OFFERED, auth_switch, early_err, err, greeting, local_infile, ok,
};
use crate::script::Script;

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Connect, outcome), description, build)
        .met_by(Deed::Tls)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(NoTls, "tls-stripped", "does not offer TLS to a client that demands it", || {
        Script::greeted().send(ok(AUTOCOMMIT))
    }),
    fails(NoTls, "tls-before", "sends an OK packet before TLS begins", || {
        // With the greeting, so that it is there before the client says a word.
        offering().send_as(2, ok(AUTOCOMMIT)).expect_packet()
    }),
    fails(
        NoTls,
        "tls-plain-err",
        "answers the wish for TLS with an ERR packet in plain text",
        || asked().send(err(1045, b"28000", "Access denied: connect without TLS")).close(),
    ),
    fails(NoTls, "tls-plain-ok", "lets the client in instead, in plain text", || {
        asked().send(ok(AUTOCOMMIT)).close()
    }),
    fails(NoTls, "tls-plain-auth-switch", "asks for the password instead, in plain text", || {
        asked().send(auth_switch("mysql_clear_password", b"")).close()
    }),
    fails(NoTls, "tls-plain-local-infile", "asks for a file instead, in plain text", || {
        asked().send(local_infile("/etc/passwd")).close()
    }),
    fails(NoTls, "tls-greeting-again", "greets once more, without TLS", || {
        asked().send(greeting(OFFERED, "mysql_native_password")).close()
    }),
    fails(NoTls, "tls-alert", "begins TLS with an alert", || {
        asked().send_raw([0x15, 3, 3, 0, 2, 2, 40]).close()
    }),
    fails(NoTls, "tls-long-record", "begins TLS with a record that is too long", || {
        asked().send_raw([0x16, 3, 3, 0xFF, 0xFF, 1, 2, 3]).close()
    }),
    fails(NoTls, "tls-close", "closes instead of beginning TLS", || asked().close()),
    fails(Refused(1040), "tls-early-err", "an ERR packet in place of the greeting", || {
        Script::new().send(early_err(1040, "Too many connections; try without TLS")).close()
    }),
];

/// A server that offers TLS.
fn offering() -> Script {
    let offered = OFFERED.with(Capabilities::SSL);
    Script::new().send(greeting(offered, "mysql_native_password"))
}

/// It has been asked for it.
pub(super) fn asked() -> Script {
    offering().expect_packet()
}
