//! Where messages are encrypted: on blocking threads, as many as there are cores, so that the threads that drive the network
//! are never busy with arithmetic.

use std::num::NonZero;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use super::batch::{PlainMessage, encrypt_page};
use super::record::EncryptionError;

/// Encrypts chunks of recipients, at most one per core at a time.
#[derive(Debug)]
pub struct Encryptor {
    cores: Arc<Semaphore>,
}

impl Encryptor {
    /// One that uses every core.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            cores: Arc::new(Semaphore::new(cores)),
        }
    }

    /// The body of each of `messages`, in their order; None when the runtime ends before they are made. A chunk of 32 keeps a core busy for 2 ms at most.
    ///
    /// The permit moves to the thread: a caller who goes away does not let another chunk in while the core is still busy. A panic
    /// there is passed on to the caller.
    pub async fn encrypt(
        &self,
        messages: Vec<PlainMessage>,
    ) -> Option<Vec<Result<Bytes, EncryptionError>>> {
        let permit = Arc::clone(&self.cores).acquire_owned().await.ok()?;
        let work = tokio::task::spawn_blocking(move || {
            let bodies = encrypt_page(&messages);
            drop(permit);
            bodies
        });
        match work.await.map_err(JoinError::try_into_panic) {
            Ok(bodies) => Some(bodies),
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            Err(Err(_)) => None,
        }
    }
}
