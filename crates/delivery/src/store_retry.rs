//! Asks a store that fails again, for what must be on record.
//!
//! It is asked for as long as the process runs, because what is not recorded is delivered twice. Asking late does no harm: the token
//! of a lease that was lost matches nothing. Retries of deliveries are elsewhere: `push/settlement_plan.rs`, `webhooks/schedule.rs`.

use std::time::Duration;

use crate::shutdown::Shutdown;

/// The waits between two attempts: the first, and the longest, to which they double.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long attempts go on once the process was asked to stop now: less than the 4 s that `STOP_TIMEOUT` in
/// `server/src/lifecycle.rs` leaves for settling.
const ABORT_TIMEOUT: Duration = Duration::from_secs(3);

/// The first value that `attempt` gives; None when the process was asked to stop now and no attempt succeeded for 3 s more.
pub async fn retry_until_shutdown<T, F: Future<Output = Option<T>>>(
    shutdown: &Shutdown,
    attempt: impl FnMut() -> F,
) -> Option<T> {
    tokio::select! {
        biased;
        done = retry_with_backoff(attempt) => Some(done),
        () = abort_timeout(shutdown) => None,
    }
}

async fn retry_with_backoff<T, F: Future<Output = Option<T>>>(mut attempt: impl FnMut() -> F) -> T {
    let mut wait = BACKOFF.0;
    loop {
        if let Some(done) = attempt().await {
            return done;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(BACKOFF.1);
    }
}

async fn abort_timeout(shutdown: &Shutdown) {
    shutdown.aborting().await;
    tokio::time::sleep(ABORT_TIMEOUT).await;
}
