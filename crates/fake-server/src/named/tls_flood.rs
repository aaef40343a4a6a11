//! Servers that begin TLS and never come to its end: with what is legal, or looks so, in numbers and lengths that no server has.
//!
//! All of it is in plain text, as the beginning of a handshake is. What a server can do once TLS is there takes keys; it is in the driver's
//! own tests (`script_tls_floods.rs`).

use super::Outcome::NoTls;
use super::plain_text::asked;
use super::{Deed, Expected, NamedScript, Stage};
use crate::script::Script;

/// What a record has in it (<https://www.rfc-editor.org/rfc/rfc8446#section-5.1>).
const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;

/// Messages of a handshake.
const SERVER_HELLO: u8 = 2;
const CERTIFICATE: u8 = 11;

/// The most that a record has in it, in bytes.
const RECORD_BYTES: usize = 16 << 10;

/// The most that a message can say of its length, in bytes.
const MESSAGE_BYTES: usize = (16 << 20) - 1;

const fn fails(
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    let expected = Expected::Fails(Stage::Connect, NoTls);
    NamedScript::new(name, expected, description, build).met_by(Deed::Tls)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails("tls-empty-records", "begins TLS with 100,000 records that have nothing in them", || {
        asked().send_raw(record(HANDSHAKE, &[]).repeat(100_000))
    }),
    fails("tls-warnings", "begins TLS with 100,000 warnings", || {
        // Level and number: no_renegotiation.
        asked().send_raw(record(ALERT, &[1, 100]).repeat(100_000))
    }),
    fails("tls-cipher-changes", "begins TLS with 100,000 changes of the cipher", || {
        asked().send_raw(record(CHANGE_CIPHER_SPEC, &[1]).repeat(100_000))
    }),
    fails("tls-long-hello", "greets in TLS with 16 MiB, and has sent one of them", || {
        asked()
            .send_raw(records(&message(SERVER_HELLO, MESSAGE_BYTES, &[0; 1 << 20]), RECORD_BYTES))
    }),
    fails("tls-tiny-pieces", "greets in TLS with 64 KiB, in records of one byte", || {
        let length = usize::from(u16::MAX);
        asked().send_raw(records(&message(SERVER_HELLO, length, &vec![0; length - 1]), 1))
    }),
    fails("tls-long-certificates", "has 16 MiB of certificates, and has sent one of them", || {
        let sent = certificates(&vec![0x30; 1 << 20], MESSAGE_BYTES - 3);
        greeted().send_raw(records(&message(CERTIFICATE, MESSAGE_BYTES, &sent), RECORD_BYTES))
    }),
    fails("tls-many-certificates", "has 16,000 certificates of one byte", || {
        let all = [0, 0, 1, 0x30].repeat(16_000);
        let sent = certificates(&all, all.len());
        let certificate = records(&message(CERTIFICATE, sent.len(), &sent), RECORD_BYTES);
        // What is due next is something else, so that it comes to an end where nobody looks at certificates.
        greeted()
            .send_raw([certificate, record(HANDSHAKE, &message(SERVER_HELLO, 0, &[]))].concat())
    }),
];

/// A server that has chosen TLS 1.2, where certificates come in plain text.
fn greeted() -> Script {
    let hello = [
        &[3, 3][..],
        &[0x5A; 32],
        &[0, 0xC0, 0x2B, 0],
        // What clients want to see: secure renegotiation, and the extended master secret.
        &[0, 9, 0xFF, 1, 0, 1, 0, 0, 0x17, 0, 0],
    ];
    let hello = hello.concat();
    asked().send_raw(record(HANDSHAKE, &message(SERVER_HELLO, hello.len(), &hello)))
}

/// A list of certificates that is said to have so many bytes.
fn certificates(list: &[u8], length: usize) -> Vec<u8> {
    [&three_bytes(length), list].concat()
}

/// A message that is said to have so many bytes.
fn message(kind: u8, length: usize, bytes: &[u8]) -> Vec<u8> {
    [&[kind], &three_bytes(length)[..], bytes].concat()
}

/// The records of a message, each with so many bytes of it.
fn records(message: &[u8], piece_bytes: usize) -> Vec<u8> {
    message.chunks(piece_bytes).flat_map(|piece| record(HANDSHAKE, piece)).collect()
}

fn record(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let [.., high, low] = bytes.len().to_be_bytes();
    [&[kind, 3, 3, high, low], bytes].concat()
}

fn three_bytes(length: usize) -> [u8; 3] {
    let [.., high, middle, low] = length.to_be_bytes();
    [high, middle, low]
}
