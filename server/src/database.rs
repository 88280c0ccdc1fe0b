//! The database of a process: its folder is made, it is opened, and brought to the schema of this version.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hato_service::ports::Store;
use hato_store::{PostgresOpenError, PostgresSettings, StoreOpenError};

use crate::config::{SettingError, StoreConfig, database_url_error};
use crate::file_modes::warn_if_shared;

/// There is no database to work on.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// Its address leads to none.
    #[error(transparent)]
    Address(SettingError),
    /// Its folder is not there and cannot be made.
    #[error("HATO_DATA_DIR takes a folder that is there or can be made, not {0}")]
    DataDir(PathBuf, #[source] io::Error),
    /// It cannot be opened or migrated.
    #[error("the database cannot be opened")]
    Open(#[source] StoreOpenError),
}

impl DatabaseError {
    /// 2 after a bad setting (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Address(_)
            | Self::DataDir(..)
            | Self::Open(StoreOpenError::Postgres(PostgresOpenError::UnknownParameter {
                ..
            })) => 2,
            Self::Open(_) => 1,
        }
    }
}

/// Opens the database, which is made if it is not there, and brings it to this version's schema or waits for whoever does.
pub async fn open(config: &StoreConfig) -> Result<Arc<dyn Store>, DatabaseError> {
    open_with(config, config.postgres()).await
}

/// Opens the database as the one for whom the others wait, whatever `HATO_DATABASE_MIGRATE` says.
pub async fn migrate(config: &StoreConfig) -> Result<Arc<dyn Store>, DatabaseError> {
    let settings = PostgresSettings {
        migrate: true,
        ..config.postgres()
    };
    open_with(config, settings).await
}

fn not_opened(error: StoreOpenError) -> DatabaseError {
    match error {
        StoreOpenError::UnknownScheme
        | StoreOpenError::InvalidPath
        | StoreOpenError::Postgres(PostgresOpenError::Url) => {
            DatabaseError::Address(database_url_error())
        }
        StoreOpenError::Sqlite(_) | StoreOpenError::Postgres(_) => DatabaseError::Open(error),
    }
}

async fn open_with(
    config: &StoreConfig,
    postgres: PostgresSettings,
) -> Result<Arc<dyn Store>, DatabaseError> {
    make_data_dir(&config.data_dir)
        .map_err(|error| DatabaseError::DataDir(config.data_dir.clone(), error))?;
    let url = config.url();
    let opened = hato_store::open_with(&url, &postgres).await;
    let store = opened.map_err(not_opened)?;
    if let Some(file) = hato_store::file(&url) {
        warn_if_shared(file);
    }
    Ok(store)
}

/// The files of the data are their owner's business alone.
fn make_data_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
