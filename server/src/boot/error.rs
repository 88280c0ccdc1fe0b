//! Why a server does not start, or does not end well, and which exit code that is.

use std::io;
use std::net::SocketAddr;

use hato_delivery::ClientBuildError;
use hato_outbound::RootStoreError;
use hato_service::ports::StoreError;

use crate::config::{SettingError, outbound_ca_error};
use crate::database::DatabaseError;
use crate::github_provider::GithubProviderError;
use crate::lifecycle::TaskExitError;
use crate::metrics::MetricsError;
use crate::secrets_file::SecretsFileError;

/// The server did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// A setting has a value that only its user could find out to be a bad one.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The file of secrets cannot be used.
    #[error(transparent)]
    Secrets(#[from] SecretsFileError),
    /// The database does not say with which secrets it was written.
    #[error("the database cannot be asked for what its secrets have made")]
    Samples(#[source] StoreError),
    /// There is no database to work on.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The database is being copied.
    #[error("the database cannot be told that a server has it open")]
    Announcement(#[source] StoreError),
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The signals cannot be caught.
    #[error("signals cannot be caught")]
    Signals(#[source] io::Error),
    /// GitHub cannot be talked to with these settings.
    #[error(transparent)]
    GithubProvider(GithubProviderError),
    /// Webhooks cannot be posted to with these settings.
    #[error(transparent)]
    Webhooks(ClientBuildError),
    /// Metrics cannot be recorded.
    #[error("metrics cannot be recorded")]
    Metrics(#[from] MetricsError),
    /// A part of the server ended while it should run.
    #[error(transparent)]
    Ended(#[from] TaskExitError),
}

impl BootError {
    /// 2 after a bad setting (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Setting(_) => 2,
            Self::Secrets(error) => error.exit_code(),
            Self::Database(error) => error.exit_code(),
            _ => 1,
        }
    }
}

/// Only whoever reads the additional trusted roots finds out whether they can be used.
impl From<RootStoreError> for BootError {
    fn from(error: RootStoreError) -> Self {
        tracing::debug!(%error, "the additional trusted roots cannot be used");
        outbound_ca_error().into()
    }
}

impl From<GithubProviderError> for BootError {
    fn from(error: GithubProviderError) -> Self {
        match error {
            GithubProviderError::Roots(error) => error.into(),
            other => Self::GithubProvider(other),
        }
    }
}

impl From<ClientBuildError> for BootError {
    fn from(error: ClientBuildError) -> Self {
        match error {
            ClientBuildError::Roots(error) => error.into(),
            other @ ClientBuildError::Client(_) => Self::Webhooks(other),
        }
    }
}
