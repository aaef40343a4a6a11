//! Sets of certificates with each byte changed: a server is believed by all that was signed, or not at all.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use vaquita_hostile::certificates::{Kind, input, sets};
use vaquita_hostile::parsers::certificate;

/// What a byte is changed by, so that each bit changes, and each length becomes an extreme one.
const CHANGES: [fn(u8) -> u8; 6] =
    [|it| it ^ 1, |it| it ^ 0x80, |it| it.wrapping_add(1), |it| !it, |_| 0, |_| 0xFF];

#[test]
fn every_byte_counts() {
    let mut changes = 0;
    for set in sets().unwrap() {
        assert!(certificate(&input(&set)), "{}", String::from_utf8_lossy(&set[0].1));
        let of = |kind| set.iter().find(|part| part.0 == kind).map(|part| &part.1);
        let is_alone = of(Kind::Leaf) == of(Kind::Known);
        for part in 0..set.len() {
            for at in 0..set[part].1.len() {
                for change in CHANGES {
                    let mut changed = set.clone();
                    let (kind, bytes) = &mut changed[part];
                    let old = bytes[at];
                    bytes[at] = change(old);
                    let (kind, new) = (*kind, bytes[at]);
                    if new == old {
                        continue;
                    }
                    changes += 1;
                    let believed = certificate(&input(&changed));
                    // What is known needs no signature, and a host may be another that the certificate is for.
                    let may_be = kind == Kind::Host || kind == Kind::Known && !is_alone;
                    assert!(
                        !believed || may_be,
                        "{kind:?}, byte {at}: {old:#04x} became {new:#04x}"
                    );
                }
            }
        }
    }
    eprintln!("{changes} changes");
    assert!(changes > 20_000, "{changes} changes");
}

#[test]
fn every_cut_is_refused() {
    for set in sets().unwrap() {
        for part in (0..set.len()).filter(|part| set[*part].0 != Kind::Host) {
            for length in 0..set[part].1.len() {
                let mut cut = set.clone();
                cut[part].1.truncate(length);
                assert!(!certificate(&input(&cut)), "part {part}, cut after {length}");
            }
        }
    }
}
