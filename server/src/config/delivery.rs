//! How and where notifications and webhooks are delivered.

use std::time::Duration;

use clap::Args;
use hato_domain::OutboundPolicy;
use url::Url;

use super::duration;
use super::parser::{SettingError, SettingParser};
use super::trusted_proxies::NETWORKS;

/// The contact for push services where there is no other; some refuse it (Apple).
pub const DEFAULT_VAPID_SUBJECT: &str = "mailto:admin@example.com";

/// What holds for every delivery of notifications and webhooks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Delivery")]
pub struct DeliveryConfig {
    /// Contact for push services: a `mailto:` or `https:` URI (RFC 8292 §2.1).
    #[arg(long, env = "HATO_VAPID_SUBJECT", value_name = "URI", help = vapid_subject_help())]
    #[arg(value_parser = SettingParser::text("a mailto: or https: address of the operator", vapid_subject))]
    pub vapid_subject: Option<String>,
    /// Networks that are not public and may be reached all the same, comma-separated
    #[arg(long, env = "HATO_OUTBOUND_ALLOW", value_name = "CIDRS")]
    #[arg(value_parser = SettingParser::text(NETWORKS, OutboundPolicy::parse))]
    outbound_allow: Option<OutboundPolicy>,
    /// PEM file of additional trusted roots
    #[arg(long, env = "HATO_OUTBOUND_CA", value_name = "PATH")]
    #[arg(value_parser = SettingParser::path(OUTBOUND_CA, certificates))]
    pub outbound_ca: Option<String>,
    /// Waits before the three retries of a delivery
    #[arg(long, env = "HATO_RETRY_DELAYS", value_name = "DURATIONS")]
    #[arg(default_value = "5s,1m,10m", value_parser = retry_delays())]
    pub retry_delays: [Duration; 3],
    /// Up to 20 waits before the retries of a webhook, or none
    #[arg(long, env = "HATO_WEBHOOK_RETRY_DELAYS", value_name = "DURATIONS")]
    #[arg(default_value = "5s,5m,30m,2h,5h,10h,10h", value_parser = webhook_retry_delays())]
    pub webhook_retry_delays: Durations,
}

/// A list in one value: what is called `Vec` here would be taken for a flag that is given once for each item.
type Durations = Vec<Duration>;

impl DeliveryConfig {
    /// The addresses that deliveries may reach: public ones, and those in the networks that are named.
    pub fn outbound(&self) -> OutboundPolicy {
        self.outbound_allow.clone().unwrap_or_default()
    }
}

fn vapid_subject_help() -> String {
    format!(
        "Contact for push services, mailto: or https: [default: the base address if https, else {DEFAULT_VAPID_SUBJECT}]"
    )
}

fn vapid_subject(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_contact = match url.scheme() {
        "mailto" => url.path().contains('@'),
        "https" => url.host().is_some(),
        _ => false,
    };
    is_contact.then(|| text.to_owned())
}

/// What the setting takes whose file only the delivery engine can judge.
const OUTBOUND_CA: &str = "the path of a readable PEM file with certificates";

/// The refusal of an unusable file of trusted roots.
pub fn outbound_ca_error() -> SettingError {
    SettingError::new("HATO_OUTBOUND_CA", OUTBOUND_CA)
}

/// The text of the PEM file at `path`, if there is a certificate in it.
fn certificates(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.contains("-----BEGIN CERTIFICATE-----").then_some(text)
}

fn retry_delays() -> SettingParser<[Duration; 3]> {
    let expected = "exactly three durations such as 5s,1m,10m, each an integer with ms, s, m or h";
    SettingParser::text(expected, |text| duration::parse_list(text)?.try_into().ok())
}

/// `none` is the empty list, for an empty value counts as not given.
fn webhook_retry_delays() -> SettingParser<Durations> {
    let expected =
        "up to 20 durations such as 5s,5m,2h, each an integer with ms, s, m or h, or none";
    SettingParser::text(expected, |text| match text {
        "none" => Some(Vec::new()),
        _ => duration::parse_list(text).filter(|delays| delays.len() <= 20),
    })
}
