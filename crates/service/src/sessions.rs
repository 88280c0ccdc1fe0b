//! Sessions: who is logged in (CONTRACT 3).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::{ErrorCode, UnixMillis};
use sha2::{Digest, Sha256};

use crate::access::AccountPrincipal;
use crate::ports::NewSession;
use crate::{Service, ServiceError, ServiceResult};

/// A session ends this long after its last use.
pub const SESSION_LIFETIME: Duration = Duration::from_hours(14 * 24);

/// The end of a session is moved at most this often, so that reading pages writes next to nothing.
const MIN_RENEWAL_INTERVAL: Duration = Duration::from_secs(10);

/// Most sessions that a list shows.
const MAX_LISTED_SESSIONS: i64 = 50;

/// Most bytes kept of what a browser calls itself.
const MAX_BROWSER_BYTES: usize = 256;

/// A live session as its account's list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// What the browser called itself when it began.
    pub browser: Option<String>,
    /// When the session began.
    pub created_at: UnixMillis,
    /// When it was last used, to a few seconds.
    pub last_used_at: UnixMillis,
    /// Whether it is the one that asks.
    pub is_current: bool,
}

/// What a session token stands for.
#[derive(Clone, Debug)]
pub struct AuthenticatedSession {
    /// The account that is logged in.
    pub owner: AccountPrincipal,
    /// Whether this use moved the session's end, so that a cookie should be set anew.
    pub renewed: bool,
}

impl Service {
    /// Starts a session of the browser that calls itself so (its `User-Agent`), and makes its token, of which only the
    /// SHA-256 is stored. `INVALID_CREDENTIALS` when the password was changed since the owner was identified.
    pub async fn start_session(
        &self,
        owner: &AccountPrincipal,
        browser: Option<&str>,
    ) -> ServiceResult<String> {
        let token = random_token()?;
        let now = self.clock.now();
        let session = NewSession {
            token_hash: hash(&token),
            account: owner.id().clone(),
            password_hash: owner.account().password_hash.clone(),
            created_at: now,
            expires_at: now.plus(SESSION_LIFETIME),
            browser: browser.map(truncate),
        };
        if self.store.create_session(session).await? {
            Ok(token)
        } else {
            Err(ErrorCode::InvalidCredentials.into())
        }
    }

    /// Who holds `token`; unknown or over: `INVALID_SESSION`. Counts as a use.
    pub async fn authenticate_session(&self, token: &str) -> ServiceResult<AuthenticatedSession> {
        let now = self.clock.now();
        let session = self.store.session(hash(token), now).await?;
        let session = session.ok_or(ErrorCode::InvalidSession)?;
        let end = now.plus(SESSION_LIFETIME);
        let renewed = end.since(session.expires_at) > MIN_RENEWAL_INTERVAL;
        let owner = AccountPrincipal::from_session(session);
        if renewed {
            self.store.renew_session(hash(token), end).await?;
        }
        Ok(AuthenticatedSession { owner, renewed })
    }

    /// Refuses a token as [`Self::authenticate_session`] does, but does not count as a use.
    pub async fn require_live_session(&self, token: &str) -> ServiceResult<()> {
        let session = self.store.session(hash(token), self.clock.now()).await?;
        session.map(drop).ok_or(ErrorCode::InvalidSession.into())
    }

    /// The owner's live sessions, last used first; the caller's is the one under `token`.
    pub async fn sessions(
        &self,
        owner: &AccountPrincipal,
        token: &str,
    ) -> ServiceResult<Vec<ListedSession>> {
        let now = self.clock.now();
        let current = hash(token);
        let open = self
            .store
            .sessions_of(owner.id(), now, MAX_LISTED_SESSIONS)
            .await?;
        let listed = open.into_iter().map(|session| ListedSession {
            is_current: session.token_hash == current,
            last_used_at: session.expires_at.minus(SESSION_LIFETIME),
            created_at: session.created_at,
            browser: session.browser,
        });
        Ok(listed.collect())
    }

    /// Ends every session of the owner, the caller's included.
    pub async fn end_sessions(&self, owner: &AccountPrincipal) -> ServiceResult<()> {
        Ok(self.store.end_sessions(owner.id()).await?)
    }

    /// Logs out: ends the session under `token`, if there is one.
    pub async fn end_session(&self, token: &str) -> ServiceResult<()> {
        Ok(self.store.end_session(hash(token)).await?)
    }
}

/// The first 256 bytes of a text, or a few less where a character would be cut.
fn truncate(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_BROWSER_BYTES)].to_owned()
}

/// 256 random bits in base64url (43 characters), which nobody guesses.
pub(crate) fn random_token() -> ServiceResult<String> {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes).map_err(ServiceError::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The SHA-256 of a token, which is all that is stored of it: 256 random bits need no slower hash.
pub(crate) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}
