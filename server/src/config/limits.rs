//! What strangers may do at most (CONTRACT 18).

use std::num::NonZeroU32;

use clap::Args;
use hato_domain::PushHosts;
use hato_service::AppLimits;

use super::parser::{SettingParser, plain_number};

/// The limits against strangers, of which 0 is none.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitsConfig {
    /// New subscriptions that a client address may make with `subscribe_only` keys in 60 seconds; 0 is any number
    #[arg(long, env = "HATO_REGISTRATIONS_PER_MINUTE", value_name = "NUMBER")]
    #[arg(default_value = "300", value_parser = limit())]
    pub registrations_per_minute: Limit,
    /// Sends of an app that are accepted in 60 seconds; 0 is any number
    #[arg(long, env = "HATO_SENDS_PER_MINUTE", value_name = "NUMBER")]
    #[arg(default_value = "60000", value_parser = limit())]
    sends_per_minute: Limit,
    /// Active subscriptions of an app, whatever its plan; 0 is any number
    #[arg(long, env = "HATO_SUBSCRIBERS_PER_APP", value_name = "NUMBER")]
    #[arg(default_value = "0", value_parser = limit())]
    subscribers_per_app: Limit,
    /// Open connections of a client address that is no trusted proxy; 0 is any number
    #[arg(long, env = "HATO_CONNECTIONS_PER_ADDRESS", value_name = "NUMBER")]
    #[arg(default_value = "200", value_parser = limit())]
    pub connections_per_address: Limit,
    /// Hosts of the push services that browsers may be registered at, comma-separated; each stands for those below it as well
    /// [default: any]
    #[arg(long, env = "HATO_PUSH_HOSTS", value_name = "HOSTS")]
    #[arg(value_parser = SettingParser::text(PUSH_HOSTS, PushHosts::parse))]
    push_hosts: Option<PushHosts>,
}

/// The most of something that there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limit(Option<NonZeroU32>);

impl Limit {
    /// The number; `None` for no limit.
    pub const fn get(self) -> Option<NonZeroU32> {
        self.0
    }

    /// The same as the store compares it.
    fn for_store(self) -> Option<i64> {
        self.0.map(|limit| limit.get().into())
    }
}

impl LimitsConfig {
    /// What each app may have and do.
    pub fn app_limits(&self) -> AppLimits {
        AppLimits {
            subscribers: self.subscribers_per_app.for_store(),
            sends_per_minute: self.sends_per_minute.for_store(),
        }
    }

    /// The hosts that endpoints may have; any unless some are named.
    pub fn push_hosts(&self) -> PushHosts {
        self.push_hosts.clone().unwrap_or_default()
    }
}

const PUSH_HOSTS: &str =
    "a comma-separated list of host names such as fcm.googleapis.com,push.apple.com";

fn limit() -> SettingParser<Limit> {
    SettingParser::text("a number, or 0 for no limit", |text| {
        plain_number(text).map(|number| Limit(NonZeroU32::new(number)))
    })
}
