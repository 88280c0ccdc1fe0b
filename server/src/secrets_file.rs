//! The two secrets: from the environment, else from secrets.toml, which is made once (CONTRACT 1).
//!
//! The file appears by a rename, complete and readable by its owner alone, and a secret that it holds is never replaced:
//! losing the pepper would void every API key, losing the encryption key every app.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use hato_service::{SecretKey, Secrets};
use toml::{Table, Value};
use zeroize::{Zeroize as _, Zeroizing};

use crate::config::{SecretsConfig, secret_from_hex};
use crate::file_modes::warn_if_shared;

const FILE: &str = "secrets.toml";
const PEPPER: &str = "pepper";
const ENCRYPTION_KEY: &str = "encryption_key";

/// secrets.toml cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsFileError {
    /// It cannot be read or written.
    #[error("{0} cannot be read or written")]
    Io(PathBuf, #[source] io::Error),
    /// It is no TOML, or what it has as a secret is not 64 hexadecimal digits.
    #[error("{0} is damaged: {1} must be 32 bytes as 64 hexadecimal digits")]
    Damaged(PathBuf, &'static str),
    /// There is no randomness to make one from.
    #[error("no random bytes can be had")]
    Randomness,
}

/// The secrets to run with: a missing one is made and kept when `config` says so, else stays missing and is logged.
pub fn load(data_dir: &Path, config: &SecretsConfig) -> Result<Secrets, SecretsFileError> {
    let file = SecretsFile::new(data_dir);
    let stored = file.locked(|file| file.complete(config))?;
    warn_if_shared(&file.path);
    let pepper = config.pepper.clone().or(stored.pepper);
    let encryption_key = config.encryption_key.clone().or(stored.encryption_key);
    for (name, secret) in [
        ("HATO_PEPPER", &pepper),
        ("HATO_ENCRYPTION_KEY", &encryption_key),
    ] {
        if secret.is_none() {
            tracing::error!("{name} is missing: what needs it answers 503 CONFIG_ERROR");
        }
    }
    Ok(Secrets::new(pepper, encryption_key))
}

/// The secrets as lines of an environment file, for the processes of a fleet: those that the folder's secrets.toml holds, and new
/// ones for what it lacks. Nothing is written.
pub fn environment_lines(data_dir: &Path) -> Result<Zeroizing<String>, SecretsFileError> {
    let stored = SecretsFile::new(data_dir).stored()?;
    let mut lines = Zeroizing::new(String::new());
    for (name, secret) in [
        ("HATO_PEPPER", stored.pepper),
        ("HATO_ENCRYPTION_KEY", stored.encryption_key),
    ] {
        let secret = secret.map_or_else(random, Ok)?;
        let digits = Zeroizing::new(hex::encode(secret.as_slice()));
        lines.extend([name, "=", &digits, "\n"]);
    }
    Ok(lines)
}

/// What the file holds.
#[derive(Default)]
struct StoredSecrets {
    pepper: Option<SecretKey>,
    encryption_key: Option<SecretKey>,
}

/// The file's contents, whose texts are overwritten when they are dropped.
#[derive(Default)]
struct SecretTable(Table);

impl Drop for SecretTable {
    fn drop(&mut self) {
        for (_, value) in &mut self.0 {
            if let Value::String(text) = value {
                text.zeroize();
            }
        }
    }
}

struct SecretsFile {
    folder: PathBuf,
    path: PathBuf,
}

impl SecretsFile {
    fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.to_owned(),
            path: data_dir.join(FILE),
        }
    }

    /// One process at a time: two that start together must not make two peppers.
    fn locked(
        &self,
        work: impl FnOnce(&Self) -> Result<StoredSecrets, SecretsFileError>,
    ) -> Result<StoredSecrets, SecretsFileError> {
        let folder = File::open(&self.folder).map_err(|error| self.io(error))?;
        folder.lock().map_err(|error| self.io(error))?;
        work(self)
    }

    fn complete(&self, config: &SecretsConfig) -> Result<StoredSecrets, SecretsFileError> {
        let mut table = self.read()?;
        if config.generate {
            let mut added = false;
            for (name, secret) in [
                (PEPPER, &config.pepper),
                (ENCRYPTION_KEY, &config.encryption_key),
            ] {
                if secret.is_none() && !table.0.contains_key(name) {
                    let made = hex::encode(random()?.as_slice());
                    table.0.insert(name.to_owned(), Value::String(made));
                    added = true;
                }
            }
            if added {
                self.write(&table).map_err(|error| self.io(error))?;
                tracing::info!(path = %self.path.display(), "made secrets; keep a copy of this file");
            }
        }
        self.secrets(&table)
    }

    fn stored(&self) -> Result<StoredSecrets, SecretsFileError> {
        self.secrets(&self.read()?)
    }

    fn secrets(&self, table: &SecretTable) -> Result<StoredSecrets, SecretsFileError> {
        Ok(StoredSecrets {
            pepper: self.secret(table, PEPPER)?,
            encryption_key: self.secret(table, ENCRYPTION_KEY)?,
        })
    }

    fn read(&self) -> Result<SecretTable, SecretsFileError> {
        match fs::read_to_string(&self.path).map(Zeroizing::new) {
            Ok(text) => match text.parse() {
                Ok(table) => Ok(SecretTable(table)),
                Err(_) => Err(self.damaged(PEPPER)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SecretTable::default()),
            Err(error) => Err(self.io(error)),
        }
    }

    fn secret(
        &self,
        table: &SecretTable,
        name: &'static str,
    ) -> Result<Option<SecretKey>, SecretsFileError> {
        let Some(value) = table.0.get(name) else {
            return Ok(None);
        };
        let secret = value.as_str().and_then(secret_from_hex);
        secret.map(Some).ok_or_else(|| self.damaged(name))
    }

    fn write(&self, table: &SecretTable) -> io::Result<()> {
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
        let text = Zeroizing::new(table.0.to_string());
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &self.path)?;
        File::open(&self.folder)?.sync_all()
    }

    fn io(&self, error: io::Error) -> SecretsFileError {
        SecretsFileError::Io(self.path.clone(), error)
    }

    fn damaged(&self, secret: &'static str) -> SecretsFileError {
        SecretsFileError::Damaged(self.path.clone(), secret)
    }
}

