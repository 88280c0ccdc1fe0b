//! secrets.toml as it is read and written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use hato_service::SecretKey;
use toml::{Table, Value};
use zeroize::{Zeroize as _, Zeroizing};

use super::FILE;
use crate::config::{ConfiguredSecrets, secret_from_hex};

/// secrets.toml cannot be used, or lacks what is needed.
#[derive(Debug, thiserror::Error)]
pub enum SecretsFileError {
    /// It cannot be read or written.
    #[error("{0} cannot be read or written")]
    Io(PathBuf, #[source] io::Error),
    /// It is no TOML, or what it has as a secret is not 64 hexadecimal digits.
    #[error("{0} is damaged: {1} must be 32 bytes as 64 hexadecimal digits")]
    Damaged(PathBuf, &'static str),
    /// A secret that the database was written with is neither in the environment nor in the file, as after a power cut. Another one would
    /// void what was made with it.
    #[error(
        "neither {0} nor {1} has the {2} that the database was written with: set it or put the file's copy back, or set another one, which voids what was made with it"
    )]
    Lost(&'static str, PathBuf, &'static str),
    /// A secret is neither in the environment nor in the file.
    #[error("{0} is set nowhere, and secrets.toml lacks it")]
    Missing(&'static str),
    /// Who has set the key must replace it.
    #[error(
        "HATO_ENCRYPTION_KEY is set: set a new one, and the one before it as HATO_PREVIOUS_ENCRYPTION_KEY, and try again"
    )]
    GivenKey,
    /// There is no randomness to make one from.
    #[error("no random bytes can be had")]
    Randomness,
}

impl SecretsFileError {
    /// 2 where somebody has to mend what is set or stored (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Damaged(..) | Self::Lost(..) | Self::GivenKey => 2,
            Self::Io(..) | Self::Missing(_) | Self::Randomness => 1,
        }
    }
}

/// The name of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretName {
    Pepper,
    EncryptionKey,
    PreviousPepper,
    PreviousEncryptionKey,
}

impl SecretName {
    pub(super) const ALL: [Self; 4] = [
        Self::Pepper,
        Self::EncryptionKey,
        Self::PreviousPepper,
        Self::PreviousEncryptionKey,
    ];
    /// Those that a server needs.
    pub(super) const NEEDED: [Self; 2] = [Self::Pepper, Self::EncryptionKey];

    /// The key in the file.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Pepper => "pepper",
            Self::EncryptionKey => "encryption_key",
            Self::PreviousPepper => "previous_pepper",
            Self::PreviousEncryptionKey => "previous_encryption_key",
        }
    }

    /// The variable that goes before the file.
    pub(super) const fn variable(self) -> &'static str {
        match self {
            Self::Pepper => "HATO_PEPPER",
            Self::EncryptionKey => "HATO_ENCRYPTION_KEY",
            Self::PreviousPepper => "HATO_PREVIOUS_PEPPER",
            Self::PreviousEncryptionKey => "HATO_PREVIOUS_ENCRYPTION_KEY",
        }
    }
}

/// The file's contents, whose texts are overwritten when they are dropped.
#[derive(Default)]
pub(super) struct SecretTable {
    table: Table,
    path: PathBuf,
}

impl Drop for SecretTable {
    fn drop(&mut self) {
        for (_, value) in &mut self.table {
            if let Value::String(text) = value {
                text.zeroize();
            }
        }
    }
}

impl SecretTable {
    /// Reads the text of the file at `path`.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, SecretsFileError> {
        let path = path.to_owned();
        match text.parse() {
            Ok(table) => Ok(Self { table, path }),
            Err(_) => Err(SecretsFileError::Damaged(path, SecretName::Pepper.as_str())),
        }
    }

    pub(super) fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(self.table.to_string())
    }

    pub(super) fn has(&self, name: SecretName) -> bool {
        self.table.contains_key(name.as_str())
    }

    pub(super) fn get(&self, name: SecretName) -> Result<Option<SecretKey>, SecretsFileError> {
        let Some(value) = self.table.get(name.as_str()) else {
            return Ok(None);
        };
        let secret = value.as_str().and_then(secret_from_hex);
        let damaged = || SecretsFileError::Damaged(self.path.clone(), name.as_str());
        secret.map(Some).ok_or_else(damaged)
    }

    pub(super) fn set(&mut self, name: SecretName, secret: &SecretKey) {
        let digits = Value::String(hex::encode(secret.as_slice()));
        self.table.insert(name.as_str().to_owned(), digits);
    }

    /// Whether it was there.
    pub(super) fn remove(&mut self, name: SecretName) -> bool {
        match self.table.remove(name.as_str()) {
            Some(Value::String(mut text)) => {
                text.zeroize();
                true
            }
            other => other.is_some(),
        }
    }

    /// All that it holds.
    pub(super) fn secrets(&self) -> Result<ConfiguredSecrets, SecretsFileError> {
        Ok(ConfiguredSecrets {
            pepper: self.get(SecretName::Pepper)?,
            encryption_key: self.get(SecretName::EncryptionKey)?,
            previous_pepper: self.get(SecretName::PreviousPepper)?,
            previous_encryption_key: self.get(SecretName::PreviousEncryptionKey)?,
        })
    }
}

pub(super) struct SecretsFile {
    folder: PathBuf,
    path: PathBuf,
}

impl SecretsFile {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.to_owned(),
            path: data_dir.join(FILE),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// One process at a time: two that start together must not make two peppers.
    pub(super) fn locked<T, E: From<SecretsFileError>>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let folder = File::open(&self.folder).map_err(|error| self.io(error))?;
        folder.lock().map_err(|error| self.io(error))?;
        work(self)
    }

    /// Empty when there is no file.
    pub(super) fn read(&self) -> Result<SecretTable, SecretsFileError> {
        match fs::read_to_string(&self.path).map(Zeroizing::new) {
            Ok(text) => SecretTable::parse(&text, &self.path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                SecretTable::parse("", &self.path)
            }
            Err(error) => Err(self.io(error)),
        }
    }

    /// Why this secret is not made.
    pub(super) fn lost(&self, name: SecretName) -> SecretsFileError {
        SecretsFileError::Lost(name.variable(), self.path.clone(), name.as_str())
    }

    pub(super) fn write(&self, table: &SecretTable) -> Result<(), SecretsFileError> {
        self.try_write(table).map_err(|error| self.io(error))
    }

    fn try_write(&self, table: &SecretTable) -> io::Result<()> {
        let unfinished = self.folder.join(format!(".{FILE}.new"));
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unfinished)?;
        file.write_all(table.text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &self.path)?;
        File::open(&self.folder)?.sync_all()
    }

    fn io(&self, error: io::Error) -> SecretsFileError {
        SecretsFileError::Io(self.path.clone(), error)
    }
}
