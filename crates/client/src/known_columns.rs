//! The columns of recent results: where a server describes the same ones again, to the byte, nothing is read, made or laid out anew.

use std::sync::Arc;

use vaquita_protocol::ColumnDefinitions;

use crate::columns::{Columns, MAX_SHORT_BYTES};
use crate::row::Layout;

/// How many results have their columns remembered. Scripts ask the same few questions over and over.
const MAX_KNOWN: usize = 16;

/// The columns of recent results, the last one first.
#[derive(Debug, Default)]
pub(crate) struct KnownColumns {
    known: Vec<Known>,
    /// Those that are being read, kept for its memory.
    pub(crate) arriving: ColumnDefinitions,
}

#[derive(Debug)]
struct Known {
    /// The packets of the definitions, one behind the other.
    packets: Arc<[u8]>,
    columns: Columns,
    /// How rows of the binary protocol are laid out, once there were some.
    binary: Option<Layout>,
}

impl KnownColumns {
    /// So many columns, whose packets `is` says to be those that come now, and how many bytes these have.
    pub(crate) fn find(
        &mut self,
        count: usize,
        is: impl Fn(&[u8]) -> bool,
    ) -> Option<(Columns, usize)> {
        let is_it = |known: &Known| known.columns.len() == count && is(&known.packets);
        let index = self.known.iter().position(is_it)?;
        self.known.get_mut(..=index)?.rotate_right(1);
        let known = self.known.first()?;
        Some((known.columns.clone(), known.packets.len()))
    }

    /// Takes the definitions that have arrived.
    pub(crate) fn take_arrived(&mut self) -> Columns {
        let packets = self.arriving.packets();
        let known = self.known.iter().find(|known| *known.packets == *packets);
        let columns = match known {
            // They came in pieces, and could not be compared before.
            Some(known) => known.columns.clone(),
            None => {
                let (definitions, packets) = self.arriving.share();
                let columns = Columns::from(definitions);
                if packets.len() <= MAX_SHORT_BYTES {
                    self.known.truncate(MAX_KNOWN - 1);
                    let known = Known { packets, columns: columns.clone(), binary: None };
                    self.known.insert(0, known);
                }
                columns
            }
        };
        self.arriving.clear();
        columns
    }

    /// How rows of these columns are laid out.
    pub(crate) fn layout(&mut self, columns: &Columns, is_binary: bool) -> Layout {
        if is_binary {
            let known = self.known.iter_mut().find(|known| known.columns.is_same(columns));
            if let Some(Known { binary, .. }) = known {
                return binary.get_or_insert_with(|| Layout::of(columns, true)).clone();
            }
        }
        Layout::of(columns, is_binary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, ConnectOptions, Connection};
    use vaquita_fake_server::packets::{column, column_count, err};
    use vaquita_fake_server::{Delivery, FakeServer, Script};
    use vaquita_protocol::{ColumnType, PacketHeader};

    /// The packet of a column with this name.
    fn packet(name: &str) -> Vec<u8> {
        let mut payload = b"\x03def\0\0\0".to_vec();
        payload.push(u8::try_from(name.len()).unwrap());
        payload.extend_from_slice(name.as_bytes());
        payload.extend_from_slice(b"\0\x0C\x3F\0\x09\0\0\0\xFD\0\0\0\0\0");
        let payload_length = u32::try_from(payload.len()).unwrap();
        let header = PacketHeader { payload_length, sequence_id: 2 };
        [&header.encode()[..], &payload].concat()
    }

    fn arrive(known: &mut KnownColumns, name: &str) -> Columns {
        known.arriving.push(&packet(name)).unwrap();
        known.take_arrived()
    }

    fn find(known: &mut KnownColumns, count: usize, name: &str) -> Option<Columns> {
        let coming = [&packet(name)[..], b"what follows"].concat();
        let (columns, bytes) = known.find(count, |packets| coming.starts_with(packets))?;
        assert_eq!(bytes, coming.len() - b"what follows".len());
        Some(columns)
    }

    #[test]
    fn the_same_bytes_are_the_same_columns() {
        let mut known = KnownColumns::default();
        let first = arrive(&mut known, "first");
        let second = arrive(&mut known, "second");
        assert!(find(&mut known, 1, "first").unwrap().is_same(&first));
        assert!(find(&mut known, 1, "second").unwrap().is_same(&second));
        assert!(arrive(&mut known, "first").is_same(&first), "in pieces");
        assert!(find(&mut known, 2, "first").is_none(), "more columns follow");
        assert!(find(&mut known, 1, "third").is_none());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut known = KnownColumns::default();
        let names: Vec<String> = (0..=MAX_KNOWN).map(|number| format!("c{number}")).collect();
        for name in &names {
            arrive(&mut known, name);
            find(&mut known, 1, "c0").unwrap();
        }
        let found = names.iter().filter(|name| find(&mut known, 1, name).is_some()).count();
        assert_eq!(found, MAX_KNOWN);
        assert!(find(&mut known, 1, "c1").is_none(), "the one that was used least");
        let packet = packet("wide");
        for _ in 0..=MAX_SHORT_BYTES / packet.len() {
            known.arriving.push(&packet).unwrap();
        }
        let wide = known.take_arrived();
        known.arriving.push(&packet).unwrap();
        assert!(!known.take_arrived().is_same(&wide));
        assert!(known.find(wide.len(), |_| true).is_none(), "it is not remembered");
    }

    #[test]
    fn rows_of_known_columns_are_laid_out_once() {
        let mut known = KnownColumns::default();
        let columns = arrive(&mut known, "a");
        let lengths = |layout| match layout {
            Layout::Binary(lengths) => lengths,
            Layout::Text(_) => panic!("not binary"),
        };
        let first = lengths(known.layout(&columns, true));
        assert!(Arc::ptr_eq(&first, &lengths(known.layout(&columns, true))));
        assert!(matches!(known.layout(&columns, false), Layout::Text(1)));
    }

    #[test]
    fn definitions_that_become_no_result_are_not_kept() {
        let name = "x".repeat(20_000);
        let refused = || {
            let wide = (0..9).map(|_| column(&name, ColumnType::VAR_STRING));
            [column_count(10)].into_iter().chain(wide).chain([err(1105, b"HY000", "no")])
        };
        let script = Script::queried().send_all(refused()).expect_packet();
        let server = FakeServer::unix(script, Delivery::WHOLE).unwrap();
        let vaquita_fake_server::Address::Unix(path) = server.address() else { unreachable!() };
        let options = ConnectOptions::new(Address::Unix(path.clone()));
        let mut connection = Connection::connect(&options).unwrap();
        connection.send_query(b"SELECT 1").unwrap();
        assert_eq!(connection.read_query_response().unwrap_err().code(), 1105);
        assert!(connection.known_columns.arriving.packets().is_empty());
    }
}
