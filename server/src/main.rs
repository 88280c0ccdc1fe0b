//! The program; everything it does is in the library, where tests reach it.

use std::process::ExitCode;

/// Measured: it takes 3 to 10 % off the cost of a delivery. It asks for no huge pages (`no_thp`), with which a server had 56 MB of memory at its
/// start in place of 43.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hato_server::main()
}
