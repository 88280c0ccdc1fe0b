//! How a process uses PostgreSQL; nothing of this matters to SQLite.

use std::time::Duration;

use clap::{ArgAction, Args};
use hato_store::PostgresSettings;

use super::duration;
use super::parser::{SettingParser, plain_number};

/// The connections to PostgreSQL, and what they wait for.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "PostgreSQL")]
#[expect(clippy::struct_field_names, reason = "flags are named by them")]
pub struct PostgresConfig {
    /// Most connections of this process
    #[arg(long, env = "HATO_DATABASE_CONNECTIONS", value_name = "NUMBER")]
    #[arg(default_value = "16", value_parser = connections())]
    database_connections: u32,
    /// How long a request or a worker waits for a connection
    #[arg(long, env = "HATO_DATABASE_ACQUIRE_TIMEOUT", value_name = "DURATION")]
    #[arg(default_value = "10s", value_parser = timeout())]
    database_acquire_timeout: Duration,
    /// How long a statement may run
    #[arg(long, env = "HATO_DATABASE_STATEMENT_TIMEOUT", value_name = "DURATION")]
    #[arg(default_value = "30s", value_parser = timeout())]
    database_statement_timeout: Duration,
    /// How long a statement waits for a lock
    #[arg(long, env = "HATO_DATABASE_LOCK_TIMEOUT", value_name = "DURATION")]
    #[arg(default_value = "10s", value_parser = timeout())]
    database_lock_timeout: Duration,
    /// Whether other processes wake this one with LISTEN and NOTIFY, besides its polling: true or false
    #[arg(long, env = "HATO_DATABASE_LISTEN", value_name = "BOOL")]
    #[arg(default_value = "true", value_parser = SettingParser::boolean(), action = ArgAction::Set)]
    database_listen: bool,
    /// Whether statements are prepared once for each connection; false behind a transaction pooler: true or false
    #[arg(long, env = "HATO_DATABASE_PREPARED_STATEMENTS", value_name = "BOOL")]
    #[arg(default_value = "true", value_parser = SettingParser::boolean(), action = ArgAction::Set)]
    database_prepared_statements: bool,
    /// true: the start migrates the database; false: it waits until another process has
    #[arg(long, env = "HATO_DATABASE_MIGRATE", value_name = "BOOL")]
    #[arg(default_value = "true", value_parser = SettingParser::boolean(), action = ArgAction::Set)]
    database_migrate: bool,
}

impl PostgresConfig {
    /// As the store takes them.
    pub fn settings(&self) -> PostgresSettings {
        PostgresSettings {
            max_connections: self.database_connections,
            acquire_timeout: self.database_acquire_timeout,
            statement_timeout: self.database_statement_timeout,
            lock_timeout: self.database_lock_timeout,
            listen: self.database_listen,
            prepared_statements: self.database_prepared_statements,
            migrate: self.database_migrate,
            migration_timeout: PostgresSettings::default().migration_timeout,
        }
    }
}

fn connections() -> SettingParser<u32> {
    SettingParser::text("a number from 2 to 10000", |text| {
        plain_number(text).filter(|number| (2..=10_000).contains(number))
    })
}

/// PostgreSQL counts in milliseconds up to 2³¹ − 1, and takes 0 for no limit.
fn timeout() -> SettingParser<Duration> {
    SettingParser::text("a duration from 100ms to 24h, such as 10s", |text| {
        let bounds = Duration::from_millis(100)..=Duration::from_hours(24);
        duration::parse(text).filter(|duration| bounds.contains(duration))
    })
}
