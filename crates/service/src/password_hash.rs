//! Hashing passwords with argon2id, off the reactor and one at a time.

use std::cell::RefCell;
use std::sync::Arc;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{
    CustomizedPasswordHasher, PasswordHasher, PasswordVerifier, Result as HashResult,
};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use hato_domain::{ErrorCode, LoginPassword, NewPassword};
use metrics::counter;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use crate::metrics::{PASSWORD_VERIFICATIONS, REFUSED_HASHES};
use crate::{ServiceError, ServiceResult};

/// Hashes that wait for their turn: the last one for about a second.
const MAX_WAITING: usize = 50;

/// Verified against when there is no account, so that the time tells nothing. It has the parameters of every new hash; no password
/// is known that it is of.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
    $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes and verifies passwords on blocking threads, one at a time. When 50 wait, the next one is `OVERLOADED`.
#[derive(Clone)]
pub struct Hasher {
    /// Permits of the one who hashes and of those who wait.
    admissions: Arc<Semaphore>,
    /// Of the one who hashes. A hash takes 19 MiB and some 20 ms of a core: more at a time would only starve the rest of the server.
    /// The memory stays as long as somebody waits: taken anew for each of many, it was as good as taken two times (by
    /// `make soak`, 30 MB), for an allocator keeps for a while what it is given back.
    memory: Arc<Mutex<Vec<Block>>>,
    /// Whose threads do it; the caller's when there is none.
    runtime: Option<Handle>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            admissions: Arc::new(Semaphore::new(1 + MAX_WAITING)),
            memory: Arc::default(),
            runtime: None,
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
    /// On the threads of `runtime`.
    pub fn on(runtime: Handle) -> Self {
        Self {
            runtime: Some(runtime),
            ..Self::default()
        }
    }

    /// How much there is to do.
    pub fn load(&self) -> HasherLoad {
        let running = usize::from(self.memory.try_lock().is_err());
        let taken = 1 + MAX_WAITING - self.admissions.available_permits();
        HasherLoad {
            running,
            waiting: taken.saturating_sub(running),
        }
    }

    /// The PHC string of a new password, with a random salt.
    pub async fn hash(&self, password: NewPassword) -> ServiceResult<String> {
        self.run_blocking(move |memory| hash(password.as_bytes(), memory))
            .await?
            .map_err(ServiceError::internal)
    }

    /// Whether the password has this PHC string; `None` takes the same time and is never true.
    pub async fn verify(
        &self,
        password: LoginPassword,
        hash: Option<String>,
    ) -> ServiceResult<bool> {
        self.run_blocking(move |memory| {
            let known = hash.as_deref().unwrap_or(DUMMY_HASH);
            verify(password.as_bytes(), known, memory) && hash.is_some()
        })
        .await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
    ) -> ServiceResult<T> {
        let admission = self.admit()?;
        let mut memory = Arc::clone(&self.memory).lock_owned().await;
        let runtime = self.runtime.clone().unwrap_or_else(Handle::current);
        let done = runtime.spawn_blocking(move || {
            let result = work(&mut memory);
            drop(memory);
            drop(admission);
            result
        });
        done.await.map_err(ServiceError::internal)
    }

    fn admit(&self) -> Result<Admission, ErrorCode> {
        let Ok(permit) = Arc::clone(&self.admissions).try_acquire_owned() else {
            counter!(REFUSED_HASHES).increment(1);
            return Err(ErrorCode::Overloaded);
        };
        Ok(Admission {
            hasher: self.clone(),
            permit: Some(permit),
        })
    }
}

/// A place among those who hash or wait. Whoever leaves the last one, served or not, gives the memory back.
struct Admission {
    hasher: Hasher,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Admission {
    fn drop(&mut self) {
        // Given up before it is looked, so that of two who leave together one sees that nobody is left.
        self.permit = None;
        if self.hasher.admissions.available_permits() == 1 + MAX_WAITING
            && let Ok(mut memory) = self.hasher.memory.try_lock()
        {
            *memory = Vec::new();
        }
    }
}

fn hash(password: &[u8], memory: &mut Vec<Block>) -> HashResult<String> {
    let hasher = HasherIn(RefCell::new(memory));
    Ok(hasher.hash_password(password)?.to_string())
}

fn verify(password: &[u8], hash: &str, memory: &mut Vec<Block>) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        let verified = HasherIn(RefCell::new(memory)).verify_password(password, &hash);
        counter!(PASSWORD_VERIFICATIONS).increment(1);
        verified.is_ok()
    })
}

