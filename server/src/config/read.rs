//! From flags to settings: what each takes, and what counts when it is not given (CONTRACT 1).

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hato_domain::address::parse_networks;
use hato_domain::{OutboundPolicy, Plan};
use url::Url;

use super::setting::Setting;
use super::{
    BaseUrl, Config, GithubConfig, LogArgs, MigrateArgs, MigrateConfig, PlanArgs, Role,
    SecretsConfig, ServeArgs, SettingError, StoreArgs, StoreConfig, duration,
};
use crate::http::client_address::TrustedProxies;
use crate::logging::{self, LogConfig, LogFormat};

impl TryFrom<ServeArgs> for Config {
    type Error = SettingError;

    fn try_from(args: ServeArgs) -> Result<Self, SettingError> {
        let base_url = base_url(args.base_url)?;
        Ok(Self {
            listen: listen(args.listen)?,
            store: args.store.try_into()?,
            role: role(args.role)?,
            secrets: SecretsConfig {
                pepper: secret("HATO_PEPPER", args.pepper)?,
                encryption_key: secret("HATO_ENCRYPTION_KEY", args.encryption_key)?,
                generate: generate_secrets(args.generate_secrets)?,
            },
            vapid_subject: vapid_subject(args.vapid_subject)?,
            default_plan: default_plan(args.plan)?,
            registration_open: registration(args.registration)?,
            pricing_url: pricing_url(args.pricing_url, &base_url)?,
            github: GithubConfig::read(args.github)?,
            trusted_proxies: trusted_proxies(args.trusted_proxies)?,
            outbound: outbound(args.outbound_allow)?,
            outbound_ca: outbound_ca(args.outbound_ca)?,
            retry_delays: retry_delays(args.retry_delays)?,
            webhook_retry_delays: webhook_retry_delays(args.webhook_retry_delays)?,
            retention_days: retention_days(args.retention_days)?,
            metrics_listen: metrics_listen(args.metrics_listen)?,
            log: args.log.try_into()?,
            base_url,
        })
    }
}

impl TryFrom<MigrateArgs> for MigrateConfig {
    type Error = SettingError;

    fn try_from(args: MigrateArgs) -> Result<Self, SettingError> {
        Ok(Self {
            store: args.store.try_into()?,
            log: args.log.try_into()?,
        })
    }
}

impl TryFrom<StoreArgs> for StoreConfig {
    type Error = SettingError;

    fn try_from(args: StoreArgs) -> Result<Self, SettingError> {
        Ok(Self {
            data_dir: data_dir(args.data_dir)?,
            database_url: database_url(args.database_url)?,
        })
    }
}

impl TryFrom<LogArgs> for LogConfig {
    type Error = SettingError;

    fn try_from(args: LogArgs) -> Result<Self, SettingError> {
        let expected = "a tracing filter such as info or hato_server=debug,info";
        let filter = Setting::new("HATO_LOG", expected, args.log)
            .parse(|text| logging::is_filter(text).then(|| text.to_owned()))?;
        let words = [("text", LogFormat::Text), ("json", LogFormat::Json)];
        let format = Setting::new("HATO_LOG_FORMAT", "text or json", args.log_format).word(&words);
        Ok(Self {
            filter: filter.unwrap_or_else(|| "info".to_owned()),
            format: format?.unwrap_or(LogFormat::Text),
        })
    }
}

type RawValues = Vec<std::ffi::OsString>;

fn listen(raw: RawValues) -> Result<SocketAddr, SettingError> {
    let expected = "an address and a port such as 127.0.0.1:3000";
    let address = Setting::new("HATO_LISTEN", expected, raw).parse(|text| text.parse().ok())?;
    Ok(address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 3000))))
}

fn metrics_listen(raw: RawValues) -> Result<Option<SocketAddr>, SettingError> {
    let expected = "an address and a port such as 127.0.0.1:9090";
    Setting::new("HATO_METRICS_LISTEN", expected, raw).parse(|text| text.parse().ok())
}

/// The path becomes part of the database's address, in which a question mark would begin parameters.
fn data_dir(raw: RawValues) -> Result<PathBuf, SettingError> {
    let expected = "the path of a folder, in UTF-8 and without a question mark";
    let path = Setting::new("HATO_DATA_DIR", expected, raw).path(|path| {
        let plain = !path.as_os_str().as_encoded_bytes().contains(&b'?');
        plain.then(|| path.to_owned())
    })?;
    Ok(path.unwrap_or_else(|| "./data".into()))
}

fn base_url(raw: RawValues) -> Result<BaseUrl, SettingError> {
    let expected = "an http or https address without a path, such as https://push.example.com";
    let base_url = Setting::new("HATO_BASE_URL", expected, raw).parse(BaseUrl::parse)?;
    Ok(base_url.unwrap_or_default())
}

fn database_url(raw: RawValues) -> Result<Option<String>, SettingError> {
    let setting = Setting::new(DATABASE_URL.0, DATABASE_URL.1, raw);
    setting.parse(|text| text.starts_with("sqlite:").then(|| text.to_owned()))
}

/// The setting whose path only the store can judge, and what it takes.
const DATABASE_URL: (&str, &str) = (
    "HATO_DATABASE_URL",
    "sqlite: and the path of a file (PostgreSQL is not supported by this version)",
);

/// What an address that leads to no store is refused with.
pub fn database_url_error() -> SettingError {
    SettingError::new(DATABASE_URL.0, DATABASE_URL.1)
}

