//! The secrets: from the environment, else from secrets.toml, which is made once (CONTRACT 1).
//!
//! The file appears by a rename, complete and readable by its owner alone, and a secret that it holds is never replaced, nor one that it
//! has lost: another pepper would void every API key, another encryption key every app. Only the rotation of the encryption key writes
//! another one, beside the one before it.

mod stored;

use std::path::Path;

use hato_service::{SecretKey, Secrets};
use zeroize::Zeroizing;

pub use self::stored::SecretsFileError;
use self::stored::{SecretName, SecretTable, SecretsFile};
use crate::config::{ConfiguredSecrets, SecretsConfig};
use crate::file_modes::warn_if_shared;

const FILE: &str = "secrets.toml";

/// Which secrets the database was written with.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecretsInUse {
    /// It has API keys.
    pub pepper: bool,
    /// It has sealed texts.
    pub encryption_key: bool,
}

impl SecretsInUse {
    /// Whether another secret of this name would void what was made with one that is lost. One that is known as the previous one is not.
    fn has_lost(self, name: SecretName, known: &ConfiguredSecrets) -> bool {
        match name {
            SecretName::Pepper => self.pepper && known.previous_pepper.is_none(),
            SecretName::EncryptionKey => {
                self.encryption_key && known.previous_encryption_key.is_none()
            }
            SecretName::PreviousPepper | SecretName::PreviousEncryptionKey => false,
        }
    }
}

/// The secrets to run with: a missing one is made and kept when `config` says so, unless it is in use, else stays missing and is logged.
pub fn load(
    data_dir: &Path,
    config: &SecretsConfig,
    in_use: SecretsInUse,
) -> Result<Secrets, SecretsFileError> {
    let file = SecretsFile::new(data_dir);
    let stored = file.locked(|file| complete(file, config, in_use))?;
    warn_if_shared(file.path());
    let secrets = merged(&config.configured, &stored);
    for (variable, secret) in [
        ("HATO_PEPPER", &secrets.pepper),
        ("HATO_ENCRYPTION_KEY", &secrets.encryption_key),
    ] {
        if secret.is_none() {
            tracing::error!("{variable} is missing: what needs it answers 503 CONFIG_ERROR");
        }
    }
    Ok(to_secrets(secrets))
}

/// The secrets that are given or stored. Nothing is made.
pub fn read(data_dir: &Path, configured: &ConfiguredSecrets) -> Result<Secrets, SecretsFileError> {
    let stored = SecretsFile::new(data_dir).read()?.secrets()?;
    Ok(to_secrets(merged(configured, &stored)))
}

/// The secrets as lines of an environment file, for the processes of a fleet: those that the folder's secrets.toml holds, and new
/// ones for what it lacks. Nothing is written.
pub fn environment_lines(data_dir: &Path) -> Result<Zeroizing<String>, SecretsFileError> {
    let mut table = SecretsFile::new(data_dir).read()?;
    for name in SecretName::NEEDED {
        if table.get(name)?.is_none() {
            table.set(name, &random()?);
        }
    }
    let mut lines = Zeroizing::new(String::new());
    for name in SecretName::ALL {
        if let Some(secret) = table.get(name)? {
            let digits = Zeroizing::new(hex::encode(secret.as_slice()));
            lines.extend([name.variable(), "=", &digits, "\n"]);
        }
    }
    Ok(lines)
}

/// The text of a secrets.toml with all secrets that a server would run with; a missing one is an error.
pub fn effective(
    data_dir: &Path,
    configured: &ConfiguredSecrets,
) -> Result<Zeroizing<String>, SecretsFileError> {
    let stored = SecretsFile::new(data_dir).read()?.secrets()?;
    let secrets = merged(configured, &stored);
    let mut table = SecretTable::default();
    for (name, secret) in SecretName::ALL.into_iter().zip([
        &secrets.pepper,
        &secrets.encryption_key,
        &secrets.previous_pepper,
        &secrets.previous_encryption_key,
    ]) {
        match secret {
            Some(secret) => table.set(name, secret),
            None if SecretName::NEEDED.contains(&name) => {
                return Err(SecretsFileError::Missing(name.variable()));
            }
            None => {}
        }
    }
    Ok(table.text())
}

/// Passes if the text is that of a secrets.toml with both secrets.
pub fn verify(text: &str) -> Result<(), SecretsFileError> {
    let table = SecretTable::parse(text, Path::new(FILE))?;
    table.secrets()?;
    for name in SecretName::NEEDED {
        if table.get(name)?.is_none() {
            return Err(SecretsFileError::Missing(name.variable()));
        }
    }
    Ok(())
}

