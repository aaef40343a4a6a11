//! Servers whose compressed packets are wrong.

use vaquita_protocol::ColumnType;

use super::Outcome::{Gone, Malformed, TimedOut, TooLarge};
use super::{Deed, Expected, NamedScript, Outcome, Stage};
use crate::compression::Compression;
use crate::packets::{AUTOCOMMIT, OFFERED, column, column_count, eof, greeting, ok, row};
use crate::script::Script;

const fn fails(
    deed: Deed,
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Response, outcome), description, build)
        .met_by(deed)
}

/// 16 MiB less a byte: the largest number in a header.
const MOST: u32 = 0xFF_FFFF;

/// The head of a frame of zstd: its magic number, and no flags but those that say that a window follows.
const ZSTD_WINDOW: [u8; 5] = [0x28, 0xB5, 0x2F, 0xFD, 0];
/// The same, with a content size of eight bytes to follow instead.
const ZSTD_CONTENT: [u8; 5] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0];

pub(super) const SCRIPTS: &[NamedScript] = &[
    NamedScript::new(
        "compress-not-offered",
        Expected::Fine,
        "offers no compression to a client that asks for it",
        || {
            Script::queried()
                .send(column_count(1))
                .send(column("a", ColumnType::LONG))
                .send(eof(AUTOCOMMIT))
                .send(row(&[Some(b"1")]))
                .send(eof(AUTOCOMMIT))
                .ping()
        },
    )
    .met_by(Deed::Zlib),
    fails(
        Deed::Zlib,
        Malformed,
        "zlib-not-agreed",
        "compresses though it did not offer to",
        || Script::queried().send_raw(honest(Compression::Zlib)).close(),
    ),
    fails(Deed::Zlib, Malformed, "zlib-plain", "goes on without compression", || {
        zlib().send_frame(packet(1)).close()
    }),
    fails(
        Deed::Zlib,
        Malformed,
        "zlib-claims-16MiB",
        "a few bytes that are said to be many",
        || zlib().send_frame(lying(Compression::Zlib, MOST)),
    ),
    fails(Deed::Zlib, Malformed, "zlib-claims-1", "bytes that are said to be one", || {
        zlib().send_frame(lying(Compression::Zlib, 1))
    }),
    fails(
        Deed::Zlib,
        Malformed,
        "zlib-bomb-claims-1",
        "16 MiB that are said to be one byte",
        || {
            let bomb = Compression::Zlib.packet(1, &vec![0; 1 << 24 >> 1]);
            let bomb = bomb.unwrap_or_default();
            zlib().send_frame(frame(1, 1, bomb.get(7..).unwrap_or_default()))
        },
    ),
    fails(Deed::Zlib, Gone, "zlib-announces-16MiB", "a packet of 16 MiB, then the end", || {
        zlib().send_frame([0xFF, 0xFF, 0xFF, 1, 0xFF, 0xFF, 0xFF, 0x78, 0x9C]).close()
    }),
    fails(
        Deed::Zlib,
        TimedOut,
        "zlib-announces-silent",
        "a packet of 16 MiB, then silence",
        || zlib().send_frame([0xFF, 0xFF, 0xFF, 1, 0xFF, 0xFF, 0xFF, 0x78, 0x9C]),
    ),
    fails(Deed::Zlib, Malformed, "zlib-garbage", "what was never compressed", || {
        zlib().send_frame(frame(1, 100, &[0xAA; 50]))
    }),
    fails(Deed::Zlib, Malformed, "zlib-empty", "nothing, which is said to be something", || {
        zlib().send_frame(frame(1, 100, &[]))
    }),
    fails(Deed::Zlib, Malformed, "zlib-cut", "a stream that lacks its end", || {
        zlib().send_frame(changed(Compression::Zlib, |stream| stream.truncate(stream.len() - 5)))
    }),
    fails(Deed::Zlib, Malformed, "zlib-checksum", "a stream with another checksum", || {
        zlib().send_frame(changed(Compression::Zlib, |stream| {
            if let Some(last) = stream.last_mut() {
                *last ^= 1;
            }
        }))
    }),
    fails(Deed::Zlib, Malformed, "zlib-trailing", "a stream with more behind it", || {
        zlib().send_frame(changed(Compression::Zlib, |stream| stream.extend([7; 40])))
    }),
    fails(Deed::Zlib, Malformed, "zlib-wrong-sequence-id", "a compressed packet with id 9", || {
        let mut packet = honest(Compression::Zlib);
        if let Some(id) = packet.get_mut(3) {
            *id = 9;
        }
        zlib().send_frame(packet)
    }),
    NamedScript::new(
        "zlib-bomb",
        Expected::Fails(Stage::Rows, TooLarge),
        "rows of 1 MiB without an end, each of 1 KiB",
        || {
            let long = row(&[Some(&vec![b'x'; 1 << 20])]);
            zlib()
                .send(column_count(1))
                .send(column("a", ColumnType::BLOB))
                .send(eof(AUTOCOMMIT))
                .send_endlessly([long])
        },
    )
    .met_by(Deed::EndlessZlib),
    fails(
        Deed::Zstd,
        Malformed,
        "zstd-claims-16MiB",
        "a few bytes that are said to be many",
        || zstd().send_frame(lying(Compression::Zstd, MOST)),
    ),
    fails(Deed::Zstd, Malformed, "zstd-claims-1", "bytes that are said to be one", || {
        zstd().send_frame(lying(Compression::Zstd, 1))
    }),
    fails(Deed::Zstd, Malformed, "zstd-garbage", "what was never compressed", || {
        zstd().send_frame(frame(1, 100, &[0xAA; 50]))
    }),
    fails(Deed::Zstd, Malformed, "zstd-zlib", "zlib, where zstd was agreed upon", || {
        zstd().send_frame(honest(Compression::Zlib))
    }),
    fails(Deed::Zstd, Malformed, "zstd-window-2^41", "a window that no machine has", || {
        let window = [&ZSTD_WINDOW[..], &[0xF8], &[0xA9; 40]].concat();
        zstd().send_frame(frame(1, MOST, &window))
    }),
    fails(Deed::Zstd, Malformed, "zstd-window-2^27", "a window that some machines have", || {
        let window = [&ZSTD_WINDOW[..], &[0x88], &[0xA9; 40]].concat();
        zstd().send_frame(frame(1, MOST, &window))
    }),
    fails(Deed::Zstd, Malformed, "zstd-content-2^63", "a content size that no machine has", || {
        let content = [&ZSTD_CONTENT[..], &[0, 0, 0, 0, 0, 0, 0, 0x80], &[0xA9; 40]].concat();
        zstd().send_frame(frame(1, MOST, &content))
    }),
    fails(Deed::Zstd, Malformed, "zstd-cut", "a stream that lacks its end", || {
        zstd().send_frame(changed(Compression::Zstd, |stream| stream.truncate(stream.len() - 3)))
    }),
    fails(Deed::Zstd, Malformed, "zstd-trailing", "a stream with more behind it", || {
        zstd().send_frame(changed(Compression::Zstd, |stream| stream.extend([7; 40])))
    }),
];

