//! Hashing passwords with argon2id, off the reactor and one at a time.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use hato_domain::{ErrorCode, LoginPassword, NewPassword};
use metrics::counter;
use tokio::sync::Semaphore;

use crate::metrics::{PASSWORD_VERIFICATIONS, REFUSED_HASHES};
use crate::{ServiceError, ServiceResult};

/// Each hash takes 19 MiB and some 20 ms of a core: more at a time would only starve the rest of the server.
const MAX_CONCURRENT: usize = 1;
/// Hashes that wait for their turn: the last one for about a second.
const MAX_WAITING: usize = 50;

/// Verified against when there is no account, so that the time tells nothing. It has the parameters of every new hash; no password
/// is known that it is of.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
    $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes and verifies passwords on the blocking pool, one at a time. When 50 wait, the next one is `OVERLOADED`.
pub struct Hasher {
    /// Permits of those who hash or wait.
    admissions: Arc<Semaphore>,
    /// Permits of those who hash.
    permits: Arc<Semaphore>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            admissions: Arc::new(Semaphore::new(MAX_CONCURRENT + MAX_WAITING)),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        }
    }
}

/// How much there is to hash at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HasherLoad {
    /// Passwords that are being hashed or verified.
    pub running: usize,
    /// Passwords that wait for their turn.
    pub waiting: usize,
}

impl Hasher {
    /// How much there is to do.
    pub fn load(&self) -> HasherLoad {
        let running = MAX_CONCURRENT - self.permits.available_permits();
        let taken = MAX_CONCURRENT + MAX_WAITING - self.admissions.available_permits();
        HasherLoad {
            running,
            waiting: taken.saturating_sub(running),
        }
    }

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
            let matches = verify(password.as_bytes(), hash.as_deref().unwrap_or(DUMMY_HASH));
            matches && hash.is_some()
        })
        .await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ServiceResult<T> {
        let admission = Arc::clone(&self.admissions).try_acquire_owned();
        let admission = admission.map_err(|_| {
            counter!(REFUSED_HASHES).increment(1);
            ErrorCode::Overloaded
        })?;
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(ServiceError::internal)?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop((permit, admission));
            result
        });
        done.await.map_err(ServiceError::internal)
    }
}

fn hash(password: &[u8]) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

fn verify(password: &[u8], hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        let verified = Argon2::default().verify_password(password, &hash);
        counter!(PASSWORD_VERIFICATIONS).increment(1);
        verified.is_ok()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::{join_all, poll_immediate};
    use hato_domain::{ErrorCode, LoginPassword, NewPassword};

    use super::{DUMMY_HASH, Hasher, HasherLoad, MAX_CONCURRENT, hash};

    #[tokio::test]
    async fn fifty_wait_and_the_next_is_told_so() {
        let hasher = Hasher::default();
        let login = || LoginPassword::parse("battery staple".into()).expect("short enough");
        let busy = u32::try_from(MAX_CONCURRENT).expect("a small number");
        let running = (
            Arc::clone(&hasher.admissions)
                .acquire_many_owned(busy)
                .await,
            Arc::clone(&hasher.permits).acquire_many_owned(busy).await,
        );
        let mut waiting: Vec<_> = (0..50)
            .map(|_| Box::pin(hasher.verify(login(), None)))
            .collect();
        for hash in &mut waiting {
            assert!(poll_immediate(hash).await.is_none(), "it waits");
        }
        let load = HasherLoad {
            running: 1,
            waiting: 50,
        };
        assert_eq!(hasher.load(), load);
        let refused = hasher.verify(login(), None).await;
        assert_eq!(refused.expect_err("no room").code(), ErrorCode::Overloaded);
        drop(running);
        let verified = join_all(waiting).await;
        assert!(verified.iter().all(|it| matches!(it, Ok(false))));
        assert!(hasher.verify(login(), None).await.is_ok());
    }

    #[test]
    fn verifying_against_nobodys_hash_takes_the_work_of_any_other() {
        let parameters = |hash: &str| {
            let mut parts = hash.split('$').map(str::to_owned);
            let named: Vec<_> = parts.by_ref().take(4).collect();
            (named, parts.map(|part| part.len()).collect::<Vec<_>>())
        };
        let any_other = hash(b"correct horse").expect("argon2 hashes a short password");
        assert_eq!(parameters(DUMMY_HASH), parameters(&any_other));
    }

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
                .verify(login("correct horse"), None)
                .await
                .expect("verifying works")
        );
    }
}
