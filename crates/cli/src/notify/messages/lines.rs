//! The lines of a file of messages.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use hato_domain::ErrorCode;
use hato_domain::wire::{self, MAX_BODY_BYTES, Notify};

use crate::error::{CliError, Result};

/// Reads the messages of a file one after the other; empty lines are skipped, and counted.
pub struct MessageLines {
    path: PathBuf,
    from: BufReader<File>,
    line: u64,
}

impl MessageLines {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| CliError::file(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            from: BufReader::new(file),
            line: 0,
        })
    }

    /// The next message and its line's number, from 1 on.
    pub fn next_message(&mut self) -> Result<Option<(u64, Notify)>> {
        loop {
            let mut line = Vec::new();
            let limit = MAX_BODY_BYTES as u64 + 2;
            let read = self.from.by_ref().take(limit).read_until(b'\n', &mut line);
            if read.map_err(|error| CliError::file(&self.path, &error))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = line.trim_ascii();
            if text.len() > MAX_BODY_BYTES {
                return Err(self.wrong(ErrorCode::PayloadTooLarge));
            }
            if !text.is_empty() {
                let message = wire::read(text).map_err(|code| self.wrong(code))?;
                return Ok(Some((self.line, message)));
            }
        }
    }

    fn wrong(&self, code: ErrorCode) -> CliError {
        CliError::usage(
            format!("{}:{}: {code}", self.path.display(), self.line),
            crate::remedy::for_code(code),
        )
    }
}

/// Reads the whole file before anything is sent; the number of its last line.
pub fn check(path: &Path, has_key: bool) -> Result<u64> {
    let mut lines = MessageLines::open(path)?;
    let mut last = 0;
    while let Some((line, message)) = lines.next_message()? {
        if message.endpoint.is_some() && !has_key {
            return Err(super::super::needs_key());
        }
        well_formed(message).map_err(|code| lines.wrong(code))?;
        last = line;
    }
    if last == 0 {
        let message = format!("{} has no messages", path.display());
        return Err(CliError::usage(message, "write one JSON object a line"));
    }
    Ok(last)
}

fn well_formed(message: Notify) -> std::result::Result<(), ErrorCode> {
    message.options()?;
    message.schedule()?;
    message.filter()?;
    message.into_notification()?;
    Ok(())
}