/// A client has been let in and asks its first query, compressed.
fn asked(how: Compression) -> Script {
    let offered = OFFERED.with(how.capability());
    Script::new()
        .send(greeting(offered, "mysql_native_password"))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .compress(how)
        .expect_query()
}

fn zlib() -> Script {
    asked(Compression::Zlib)
}

fn zstd() -> Script {
    asked(Compression::Zstd)
}

/// The packet of an OK packet; it is long enough to be compressed.
fn packet(sequence_id: u8) -> Vec<u8> {
    let payload = ok(AUTOCOMMIT).field("info", [&[200][..], &[b'x'; 200]].concat()).bytes();
    let length = u8::try_from(payload.len()).unwrap_or(u8::MAX);
    [&[length, 0, 0, sequence_id][..], &payload].concat()
}

/// It, compressed as it should be.
fn honest(how: Compression) -> Vec<u8> {
    how.packet(1, &packet(1)).unwrap_or_default()
}

/// It, in a compressed packet that is said to hold so many bytes.
fn lying(how: Compression, uncompressed_length: u32) -> Vec<u8> {
    let honest = honest(how);
    frame(1, uncompressed_length, honest.get(7..).unwrap_or_default())
}

/// It, with another stream than it should have.
fn changed(how: Compression, change: fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut stream = honest(how).split_off(7);
    change(&mut stream);
    frame(1, u32::try_from(packet(1).len()).unwrap_or_default(), &stream)
}

/// A compressed packet with this stream in it.
fn frame(sequence_id: u8, uncompressed_length: u32, stream: &[u8]) -> Vec<u8> {
    let [length_1, length_2, length_3, _] =
        u32::try_from(stream.len()).unwrap_or_default().to_le_bytes();
    let [claimed_1, claimed_2, claimed_3, _] = uncompressed_length.to_le_bytes();
    let header = [length_1, length_2, length_3, sequence_id, claimed_1, claimed_2, claimed_3];
    [&header[..], stream].concat()
}
