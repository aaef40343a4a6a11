//! The packets of a made session: what the server says in each scene.

use vaquita_fake_server::Payload;
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, NONCE, auth_switch, column, column_count, eof, err, lenenc_bytes,
    local_infile, ok, ok_as_eof, row,
};
use vaquita_protocol::{ColumnType, StatusFlags, ValueLength};

use crate::damage::Server;
use crate::scenes::{Reply, Rows, Scene, Values};

/// The code of every ERR packet.
pub const REFUSED: u16 = 1064;
/// The file that the server asks for.
pub const FILE: &str = "a file";
/// The id of every statement.
const STATEMENT_ID: u32 = 5;

/// A server that talks as was agreed.
#[derive(Debug)]
pub struct Speaker {
    /// What it says goes here.
    pub server: Server,
    /// Whether OK packets stand in the places of EOF packets, and tell what changed in the session.
    pub is_modern: bool,
    /// Whether a statement and its run arrive together, and are answered so.
    pub runs_at_once: bool,
}

impl Speaker {
    /// Says all of a scene.
    pub fn scene(&mut self, scene: &Scene) {
        match scene {
            Scene::Query(results, _) => self.turn(1, |it| it.results(results, false)),
            Scene::Statement(params, runs, _, at_once) => {
                let types = match runs.first().and_then(|results| results.first()) {
                    Some(Reply::Rows(rows)) => rows.types.as_slice(),
                    _ => &[],
                };
                let at_once = *at_once && self.runs_at_once;
                self.server.begin_turn(1);
                self.prepared((*params).into(), types);
                for (number, results) in runs.iter().enumerate() {
                    if at_once && number == 0 {
                        self.server.begin_reply();
                    } else {
                        self.server.end_turn();
                        self.server.begin_turn(1);
                    }
                    self.results(results, true);
                }
                self.server.end_turn();
            }
            Scene::Cursor(types, fetches) => {
                self.turn(1, |it| it.prepared(0, types));
                self.turn(1, |it| {
                    it.columns(types);
                    it.server.packet(eof(AUTOCOMMIT.with(StatusFlags::CURSOR_EXISTS)));
                });
                for rows in fetches {
                    self.turn(1, |it| {
                        for values in rows {
                            it.server.packet(binary_row(types, values));
                        }
                        it.end(AUTOCOMMIT.with(StatusFlags::CURSOR_EXISTS));
                    });
                }
            }
            Scene::Pipeline(replies, _) => {
                self.server.begin_turn(1);
                for results in replies {
                    self.server.begin_reply();
                    self.results(results, false);
                }
                self.server.end_turn();
            }
            Scene::Load(file) => {
                self.turn(1, |it| it.server.packet(local_infile(FILE)));
                let id = if file.is_empty() { 3 } else { 4 };
                self.turn(id, |it| it.server.packet(ok(AUTOCOMMIT)));
            }
            Scene::Ping(reply) => self.turn(1, |it| match reply {
                Reply::Err => it.server.packet(err(REFUSED, b"42000", "no")),
                Reply::Ok(changed) => it.ok(AUTOCOMMIT, changed),
                Reply::Rows(_) => it.ok(AUTOCOMMIT, &[]),
            }),
            Scene::Reset => {
                self.turn(1, |it| it.ok(AUTOCOMMIT, &[]));
                // The client sets its character set again.
                self.turn(1, |it| it.ok(AUTOCOMMIT, &[]));
            }
            Scene::ChangeUser(is_switched) => {
                if *is_switched {
                    self.turn(1, |it| it.server.packet(native_switch()));
                }
                let id = if *is_switched { 3 } else { 1 };
                self.turn(id, |it| it.ok(AUTOCOMMIT, &[]));
            }
            Scene::Statistics(text) => self.turn(1, |it| it.server.packet(text.clone())),
        }
    }

    fn turn(&mut self, sequence_id: u8, say: impl FnOnce(&mut Self)) {
        self.server.begin_turn(sequence_id);
        say(self);
        self.server.end_turn();
    }

    fn ok(&mut self, status: StatusFlags, changed: &[u8]) {
        let packet = if changed.is_empty() || !self.is_modern {
            ok(status)
        } else {
            let info = lenenc_bytes(b"");
            let ok = ok(status.with(StatusFlags::SESSION_STATE_CHANGED)).field("info", info);
            ok.field("session state info", lenenc_bytes(changed))
        };
        self.server.packet(packet);
    }

    fn end(&mut self, status: StatusFlags) {
        self.server.packet(if self.is_modern { ok_as_eof(status) } else { eof(status) });
    }

    fn results(&mut self, results: &[Reply], is_binary: bool) {
        for (number, result) in results.iter().enumerate() {
            let is_last = number + 1 == results.len();
            let status = if is_last { AUTOCOMMIT } else { MORE_RESULTS };
            match result {
                Reply::Ok(changed) => self.ok(status, changed),
                Reply::Err => self.server.packet(err(REFUSED, b"42000", "no")),
                Reply::Rows(rows) => self.rows(rows, status, is_binary),
            }
        }
    }

    fn rows(&mut self, Rows { types, rows, fails }: &Rows, status: StatusFlags, is_binary: bool) {
        self.columns(types);
        if !self.is_modern {
            self.server.packet(eof(status));
        }
        for values in rows {
            self.server.packet(if is_binary {
                binary_row(types, values)
            } else {
                text_row(values)
            });
        }
        if *fails {
            self.server.packet(err(REFUSED, b"42000", "no"));
        } else {
            self.end(status);
        }
    }

    fn columns(&mut self, types: &[ColumnType]) {
        self.server.packet(column_count(types.len() as u64));
        self.definitions(types);
    }

    fn definitions(&mut self, types: &[ColumnType]) {
        for column_type in types {
            self.server.packet(column("c", *column_type));
        }
    }

    fn prepared(&mut self, params: u16, types: &[ColumnType]) {
        let columns = u16::try_from(types.len()).unwrap_or_default();
        let ok = Payload::new()
            .field("status", [0])
            .field("statement_id", STATEMENT_ID.to_le_bytes())
            .field("num_columns", columns.to_le_bytes())
            .field("num_params", params.to_le_bytes())
            .field("reserved_1", [0])
            .field("warning_count", [0, 0]);
        self.server.packet(ok);
        let parameters = vec![ColumnType::VAR_STRING; params.into()];
        for types in [&parameters[..], types] {
            self.definitions(types);
            if !types.is_empty() && !self.is_modern {
                self.server.packet(eof(AUTOCOMMIT));
            }
        }
    }
}

/// The request for mysql_native_password.
pub fn native_switch() -> Payload {
    auth_switch("mysql_native_password", &[&NONCE[..], &[0]].concat())
}

fn text_row(values: &Values) -> Vec<u8> {
    row(&values.iter().map(Option::as_deref).collect::<Vec<_>>()).bytes()
}

fn binary_row(types: &[ColumnType], values: &Values) -> Vec<u8> {
    let mut nulls = vec![0_u8; (types.len() + 2).div_ceil(8)];
    let mut body = Vec::new();
    for (index, (column_type, value)) in types.iter().zip(values).enumerate() {
        match (value, ValueLength::of(*column_type)) {
            (Some(value), ValueLength::Fixed(_)) => body.extend_from_slice(value),
            (Some(value), _) => body.extend(lenenc_bytes(value)),
            (None, _) => {
                let bit = index + 2;
                nulls.get_mut(bit / 8).into_iter().for_each(|byte| *byte |= 1 << (bit % 8));
            }
        }
    }
    [vec![0], nulls, body].concat()
}
