//! PHP's headers as bindgen reads them (build.rs): the raw names, used by the files of this folder only.
#![allow(
    warnings,
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from C headers"
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
