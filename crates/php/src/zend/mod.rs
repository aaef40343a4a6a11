//! The fence around Zend: everything `unsafe` of this crate stands here, behind a safe face.
//!
//! Three rules hold it together; the files say where each is kept.
//!
//! 1. **Zend may long-jump.** Any call that can raise a fatal error or run user code may never return. So a frame that makes
//!    such a call owns nothing: what must be freed belongs to a `zend_object` (its handler frees it) or to PHP's request memory.
//!    The handles of this folder ([`string::Str`], [`slot::Slot`], [`object::Object`]) are plain words without destructors.
//! 2. **We may panic.** [`guarded::Guarded::with`] catches what the driver does: no Zend call happens inside it, and what was worked on is thrown
//!    away. What the glue does ends at the border ([`border::enter`]). Either way the script gets an `Error`.
//! 3. **User code may come back.** While it runs (a warning's handler, a constructor, a destructor), nothing of a
//!    [`guarded::Guarded`] is borrowed.

pub(crate) mod array;
pub(crate) mod blueprint;
pub(crate) mod border;
pub(crate) mod call;
pub(crate) mod callback;
mod class;
pub(crate) mod classes;
pub(crate) mod conversion;
pub(crate) mod dependents;
pub(crate) mod elements;
pub(crate) mod entries;
pub(crate) mod error;
mod ffi;
pub(crate) mod files;
pub(crate) mod given;
mod globals;
pub(crate) mod guarded;
pub(crate) mod held;
pub(crate) mod info;
pub(crate) mod ini;
pub(crate) mod iterator;
pub(crate) mod lent;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod name;
pub(crate) mod object;
pub(crate) mod objects;
pub(crate) mod pdo;
pub(crate) mod property;
pub(crate) mod request;
pub(crate) mod row;
pub(crate) mod slot;
pub(crate) mod string;
mod symbol;
mod tables;
pub(crate) mod version;
