//! `hato/config.toml` in the platform's folder for settings: servers with the credentials to use there, readable by its
//! owner alone.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{CliError, Result};

/// The name of a profile that nobody named.
pub const DEFAULT_PROFILE: &str = "default";

const ENVIRONMENT_HINT: &str = "with HATO_URL and HATO_KEY it is not needed";

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
pub struct ConfigFile {
    /// The name of the profile in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    #[serde(default)]
    pub profiles: BTreeMap<String, LoginProfile>,
}

/// A server and the credential to use there.
#[derive(Clone, Serialize, Deserialize)]
pub struct LoginProfile {
    pub url: String,
    /// An API key or a session's token.
    pub credential: String,
    /// Whose session it is, or which app's key.
    pub holder: String,
}

impl ConfigFile {
    /// The file's content; nothing when there is no file.
    pub fn read() -> Result<Self> {
        let path = path()?;
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| damaged(&path, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(CliError::file(&path, &error).add_hint(ENVIRONMENT_HINT)),
        }
    }

    /// Writes it anew: either the whole file is replaced, or nothing.
    pub fn write(&self) -> Result<()> {
        let path = path()?;
        let text = toml::to_string(self).expect("a table of texts is TOML");
        replace(&path, text.as_bytes()).map_err(|error| CliError::file(&path, &error))
    }

    /// The profile in use, or the one of this name.
    pub fn profile(&self, name: Option<&str>) -> Result<Option<&LoginProfile>> {
        let Some(name) = name else {
            return Ok(self.profiles.get(self.current_name()));
        };
        self.profiles.get(name).map(Some).ok_or_else(|| {
            CliError::usage(
                format!("there is no profile {name}"),
                "`hato profiles list` shows those there are",
            )
        })
    }

    /// The name of the profile in use.
    pub fn current_name(&self) -> &str {
        self.current.as_deref().unwrap_or(DEFAULT_PROFILE)
    }
}

pub fn path() -> Result<PathBuf> {
    let folder = dirs::config_dir().ok_or_else(|| {
        let hint = format!("set HOME; {ENVIRONMENT_HINT}");
        CliError::usage("there is no folder for settings", hint)
    })?;
    Ok(folder.join("hato").join("config.toml"))
}

fn damaged(path: &Path, error: &toml::de::Error) -> CliError {
    CliError::usage(
        format!("{}: {}", path.display(), error.message()),
        "correct the file, or remove it and log in again",
    )
    .add_hint(ENVIRONMENT_HINT)
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&unfinished).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&unfinished, path));
    if replaced.is_err() {
        // What went wrong is the error that counts.
        let _ = fs::remove_file(&unfinished);
    }
    replaced
}
