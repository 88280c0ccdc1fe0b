//! The threads of what gives way to requests: deliveries and everything beside them, and hashes of passwords, which are long work that
//! anybody may ask for.
//!
//! Deliveries keep every core busy for as long as there are any, and on the same threads a request waits behind all that is ready there, at
//! each of its steps. Beside the strangers of `make soak` the p99 of all requests was 98 ms so and is 29 to 37, that of a page 94 and is 31
//! to 41.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// As many threads as there are cores, and more for what keeps a thread busy. Fails where the system has no descriptors left for them.
pub fn start() -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_name("hato-background");
    #[cfg(target_os = "linux")]
    if let Some(niceness) = priority::niceness() {
        builder.on_thread_start(move || priority::set(niceness));
    }
    builder.build()
}

/// Elsewhere a process has one priority, not a thread.
#[cfg(target_os = "linux")]
mod priority {
    use rustix::process::{getpriority_process, setpriority_process};

    /// By how much they give way, as `nice(1)` counts: where the cores are not enough, a tenth of what another thread gets.
    /// With 5, a third, a page beside strangers took 58 ms in place of 39, and sends to everybody a fifth less time (`make soak`).
    const GIVEN_WAY: i32 = 10;

    /// Theirs, given that of this thread; `None` where the system does not tell.
    pub(super) fn niceness() -> Option<i32> {
        let own = getpriority_process(None).ok()?;
        Some(own + GIVEN_WAY)
    }

    /// Gives it to this thread. Where the system refuses, all threads are equal.
    pub(super) fn set(niceness: i32) {
        if let Err(error) = setpriority_process(None, niceness) {
            tracing::debug!(%error, "threads of the background have the priority of those of requests");
        }
    }
}
