//! What must be on record: a store that fails is asked again for as long as the process runs, for what was delivered must not
//! be delivered twice. Asking late does no harm, because leases' tokens fence.

use std::time::Duration;

use crate::shutdown::Shutdown;

/// The waits between two attempts: the first, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long it is attempted once the process was asked to stop now.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// What `attempt` comes to at last; None when the process was asked to stop now, and had no luck for a while.
pub async fn persist<T, F: Future<Output = Option<T>>>(
    shutdown: &Shutdown,
    attempt: impl FnMut() -> F,
) -> Option<T> {
    tokio::select! {
        biased;
        done = again_and_again(attempt) => Some(done),
        () = last_patience(shutdown) => None,
    }
}

async fn again_and_again<T, F: Future<Output = Option<T>>>(mut attempt: impl FnMut() -> F) -> T {
    let mut wait = WAITS.0;
    loop {
        if let Some(done) = attempt().await {
            return done;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(WAITS.1);
    }
}

async fn last_patience(shutdown: &Shutdown) {
    shutdown.aborting().await;
    tokio::time::sleep(LAST_PATIENCE).await;
}
