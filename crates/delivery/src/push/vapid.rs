//! The proof of who pushes (RFC 8292): an `Authorization` header per VAPID key and push-service origin.
//!
//! A token is reused for six hours: signing costs as much as a quarter of an encryption, and Apple wants no token renewed
//! more often than about hourly.

mod signer;
#[cfg(test)]
mod tests;

pub use signer::{MalformedKeyError, Signer, VapidSignError};

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use hato_service::ports::VapidKeyNumber;
use http::HeaderValue;
use lru::LruCache;

use crate::push::clock_reading::ClockReading;
use crate::push::origin::Origin;

/// How long a token is good for; push services refuse more than 24 h (RFC 8292 §2).
const TOKEN_LIFETIME: Duration = Duration::from_hours(12);
/// How far ahead a clock may be that a token lasts no longer than 24 h all the same.
const MAX_CLOCK_LEAD: Duration = Duration::from_hours(12);
/// A token with less than this left is replaced.
const MIN_LIFETIME_LEFT: Duration = Duration::from_hours(6);
/// Tokens kept, about half a kilobyte each.
const MAX_TOKENS: NonZeroUsize = NonZeroUsize::new(16_384).expect("not zero");
/// Private keys that are kept open.
const MAX_SIGNERS: NonZeroUsize = NonZeroUsize::new(1_024).expect("not zero");

struct VapidToken {
    authorization: Authorization,
    expires_at: UnixMillis,
}

/// A token as requests carry it.
#[derive(Clone)]
pub struct Authorization {
    /// `vapid t=…, k=…` (RFC 8292 §3).
    pub header: HeaderValue,
    /// By which clock it was signed.
    pub clock: ClockReading,
}

/// Makes `Authorization` headers and keeps them for six hours; those that were used least recently make room.
pub struct Vapid {
    subject: String,
    tokens: Mutex<LruCache<(SignerKey, Origin), VapidToken>>,
    signers: Mutex<LruCache<SignerKey, Arc<Signer>>>,
}

/// Whether a token that is signed, or still used, at `now` may be of the past, or good for too long, where the clock shows `theirs`.
pub fn may_be_out_of_time(theirs: UnixMillis, now: UnixMillis) -> bool {
    theirs.since(now) >= MIN_LIFETIME_LEFT || now.since(theirs) >= MAX_CLOCK_LEAD
}

/// An app and one of its VAPID keys, whose number no other key gets.
pub type SignerKey = (AppId, VapidKeyNumber);

impl Vapid {
    /// `subject` is the `sub` of every token: a `mailto:` or `https:` URI of the operator (RFC 8292 §2.1).
    pub fn new(subject: String) -> Self {
        Self {
            subject,
            tokens: Mutex::new(LruCache::new(MAX_TOKENS)),
            signers: Mutex::new(LruCache::new(MAX_SIGNERS)),
        }
    }

    /// The signer of this key, if it is kept.
    pub fn kept_signer(&self, key: &SignerKey) -> Option<Arc<Signer>> {
        let mut signers = self.signers.lock().unwrap_or_else(PoisonError::into_inner);
        signers.get(key).cloned()
    }

    /// Keeps the signer for later pages; the one that was used least recently makes room.
    pub fn keep_signer(&self, key: SignerKey, signer: Signer) -> Arc<Signer> {
        let signer = Arc::new(signer);
        let mut signers = self.signers.lock().unwrap_or_else(PoisonError::into_inner);
        signers.put(key, Arc::clone(&signer));
        signer
    }

    /// The token for requests to `origin` that `signer`, the one of `key`, signs at `now` by `clock`, or has signed lately.
    pub fn authorization(
        &self,
        key: &SignerKey,
        signer: &Signer,
        origin: &Origin,
        (now, clock): (UnixMillis, ClockReading),
    ) -> Result<Authorization, VapidSignError> {
        let key = (key.clone(), origin.clone());
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = tokens.get(&key).filter(|token| token.is_good(now)) {
            return Ok(token.authorization.clone());
        }
        let expires_at = now.plus(TOKEN_LIFETIME);
        let authorization = Authorization {
            header: signer.header(origin, &self.subject, expires_at)?,
            clock,
        };
        let token = VapidToken {
            authorization: authorization.clone(),
            expires_at,
        };
        tokens.put(key, token);
        Ok(authorization)
    }
}

impl VapidToken {
    /// Whether six hours are left. A clock that was set back makes a token look too long-lived for a push service: it is
    /// replaced as well.
    fn is_good(&self, now: UnixMillis) -> bool {
        (MIN_LIFETIME_LEFT..=TOKEN_LIFETIME).contains(&self.expires_at.since(now))
    }
}
