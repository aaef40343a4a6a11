//! Servers that are wrong from the first packet on.

use vaquita_protocol::Capabilities;

use super::Outcome::{Gone, Malformed, Refused, TimedOut, Unsupported};
use super::{Expected, NamedScript, Outcome, Stage};
use crate::packets::{OFFERED, early_err, greeting};
use crate::payload::Payload;
use crate::script::Script;

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Connect, outcome), description, build)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(Gone, "close-at-once", "closes without a greeting", || Script::new().close()),
    fails(TimedOut, "silent-after-accept", "accepts and says nothing", Script::new),
    fails(Refused(1040), "too-many-connections", "an ERR packet in place of the greeting", || {
        Script::new().send(early_err(1040, "Too many connections")).close()
    }),
    fails(Refused(1130), "host-not-allowed", "another ERR packet in place of the greeting", || {
        Script::new().send(early_err(1130, "Host 'x' is not allowed to connect")).close()
    }),
    fails(Malformed, "greeting-empty", "a zero-length packet as greeting", || {
        Script::new().send(Payload::new())
    }),
    fails(Malformed, "greeting-protocol-9", "a greeting of protocol version 9", || {
        Script::new().send(whole().with("protocol version", [9]))
    }),
    fails(Unsupported, "greeting-before-41", "a server without CLIENT_PROTOCOL_41", || {
        let old = OFFERED.without(Capabilities::PROTOCOL_41);
        Script::new().send(greeting(old, "mysql_native_password"))
    }),
    fails(Malformed, "greeting-http", "a server that speaks HTTP", || {
        Script::new().send_raw("HTTP/1.1 400 Bad Request\r\n\r\n").close()
    }),
    fails(Malformed, "greeting-wrong-sequence-id", "a greeting with sequence id 1", || {
        Script::new().send_as(1, whole())
    }),
    fails(
        Malformed,
        "greeting-cut-version",
        "a greeting that ends in the server's version",
        || cut("server version"),
    ),
    fails(Malformed, "greeting-cut-thread-id", "a greeting that ends in the thread id", || {
        cut("thread id")
    }),
    fails(
        Malformed,
        "greeting-cut-nonce",
        "a greeting that ends in its authentication data",
        || cut("auth-plugin-data-part-1"),
    ),
    fails(Malformed, "greeting-cut-capabilities", "a greeting that ends in the flags", || {
        cut("capability_flags_1")
    }),
    fails(Malformed, "greeting-cut-status", "a greeting that ends in the status", || {
        cut("status_flags")
    }),
    fails(
        Malformed,
        "greeting-cut-capabilities-2",
        "a greeting that ends in the high flags",
        || cut("capability_flags_2"),
    ),
    fails(Malformed, "greeting-cut-reserved", "a greeting that ends in the reserved bytes", || {
        cut("reserved")
    }),
    fails(
        Malformed,
        "greeting-cut-nonce-2",
        "a greeting that ends in the second part of the data",
        || cut("auth-plugin-data-part-2"),
    ),
    fails(
        Malformed,
        "greeting-long-nonce",
        "authentication data that is said to be longer than the greeting",
        || Script::new().send(whole().with("auth_plugin_data_len", [0xFF])),
    ),
    fails(TimedOut, "greeting-half-silent", "half a greeting and then silence", || {
        Script::new().send_raw(half())
    }),
    fails(Gone, "greeting-half-close", "half a greeting and then the end", || {
        Script::new().send_raw(half()).close()
    }),
    fails(
        Malformed,
        "greeting-huge-silent",
        "a greeting of 16 MiB is announced, then silence",
        || Script::new().send_raw([0xFE, 0xFF, 0xFF, 0, 0x0A]),
    ),
];

fn whole() -> Payload {
    greeting(OFFERED, "mysql_native_password")
}

fn cut(field: &str) -> Script {
    Script::new().send(whole().cut_in(field))
}

/// The header of a greeting and the first of its bytes.
fn half() -> Vec<u8> {
    let greeting = whole().bytes();
    let length = u8::try_from(greeting.len()).unwrap_or(u8::MAX);
    let half = greeting.into_iter().take(30);
    [length, 0, 0, 0].into_iter().chain(half).collect()
}