/// Writes a text that was verified as the folder's secrets.toml, after `before` and before `after`; no other process makes or replaces
/// secrets meanwhile.
pub fn replace<E: From<SecretsFileError>>(
    data_dir: &Path,
    text: &str,
    before: impl FnOnce() -> Result<(), E>,
    after: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    SecretsFile::new(data_dir).locked(|file| {
        let table = SecretTable::parse(text, file.path())?;
        before()?;
        file.write(&table)?;
        after()
    })
}

/// Whether two encryption keys are known, from secrets.toml or the environment: then a rotation is under way. An error when none can
/// begin.
pub fn is_rotating(
    data_dir: &Path,
    configured: &ConfiguredSecrets,
) -> Result<bool, SecretsFileError> {
    let stored = SecretsFile::new(data_dir).read()?.secrets()?;
    let secrets = merged(configured, &stored);
    if secrets.encryption_key.is_none() {
        return Err(SecretsFileError::Missing(
            SecretName::EncryptionKey.variable(),
        ));
    }
    let is_rotating = secrets.previous_encryption_key.is_some();
    if !is_rotating && configured.encryption_key.is_some() {
        return Err(SecretsFileError::GivenKey);
    }
    Ok(is_rotating)
}

/// Makes a new encryption key and keeps the one before it beside it, in secrets.toml, unless two are known already.
pub fn begin_rotation(
    data_dir: &Path,
    configured: &ConfiguredSecrets,
) -> Result<(), SecretsFileError> {
    SecretsFile::new(data_dir).locked(|file| {
        if is_rotating(data_dir, configured)? {
            return Ok(());
        }
        let mut table = file.read()?;
        if let Some(key) = table.get(SecretName::EncryptionKey)? {
            table.set(SecretName::PreviousEncryptionKey, &key);
            table.set(SecretName::EncryptionKey, &random()?);
            file.write(&table)?;
        }
        Ok(())
    })
}

/// Forgets the encryption key before the current one, if secrets.toml has it.
pub fn end_rotation(data_dir: &Path) -> Result<(), SecretsFileError> {
    SecretsFile::new(data_dir).locked(|file| {
        let mut table = file.read()?;
        if table.remove(SecretName::PreviousEncryptionKey) {
            file.write(&table)?;
        }
        Ok(())
    })
}

/// What is there after what is to be made was made.
fn complete(
    file: &SecretsFile,
    config: &SecretsConfig,
    in_use: SecretsInUse,
) -> Result<ConfiguredSecrets, SecretsFileError> {
    let mut table = file.read()?;
    // Nothing joins what is damaged: the file is to stay as it is.
    let stored = table.secrets()?;
    let missing = missing(&table, &config.configured);
    if config.generate && !missing.is_empty() {
        let known = merged(&config.configured, &stored);
        if let Some(name) = missing.iter().find(|it| in_use.has_lost(**it, &known)) {
            return Err(file.lost(*name));
        }
        for name in missing {
            table.set(name, &random()?);
        }
        file.write(&table)?;
        tracing::info!(path = %file.path().display(), "made secrets; keep a copy of this file");
    }
    table.secrets()
}

/// What a server needs and is neither given nor stored.
fn missing(table: &SecretTable, configured: &ConfiguredSecrets) -> Vec<SecretName> {
    let given = [&configured.pepper, &configured.encryption_key];
    let needed = SecretName::NEEDED.into_iter().zip(given);
    needed
        .filter(|(name, given)| given.is_none() && !table.has(*name))
        .map(|(name, _)| name)
        .collect()
}

/// What is given goes before what is stored.
fn merged(configured: &ConfiguredSecrets, stored: &ConfiguredSecrets) -> ConfiguredSecrets {
    let first = |configured: &Option<SecretKey>, stored: &Option<SecretKey>| {
        configured.clone().or_else(|| stored.clone())
    };
    ConfiguredSecrets {
        pepper: first(&configured.pepper, &stored.pepper),
        encryption_key: first(&configured.encryption_key, &stored.encryption_key),
        previous_pepper: first(&configured.previous_pepper, &stored.previous_pepper),
        previous_encryption_key: first(
            &configured.previous_encryption_key,
            &stored.previous_encryption_key,
        ),
    }
}

fn to_secrets(secrets: ConfiguredSecrets) -> Secrets {
    Secrets::new(secrets.pepper, secrets.encryption_key)
        .with_previous(secrets.previous_pepper, secrets.previous_encryption_key)
}

fn random() -> Result<SecretKey, SecretsFileError> {
    let mut bytes = SecretKey::default();
    aws_lc_rs::rand::fill(bytes.as_mut_slice()).map_err(|_| SecretsFileError::Randomness)?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "secrets_file/tests.rs"]
mod tests;
