//! What an operator decides, read and checked before anything starts (CONTRACT 1).
//!
//! Each setting is one field: its flag, its environment variable, what it takes and its default stand in the field's
//! attributes, and the field's type is what the rest of the server works with. A new one needs a row in `docs/DEPLOY.md`, a
//! row in CONTRACT 1 or 18 and one in `server/tests/api/settings/table.rs`; tests fail while one of the three lacks it.

mod backup;
mod base_url;
mod delivery;
mod duration;
mod github;
mod limits;
mod log;
mod parser;
mod plan;
mod postgres;
mod retention;
mod role;
mod secrets;
mod store;
mod trusted_proxies;

use std::net::SocketAddr;

use clap::{ArgAction, Args};

pub use backup::BackupConfig;
pub use base_url::BaseUrl;
pub use delivery::{DEFAULT_VAPID_SUBJECT, DeliveryConfig, outbound_ca_error};
pub use github::{GithubApp, GithubConfig};
pub use limits::LimitsConfig;
pub use log::{LogConfig, LogFormat, OtlpConfig};
pub use parser::{SettingError, SettingParser, read_environment};
pub use plan::{PlanConfig, plan};
pub use retention::RetentionConfig;
pub use role::Role;
pub use secrets::{ConfiguredSecrets, SecretsConfig, secret_from_hex};
pub use store::{StoreConfig, database_url_error};
pub use trusted_proxies::TrustedProxies;

use base_url::web_url;
use trusted_proxies::NETWORKS;

/// The settings of `hato-server serve`.
#[derive(Args)]
pub struct Config {
    /// Listening address; port 0 picks one
    #[arg(long, env = "HATO_LISTEN", value_name = "ADDRESS")]
    #[arg(default_value = DEFAULT_LISTEN, value_parser = address())]
    pub listen: SocketAddr,
    /// Base address, at which browsers reach the server; https makes cookies Secure
    #[arg(long, env = "HATO_BASE_URL", value_name = "URL")]
    #[arg(default_value = "http://localhost:3000", value_parser = base_url())]
    pub base_url: BaseUrl,
    /// all, api (no delivery) or worker (delivery and health only)
    #[arg(long, env = "HATO_ROLE", value_name = "ROLE")]
    #[arg(default_value = "all", value_parser = SettingParser::text("all, api or worker", Role::parse))]
    pub role: Role,
    /// What new accounts get.
    #[command(flatten)]
    pub plan: PlanConfig,
    /// open or closed
    #[arg(long = "registration", env = "HATO_REGISTRATION", value_name = "STATE")]
    #[arg(default_value = "open", value_parser = registration(), action = ArgAction::Set)]
    pub registration_open: bool,
    /// Page about plans, to which the dashboard and errors about a plan's limit link [default: /pricing of the base address]
    #[arg(long, env = "HATO_PRICING_URL", value_name = "URL")]
    #[arg(value_parser = SettingParser::text("an http or https address", pricing_url))]
    pricing_url: Option<String>,
    /// Networks whose X-Forwarded-For is believed, comma-separated
    #[arg(long, env = "HATO_TRUSTED_PROXIES", value_name = "CIDRS")]
    #[arg(value_parser = SettingParser::text(NETWORKS, TrustedProxies::parse))]
    trusted_proxies: Option<TrustedProxies>,
    /// Listening address of GET /metrics [default: off]
    #[arg(long, env = "HATO_METRICS_LISTEN", value_name = "ADDRESS")]
    #[arg(value_parser = address())]
    pub metrics_listen: Option<SocketAddr>,
    /// What strangers may do at most.
    #[command(flatten)]
    pub limits: LimitsConfig,
    /// The secrets that seal what is stored and that keep hashes from being guessed.
    #[command(flatten)]
    secrets: SecretsConfig,
    /// How and where notifications and webhooks are delivered.
    #[command(flatten)]
    pub delivery: DeliveryConfig,
    /// The login through GitHub.
    #[command(flatten)]
    pub github: GithubConfig,
    /// Where the data is.
    #[command(flatten)]
    pub store: StoreConfig,
    /// For how long things are kept.
    #[command(flatten)]
    pub retention: RetentionConfig,
    /// The back-ups that are made.
    #[command(flatten)]
    pub backup: BackupConfig,
    /// Which lines are logged, and as text or JSON.
    #[command(flatten)]
    pub log: LogConfig,
    /// Where traces and the log are exported to.
    #[command(flatten)]
    pub otlp: OtlpConfig,
}

/// The settings of `hato-server print-secrets`.
#[derive(Args)]
pub struct PrintSecretsConfig {
    /// Where the data is.
    #[command(flatten)]
    pub store: StoreConfig,
}

/// The settings of `hato-server migrate`.
#[derive(Args)]
pub struct MigrateConfig {
    /// Where the data is.
    #[command(flatten)]
    pub store: StoreConfig,
    /// Which lines are logged, and as text or JSON.
    #[command(flatten)]
    pub log: LogConfig,
}

impl Config {
    /// The page that error bodies name as `upgrade_url`.
    pub fn pricing_url(&self) -> String {
        let configured = self.pricing_url.clone();
        configured.unwrap_or_else(|| format!("{}{PRICING_PATH}", self.base_url))
    }

    /// The same page as links of the dashboard name it: a path, if it is the dashboard's own.
    pub fn pricing_link(&self) -> String {
        let configured = self.pricing_url.clone();
        configured.unwrap_or_else(|| PRICING_PATH.to_owned())
    }

    /// The secrets that are given. Where other machines use the same database none is made: all of them need the same (CONTRACT 17).
    pub fn secrets(&self) -> SecretsConfig {
        SecretsConfig {
            generate: self.secrets.generate && !self.store.is_postgres(),
            ..self.secrets.clone()
        }
    }

    /// The proxies whose `X-Forwarded-For` is believed; none unless some are named.
    pub fn trusted_proxies(&self) -> TrustedProxies {
        self.trusted_proxies.clone().unwrap_or_default()
    }
}

/// Where a server listens that is not told.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:3000";
/// The dashboard's own page about plans.
const PRICING_PATH: &str = "/pricing";

/// What takes a listening address.
pub fn address() -> SettingParser<SocketAddr> {
    let expected = "an address and a port such as 127.0.0.1:3000";
    SettingParser::text(expected, |text| text.parse().ok())
}

fn base_url() -> SettingParser<BaseUrl> {
    let expected = "an http or https address without a path, such as https://push.example.com";
    SettingParser::text(expected, BaseUrl::parse)
}

fn registration() -> SettingParser<bool> {
    SettingParser::text("open or closed", |text| match text {
        "open" => Some(true),
        "closed" => Some(false),
        _ => None,
    })
}

fn pricing_url(text: &str) -> Option<String> {
    web_url(text).map(|_| text.to_owned())
}
