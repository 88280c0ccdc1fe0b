//! Connections for reads whose cost grows with what a tenant has stored. Few run at the same time, and PostgreSQL ends what takes
//! too long on them, so that most connections are left to log-ins and deliveries.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::connections::Connections;
use crate::failure::{is_canceled, is_without_connection};
use crate::held_connection::HeldConnection;

/// How many such reads of a process run at the same time.
const MAX_CONNECTIONS: usize = 2;

/// How long a read waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Permits of the reads.
pub(crate) struct BoundedReaders(Arc<Semaphore>);

impl Default for BoundedReaders {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONNECTIONS)))
    }
}

impl BoundedReaders {
    /// A connection on which a statement that is still running in a second ends with an error that [`is_out_of_time`] knows. So
    /// does the wait for it.
    pub(crate) async fn acquire(&self, connections: &Connections) -> sqlx::Result<ReadConnection> {
        let permit = timeout(MAX_WAIT, Arc::clone(&self.0).acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let connection = connections.begin_bounded_read().await?;
        Ok(HeldConnection::new(connection, Some(permit)))
    }
}

/// A connection for statements that only read, and the permit of a bounded one.
pub(crate) type ReadConnection = HeldConnection<Option<OwnedSemaphorePermit>>;

/// Whether a read took longer than it may, or had no turn.
pub(crate) fn is_out_of_time(error: &sqlx::Error) -> bool {
    is_canceled(error) || is_without_connection(error)
}
