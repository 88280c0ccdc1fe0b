//! The flags, each with its environment variable. What they take is checked later: clap's answers have several lines.

use std::ffi::OsString;

use clap::Args;

use super::github::GithubArgs;

/// Where the data is.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct StoreArgs {
    /// Folder of the database and the secrets [default: ./data]
    #[arg(
        long,
        env = "HATO_DATA_DIR",
        hide_env_values = true,
        value_name = "PATH"
    )]
    pub data_dir: Vec<OsString>,
    /// sqlite:PATH [default: hato.db in the data folder]
    #[arg(
        long,
        env = "HATO_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub database_url: Vec<OsString>,
}

/// What new accounts get.
#[derive(Args)]
pub struct PlanArgs {
    /// Plan of new accounts: free or pro [default: free]
    #[arg(
        long,
        env = "HATO_DEFAULT_PLAN",
        hide_env_values = true,
        value_name = "PLAN"
    )]
    pub default_plan: Vec<OsString>,
}

/// The log.
#[derive(Args)]
#[command(next_help_heading = "Log")]
pub struct LogArgs {
    /// Tracing filter [default: info]
    #[arg(long, env = "HATO_LOG", hide_env_values = true, value_name = "FILTER")]
    pub log: Vec<OsString>,
    /// text or json [default: text]
    #[arg(
        long,
        env = "HATO_LOG_FORMAT",
        hide_env_values = true,
        value_name = "FORMAT"
    )]
    pub log_format: Vec<OsString>,
}

/// The flags of `hato-server migrate`.
#[derive(Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub log: LogArgs,
}

/// The flags of `hato-server serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Listening address; port 0 picks one [default: 127.0.0.1:3000]
    #[arg(
        long,
        env = "HATO_LISTEN",
        hide_env_values = true,
        value_name = "ADDRESS"
    )]
    pub listen: Vec<OsString>,
    /// Public address; https makes cookies Secure [default: `http://localhost:3000`]
    #[arg(
        long,
        env = "HATO_BASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub base_url: Vec<OsString>,
    /// all, api (no delivery) or worker (delivery and health only) [default: all]
    #[arg(long, env = "HATO_ROLE", hide_env_values = true, value_name = "ROLE")]
    pub role: Vec<OsString>,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// open or closed [default: open]
    #[arg(
        long,
        env = "HATO_REGISTRATION",
        hide_env_values = true,
        value_name = "STATE"
    )]
    pub registration: Vec<OsString>,
    /// Page that errors about a plan's limit link to [default: /pricing of the public address]
    #[arg(
        long,
        env = "HATO_PRICING_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub pricing_url: Vec<OsString>,
    /// Networks whose X-Forwarded-For is believed, comma-separated
    #[arg(
        long,
        env = "HATO_TRUSTED_PROXIES",
        hide_env_values = true,
        value_name = "CIDRS"
    )]
    pub trusted_proxies: Vec<OsString>,
    /// Listening address of GET /metrics [default: off]
    #[arg(
        long,
        env = "HATO_METRICS_LISTEN",
        hide_env_values = true,
        value_name = "ADDRESS"
    )]
    pub metrics_listen: Vec<OsString>,

    /// 32 bytes in hexadecimal that key the hash of API keys
    #[arg(long, env = "HATO_PEPPER", hide_env_values = true, value_name = "HEX")]
    #[arg(help_heading = "Secrets")]
    pub pepper: Vec<OsString>,
    /// 32 bytes in hexadecimal that encrypt stored private keys
    #[arg(
        long,
        env = "HATO_ENCRYPTION_KEY",
        hide_env_values = true,
        value_name = "HEX"
    )]
    #[arg(help_heading = "Secrets")]
    pub encryption_key: Vec<OsString>,
    /// Whether a missing secret is made and kept in secrets.toml: true or false [default: true]
    #[arg(
        long,
        env = "HATO_GENERATE_SECRETS",
        hide_env_values = true,
        value_name = "BOOL"
    )]
    #[arg(help_heading = "Secrets")]
    pub generate_secrets: Vec<OsString>,

    /// Contact for push services, mailto: or https: [default: the public address if https]
    #[arg(
        long,
        env = "HATO_VAPID_SUBJECT",
        hide_env_values = true,
        value_name = "URI"
    )]
    #[arg(help_heading = "Delivery")]
    pub vapid_subject: Vec<OsString>,
    /// Networks that are not public and may be reached all the same, comma-separated
    #[arg(
        long,
        env = "HATO_OUTBOUND_ALLOW",
        hide_env_values = true,
        value_name = "CIDRS"
    )]
    #[arg(help_heading = "Delivery")]
    pub outbound_allow: Vec<OsString>,
    /// PEM file of additional trusted roots
    #[arg(
        long,
        env = "HATO_OUTBOUND_CA",
        hide_env_values = true,
        value_name = "PATH"
    )]
    #[arg(help_heading = "Delivery")]
    pub outbound_ca: Vec<OsString>,
    /// Waits before the three retries of a delivery [default: 5s,1m,10m]
    #[arg(
        long,
        env = "HATO_RETRY_DELAYS",
        hide_env_values = true,
        value_name = "DURATIONS"
    )]
    #[arg(help_heading = "Delivery")]
    pub retry_delays: Vec<OsString>,
    /// Up to 20 waits before the retries of a webhook, or none [default: 5s,5m,30m,2h,5h,10h,10h]
    #[arg(
        long,
        env = "HATO_WEBHOOK_RETRY_DELAYS",
        hide_env_values = true,
        value_name = "DURATIONS"
    )]
    #[arg(help_heading = "Delivery")]
    pub webhook_retry_delays: Vec<OsString>,

    #[command(flatten)]
    pub github: GithubArgs,

    #[command(flatten)]
    pub store: StoreArgs,
    /// Days after which sends, dead letters and deactivated subscriptions are purged [default: 90]
    #[arg(
        long,
        env = "HATO_RETENTION_DAYS",
        hide_env_values = true,
        value_name = "DAYS"
    )]
    #[arg(help_heading = "Data")]
    pub retention_days: Vec<OsString>,
    #[command(flatten)]
    pub log: LogArgs,
}
