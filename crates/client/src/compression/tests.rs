//! Both directions of compression against each other, and the way in against what no server should send.

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use vaquita_protocol::{CompressedPacketHeader, Malformed};

use super::inward::Inward;
use super::outward::Outward;
use super::{CompressionAlgorithm, OUT_OF_SEQUENCE};
use crate::error::Error;

const ALGORITHMS: [CompressionAlgorithm; 2] =
    [CompressionAlgorithm::Zlib, CompressionAlgorithm::Zstd];

/// Text that compresses to about the half.
fn text(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let letter = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + state.to_be_bytes()[0] % 16
    };
    (0..length).map(letter).collect()
}

fn compressed(algorithm: CompressionAlgorithm, plain: &[u8]) -> Vec<u8> {
    match algorithm {
        CompressionAlgorithm::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        }
        CompressionAlgorithm::Zstd => {
            let mut out = Vec::with_capacity(zstd_safe::compress_bound(plain.len()));
            zstd_safe::compress(&mut out, plain, 3).unwrap();
            out
        }
    }
}

/// A packet with this payload, which claims to stand for so many bytes.
fn packet(sequence_id: u8, payload: &[u8], uncompressed_length: usize) -> Vec<u8> {
    let header = CompressedPacketHeader {
        compressed_length: u32::try_from(payload.len()).unwrap(),
        sequence_id,
        uncompressed_length: u32::try_from(uncompressed_length).unwrap(),
    };
    [&header.encode(), payload].concat()
}

/// A packet that is as it should be.
fn honest(algorithm: CompressionAlgorithm, sequence_id: u8, plain: &[u8]) -> Vec<u8> {
    packet(sequence_id, &compressed(algorithm, plain), plain.len())
}

/// What comes out of these bytes, received in pieces, read into rooms of this size; and the error at their end.
fn unpack(
    algorithm: CompressionAlgorithm,
    mut bytes: &[u8],
    piece: usize,
    room: usize,
) -> (Vec<u8>, Error) {
    let mut inward = Inward::new(algorithm).unwrap();
    let mut sequence_id = 0;
    let mut out = Vec::new();
    let mut room = vec![0; room];
    loop {
        let receive = |buffer: &mut [u8]| {
            let length = buffer.len().min(piece).min(bytes.len());
            let (head, rest) = bytes.split_at(length);
            buffer[..length].copy_from_slice(head);
            bytes = rest;
            if length == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(length) }
        };
        match inward.read(&mut sequence_id, &mut room, receive) {
            Ok(length) => out.extend_from_slice(&room[..length]),
            Err(error) => return (out, error),
        }
    }
}

fn assert_malformed(error: &Error, field: &str) {
    let Error::Malformed(Malformed { packet: "CompressedPacket", field: found, .. }) = error else {
        panic!("{error:?}, not {field}");
    };
    assert_eq!(*found, field);
}

#[test]
fn packets_arrive_in_any_pieces() {
    for algorithm in ALGORITHMS {
        let plain = text(100_000);
        let (a, rest) = plain.split_at(70_000);
        let (b, rest) = rest.split_at(1);
        let (c, d) = rest.split_at(20_000);
        let packets =
            [honest(algorithm, 0, a), packet(1, b, 0), packet(2, c, 0), honest(algorithm, 3, d)];
        let bytes = packets.concat();
        for piece in [1, 2, 7, 1000, 33_000, usize::MAX] {
            for room in [1, 3, 1000, 40_000, 1 << 20] {
                let (out, error) = unpack(algorithm, &bytes, piece, room);
                assert!(out == plain, "{algorithm:?}, {piece}, {room}: {} bytes", out.len());
                assert_eq!(error.code(), 2006, "the end: {error:?}");
            }
        }
    }
}

#[test]
fn what_has_not_come_yet_is_asked_for_again() {
    for algorithm in ALGORITHMS {
        let plain = text(600);
        let bytes = [honest(algorithm, 0, &plain), packet(1, b"stored", 0)].concat();
        for room in [1, 7, 10_000] {
            let mut inward = Inward::new(algorithm).unwrap();
            let mut sequence_id = 0;
            let mut out = Vec::new();
            let mut room = vec![0; room];
            for byte in &bytes {
                let mut come = Some(*byte);
                loop {
                    let receive = |buffer: &mut [u8]| {
                        buffer[0] = come.take().ok_or(io::ErrorKind::WouldBlock)?;
                        Ok(1)
                    };
                    match inward.read(&mut sequence_id, &mut room, receive) {
                        Ok(length) => out.extend_from_slice(&room[..length]),
                        Err(error) => {
                            assert!(error.is_not_here_yet(), "{error:?}");
                            break;
                        }
                    }
                }
            }
            assert!(inward.is_empty());
            assert_eq!(out, [&plain, &b"stored"[..]].concat(), "{algorithm:?}");
        }
    }
}

