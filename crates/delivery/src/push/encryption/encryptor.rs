//! Where messages are encrypted: on blocking threads, as many as there are cores, so that the threads that drive the network
//! are never busy with arithmetic.

use std::num::NonZero;
use std::sync::Arc;

use bytes::Bytes;
use hato_domain::BrowserKeys;
use tokio::sync::Semaphore;

use super::batch::encrypt_page;
use super::record::EncryptionError;

/// The runtime ended before the messages were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("encryption was interrupted")]
pub struct InterruptedError;

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

    /// The body for each of `recipients`, in their order. A chunk of 32 keeps a core busy for 2 ms at most.
    ///
    /// The permit moves to the thread: a caller who goes away does not let another chunk in while the core is still busy. A panic
    /// there is passed on to the caller.
    pub async fn encrypt(
        &self,
        recipients: Vec<BrowserKeys>,
        plaintext: Bytes,
    ) -> Result<Vec<Result<Bytes, EncryptionError>>, InterruptedError> {
        let permit = Arc::clone(&self.cores)
            .acquire_owned()
            .await
            .map_err(|_| InterruptedError)?;
        let work = tokio::task::spawn_blocking(move || {
            let messages = encrypt_page(&recipients, &plaintext);
            drop(permit);
            messages
        });
        work.await.map_err(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => InterruptedError,
        })
    }
}
