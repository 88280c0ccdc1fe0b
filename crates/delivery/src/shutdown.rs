//! How the workers (engine, webhooks' sender and janitor) are asked to stop: first to finish, then to stop now.

use tokio_util::sync::CancellationToken;

/// Two requests to stop. Draining claims no more and lets what is in flight finish; aborting settles what is known and gives
/// back the rest. Clones stand for the same requests.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    aborting: CancellationToken,
}

impl Shutdown {
    /// Nothing is asked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to claim no more and to finish what is in flight.
    pub fn drain(&self) {
        self.draining.cancel();
    }

    /// Asks to stop now.
    pub fn abort(&self) {
        self.draining.cancel();
        self.aborting.cancel();
    }

    /// Resolves when asked to claim no more.
    pub async fn draining(&self) {
        self.draining.cancelled().await;
    }

    /// Whether asked to claim no more.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Resolves when asked to stop now.
    pub async fn aborting(&self) {
        self.aborting.cancelled().await;
    }
}
