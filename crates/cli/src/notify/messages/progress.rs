//! How far a file was sent: a small file beside it, which goes when all is done.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::new_key;
use crate::error::{CliError, Result};

/// The lines of a file that are done, and what names their requests.
pub struct Progress {
    path: PathBuf,
    state: State,
}

#[derive(Serialize, Deserialize)]
struct State {
    idempotency_key: String,
    lines: u64,
}

impl Progress {
    /// What an earlier run left beside `file`, which has this many lines, or a beginning.
    pub fn open(file: &Path, total: u64) -> Result<Self> {
        let mut path = file.as_os_str().to_owned();
        path.push(".progress");
        let path = PathBuf::from(path);
        let state = match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|_| unusable(&path))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State {
                idempotency_key: new_key(),
                lines: 0,
            },
            Err(error) => return Err(CliError::file(&path, &error)),
        };
        if state.lines > total {
            return Err(unusable(&path));
        }
        let progress = Self { path, state };
        // The name of the requests is kept before the first of them.
        progress.save()?;
        Ok(progress)
    }

    /// The number of the last line that is done.
    pub fn lines(&self) -> u64 {
        self.state.lines
    }

    /// The idempotency key of a line.
    pub fn key_of(&self, line: u64) -> String {
        format!("{}-{line}", self.state.idempotency_key)
    }

    pub fn advance(&mut self, line: u64) -> Result<()> {
        self.state.lines = line;
        self.save()
    }

    pub fn finish(self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|error| CliError::file(&self.path, &error))
    }

    /// A run that is killed leaves the old file or the new one.
    fn save(&self) -> Result<()> {
        let text = serde_json::to_vec(&self.state).expect("a state is plain data");
        let new = self.path.with_extension("progress-new");
        let saved = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.path));
        saved.map_err(|error| CliError::file(&self.path, &error))
    }
}

fn unusable(path: &Path) -> CliError {
    CliError::usage(
        format!("{} is not of this file", path.display()),
        "remove it to send the file from its first line on",
    )
}
