//! Files that are read line by line.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use hato_domain::lines::{ForeignText, Line, LineReader};

use crate::error::{CliError, Result};

/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// A file that is read piece by piece.
pub struct FileChunks {
    path: PathBuf,
    file: File,
    piece: Vec<u8>,
    position: u64,
    bytes: u64,
}

/// The lines of a file; empty ones are counted and left out.
pub struct FileLines {
    pieces: FileChunks,
    reader: LineReader,
}

impl FileChunks {
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| CliError::file(path, &error);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            piece: vec![0; PIECE],
            position: 0,
            bytes,
        })
    }

    /// The next piece; `None` at the end.
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        let read = self.file.read(&mut self.piece);
        let read = read.map_err(|error| CliError::file(&self.path, &error))?;
        self.position += read as u64;
        Ok((read > 0).then(|| &self.piece[..read]))
    }

    /// The error of a file that is no text in UTF-8.
    pub fn foreign(&self, foreign: ForeignText) -> CliError {
        let hint = match foreign {
            ForeignText::Gzip => "it is compressed: unpack it with gunzip",
            ForeignText::Zstd => "it is compressed: unpack it with unzstd",
            ForeignText::Utf16 => "it is UTF-16: save it as UTF-8",
        };
        self.refused(foreign.code(), "it is no text in UTF-8", hint)
    }

    /// The error of a file that is not what it has to be, from its first line on.
    pub fn refused(&self, code: &str, message: &str, hint: &str) -> CliError {
        let file = self.path.display();
        CliError::usage(format!("{file}:1: {code}: {message}"), hint)
    }

    /// Bytes that are read, and bytes in all.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl FileLines {
    /// Opens a file whose lines have at most so many bytes; what is compressed or in another encoding is refused with its first line.
    pub fn open(path: &Path, max_line_bytes: usize) -> Result<Self> {
        Ok(Self {
            pieces: FileChunks::open(path)?,
            reader: LineReader::new(max_line_bytes),
        })
    }

    /// The next line of the file, and `None` at its end.
    pub fn next(&mut self) -> Result<Option<Line>> {
        loop {
            let line = self.reader.next_line();
            if let Some(line) = line.map_err(|foreign| self.pieces.foreign(foreign))? {
                return Ok(Some(line));
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

    /// The number of the last line.
    pub fn number(&self) -> u64 {
        self.reader.number()
    }

    /// By which what is read so far is known again.
    pub fn hash(&self) -> u64 {
        self.reader.hash()
    }
}
