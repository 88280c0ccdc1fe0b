//! What must be on record: a store that fails is asked again for as long as the process runs, for what was delivered must not
//! be delivered twice. Asking late does no harm, because leases' tokens fence.

use std::time::Duration;

use crate::shutdown::Shutdown;

/// The waits between two attempts: the first, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long it is attempted once the process was asked to stop now.
const ABORT_TIMEOUT: Duration = Duration::from_secs(3);

/// What `attempt` comes to at last; None when the process was asked to stop now, and every attempt failed for a while.
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