fn role(raw: RawValues) -> Result<Role, SettingError> {
    let words = [
        ("all", Role::All),
        ("api", Role::Api),
        ("worker", Role::Worker),
    ];
    let role = Setting::new("HATO_ROLE", "all, api or worker", raw).word(&words)?;
    Ok(role.unwrap_or(Role::All))
}

fn secret(name: &'static str, raw: RawValues) -> Result<Option<[u8; 32]>, SettingError> {
    let expected = "32 bytes as 64 hexadecimal digits";
    Setting::new(name, expected, raw).parse(crate::secrets_file::from_hex)
}

fn generate_secrets(raw: RawValues) -> Result<bool, SettingError> {
    let words = [("true", true), ("false", false)];
    let setting = Setting::new("HATO_GENERATE_SECRETS", "true or false", raw);
    Ok(setting.word(&words)?.unwrap_or(true))
}

fn vapid_subject(raw: RawValues) -> Result<Option<String>, SettingError> {
    let expected = "a mailto: or https: address of the operator";
    Setting::new("HATO_VAPID_SUBJECT", expected, raw).parse(|text| {
        let url = Url::parse(text).ok()?;
        let contact = match url.scheme() {
            "mailto" => url.path().contains('@'),
            "https" => url.host().is_some(),
            _ => false,
        };
        contact.then(|| text.to_owned())
    })
}

/// The plan of new accounts.
pub fn default_plan(args: PlanArgs) -> Result<Plan, SettingError> {
    let setting = Setting::new("HATO_DEFAULT_PLAN", "free or pro", args.default_plan);
    let plan = setting.parse(|text| Plan::parse(text).ok())?;
    Ok(plan.unwrap_or(Plan::Free))
}

fn registration(raw: RawValues) -> Result<bool, SettingError> {
    let words = [("open", true), ("closed", false)];
    let setting = Setting::new("HATO_REGISTRATION", "open or closed", raw);
    Ok(setting.word(&words)?.unwrap_or(true))
}

fn pricing_url(raw: RawValues, base_url: &BaseUrl) -> Result<String, SettingError> {
    let expected = "an http or https address";
    let pricing_url = Setting::new("HATO_PRICING_URL", expected, raw).parse(|text| {
        let url = Url::parse(text).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| text.to_owned())
    })?;
    Ok(pricing_url.unwrap_or_else(|| format!("{base_url}/pricing")))
}

const NETWORKS: &str = "a comma-separated list of networks such as 10.0.0.0/8";

fn trusted_proxies(raw: RawValues) -> Result<TrustedProxies, SettingError> {
    let setting = Setting::new("HATO_TRUSTED_PROXIES", NETWORKS, raw);
    let networks = setting.parse(|text| parse_networks(text).ok())?;
    Ok(TrustedProxies::new(networks.unwrap_or_default()))
}

fn outbound(raw: RawValues) -> Result<OutboundPolicy, SettingError> {
    let setting = Setting::new("HATO_OUTBOUND_ALLOW", NETWORKS, raw);
    let policy = setting.parse(|text| OutboundPolicy::parse(text).ok())?;
    Ok(policy.unwrap_or_default())
}

fn outbound_ca(raw: RawValues) -> Result<Option<String>, SettingError> {
    let setting = Setting::new(OUTBOUND_CA.0, OUTBOUND_CA.1, raw);
    let certificates = |path: &Path| {
        let text = std::fs::read_to_string(path).ok()?;
        text.contains("-----BEGIN CERTIFICATE-----").then_some(text)
    };
    setting.path(certificates)
}

/// The setting whose file only the delivery engine can judge, and what it takes.
const OUTBOUND_CA: (&str, &str) = (
    "HATO_OUTBOUND_CA",
    "the path of a readable PEM file with certificates",
);

/// What an unusable file of trusted roots is refused with.
pub fn outbound_ca_error() -> SettingError {
    SettingError::new(OUTBOUND_CA.0, OUTBOUND_CA.1)
}

fn retry_delays(raw: RawValues) -> Result<[Duration; 3], SettingError> {
    let expected = "exactly three durations such as 5s,1m,10m, each an integer with ms, s, m or h";
    let delays = Setting::new("HATO_RETRY_DELAYS", expected, raw)
        .parse(|text| duration::parse_list(text)?.try_into().ok())?;
    Ok(delays.unwrap_or([
        Duration::from_secs(5),
        Duration::from_mins(1),
        Duration::from_mins(10),
    ]))
}

/// `none` is the empty list, for an empty value counts as not given.
fn webhook_retry_delays(raw: RawValues) -> Result<Vec<Duration>, SettingError> {
    let expected =
        "up to 20 durations such as 5s,5m,2h, each an integer with ms, s, m or h, or none";
    let delays = Setting::new("HATO_WEBHOOK_RETRY_DELAYS", expected, raw).parse(|text| {
        if text == "none" {
            return Some(Vec::new());
        }
        duration::parse_list(text).filter(|delays| delays.len() <= 20)
    })?;
    Ok(delays.unwrap_or_else(|| {
        let mut delays = [5, 5 * 60, 30 * 60].map(Duration::from_secs).to_vec();
        delays.extend([2, 5, 10, 10].map(Duration::from_hours));
        delays
    }))
}

fn retention_days(raw: RawValues) -> Result<u32, SettingError> {
    let expected = "a number of days, at least 1";
    let days = Setting::new("HATO_RETENTION_DAYS", expected, raw).parse(|text| {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|days| plain && *days > 0)
    })?;
    Ok(days.unwrap_or(90))
}
