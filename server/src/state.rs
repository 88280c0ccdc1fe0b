//! What every handler can reach.

use std::sync::Arc;

use hato_app::AppContext;
use hato_service::{Secrets, Service};

use crate::config::{BaseUrl, Config};
use crate::http::client_address::TrustedProxies;
use crate::http::rate_limit::RateLimits;

/// The state of the router.
pub type Shared = Arc<State>;

/// The use cases and the settings of the HTTP side.
pub struct State {
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
    /// Who asked how often.
    pub limits: RateLimits,
    /// What the dashboard is given.
    pub app: AppContext,
}

impl State {
    /// The state over `service`, which works with `secrets`.
    pub fn new(service: Arc<Service>, secrets: Secrets, config: &Config) -> Shared {
        Arc::new(Self {
            app: AppContext {
                service: Arc::clone(&service),
                base_url: config.base_url.to_string(),
                secure_cookies: config.base_url.is_https(),
                output_name: crate::assets::output_name(),
                sdk_version: env!("CARGO_PKG_VERSION").to_owned(),
                registration_open: config.registration_open,
            },
            service,
            secrets,
            base_url: config.base_url.clone(),
            pricing_url: config.pricing_url.clone(),
            trusted_proxies: config.trusted_proxies.clone(),
            limits: RateLimits::default(),
        })
    }

    /// Whether cookies are `Secure`.
    pub fn secure_cookies(&self) -> bool {
        self.base_url.is_https()
    }
}
