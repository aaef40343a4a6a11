//! Whole sessions made of right packets, in which a few are damaged: where none is, the client must have heard what was said.

use vaquita_client::{
    Address, Capabilities, CompressionAlgorithm, ConnectOptions, Connection, Error, State,
};
use vaquita_fake_server::packets::{AUTOCOMMIT, OFFERED, auth_more_data, greeting, ok};
use vaquita_fake_server::{Compression, Replay, Silence};

use crate::acts::act;
use crate::choices::Choices;
use crate::conversation::PASSWORD;
use crate::damage::Server;
use crate::replies::{Speaker, native_switch};
use crate::scenes::{KINDS as SCENES, Scene, scene};

/// The most scenes of a session.
const MOST_SCENES: usize = 8;

/// Bits of the first byte; two more say how is compressed.
const MODERN: u8 = 1;
const BYTE_BY_BYTE: u8 = 2;
const WAITING: u8 = 4;
const MARIADB: u8 = 8;

/// Leads a session; `true` if it came to its end. The input is what is chosen: how is talked, what is damaged, and scene by scene.
pub fn made_session(data: &[u8]) -> bool {
    let mut choices = Choices::new(data);
    let how = choices.byte();
    let log_in = choices.below(5);
    let mut speaker = Speaker {
        server: Server::new(&mut choices),
        is_modern: how & MODERN != 0,
        runs_at_once: how & MARIADB != 0,
    };
    let (algorithm, compression) = match how >> 6 {
        1 => (Some(CompressionAlgorithm::Zlib), Some(Compression::Zlib)),
        2 => (Some(CompressionAlgorithm::Zstd), Some(Compression::Zstd)),
        3 => (Some(CompressionAlgorithm::Zlib), Some(Compression::Stored(1 << 20))),
        _ => (None, None),
    };
    greet(&mut speaker, log_in, compression, how & MARIADB != 0);
    speaker.server.compression = compression;
    let mut scenes = Vec::new();
    while !choices.is_over() && scenes.len() < MOST_SCENES {
        let next = scene(&mut choices);
        // With OK packets in the places of EOF packets nothing tells of a cursor.
        if !(speaker.is_modern && matches!(next, Scene::Cursor(..))) {
            speaker.scene(&next);
            scenes.push(next);
        }
    }
    let is_right = speaker.server.is_right();
    let mut replay = Replay::new(speaker.server.turns());
    if how & BYTE_BY_BYTE != 0 {
        replay = replay.byte_by_byte();
    }
    if how & WAITING != 0 {
        replay = replay.then(Silence::Waiting);
    }
    let capabilities = Capabilities::DEPRECATE_EOF.with(Capabilities::SESSION_TRACK);
    let options = ConnectOptions {
        user: b"u".to_vec(),
        password: PASSWORD.into(),
        capabilities: if how & MODERN != 0 { capabilities } else { Capabilities::NONE },
        compression: algorithm.into_iter().collect(),
        statement_cache: if how & MARIADB != 0 { 2 } else { 0 },
        ..ConnectOptions::new(Address::Unix("replayed".into()))
    };
    // What a server has of its own is not played here: with it, nothing is known of what is heard.
    let is_known = is_right && how & MARIADB == 0;
    match lead(Box::new(replay), &options, &scenes, is_known) {
        Ok(mut connection) => {
            assert_eq!(connection.state(), State::Ready);
            connection.close();
            assert_eq!(connection.state(), State::QuitSent);
            true
        }
        Err(error) => {
            assert!(!is_known, "nothing is wrong: {error:?}");
            assert!(!matches!(error, Error::OutOfSync), "the driver keeps in step");
            assert!(error.code() != 0, "{error:?}");
            false
        }
    }
}

fn greet(speaker: &mut Speaker, log_in: u8, compression: Option<Compression>, is_mariadb: bool) {
    let offered = OFFERED.with(compression.map_or(Capabilities::NONE, Compression::capability));
    let sha2 = "caching_sha2_password";
    let plugin = if log_in >= 2 { sha2 } else { "mysql_native_password" };
    let mut greeting = greeting(offered, plugin);
    if is_mariadb {
        greeting = greeting.with("server version", *b"5.5.5-10.11.99-MariaDB\0");
    }
    let server = &mut speaker.server;
    server.begin_turn(0);
    server.packet(greeting);
    server.end_turn();
    server.begin_turn(2);
    match log_in {
        0 => server.packet(ok(AUTOCOMMIT)),
        // It knows the password, or must be told it, or wants another plugin.
        2 => {
            server.packet(auth_more_data(&[3]));
            server.packet(ok(AUTOCOMMIT));
        }
        3 => {
            server.packet(auth_more_data(&[4]));
            server.end_turn();
            server.begin_turn(4);
            server.packet(ok(AUTOCOMMIT));
        }
        _ => {
            server.packet(native_switch());
            server.end_turn();
            server.begin_turn(4);
            server.packet(ok(AUTOCOMMIT));
        }
    }
    server.end_turn();
}

fn lead(
    replay: Box<Replay>,
    options: &ConnectOptions,
    scenes: &[Scene],
    is_known: bool,
) -> Result<Connection, Error> {
    let mut connection = Connection::over(replay, options)?;
    for (number, scene) in scenes.iter().enumerate() {
        let done = act(&mut connection, scene, number, is_known);
        if connection.state() == State::Broken {
            let again = connection.ping();
            assert!(again.is_err(), "it is broken");
            done?;
            return Err(again.err().unwrap_or(Error::OutOfSync));
        }
        assert_eq!(connection.state(), State::Ready, "{done:?}");
        assert!(done.is_ok() || !is_known, "{done:?}");
    }
    Ok(connection)
}

/// Sessions in which each scene comes after each other one, each way to talk in some of them; nothing is damaged.
pub fn inputs() -> Vec<Vec<u8>> {
    let hows = [0, MODERN, BYTE_BY_BYTE, MARIADB, 1 << 6, 2 << 6 | MODERN, 3 << 6];
    let mut inputs = Vec::new();
    for (log_in, how) in (0..).zip(hows) {
        for scene in 0..SCENES {
            // Any numbers do.
            let details = (0..40_u8).map(|at| (at.wrapping_mul(37) ^ how).wrapping_add(scene * 11));
            inputs.push([how, log_in, 0, scene].into_iter().chain(details).collect());
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::Mutator;

    #[test]
    fn what_is_said_undamaged_is_heard() {
        let mut mutator = Mutator::new(9);
        let mut ended = 0;
        for seed in inputs() {
            assert!(made_session(&seed), "{seed:?}");
            for _ in 0..100 {
                let [how, log_in, _, rest @ ..] = &seed[..] else { continue };
                let changed = mutator.mutate(rest, &seed);
                ended += u32::from(made_session(&[&[*how, *log_in, 0][..], &changed].concat()));
            }
        }
        assert!(ended > 1000, "{ended}");
    }
}
