#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hato_outbound::fuzzing::retry_after_header(data));
