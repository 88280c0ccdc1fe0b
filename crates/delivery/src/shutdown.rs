//! How an engine is asked to stop.

use tokio_util::sync::CancellationToken;

/// Two tokens: the soft one stops claiming and lets pages finish, the hard one settles what is known and gives back the
/// rest.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    soft: CancellationToken,
    hard: CancellationToken,
}

impl Shutdown {
    /// Nothing asked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to claim no more and to finish what is in flight.
    pub fn drain(&self) {
        self.soft.cancel();
    }

    /// Asks to stop now.
    pub fn abort(&self) {
        self.soft.cancel();
        self.hard.cancel();
    }

    /// Resolves when asked to claim no more.
    pub async fn draining(&self) {
        self.soft.cancelled().await;
    }

    /// Whether asked to claim no more.
    pub fn is_draining(&self) -> bool {
        self.soft.is_cancelled()
    }

    /// Resolves when asked to stop now.
    pub async fn aborting(&self) {
        self.hard.cancelled().await;
    }
}