/// Argon2 in memory that is there already, which it enlarges if it has to.
struct HasherIn<'m>(RefCell<&'m mut Vec<Block>>);

impl PasswordHasher<PasswordHash> for HasherIn<'_> {
    fn hash_password_with_salt(&self, password: &[u8], salt: &[u8]) -> HashResult<PasswordHash> {
        self.hash_password_customized(password, salt, None, None, Params::default())
    }
}

impl CustomizedPasswordHasher<PasswordHash> for HasherIn<'_> {
    type Params = Params;

    fn hash_password_customized(
        &self,
        password: &[u8],
        salt: &[u8],
        algorithm: Option<&str>,
        version: Option<u32>,
        params: Params,
    ) -> HashResult<PasswordHash> {
        let algorithm = algorithm.map_or(Ok(Algorithm::default()), Algorithm::try_from)?;
        let version = version.map_or(Ok(Version::default()), Version::try_from)?;
        let mut memory = self.0.borrow_mut();
        if memory.len() < params.block_count() {
            memory.resize(params.block_count(), Block::new());
        }
        let argon2 = Argon2::new(algorithm, version, params.clone());
        let mut output = vec![0; params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
        argon2.hash_password_into_with_memory(password, salt, &mut output, &mut memory[..])?;
        Ok(PasswordHash {
            algorithm: algorithm.ident(),
            version: Some(version.into()),
            params: ParamsString::try_from(params)?,
            salt: Some(Salt::new(salt)?),
            hash: Some(Output::new(&output)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use argon2::Block;
    use futures_util::future::{join_all, poll_immediate};
    use hato_domain::{ErrorCode, LoginPassword, NewPassword};

    use super::{DUMMY_HASH, Hasher, HasherLoad, hash, verify};

    #[tokio::test]
    async fn fifty_wait_and_the_next_is_told_so() {
        let hasher = Hasher::default();
        let login = || LoginPassword::parse("battery staple".into()).expect("short enough");
        let running = (hasher.memory.lock().await, hasher.admit().expect("a place"));
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
        assert_eq!(hasher.memory.lock().await.capacity(), 0, "nobody waits");
        assert!(hasher.verify(login(), None).await.is_ok());
    }

    #[test]
    fn verifying_against_nobodys_hash_takes_the_work_of_any_other() {
        let parameters = |hash: &str| {
            let mut parts = hash.split('$').map(str::to_owned);
            let named: Vec<_> = parts.by_ref().take(4).collect();
            (named, parts.map(|part| part.len()).collect::<Vec<_>>())
        };
        let any_other =
            hash(b"correct horse", &mut Vec::new()).expect("argon2 hashes a short password");
        assert_eq!(parameters(DUMMY_HASH), parameters(&any_other));
    }

    #[tokio::test]
    async fn whoever_goes_away_last_gives_the_memory_back() {
        let hasher = Hasher::default();
        let (mut memory, running) = (hasher.memory.lock().await, hasher.admit().expect("a place"));
        memory.resize(1, Block::new());
        let password = LoginPassword::parse("battery staple".into()).expect("short enough");
        let mut waiting = Box::pin(hasher.verify(password, None));
        assert!(poll_immediate(&mut waiting).await.is_none(), "it waits");
        drop(memory);
        drop(running);
        drop(waiting);
        assert_eq!(hasher.memory.lock().await.capacity(), 0);
    }

    #[test]
    fn what_is_left_of_one_hash_makes_no_difference_to_the_next() {
        let memory = &mut Vec::new();
        let ours = hash(b"correct horse", memory).expect("argon2 hashes a short password");
        let theirs = hash(b"battery staple", memory).expect("argon2 hashes a short password");
        for memory in [memory, &mut Vec::new()] {
            assert!(verify(b"correct horse", &ours, memory));
            assert!(verify(b"battery staple", &theirs, memory));
            assert!(!verify(b"battery staple", &ours, memory));
        }
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
