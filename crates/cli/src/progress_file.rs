//! How far a file has been worked off: a small file beside it, FILE.progress, which goes when all is done.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::connection::ServerConnection;
use crate::error::{CliError, Result};

/// The file in which a command keeps a `T` between its runs.
pub struct ProgressFile<T> {
    path: PathBuf,
    is_resumed: bool,
    pub state: T,
}

impl<T: Serialize + DeserializeOwned> ProgressFile<T> {
    /// What an earlier run left beside `file`, or a beginning.
    pub fn open(file: &Path, begin: impl FnOnce() -> T) -> Result<Self> {
        let path = beside(file, "progress");
        let left = match fs::read(&path) {
            Ok(text) => Some(serde_json::from_slice(&text).map_err(|_| unusable(&path))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(CliError::file(&path, &error)),
        };
        Ok(Self {
            path,
            is_resumed: left.is_some(),
            state: left.unwrap_or_else(begin),
        })
    }

    /// Whether an earlier run has left it.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Keeps the state: a run that is killed leaves the old file or the new one.
    pub fn save(&self) -> Result<()> {
        let text = serde_json::to_vec(&self.state).expect("a state is plain data");
        let new = beside(&self.path, "new");
        let saved = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.path));
        saved.map_err(|error| CliError::file(&self.path, &error))
    }

    /// Removes the file: all is done.
    pub fn finish(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|error| CliError::file(&self.path, &error))
    }

    /// The error of a state that cannot be of this file.
    pub fn unusable(&self) -> CliError {
        unusable(&self.path)
    }
}

/// Which lines of a file are done, and for which app: another file of the same name, or another app, begins anew.
#[derive(Clone, Serialize, Deserialize)]
pub struct DoneLines {
    app: String,
    lines: u64,
    hash: u64,
}

impl DoneLines {
    /// No line is done for this app.
    pub fn none(connection: &ServerConnection) -> Result<Self> {
        Ok(Self {
            app: connection.app()?.to_owned(),
            lines: 0,
            hash: 0,
        })
    }

    /// How many lines are done.
    pub fn count(&self) -> u64 {
        self.lines
    }

    /// Whether they are done for the app that is meant now.
    pub fn is_for(&self, connection: &ServerConnection) -> Result<bool> {
        Ok(self.app == connection.app()?)
    }

    /// Whether `line`, the last that was read, is one of them, by the hash of the file up to it; `None` if those lines were others.
    pub fn has(&self, line: u64, hash: u64) -> Option<bool> {
        let is_last = line == self.lines;
        (!is_last || hash == self.hash).then_some(line <= self.lines)
    }

    /// All lines up to this one are done, the last that was read.
    pub fn advance(&mut self, line: u64, hash: u64) {
        if line > self.lines {
            (self.lines, self.hash) = (line, hash);
        }
    }
}

/// The path with one more ending.
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}

fn unusable(path: &Path) -> CliError {
    CliError::usage(
        format!("{} is not of this file", path.display()),
        "it is of other lines or of another app; remove it to begin with the first line",
    )
}
