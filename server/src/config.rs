//! What an operator decides, read and checked before anything starts (CONTRACT 1).

mod args;
mod base_url;
mod duration;
mod github;
mod read;
mod setting;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hato_domain::{OutboundPolicy, Plan};

pub use args::{LogArgs, MigrateArgs, PlanArgs, ServeArgs, StoreArgs};
pub use base_url::BaseUrl;
pub use github::GithubConfig;
pub use read::{database_url_error, default_plan, outbound_ca_error};
pub use setting::SettingError;

use crate::http::client_address::TrustedProxies;
use crate::logging::LogConfig;

/// Which parts of the server a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    All,
    /// No delivery.
    Api,
    /// Delivery and health only.
    Worker,
}

impl Role {
    /// Whether this process delivers.
    pub const fn delivers(self) -> bool {
        matches!(self, Self::All | Self::Worker)
    }

    /// Whether this process answers more than questions about its health.
    pub const fn serves(self) -> bool {
        matches!(self, Self::All | Self::Api)
    }
}

/// Where the data is.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The folder of `hato.db` and `secrets.toml`.
    pub data_dir: PathBuf,
    /// `sqlite:…`.
    pub database_url: Option<String>,
}

/// The two secrets as far as the environment has them.
#[derive(Clone, Default)]
pub struct SecretsConfig {
    /// Keys the hash of API keys.
    pub pepper: Option<[u8; 32]>,
    /// Seals private keys.
    pub encryption_key: Option<[u8; 32]>,
    /// Whether a missing one is made and kept in the data folder.
    pub generate: bool,
}

/// The settings of `hato-server serve`.
pub struct Config {
    /// Where to listen; port 0 picks one.
    pub listen: SocketAddr,
    /// The public address.
    pub base_url: BaseUrl,
    /// Where the data is.
    pub store: StoreConfig,
    /// Which parts run.
    pub role: Role,
    /// The secrets.
    pub secrets: SecretsConfig,
    /// The VAPID `sub`, if given.
    pub vapid_subject: Option<String>,
    /// The plan of new accounts.
    pub default_plan: Plan,
    /// Whether strangers may register.
    pub registration_open: bool,
    /// `upgrade_url` of error bodies.
    pub pricing_url: String,
    /// The OAuth app of the login through GitHub, which is off without one.
    pub github: Option<GithubConfig>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// Which addresses deliveries may reach.
    pub outbound: OutboundPolicy,
    /// Additional trusted roots, the text of a PEM file.
    pub outbound_ca: Option<String>,
    /// The waits before the retries of a delivery.
    pub retry_delays: [Duration; 3],
    /// The waits before the retries of a webhook, at most 20.
    pub webhook_retry_delays: Vec<Duration>,
    /// How long sends, dead letters and deactivated subscriptions are kept, in days.
    pub retention_days: u32,
    /// Where `GET /metrics` is answered, if anywhere; port 0 picks one.
    pub metrics_listen: Option<SocketAddr>,
    /// The log.
    pub log: LogConfig,
}

/// The settings of `hato-server migrate`.
pub struct MigrateConfig {
    /// Where the data is.
    pub store: StoreConfig,
    /// The log.
    pub log: LogConfig,
}
