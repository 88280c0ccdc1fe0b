//! The list in a file.

use std::path::Path;

use hato_domain::import::{ListEntry, ListFormatError, ListReader};

use crate::error::{CliError, Result};
use crate::lines::FileChunks;

/// Reads a list entry by entry.
pub struct SubscriberList {
    pieces: FileChunks,
    reader: ListReader,
}

impl SubscriberList {
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            pieces: FileChunks::open(path)?,
            reader: ListReader::default(),
        })
    }

    /// What stands in the file before it is known how it is written, each with the hash of the file up to it; an error for what is no
    /// list.
    pub fn beginning(&mut self) -> Result<Vec<(ListEntry, u64)>> {
        let mut entries = Vec::new();
        while !self.reader.has_format()
            && let Some(entry) = self.next()?
        {
            entries.push((entry, self.hash()));
        }
        Ok(entries)
    }

    /// The next entry of the list, and `None` at its end.
    pub fn next(&mut self) -> Result<Option<ListEntry>> {
        loop {
            let entry = self.reader.next_entry();
            if let Some(entry) = entry.map_err(|error| self.refusal(error))? {
                return Ok(Some(entry));
            }
            if self.reader.has_ended() {
                return Ok(None);
            }
            match self.pieces.next()? {
                Some(piece) => self.reader.push(piece),
                None => self.reader.end(),
            }
        }
    }

    fn refusal(&self, error: ListFormatError) -> CliError {
        match error {
            ListFormatError::Foreign(foreign) => self.pieces.foreign(foreign),
            ListFormatError::Unknown => self.pieces.refused(
                error.code(),
                "no line is a JSON object, and none names a column of endpoints",
                "write a JSON object a line, or CSV with a line of column names, such as endpoint,p256dh,auth",
            ),
        }
    }

    /// By which what is read so far is known again.
    pub fn hash(&self) -> u64 {
        self.reader.hash()
    }

    /// Bytes that are read, and bytes in all.
    pub fn position(&self) -> u64 {
        self.pieces.position()
    }

    pub fn bytes(&self) -> u64 {
        self.pieces.bytes()
    }
}
