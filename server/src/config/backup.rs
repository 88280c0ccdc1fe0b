//! Where back-ups are made, how often, and how many are kept.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::duration;
use super::parser::{SettingParser, plain_number};

/// The back-ups that a server makes by itself.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data")]
pub struct BackupConfig {
    /// Absolute path of the folder for back-ups of the database and the secrets [default: none are made]
    #[arg(long = "backup-dir", env = "HATO_BACKUP_DIR", value_name = "PATH")]
    #[arg(value_parser = folder())]
    pub folder: Option<PathBuf>,
    /// Time from one back-up to the next, at least 1m
    #[arg(
        long = "backup-every",
        env = "HATO_BACKUP_EVERY",
        value_name = "DURATION"
    )]
    #[arg(default_value = "24h", value_parser = every())]
    pub every: Duration,
    /// How many back-ups stay in the folder, at least 1
    #[arg(long = "backup-keep", env = "HATO_BACKUP_KEEP", value_name = "NUMBER")]
    #[arg(default_value = "7", value_parser = keep())]
    pub keep: u32,
}

fn folder() -> SettingParser<PathBuf> {
    SettingParser::path("the absolute path of a folder, in UTF-8", |path| {
        path.starts_with('/').then(|| path.into())
    })
}

fn every() -> SettingParser<Duration> {
    let expected = "a duration such as 24h, at least 1m: an integer with ms, s, m or h";
    SettingParser::text(expected, |text| {
        duration::parse(text).filter(|every| *every >= Duration::from_mins(1))
    })
}

fn keep() -> SettingParser<u32> {
    SettingParser::text("a number of back-ups, at least 1", |text| {
        plain_number(text).filter(|keep| *keep > 0)
    })
}
