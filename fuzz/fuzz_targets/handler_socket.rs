#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| { vaquita_hostile::ports::handler_socket(data); });
