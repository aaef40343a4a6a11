//! Servers that want other files than the one that they may have.

use super::Outcome::{FileRefused, Malformed};
use super::{Deed, Expected, NamedScript, Stage};
use crate::packets::{AUTOCOMMIT, MORE_RESULTS, local_infile, ok};
use crate::script::Script;

/// What a server asks for that may have `wanted.csv`, of a client whose folder has also `other.csv`, a link to it, a pipe, and a folder.
const OTHERS: [&str; 16] = [
    "/etc/passwd",
    "../../../../../../../../etc/passwd",
    "other.csv",
    "./other.csv",
    "link.csv",
    "pipe",
    "folder",
    "/proc/self/environ",
    "/proc/self/cwd/other.csv",
    "/dev/stdin",
    "/dev/zero",
    "WANTED.CSV",
    "wanted.csv\0/etc/passwd",
    "wanted.csv/../other.csv",
    "file:///etc/passwd",
    "php://filter/resource=other.csv",
];

pub(super) const SCRIPTS: &[NamedScript] = &[
    NamedScript::family(
        "local-file-other",
        Expected::Fails(Stage::Response, FileRefused),
        "asks for another file than the statement names: by an absolute path, a link, a pipe, a device, a URL",
        || {
            let asking = |name| {
                let request = Script::queried().send(local_infile(name));
                request.expect_packet().send(ok(AUTOCOMMIT)).ping()
            };
            OTHERS.map(asking).into()
        },
    )
    .met_by(Deed::LoadData),
    NamedScript::new(
        "local-file-no-name",
        Expected::Fails(Stage::Response, FileRefused),
        "asks for a file without a name",
        || Script::queried().send(local_infile("")).expect_packet().send(ok(AUTOCOMMIT)).ping(),
    )
    .met_by(Deed::LoadData),
    NamedScript::new(
        "local-file-long-name",
        Expected::Fails(Stage::Response, FileRefused),
        "asks for a file with a name of 100,000 bytes",
        || {
            let name = "wanted.csv".repeat(10_000);
            Script::queried().send(local_infile(&name)).expect_packet().send(ok(AUTOCOMMIT)).ping()
        },
    )
    .met_by(Deed::LoadData),
    NamedScript::new(
        "local-file-then-another",
        Expected::Fails(Stage::Response, Malformed),
        "takes the file that it may have, then asks for another one",
        || given().send(local_infile("other.csv")),
    )
    .met_by(Deed::LoadData),
    NamedScript::new(
        "local-file-twice",
        Expected::Fails(Stage::Response, FileRefused),
        "takes the file, promises another result, and has that be a request for the same file",
        || {
            given()
                .send(ok(MORE_RESULTS))
                .send(local_infile("wanted.csv"))
                .expect_packet()
                .send(ok(AUTOCOMMIT))
                .ping()
        },
    )
    .met_by(Deed::LoadData),
    NamedScript::new(
        "local-file-rows",
        Expected::Fails(Stage::Response, Malformed),
        "takes the file, then answers with a result set",
        || given().send([0x01]),
    )
    .met_by(Deed::LoadData),
];

/// A server that has got the file: a packet of it, and its end.
fn given() -> Script {
    Script::queried().send(local_infile("wanted.csv")).expect_packet().expect_packet()
}
