//! What every handler can reach.

use std::sync::Arc;

use hato_app::AppContext;
use hato_domain::ErrorCode;
use hato_service::{Secrets, Service};

use crate::accounts::github::GithubProvider;
use crate::config::{BaseUrl, Config};
use crate::http::client_address::TrustedProxies;
use crate::http::rate_limit::RateLimits;
use crate::openapi;

/// The state of the router.
pub type AppState = Arc<AppStateInner>;

/// The use cases and the settings of the HTTP side.
pub struct AppStateInner {
    /// The use cases.
    pub service: Arc<Service>,
    /// Which of the secrets are there.
    pub secrets: Secrets,
    /// The public address.
    pub base_url: BaseUrl,
    /// `upgrade_url` of error bodies.
    pub pricing_url: String,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// Who identifies people for us, if somebody does.
    pub github: Option<GithubProvider>,
    /// Whether requests are counted by route.
    pub metrics: bool,
    /// Who asked how often.
    pub limits: RateLimits,
    /// What the dashboard is given.
    pub app: AppContext,
}

impl AppStateInner {
    /// The state over `service`, which works with `secrets`.
    pub fn new(
        service: Arc<Service>,
        secrets: Secrets,
        github: Option<GithubProvider>,
        config: &Config,
    ) -> AppState {
        Arc::new(Self {
            app: AppContext {
                service: Arc::clone(&service),
                base_url: config.base_url.to_string(),
                secure_cookies: config.base_url.is_https(),
                output_name: crate::assets::output_name(),
                sdk: crate::assets::current_sdk(),
                registration_open: config.registration_open,
                github_login: github.is_some(),
                api: Arc::new(openapi::document(&config.base_url)),
            },
            service,
            secrets,
            base_url: config.base_url.clone(),
            pricing_url: config.pricing_url.clone(),
            trusted_proxies: config.trusted_proxies.clone(),
            github,
            metrics: config.metrics_listen.is_some(),
            limits: RateLimits::default(),
        })
    }

    /// Who identifies people for us; nobody: `OAUTH_NOT_CONFIGURED`.
    pub fn github(&self) -> Result<&GithubProvider, ErrorCode> {
        self.github.as_ref().ok_or(ErrorCode::OauthNotConfigured)
    }

    /// Whether cookies are `Secure`.
    pub fn secure_cookies(&self) -> bool {
        self.base_url.is_https()
    }
}
