//! For how long a server keeps what is over.

use std::time::Duration;

use clap::Args;

use super::parser::{SettingParser, plain_number};

/// When sends and what belongs to them are old enough to be removed.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Data")]
pub struct RetentionConfig {
    /// Days after which sends, dead letters and deactivated subscriptions are purged
    #[arg(long = "retention-days", env = "HATO_RETENTION_DAYS")]
    #[arg(value_name = "DAYS", default_value = "90", value_parser = retention_days())]
    pub days: u32,
}

impl RetentionConfig {
    /// The same as a span of time.
    pub fn span(self) -> Duration {
        Duration::from_hours(24) * self.days
    }
}

fn retention_days() -> SettingParser<u32> {
    SettingParser::text("a number of days, at least 1", |text| {
        plain_number(text).filter(|days| *days > 0)
    })
}
