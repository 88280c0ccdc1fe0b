//! The clock of the process beside that of a database which it shares with others.

use std::sync::Arc;
use std::time::Duration;

use hato_service::ports::{Clock, Store};
use tokio::time::sleep;

/// How long nobody looks at the clock between two comparisons.
const INTERVAL: Duration = Duration::from_secs(10);

/// Compares them now, before anything is claimed, and then again and again.
pub async fn keep_comparing(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) {
    let (store, clock) = (Arc::clone(store), Arc::clone(clock));
    compare(&store, &clock).await;
    tokio::spawn(async move {
        loop {
            sleep(INTERVAL).await;
            compare(&store, &clock).await;
        }
    });
}

async fn compare(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) {
    if let Err(error) = store.compare_clock(&**clock).await {
        tracing::debug!(%error, "the clock was not compared with the database's");
    }
}
