#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hato_app::fuzzing::form(data));