#[test]
fn a_cut_is_an_error_and_gives_no_more_than_came() {
    for algorithm in ALGORITHMS {
        let plain = text(600);
        let bytes = [honest(algorithm, 0, &plain), packet(1, b"stored", 0)].concat();
        let whole = [&plain, &b"stored"[..]].concat();
        for length in 0..bytes.len() {
            for room in [7, 10_000] {
                let (out, error) = unpack(algorithm, &bytes[..length], usize::MAX, room);
                assert!(whole.starts_with(&out), "{algorithm:?} cut after {length}");
                assert_eq!(error.code(), 2006, "{algorithm:?} cut after {length}: {error:?}");
                // The last byte of a packet is given out with the whole packet only.
                let of_first = out.len() < plain.len();
                assert_eq!(of_first, length < bytes.len() - 13, "{algorithm:?} {length}");
            }
        }
    }
}

#[test]
fn lengths_that_lie_are_found_out() {
    let before = "length of payload before compression";
    let after = "length of compressed payload";
    for algorithm in ALGORITHMS {
        let plain = text(50_000);
        let payload = compressed(algorithm, &plain);
        let claim = |uncompressed: usize| {
            for room in [1000, 1 << 24] {
                let bytes = packet(0, &payload, uncompressed);
                let (out, error) = unpack(algorithm, &bytes, usize::MAX, room);
                assert!(out.len() < uncompressed, "{algorithm:?}: {} of {uncompressed}", out.len());
                assert!(plain.starts_with(&out));
                assert_malformed(&error, before);
            }
        };
        for uncompressed in [1, 2, 999, 1000, 49_999, 50_001, 0xFF_FFFF] {
            claim(uncompressed);
        }
        let mut long = payload.clone();
        long.push(0);
        let (out, error) = unpack(algorithm, &packet(0, &long, plain.len()), usize::MAX, 1000);
        assert!(out.len() < plain.len());
        assert_malformed(&error, after);
        let short = &payload[..payload.len() - 1];
        let (out, error) = unpack(algorithm, &packet(0, short, plain.len()), usize::MAX, 1000);
        assert!(out.len() < plain.len());
        assert_malformed(&error, "compressed payload");
        // Two streams in one payload, of which the length is right for one or for both.
        let two = [&payload[..], &payload].concat();
        for (uncompressed, field) in [(plain.len(), after), (2 * plain.len(), before)] {
            let (_, error) = unpack(algorithm, &packet(0, &two, uncompressed), usize::MAX, 1 << 20);
            assert_malformed(&error, field);
        }
        let (out, error) = unpack(algorithm, &packet(0, b"", 0), usize::MAX, 1000);
        assert!(out.is_empty());
        assert_malformed(&error, after);
        let (_, error) = unpack(algorithm, &packet(0, b"", 10), usize::MAX, 1000);
        assert_malformed(&error, after);
    }
}

#[test]
fn a_bomb_gives_no_more_than_it_claims() {
    for algorithm in ALGORITHMS {
        let payload = compressed(algorithm, &vec![0; 16 << 20]);
        assert!(payload.len() < 20_000);
        for claimed in [1, 1000, 1 << 20] {
            let (out, error) =
                unpack(algorithm, &packet(0, &payload, claimed), usize::MAX, 1 << 22);
            assert!(out.len() < claimed);
            assert_malformed(&error, "length of payload before compression");
        }
    }
}

