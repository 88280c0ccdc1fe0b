//! Hashing passwords with argon2id, off the reactor and a few at a time.

use std::sync::{Arc, LazyLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use hato_domain::{LoginPassword, NewPassword};
use tokio::sync::Semaphore;

use crate::{ServiceError, ServiceResult};

/// Each hash takes 19 MiB and some 20 ms of a core: more at a time would only starve the rest of the server.
const MAX_CONCURRENT: usize = 2;

/// The hash of no account's password, verified against when there is no account, so that the time tells nothing.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| hash(b"nobody's password").expect("argon2 hashes a short password"));

/// Hashes and verifies passwords on the blocking pool, at most two at a time.
pub struct Hasher {
    slots: Arc<Semaphore>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        }
    }
}

impl Hasher {
    /// The PHC string of a new password, with a random salt.
    pub async fn hash(&self, password: NewPassword) -> ServiceResult<String> {
        self.run_blocking(move || hash(password.as_bytes()))
            .await?
            .map_err(ServiceError::internal)
    }

    /// Whether the password has this PHC string; `None` takes the same time and is never true.
    pub async fn verify(
        &self,
        password: LoginPassword,
        hash: Option<String>,
    ) -> ServiceResult<bool> {
        self.run_blocking(move || {
            let matches = verify(password.as_bytes(), hash.as_deref().unwrap_or(&DUMMY_HASH));
            matches && hash.is_some()
        })
        .await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ServiceResult<T> {
        let slot = Arc::clone(&self.slots)
            .acquire_owned()
            .await
            .map_err(ServiceError::internal)?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(slot);
            result
        });
        done.await.map_err(ServiceError::internal)
    }
}

fn hash(password: &[u8]) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

fn verify(password: &[u8], hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::Hasher;
    use hato_domain::{LoginPassword, NewPassword};

    #[tokio::test]
    async fn a_password_verifies_against_its_own_hash_alone() {
        let hasher = Hasher::default();
        let login = |text: &str| LoginPassword::parse(text.into()).expect("short enough");
        let password = NewPassword::parse("correct horse".into()).expect("long enough");
        let hash = hasher.hash(password).await.expect("hashing works");
        assert!(
            hasher
                .verify(login("correct horse"), Some(hash.clone()))
                .await
                .expect("verifying works")
        );
        assert!(
            !hasher
                .verify(login("battery staple"), Some(hash))
                .await
                .expect("verifying works")
        );
        assert!(
            !hasher
                .verify(login("nobody's password"), None)
                .await
                .expect("verifying works")
        );
    }
}
