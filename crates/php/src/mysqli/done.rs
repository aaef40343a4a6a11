//! The class `Vaquita\Done`: what a statement without rows did, where many were sent at once.

use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_error};
use crate::zend::guarded::Guarded;
use crate::zend::object::{Class, ClassSlot};
use crate::zend::property::Property;
use core::cell::Cell;
use vaquita_client::{Done as Driven, UNKNOWN_ROWS};

/// An object of that class.
pub(crate) struct Done {
    affected_rows: Cell<u64>,
    insert_id: Cell<u64>,
    warning_count: Cell<u16>,
    info: Guarded<Vec<u8>>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Done {
    fn new() -> Done {
        Done {
            affected_rows: Cell::new(0),
            insert_id: Cell::new(0),
            warning_count: Cell::new(0),
            info: Guarded::new(Vec::new()),
        }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<Done>] = &[
        Property {
            name: "affected_rows",
            read: |done, reading| {
                match done.affected_rows.get() {
                    UNKNOWN_ROWS => reading.slot.long(-1),
                    rows => reading.slot.unsigned(rows),
                }
                Ok(())
            },
            write: None,
        },
        Property {
            name: "insert_id",
            read: |done, reading| {
                reading.slot.unsigned(done.insert_id.get());
                Ok(())
            },
            write: None,
        },
        Property {
            name: "warning_count",
            read: |done, reading| {
                reading.slot.long(done.warning_count.get().into());
                Ok(())
            },
            write: None,
        },
        Property {
            name: "info",
            read: |done, reading| {
                let _ = done.info.peek(|info| match &info[..] {
                    [] => reading.slot.null(),
                    info => reading.slot.bytes(info),
                });
                Ok(())
            },
            write: None,
        },
    ];
}

impl Done {
    pub(super) fn fill(&self, done: Driven) {
        self.affected_rows.set(done.affected_rows);
        self.insert_id.set(done.last_insert_id);
        self.warning_count.set(done.warnings);
        let _ = self.info.with(|info| *info = done.info);
    }
}

/// `Vaquita\Done::__construct`, which is private.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    Err(throw_error(&[b"Cannot directly construct Vaquita\\Done"]))
}
