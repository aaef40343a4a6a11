#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| { vaquita_hostile::made_session::made_session(data); });
