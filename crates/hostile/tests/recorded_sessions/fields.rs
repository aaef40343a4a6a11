//! Where the lengths and counts stand in what a server said: a walk over recorded packets, which are as they should be.

use vaquita_hostile::recordings::Recorded;
use vaquita_protocol::Capabilities;

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In this many bytes, the lowest first.
    Fixed,
    /// As an `int<lenenc>`.
    Lenenc,
}

/// A length or a count in what a server said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) turn: usize,
    /// Where the header of its packet stands in the turn.
    pub(crate) header: usize,
    /// Where the field stands in the turn, and its bytes.
    pub(crate) at: usize,
    pub(crate) bytes: usize,
    pub(crate) form: Form,
}

/// What comes next in an answer to a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Answer,
    Columns(u64),
    EndOfColumns,
    Rows,
}

struct Walk<'a> {
    fields: Vec<Field>,
    turn: usize,
    header: usize,
    payload: &'a [u8],
    at: usize,
}

/// All lengths and counts of a recorded session.
pub(crate) fn lengths(recorded: &Recorded) -> Vec<Field> {
    let asked = recorded.conversation.log_in.capabilities;
    let deprecate_eof = asked.contains(Capabilities::DEPRECATE_EOF);
    let is_compressed = !recorded.conversation.log_in.compression.is_empty();
    let mut walk = Walk { fields: Vec::new(), turn: 0, header: 0, payload: &[], at: 0 };
    let mut is_logged_in = false;
    let mut columns = 0;
    for (turn, bytes) in recorded.dialogue.of_server().enumerate() {
        let mut next = Next::Answer;
        let mut rest = bytes;
        while !rest.is_empty() {
            let header = bytes.len() - rest.len();
            if is_logged_in && is_compressed {
                // Only the two lengths of each compressed packet can be told apart.
                let length = usize::from(rest[0]) | usize::from(rest[1]) << 8;
                (walk.turn, walk.header) = (turn, header);
                walk.field("compressed_length", header, 3, Form::Fixed);
                walk.field("uncompressed_length", header + 4, 3, Form::Fixed);
                rest = &rest[7 + length..];
                continue;
            }
            let length = usize::from(rest[0]) | usize::from(rest[1]) << 8;
            walk.turn = turn;
            walk.header = header;
            walk.payload = &rest[4..4 + length];
            walk.field("payload_length", header, 3, Form::Fixed);
            rest = &rest[4 + length..];
            walk.at = 0;
            if !is_logged_in {
                is_logged_in = walk.log_in(turn);
                continue;
            }
            next = match (next, walk.payload[0]) {
                (_, 0xFF) | (Next::Answer, 0xFB) => Next::Answer,
                (Next::Answer, 0) => walk.ok(),
                // The answer to COM_SET_OPTION, or another plugin for COM_CHANGE_USER.
                (Next::Answer, 0xFE) if length > 7 => Next::Answer,
                (Next::Answer, 0xFE) => walk.end(deprecate_eof),
                // A plugin's data, in answer to COM_CHANGE_USER; a single column is counted in a single byte.
                (Next::Answer, 1) if length > 1 => Next::Answer,
                (Next::Answer, _) => {
                    columns = walk.lenenc("column_count");
                    Next::Columns(columns)
                }
                (Next::Columns(left), _) => walk.column(left, deprecate_eof),
                (Next::EndOfColumns, _) => Next::Rows,
                (Next::Rows, 0xFE) => walk.end(deprecate_eof),
                (Next::Rows, _) => walk.row(columns),
            };
        }
    }
    walk.fields
}

impl Walk<'_> {
    fn field(&mut self, name: &'static str, at: usize, bytes: usize, form: Form) {
        let Walk { turn, header, .. } = *self;
        self.fields.push(Field { name, turn, header, at, bytes, form });
    }

    /// Notes the integer that comes next, and gives its value.
    fn lenenc(&mut self, name: &'static str) -> u64 {
        let bytes = match self.payload[self.at] {
            0..=0xFB => 1,
            0xFC => 3,
            0xFD => 4,
            _ => 9,
        };
        self.field(name, self.header + 4 + self.at, bytes, Form::Lenenc);
        let digits = &self.payload[self.at..][..bytes];
        let digits = if bytes == 1 { digits } else { &digits[1..] };
        self.at += bytes;
        digits.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// Notes the length of the string that comes next, and skips it.
    fn string(&mut self, name: &'static str) {
        let length = self.lenenc(name);
        self.at += usize::try_from(length).unwrap();
    }

    fn log_in(&mut self, turn: usize) -> bool {
        match self.payload[0] {
            _ if turn == 0 => {
                let version = self.payload.iter().position(|&byte| byte == 0).unwrap();
                // Behind the version: its NUL, thread id, 8 random bytes, filler, flags, charset, status, flags.
                let at = version + 1 + 4 + 8 + 1 + 2 + 1 + 2 + 2;
                self.field("auth_plugin_data_len", self.header + 4 + at, 1, Form::Fixed);
                false
            }
            0 => {
                self.ok();
                true
            }
            _ => false,
        }
    }

    fn ok(&mut self) -> Next {
        self.at = 1;
        self.lenenc("affected_rows");
        self.lenenc("last_insert_id");
        let tracked = self.payload[self.at + 1] & 0x40 != 0;
        self.at += 4;
        if self.at < self.payload.len() {
            self.string("info");
        }
        if tracked && self.at < self.payload.len() {
            self.lenenc("session state info");
            while self.at < self.payload.len() {
                self.at += 1;
                self.string("session state change");
            }
        }
        Next::Answer
    }

    fn end(&mut self, deprecate_eof: bool) -> Next {
        if deprecate_eof { self.ok() } else { Next::Answer }
    }

    fn column(&mut self, left: u64, deprecate_eof: bool) -> Next {
        for name in ["catalog", "schema", "table", "org_table", "name", "org_name"] {
            self.string(name);
        }
        self.lenenc("length of fixed length fields");
        match left {
            1 if deprecate_eof => Next::Rows,
            1 => Next::EndOfColumns,
            _ => Next::Columns(left - 1),
        }
    }

    fn row(&mut self, columns: u64) -> Next {
        for _ in 0..columns {
            if self.payload[self.at] == 0xFB {
                self.lenenc("NULL");
            } else {
                self.string("value");
            }
        }
        assert_eq!(self.at, self.payload.len(), "a recorded row is as it should be");
        Next::Rows
    }
}
