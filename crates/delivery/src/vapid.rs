//! The proof of who sends (RFC 8292): an `Authorization` header per app and push-service origin.
//!
//! A token is reused for six hours: signing costs as much as a quarter of an encryption, and Apple wants no token renewed
//! more often than about hourly.

mod generations;
mod signer;
#[cfg(test)]
mod tests;

pub use signer::{BadKey, Signer};

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use http::HeaderValue;

use crate::origin::Origin;
use generations::Generations;

/// How long a token is good for; push services refuse more than 24 h (RFC 8292 §2).
const LIFETIME: Duration = Duration::from_hours(12);
/// A token with less than this left is replaced.
const LEFT_AT_LEAST: Duration = Duration::from_hours(6);
/// Tokens kept, about half a kilobyte each.
const TOKENS: usize = 16_384;
/// Apps whose private key is kept open.
const SIGNERS: usize = 1_024;

/// A token could not be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a VAPID token could not be signed")]
pub struct SigningFailed;

#[derive(Clone)]
struct Token {
    header: HeaderValue,
    expires_at: UnixMillis,
}

/// Makes `Authorization` headers and keeps them while they are good.
pub struct Vapid {
    subject: String,
    tokens: Mutex<Generations<(AppId, Origin), Token>>,
    signers: Mutex<Generations<AppId, Arc<Signer>>>,
}

impl Vapid {
    /// `subject` is the `sub` of every token: a `mailto:` or `https:` URI of the operator (RFC 8292 §2.1).
    pub fn new(subject: String) -> Self {
        Self {
            subject,
            tokens: Mutex::new(Generations::new(TOKENS)),
            signers: Mutex::new(Generations::new(SIGNERS)),
        }
    }

    /// The app's signer, made with `open` when it is not at hand; an error is `open`'s.
    pub fn signer<E>(
        &self,
        app: &AppId,
        open: impl FnOnce() -> Result<Signer, E>,
    ) -> Result<Arc<Signer>, E> {
        let kept = self
            .signers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(app);
        if let Some(signer) = kept {
            return Ok(signer);
        }
        let signer = Arc::new(open()?);
        let mut signers = self.signers.lock().unwrap_or_else(PoisonError::into_inner);
        signers.insert(app.clone(), Arc::clone(&signer));
        Ok(signer)
    }

    /// `vapid t=…, k=…` for requests of `app` to `origin` (RFC 8292 §3).
    pub fn authorization(
        &self,
        app: &AppId,
        signer: &Signer,
        origin: &Origin,
        now: UnixMillis,
    ) -> Result<HeaderValue, SigningFailed> {
        let key = (app.clone(), origin.clone());
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = tokens.get(&key).filter(|token| token.is_good(now)) {
            return Ok(token.header);
        }
        let expires_at = now.plus(LIFETIME);
        let header = signer.header(origin, &self.subject, expires_at)?;
        tokens.insert(
            key,
            Token {
                header: header.clone(),
                expires_at,
            },
        );
        Ok(header)
    }
}

impl Token {
    /// A clock that was set back makes a token look too long-lived: it is replaced as well.
    fn is_good(&self, now: UnixMillis) -> bool {
        (LEFT_AT_LEAST..=LIFETIME).contains(&self.expires_at.since(now))
    }
}
