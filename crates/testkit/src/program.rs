//! How the programs of this crate live: until nobody holds their other end any more.

use tokio::signal::unix::{SignalKind, signal};

/// Runs `program` to its end on a runtime of its own.
pub fn run(program: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let result = runtime.block_on(program);
    // A read of standard input cannot be cancelled: the runtime must not wait for it.
    runtime.shutdown_background();
    result
}

/// Waits until standard input closes, or SIGTERM or SIGINT comes.
pub async fn wait_for_shutdown() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        () = wait_for_stdin_close() => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

async fn wait_for_stdin_close() {
    let drain = || std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    // However reading ends, nobody holds the other end any more.
    let _ = tokio::task::spawn_blocking(drain).await;
}
