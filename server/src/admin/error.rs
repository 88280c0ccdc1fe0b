//! Why an operator's command fails, and which exit code that is.

use std::io;

use crate::database::DatabaseError;
use crate::secrets_file::SecretsFileError;

/// An operator's command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is no database to work on.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The secrets cannot be read.
    #[error(transparent)]
    Secrets(#[from] SecretsFileError),
    /// No account has this address.
    #[error("no account has the address {0}")]
    Unknown(String),
    /// An account has this address already.
    #[error("the address {0} has an account already")]
    Taken(String),
    /// The password cannot be read.
    #[error("the password cannot be read")]
    Password(#[source] io::Error),
    /// What was given is no password.
    #[error("a password takes 8 to 128 characters")]
    InvalidPassword,
    /// The answer cannot be written.
    #[error("the answer cannot be written")]
    Output(#[source] io::Error),
    /// Anything else has failed, in the words of its error.
    #[error("the command failed: {0}")]
    Failed(String),
}

impl AdminError {
    /// 2 after something that no account could have, 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::InvalidPassword => 2,
            Self::Database(error) => error.exit_code(),
            _ => 1,
        }
    }
}
