//! `hato-server rotate-encryption-key`: another encryption key for everything that is encrypted (CONTRACT 1).
//!
//! Both keys stand in secrets.toml before anything is encrypted anew, and until all of it is: whenever it ends in between, a server
//! can read everything, and the command goes on when it is started again. Only a server that was started before knows one key alone,
//! so that none may run when a rotation begins.

use std::sync::Arc;

use clap::Args;
use hato_service::access::Operator;
use hato_store::StoreOpenError;

use crate::admin;
use crate::config::{ConfiguredSecrets, StoreConfig};
use crate::database::{self, DatabaseError};
use crate::secrets_file::{self, SecretsFileError};

/// The arguments of `hato-server rotate-encryption-key`.
#[derive(Args)]
pub struct RotationArgs {
    /// Where the data is.
    #[command(flatten)]
    store: StoreConfig,
    /// The secrets that the server is given.
    #[command(flatten)]
    secrets: ConfiguredSecrets,
}

/// Not everything is encrypted with the current key; nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// The keys cannot be read or written.
    #[error(transparent)]
    Secrets(#[from] SecretsFileError),
    /// There is no database to work on.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A server has the database open, which would not know the new key.
    #[error("a rotation begins while no server runs: {0}")]
    InUse(#[source] StoreOpenError),
    /// Reading or writing failed.
    #[error("the command failed; start it again to go on: {0}")]
    Failed(String),
    /// There are texts of a third key.
    #[error(
        "{resealed} secrets are encrypted with the new key, but neither key opens {unreadable} others: both keys are kept"
    )]
    Unreadable {
        /// Texts that were encrypted anew.
        resealed: u64,
        /// Texts that were left as they are.
        unreadable: u64,
    },
}

impl RotationError {
    /// 2 after a bad setting (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Secrets(error) => error.exit_code(),
            Self::Database(error) => error.exit_code(),
            _ => 1,
        }
    }
}

/// Rotates the key, or goes on with that, and says so on standard output.
pub async fn run(args: &RotationArgs) -> Result<(), RotationError> {
    let (data_dir, configured) = (&args.store.data_dir, &args.secrets);
    if !secrets_file::is_rotating(data_dir, configured)? {
        let locked = hato_store::lock(&args.store.url()).await;
        let locked = locked.map_err(RotationError::InUse)?;
        let begun = secrets_file::begin_rotation(data_dir, configured);
        locked.release().await;
        begun?;
    }
    let resealed = reseal(args).await?;
    secrets_file::end_rotation(data_dir)?;
    println!("{resealed} secrets were encrypted anew; the key before this one is needed no more");
    if configured.previous_encryption_key.is_some() {
        println!("take HATO_PREVIOUS_ENCRYPTION_KEY away from every process");
    }
    Ok(())
}

/// How many texts were encrypted anew.
async fn reseal(args: &RotationArgs) -> Result<u64, RotationError> {
    let secrets = secrets_file::read(&args.store.data_dir, &args.secrets)?;
    let store = database::open(&args.store).await?;
    let service = admin::service(Arc::clone(&store), secrets);
    let rotated = service.rotate_encryption_key(&Operator::local()).await;
    store.close().await;
    let rotated = rotated.map_err(|error| RotationError::Failed(admin::cause(&error)))?;
    match rotated.unreadable {
        0 => Ok(rotated.resealed),
        unreadable => Err(RotationError::Unreadable {
            resealed: rotated.resealed,
            unreadable,
        }),
    }
}
