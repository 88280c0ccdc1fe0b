//! The lines of a file that may be anything: each bounded in memory, with its number.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{CliError, Result};

/// What files begin with that are no text in UTF-8, and what to do about it.
const FOREIGN: [(&[u8], &str); 4] = [
    (&[0x1f, 0x8b], "it is compressed: unpack it with gunzip"),
    (
        &[0x28, 0xb5, 0x2f, 0xfd],
        "it is compressed: unpack it with unzstd",
    ),
    (&[0xff, 0xfe], "it is UTF-16: save it as UTF-8"),
    (&[0xfe, 0xff], "it is UTF-16: save it as UTF-8"),
];

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Why a line is refused: a code, and a sentence.
pub type Refusal = (&'static str, &'static str);

/// A line that is longer than a line may be.
pub const LINE_TOO_LONG: Refusal = ("LINE_TOO_LONG", "the line is longer than any that is right");

/// A line, or why it cannot be read.
pub type Line = std::result::Result<String, Refusal>;

/// Reads a file line by line; empty lines are counted and left out.
pub struct Lines {
    path: PathBuf,
    max_bytes: u64,
    from: BufReader<File>,
    number: u64,
    hash: DefaultHasher,
    position: u64,
    bytes: u64,
    /// A line that was looked at and not taken.
    ahead: Option<(u64, Line)>,
}

impl Lines {
    /// Opens a file whose lines have at most so many bytes; refuses what is compressed or in another encoding.
    pub fn open(path: &Path, max_line_bytes: usize) -> Result<Self> {
        let failed = |error| CliError::file(path, &error);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let mut from = BufReader::new(file);
        let head = from.fill_buf().map_err(failed)?;
        if let Some((_, remedy)) = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic)) {
            let message = format!("{} is no text in UTF-8", path.display());
            return Err(CliError::usage(message, *remedy));
        }
        let mark = if head.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        from.consume(mark);
        Ok(Self {
            path: path.to_owned(),
            max_bytes: max_line_bytes as u64 + 2,
            from,
            number: 0,
            hash: DefaultHasher::new(),
            position: mark as u64,
            bytes,
            ahead: None,
        })
    }

    /// The next line without taking it.
    pub fn peek(&mut self) -> Result<Option<&Line>> {
        if self.ahead.is_none() {
            self.ahead = self.next()?;
        }
        Ok(self.ahead.as_ref().map(|(_, line)| line))
    }

    /// The next line and its number, from 1 on.
    pub fn next(&mut self) -> Result<Option<(u64, Line)>> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        while let Some(line) = self.read()? {
            match &line {
                Ok(text) if text.trim().is_empty() => {}
                _ => return Ok(Some((self.number, line))),
            }
        }
        Ok(None)
    }

    fn read(&mut self) -> Result<Option<Line>> {
        let failed = |error| CliError::file(&self.path, &error);
        let mut line = Vec::new();
        let read = self.from.by_ref().take(self.max_bytes);
        let read = { read }.read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        line.hash(&mut self.hash);
        self.position += read as u64;
        if read as u64 == self.max_bytes && !line.ends_with(b"\n") {
            self.position += self.from.skip_until(b'\n').map_err(failed)? as u64;
            return Ok(Some(Err(LINE_TOO_LONG)));
        }
        let text = String::from_utf8(line);
        let text = text.map_err(|_| ("INVALID_INPUT", "the line is no text in UTF-8"));
        Ok(Some(text))
    }

    /// The number of the last line.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// By which what is read so far is known again.
    pub fn hash(&self) -> u64 {
        self.hash.finish()
    }

    /// Bytes that are read, and bytes in all.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
