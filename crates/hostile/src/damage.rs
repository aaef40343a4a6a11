//! What a server does wrong: changes to single packets of what it says, and to what they travel in.

use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, auth_more_data, auth_switch, column_count, eof, err,
    greeting, local_infile, ok, ok_as_eof,
};
use vaquita_fake_server::{Compression, Payload};
use vaquita_protocol::{ColumnType, PacketHeader};

use crate::choices::Choices;

/// The most damages of a session; of more it would not be known what a client makes of one.
const MOST: u8 = 4;
/// The kinds of damage.
const KINDS: u8 = 12;

/// One thing that is done wrong.
#[derive(Clone, Copy, Debug)]
struct Damage {
    /// To which packet, counted over the session; of what is done to a turn, to which turn.
    place: usize,
    kind: u8,
    at: usize,
    with: u8,
}

/// A server that says packets, in turns.
#[derive(Debug)]
pub struct Server {
    damages: Vec<Damage>,
    packets: usize,
    turns: Vec<Vec<u8>>,
    sequence_id: u8,
    /// The id of the turn's compressed packet.
    compressed_id: u8,
    /// How the last turns are compressed; the first ones, of the log-in, are not.
    pub compression: Option<Compression>,
}

impl Server {
    /// A server that does wrong what is chosen.
    pub fn new(choices: &mut Choices<'_>) -> Self {
        let count = choices.below(MOST + 1);
        let damages = (0..count).map(|_| Damage {
            place: choices.byte().into(),
            kind: choices.below(KINDS),
            at: choices.byte().into(),
            with: choices.byte(),
        });
        Server {
            damages: damages.collect(),
            packets: 0,
            turns: Vec::new(),
            sequence_id: 0,
            compressed_id: 0,
            compression: None,
        }
    }

    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.damages.is_empty()
    }

    /// What it says, turn by turn.
    pub fn turns(self) -> Vec<Vec<u8>> {
        self.turns
    }

    /// The client has said something; the next packet has this sequence id.
    pub fn begin_turn(&mut self, sequence_id: u8) {
        self.turns.push(Vec::new());
        self.sequence_id = sequence_id;
        self.compressed_id = sequence_id;
    }

    /// The next packet is the first of another command's reply, in the same turn.
    pub fn begin_reply(&mut self) {
        self.sequence_id = 1;
    }

    /// Says a packet.
    pub fn packet(&mut self, payload: impl Into<Vec<u8>>) {
        let place = self.packets;
        self.packets += 1;
        let mut packets = vec![payload.into()];
        let (mut skipped, mut length_lie) = (0, 0);
        for Damage { at, kind, with, .. } in self.of(place) {
            let [payload, ..] = &mut packets[..] else { continue };
            match kind {
                0 => payload.truncate(at),
                1 => payload.get_mut(at).into_iter().for_each(|byte| *byte = with),
                2 => payload.insert(at.min(payload.len()), with),
                3 if at < payload.len() => drop(payload.remove(at)),
                4 => skipped = with,
                5 => length_lie = u32::from(with) << (8 * (at % 3)),
                6 => packets.clear(),
                7 => packets = vec![payload.clone(); 2],
                8 => *payload = another(with),
                9 => packets.push(another(with)),
                _ => {}
            }
        }
        self.sequence_id = self.sequence_id.wrapping_add(skipped);
        for payload in packets {
            let payload_length = u32::try_from(payload.len()).unwrap_or_default() ^ length_lie;
            let header = PacketHeader { payload_length, sequence_id: self.sequence_id };
            self.sequence_id = self.sequence_id.wrapping_add(1);
            if let Some(turn) = self.turns.last_mut() {
                turn.extend_from_slice(&header.encode());
                turn.extend(payload);
            }
        }
    }

    /// Has said all of a turn.
    pub fn end_turn(&mut self) {
        let place = self.turns.len();
        let compression = self.compression;
        let damages: Vec<Damage> = self.of(place).collect();
        let Some(turn) = self.turns.last_mut() else { return };
        if let Some(compression) = compression {
            *turn = compression.packet(self.compressed_id, turn).unwrap_or_default();
        }
        for Damage { kind, at, with, .. } in damages {
            match kind {
                10 => turn.truncate(at),
                11 => turn.get_mut(at).into_iter().for_each(|byte| *byte ^= with),
                _ => {}
            }
        }
    }

    fn of(&self, place: usize) -> impl Iterator<Item = Damage> + use<> {
        let damages: Vec<Damage> =
            self.damages.iter().filter(|it| it.place == place).copied().collect();
        damages.into_iter()
    }
}

/// A packet that does not belong here.
fn another(with: u8) -> Vec<u8> {
    let payload = match with % 12 {
        0 => Payload::new(),
        1 => ok(AUTOCOMMIT),
        2 => ok(MORE_RESULTS),
        3 => eof(AUTOCOMMIT),
        4 => eof(MORE_RESULTS),
        5 => ok_as_eof(AUTOCOMMIT),
        6 => err(1064, b"42000", "no"),
        7 => local_infile("/etc/passwd"),
        8 => auth_switch("mysql_clear_password", b""),
        9 => auth_more_data(&[with]),
        10 => greeting(OFFERED, "mysql_native_password"),
        _ => return wrong_count(with),
    };
    payload.bytes()
}

/// A number of columns that nobody has, or the definition of one.
fn wrong_count(with: u8) -> Vec<u8> {
    match with >> 6 {
        0 => column_count(1 << 40).bytes(),
        1 => column_count(u64::MAX).bytes(),
        2 => vec![0xFE; 9],
        _ => vaquita_fake_server::packets::column("x", ColumnType(with)).bytes(),
    }
}
