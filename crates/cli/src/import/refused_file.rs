//! The file that has the lines that were refused.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use hato_domain::import::RefusedLine;
use serde::{Deserialize, Serialize};

use crate::error::{CliError, Result};

/// What an import keeps of its file of refused lines between its runs.
#[derive(Clone, Serialize, Deserialize)]
pub struct RefusedState {
    /// The path, as far as it is text.
    file: String,
    /// How long the file was when the last batch was done. A run that was killed may have added to it before it was.
    bytes: u64,
}

/// The file of refused lines of this run.
pub struct RefusedFile {
    path: PathBuf,
    bytes: u64,
    /// The lines that earlier runs have refused.
    before: HashSet<u64>,
}

/// As much of a refused line as says which it is.
#[derive(Deserialize)]
struct LineNumber {
    line: u64,
}

impl RefusedState {
    /// Nothing is refused yet.
    pub fn none(path: &Path) -> Self {
        Self {
            file: path.display().to_string(),
            bytes: 0,
        }
    }
}

impl RefusedFile {
    /// Goes on with the file as it was when the last batch was done; whatever stands in one of which nothing is known is replaced.
    pub fn resume(path: PathBuf, state: &RefusedState) -> Result<Self> {
        if state.file != path.display().to_string() {
            let message = format!("the earlier run wrote to {}", state.file);
            return Err(CliError::usage(message, "repeat the command as it was"));
        }
        let failed = |error| CliError::file(&path, &error);
        let before = match OpenOptions::new().read(true).write(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => HashSet::new(),
            Err(error) => return Err(failed(error)),
            Ok(_) if state.bytes == 0 => {
                fs::remove_file(&path).map_err(failed)?;
                HashSet::new()
            }
            Ok(file) => {
                let length = file.metadata().map_err(failed)?.len();
                file.set_len(length.min(state.bytes)).map_err(failed)?;
                let lines = BufReader::new(file).lines().map_while(io::Result::ok);
                let numbers =
                    lines.filter_map(|line| serde_json::from_str::<LineNumber>(&line).ok());
                numbers.map(|it| it.line).collect()
            }
        };
        let bytes = state.bytes;
        Ok(Self {
            path,
            bytes,
            before,
        })
    }

    /// Whether an earlier run has refused the line.
    pub fn has(&self, line: u64) -> bool {
        self.before.contains(&line)
    }

    pub fn append(&mut self, refused: &[RefusedLine]) -> Result<()> {
        if refused.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for line in refused {
            serde_json::to_writer(&mut text, line).expect("a line is plain data");
            text.push(b'\n');
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path);
        let written = file.and_then(|mut file| {
            file.write_all(&text)?;
            Ok(file.metadata()?.len())
        });
        self.bytes = written.map_err(|error| CliError::file(&self.path, &error))?;
        Ok(())
    }

    /// What the next run goes on with.
    pub fn state(&self) -> RefusedState {
        RefusedState {
            bytes: self.bytes,
            ..RefusedState::none(&self.path)
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}
