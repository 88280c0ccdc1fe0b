//! Logging in through GitHub (SPEC 4.14, CONTRACT 4): what is kept while the browser is away, and whose account it is.

use std::time::Duration;

use hato_domain::{Email, ErrorCode};

use crate::access::AccountPrincipal;
use crate::ports::{GithubId, PendingLogin};
use crate::sessions::{hash, random_token};
use crate::{Service, ServiceResult};

/// How long a person may take at GitHub (CONTRACT 4).
const LOGIN_TIMEOUT: Duration = Duration::from_mins(10);

/// The two secrets of a login that has begun, both needed to finish it: a page that knows only the state of its own
/// login cannot finish it in somebody else's browser (RFC 6749 §10.12).
#[derive(Clone)]
pub struct GithubLogin {
    /// The parameter `state` that GitHub hands back, 43 characters of base64url.
    pub state: String,
    /// What the browser keeps in a cookie, so that the state is good in no other.
    pub browser: String,
}

/// A user whom GitHub has identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GithubUser {
    /// The user's number at GitHub, by which accounts are linked.
    pub id: GithubId,
    /// An address that GitHub has verified: the primary one, else any.
    pub email: Option<Email>,
}

impl Service {
    /// Begins a login; `pkce_verifier` comes back with [`Self::resume_github_login`].
    pub async fn begin_github_login(&self, pkce_verifier: String) -> ServiceResult<GithubLogin> {
        let login = GithubLogin {
            state: random_token()?,
            browser: random_token()?,
        };
        let now = self.clock.now();
        let pending = PendingLogin {
            state_hash: hash(&login.state),
            browser_hash: hash(&login.browser),
            pkce_verifier,
            expires_at: now.plus(LOGIN_TIMEOUT),
        };
        self.store.begin_github_login(pending, now).await?;
        Ok(login)
    }

    /// The PKCE verifier of a login, within ten minutes, once, and for the browser that began it; else `INVALID_STATE`.
    pub async fn resume_github_login(&self, login: &GithubLogin) -> ServiceResult<String> {
        let (state, browser) = (hash(&login.state), hash(&login.browser));
        let now = self.clock.now();
        let verifier = self.store.take_github_login(state, browser, now).await?;
        Ok(verifier.ok_or(ErrorCode::InvalidState)?)
    }

    /// Logs in whom GitHub has identified: the account of this GitHub user, else the one with their address, else a new
    /// one. A linked account loses its password and its sessions, for nobody had proven its address, and its apps
    /// wait for their owner's review. `REGISTRATION_CLOSED`
    /// for a new one on a closed server, `GITHUB_AUTH_FAILED` without a verified address.
    pub async fn log_in_with_github(&self, user: GithubUser) -> ServiceResult<AccountPrincipal> {
        let GithubUser { id, email } = user;
        let open = self.settings.registration_open;
        let otherwise = email.clone().filter(|_| open);
        let otherwise = otherwise.map(|email| self.new_account(email, None));
        let without = if email.is_some() {
            ErrorCode::RegistrationClosed
        } else {
            ErrorCode::GithubAuthFailed
        };
        let now = self.clock.now();
        let account = self
            .store
            .account_of_github_user(id, email, otherwise, now)
            .await?;
        Ok(AccountPrincipal::new(account.ok_or(without)?))
    }
}