#[test]
fn garbage_is_found_out() {
    for algorithm in ALGORITHMS {
        let plain = text(2000);
        let payload = compressed(algorithm, &plain);
        for at in 0..payload.len() {
            for bit in [1, 0x80] {
                let mut payload = payload.clone();
                payload[at] ^= bit;
                let bytes = packet(0, &payload, plain.len());
                let (out, error) = unpack(algorithm, &bytes, usize::MAX, 1 << 20);
                // Of zlib some bits have no meaning. Zstandard as servers send it has no checksum; but it never gives more or less
                // than the header claims.
                match algorithm {
                    CompressionAlgorithm::Zlib => assert!(out.is_empty() || out == plain),
                    CompressionAlgorithm::Zstd => assert!([0, plain.len()].contains(&out.len())),
                }
                assert_eq!(out.is_empty(), matches!(error, Error::Malformed(_)), "{error:?}");
            }
        }
        for garbage in [&[0_u8; 100][..], &[0xFF; 100], b"HTTP/1.1 400 Bad Request\r\n\r\n"] {
            let (out, error) = unpack(algorithm, &packet(0, garbage, 1000), usize::MAX, 1 << 20);
            assert!(out.is_empty());
            assert_malformed(&error, "compressed payload");
        }
    }
}

#[test]
fn ids_are_checked_and_wrap() {
    let ids = (0..=255).cycle().take(600);
    let packets: Vec<u8> = ids.flat_map(|id| packet(id, &[id], 0)).collect();
    let (out, error) = unpack(CompressionAlgorithm::Zlib, &packets, usize::MAX, 100);
    assert_eq!((out.len(), error.code()), (600, 2006));
    for wrong in [0, 2, 255] {
        let bytes = [packet(0, b"x", 0), packet(wrong, b"y", 0)].concat();
        let (out, error) = unpack(CompressionAlgorithm::Zlib, &bytes, usize::MAX, 100);
        assert_eq!(out, b"x");
        assert!(matches!(error, Error::Malformed(OUT_OF_SEQUENCE)), "{error:?}");
    }
}

#[test]
fn what_goes_out_comes_in() {
    let limit = 0xFF_FFFF;
    for algorithm in ALGORITHMS {
        for length in [1, 5, 49, 50, 4096, 100_000, limit, limit + 1, limit + 4, 40 << 20] {
            // Of nothing but blanks, so that even a short one gets shorter, and a long one takes no time.
            let plain =
                if (100..1 << 20).contains(&length) { text(length) } else { vec![b' '; length] };
            let mut outward = Outward::new(algorithm);
            let mut sequence_id = 0;
            let mut wire = Vec::new();
            for split in [0, 5.min(length), length] {
                let (first, last) = plain.split_at(split);
                wire.clear();
                sequence_id = 0;
                let written = outward.write(&mut sequence_id, [first, last], |slices| {
                    slices.iter().for_each(|slice| wire.extend_from_slice(slice));
                    Ok(())
                });
                written.unwrap();
                let (out, error) = unpack(algorithm, &wire, usize::MAX, 1 << 20);
                assert!(out == plain, "{algorithm:?}, {length} at {split}: {error:?}");
            }
            assert_eq!(usize::from(sequence_id), length.div_ceil(limit));
            let is_compressed = wire[4..7] != [0; 3];
            assert_eq!(is_compressed, length >= 50, "{algorithm:?}, {length}");
        }
    }
}

#[test]
fn what_does_not_get_shorter_is_sent_as_it_is() {
    for algorithm in ALGORITHMS {
        let noise = compressed(algorithm, &text(400_000));
        let mut wire = Vec::new();
        let mut sequence_id = 7;
        let written = Outward::new(algorithm).write(&mut sequence_id, [&noise, b"!"], |slices| {
            slices.iter().for_each(|slice| wire.extend_from_slice(slice));
            Ok(())
        });
        written.unwrap();
        assert_eq!(sequence_id, 8);
        assert_eq!(wire, packet(7, &[&noise, &b"!"[..]].concat(), 0));
    }
}

#[test]
fn a_list_names_each_algorithm_once() {
    use CompressionAlgorithm::{Zlib, Zstd};
    let check = |list: &str, expected: Option<&[CompressionAlgorithm]>| {
        let parsed = CompressionAlgorithm::parse_list(list.as_bytes());
        assert_eq!(parsed.as_deref(), expected, "{list:?}");
    };
    check("zlib", Some(&[Zlib]));
    check("zstd", Some(&[Zstd]));
    check("zstd,zlib", Some(&[Zstd, Zlib]));
    check(" ZLIB , Zstd ", Some(&[Zlib, Zstd]));
    check("", None);
    check("zlib,", None);
    check("zlib,zlib", None);
    check("lz4", None);
    check("zstd zlib", None);
}
