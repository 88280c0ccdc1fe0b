//! What every handler can reach: the use cases, and the settings and counters of the HTTP side.
//!
//! It is made once, at boot, and imports nothing of `http`, whose extractors and middleware work on it.

mod client_limiter;
mod rate_limits;
mod shared_pictures;
mod window_counter;

use std::sync::Arc;

use hato_app::AppContext;
use hato_domain::ErrorCode;
use hato_service::{EventBodyMemory, Secrets, Service};
use tokio::sync::Semaphore;

pub use client_limiter::{ClientLimiter, ClientPermit};
pub use rate_limits::{RateLimits, rate_window};
pub use shared_pictures::SharedPictures;

use crate::config::{BaseUrl, TrustedProxies};
use crate::github_provider::GithubProvider;

/// The state of the router, shared by all requests.
pub type AppState = Arc<AppStateInner>;

/// The use cases and the settings of the HTTP side.
pub struct AppStateInner {
    /// The operations of the product, which the handlers call.
    pub service: Arc<Service>,
    /// Which of the secrets are there.
    pub secrets: Secrets,
    /// The base address, which is the origin of the dashboard's pages.
    pub base_url: BaseUrl,
    /// `upgrade_url` of error bodies.
    pub pricing_url: String,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// The login through GitHub, if it is set up.
    pub github: Option<GithubProvider>,
    /// Whether requests are counted by route.
    pub metrics: bool,
    /// How often each address has tried to log in, to register, or to use a key in vain.
    pub limits: RateLimits,
    /// Which clients have requests in work.
    pub in_flight: ClientLimiter,
    /// Which clients have reports of notifications in work.
    pub reports: ClientLimiter,
    /// How many responses may stream events yet.
    pub event_streams: Arc<Semaphore>,
    /// Memory for the bodies of their events.
    pub event_body_memory: EventBodyMemory,
    /// The pictures that are being sent.
    pub pictures: SharedPictures,
    /// What the dashboard works with.
    pub app: AppContext,
}

impl AppStateInner {
    /// The login through GitHub; `OAUTH_NOT_CONFIGURED` unless it is set up.
    pub fn github(&self) -> Result<&GithubProvider, ErrorCode> {
        self.github.as_ref().ok_or(ErrorCode::OauthNotConfigured)
    }

    /// The contact that push services are given (RFC 8292 §2.1).
    pub fn vapid_subject(&self) -> &str {
        &self.service.settings().vapid_subject
    }

    /// Whether cookies carry `Secure`: where the base address is `https://`.
    pub fn secure_cookies(&self) -> bool {
        self.base_url.is_https()
    }
}
