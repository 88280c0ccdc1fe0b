//! The lines of a file of messages.

use std::path::{Path, PathBuf};

use hato_domain::lines::{Line, LineError};
use hato_domain::wire::{self, MAX_BODY_BYTES, Notify};
use hato_domain::{Endpoint, ErrorCode};

use crate::error::{CliError, Result};
use crate::lines::FileLines;

/// Reads the messages of a file one after the other.
pub struct MessageLines {
    path: PathBuf,
    lines: FileLines,
}

impl MessageLines {
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            lines: FileLines::open(path, MAX_BODY_BYTES)?,
        })
    }

    /// The next message and its line's number, from 1 on.
    pub fn next_message(&mut self) -> Result<Option<(u64, Notify)>> {
        let Some(Line {
            number: line, text, ..
        }) = self.lines.next()?
        else {
            return Ok(None);
        };
        let text = text.map_err(|error| match error {
            LineError::TooLong => ErrorCode::PayloadTooLarge,
            LineError::NotUtf8 | LineError::OpenQuote => ErrorCode::InvalidInput,
        });
        let message = text.and_then(|text| wire::read(text.as_bytes()));
        let message = message.map_err(|code| self.wrong(code))?;
        Ok(Some((line, message)))
    }

    /// The file, which knows how far it is read.
    pub fn lines(&self) -> &FileLines {
        &self.lines
    }

    fn wrong(&self, code: ErrorCode) -> CliError {
        CliError::usage(
            format!("{}:{}: {code}", self.path.display(), self.lines.number()),
            crate::hint::for_code(code),
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
    message
        .endpoint
        .as_deref()
        .map(Endpoint::parse)
        .transpose()?;
    message.schedule()?;
    message.filter()?;
    message.into_notification()?;
    Ok(())
}
