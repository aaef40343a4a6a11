//! The columns of a result set, shared by whoever needs them.
//!
//! Their definitions stand in the system's memory, which no limit of the user's sees. So long ones are counted for as long as somebody has them, and
//! a server can't have a client hold more of them than the user has room for.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use vaquita_protocol::ColumnDefinition41;

/// The longest definitions that are not counted, in bytes of their packets: those of some sixty columns. A connection remembers some of them.
pub(crate) const MAX_SHORT_BYTES: usize = 4 << 10;

/// What all long definitions of the process take, in bytes.
static LONG_BYTES: AtomicUsize = AtomicUsize::new(0);

/// The columns of a result set, shared by whoever needs them.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    definitions: Arc<[ColumnDefinition41]>,
    /// Of long ones, which are counted until the last one goes who has them.
    _counted: Option<Arc<Counted>>,
}

impl Columns {
    /// Whether they are the same ones, not only equal.
    pub fn is_same(&self, other: &Columns) -> bool {
        Arc::ptr_eq(&self.definitions, &other.definitions)
    }
}

impl From<Arc<[ColumnDefinition41]>> for Columns {
    fn from(definitions: Arc<[ColumnDefinition41]>) -> Columns {
        let packet_bytes = definitions.first().map_or(0, ColumnDefinition41::block_bytes);
        let counted = (packet_bytes > MAX_SHORT_BYTES)
            .then(|| Arc::new(Counted::new(taken(definitions.len(), packet_bytes))));
        Columns { definitions, _counted: counted }
    }
}

impl Deref for Columns {
    type Target = [ColumnDefinition41];

    fn deref(&self) -> &[ColumnDefinition41] {
        &self.definitions
    }
}

/// Bytes that are counted as long as this lives.
#[derive(Debug)]
struct Counted(usize);

impl Counted {
    fn new(bytes: usize) -> Counted {
        LONG_BYTES.fetch_add(bytes, Ordering::Relaxed);
        Counted(bytes)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LONG_BYTES.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// What definitions take, in bytes: the packets, and what was found in them.
fn taken(count: usize, packet_bytes: usize) -> usize {
    packet_bytes + count * size_of::<ColumnDefinition41>()
}

/// What long definitions would take in all, in bytes, if so many came besides; `None`: they are short.
pub(crate) fn long_bytes_with(count: usize, packet_bytes: usize) -> Option<usize> {
    let is_long = packet_bytes > MAX_SHORT_BYTES;
    is_long.then(|| LONG_BYTES.load(Ordering::Relaxed) + taken(count, packet_bytes))
}
