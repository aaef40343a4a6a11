//! PHP's headers as bindgen reads them (build.rs): the raw names, used by the files of this folder only.
#![allow(
    warnings,
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from C headers"
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// The C compiler's most aligned type, which bindgen can't make; PHP's headers name it since 8.4, only behind pointers.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct max_align_t([u8; 32]);
