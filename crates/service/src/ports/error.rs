//! The one error of the store's traits.

use std::error::Error;

/// A store did not do what it was asked; the cause is for the log, never for a client.
#[derive(Debug, thiserror::Error)]
#[error("{context}: {source}")]
pub struct StoreError {
    /// What the store was doing, as a phrase for the log: `accept a send`.
    pub context: &'static str,
    /// Whether the same may succeed in a moment, because others had what it needed for too long.
    pub is_overload: bool,
    /// What the database or the decoding of a row said.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}