fn random() -> Result<SecretKey, SecretsFileError> {
    let mut bytes = SecretKey::default();
    aws_lc_rs::rand::fill(bytes.as_mut_slice()).map_err(|_| SecretsFileError::Randomness)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{FILE, environment_lines, load};
    use crate::config::SecretsConfig;

    fn generating() -> SecretsConfig {
        SecretsConfig {
            generate: true,
            ..SecretsConfig::default()
        }
    }

    #[test]
    fn secrets_are_made_once_for_their_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = load(folder.path(), &generating()).expect("made");
        let text = fs::read_to_string(folder.path().join(FILE)).expect("a file");
        let mode = fs::metadata(folder.path().join(FILE))
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let second = load(folder.path(), &generating()).expect("read");
        assert_eq!(
            fs::read_to_string(folder.path().join(FILE)).expect("a file"),
            text
        );
        assert_eq!(first.hash_key("pk_").ok(), second.hash_key("pk_").ok());
    }

    #[test]
    fn a_missing_secret_joins_the_one_that_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let pepper = "ab".repeat(32);
        fs::write(folder.path().join(FILE), format!("pepper = \"{pepper}\"\n")).expect("written");
        let secrets = load(folder.path(), &generating()).expect("completed");
        assert!(secrets.sealer().is_ok());
        let text = fs::read_to_string(folder.path().join(FILE)).expect("a file");
        assert!(text.contains(&pepper) && text.contains("encryption_key"));
    }

    #[test]
    fn nothing_is_made_when_that_is_not_wanted() {
        let folder = tempfile::tempdir().expect("a folder");
        let secrets = load(folder.path(), &SecretsConfig::default()).expect("none");
        assert!(secrets.sealer().is_err() && secrets.hash_key("pk_").is_err());
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn a_fleet_gets_the_secrets_that_are_there_and_new_ones_for_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = environment_lines(folder.path()).expect("new ones");
        assert_ne!(first, environment_lines(folder.path()).expect("others"));
        let pepper = "ab".repeat(32);
        fs::write(folder.path().join(FILE), format!("pepper = \"{pepper}\"\n")).expect("written");
        let lines = environment_lines(folder.path()).expect("both");
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!(lines[0], format!("HATO_PEPPER={pepper}"));
        let key = lines[1]
            .strip_prefix("HATO_ENCRYPTION_KEY=")
            .expect("a key");
        assert!(key.len() == 64 && key != pepper);
    }

    #[test]
    fn a_damaged_file_is_refused_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["pepper = \"short\"\n", "pepper = 1\n", "no toml"] {
            fs::write(folder.path().join(FILE), text).expect("written");
            assert!(
                load(folder.path(), &SecretsConfig::default()).is_err(),
                "{text}"
            );
            assert_eq!(
                fs::read_to_string(folder.path().join(FILE)).expect("a file"),
                text
            );
        }
    }
}
