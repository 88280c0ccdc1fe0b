//! Where the data is.

use std::path::{Path, PathBuf};

use clap::Args;
use hato_store::PostgresSettings;

use super::parser::{SettingError, SettingParser};
use super::postgres::PostgresConfig;

/// The folder of the data, and the database if it is elsewhere.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data")]
pub struct StoreConfig {
    /// Folder of the database and the secrets
    #[arg(long, env = "HATO_DATA_DIR", value_name = "PATH")]
    #[arg(default_value = "./data", value_parser = data_dir())]
    pub data_dir: PathBuf,
    /// Where the database is.
    #[arg(help = DATABASE_HELP, long, env = "HATO_DATABASE_URL", value_name = "URL")]
    #[arg(value_parser = SettingParser::text(DATABASE_URL, database_url))]
    pub database_url: Option<String>,
    #[command(flatten)]
    postgres: PostgresConfig,
}

impl StoreConfig {
    /// Whether other machines may use the same database.
    pub fn is_postgres(&self) -> bool {
        let url = self.database_url.as_deref();
        url.is_some_and(|url| url.starts_with("postgres"))
    }

    /// The address of the database.
    pub fn url(&self) -> String {
        match &self.database_url {
            Some(url) => url.clone(),
            None => format!("sqlite:{}", self.data_dir.join("hato.db").display()),
        }
    }

    /// The database's file; `None` where the database is PostgreSQL's.
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        hato_store::file(&self.url()).map(Path::to_owned)
    }

    /// How PostgreSQL is used.
    pub fn postgres(&self) -> PostgresSettings {
        self.postgres.settings()
    }
}

/// What the help says, in which an address stands as it is.
const DATABASE_HELP: &str =
    "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE [default: hato.db in the data folder]";

/// What the setting takes whose path only the store can judge.
const DATABASE_URL: &str = "sqlite: and the path of a file, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, the password percent-encoded, and so an @ in a parameter";

/// The refusal of an address that leads to no store.
pub fn database_url_error() -> SettingError {
    SettingError::new("HATO_DATABASE_URL", DATABASE_URL)
}

fn database_url(text: &str) -> Option<String> {
    let schemes = ["sqlite:", "postgres://", "postgresql://"];
    let is_known = schemes.iter().any(|scheme| text.starts_with(scheme));
    is_known.then(|| text.to_owned())
}

/// The path becomes part of the database's address, in which a question mark would begin parameters.
fn data_dir() -> SettingParser<PathBuf> {
    let expected = "the path of a folder, in UTF-8 and without a question mark";
    SettingParser::path(expected, |path| {
        let is_plain = !path.is_empty() && !path.contains('?');
        is_plain.then(|| path.into())
    })
}
