#![no_main]

use std::panic::take_hook;

libfuzzer_sys::fuzz_target!(
    // That of libFuzzer ends the process before a decoder's panic is caught; one that nobody catches ends it all the same.
    init: drop(take_hook()),
    |data: &[u8]| {
        hato_service::fuzzing::picture(data);
    }
);
