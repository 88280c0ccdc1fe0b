//! The lines of a text that may be anything and comes piece by piece: each bounded in memory, with its number.

use std::hash::{DefaultHasher, Hasher as _};

/// Most bytes that are looked at to know what a text begins with.
const HEAD: usize = 4;

/// Most lines of a record: a quote that is never closed takes no more of them along.
const MAX_RECORD_LINES: u64 = 32;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What begins like this is no text in UTF-8.
const FOREIGN: [(&[u8], ForeignText); 4] = [
    (&[0x1f, 0x8b], ForeignText::Gzip),
    (&[0x28, 0xb5, 0x2f, 0xfd], ForeignText::Zstd),
    (&[0xff, 0xfe], ForeignText::Utf16),
    (&[0xfe, 0xff], ForeignText::Utf16),
];

/// What a file is that is no text in UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignText {
    /// It is compressed by gzip.
    Gzip,
    /// It is compressed by zstd.
    Zstd,
    /// It is text in another encoding.
    Utf16,
}

impl ForeignText {
    /// The code that a file is refused with.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Gzip => "GZIP",
            Self::Zstd => "ZSTD",
            Self::Utf16 => "UTF_16",
        }
    }
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// It is longer than a line may be.
    TooLong,
    /// It is no text in UTF-8.
    NotUtf8,
    /// It opens a quote that nothing closes.
    OpenQuote,
}

/// A line that is not empty, or a record of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of its first line, from 1 on.
    pub number: u64,
    /// The number of its last line.
    pub last: u64,
    /// The text without its line break, or why it cannot be read.
    pub text: Result<String, LineError>,
}

/// Takes a text piece by piece and gives out its lines.
pub struct LineReader {
    max_bytes: usize,
    buffer: Vec<u8>,
    /// Where in the buffer begins what was not given out.
    start: usize,
    /// How many bytes from there on did not tell where the next line ends. Only another line break can, however small the pieces are.
    examined: usize,
    /// How many lines were given out or left out.
    number: u64,
    hash: DefaultHasher,
    has_begun: bool,
    has_ended: bool,
    /// Within a line that is too long, whose rest is left out.
    is_skipping: bool,
    /// The number of fields of records whose quotes may hold line breaks.
    fields: Option<usize>,
}

/// How much of the buffer the next line takes.
enum LineEnd {
    /// So many bytes and lines, with their line breaks.
    Known(usize, u64),
    /// So many bytes, with the break of a line whose quote is open.
    OpenQuote(usize),
    TooLong,
    /// What is there does not tell, or there is nothing.
    Unknown,
}

impl LineReader {
    /// A reader of lines of at most so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            buffer: Vec::new(),
            start: 0,
            examined: 0,
            number: 0,
            hash: DefaultHasher::new(),
            has_begun: false,
            has_ended: false,
            is_skipping: false,
            fields: None,
        }
    }

    /// Takes a piece. Whoever asks for all lines in between has no more in memory than a piece and a line.
    pub fn push(&mut self, piece: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(piece);
    }

    /// There are no more pieces.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// From here on, lines are records of CSV (RFC 4180 §2), and one of so many fields may have line breaks within quotes.
    pub fn expect_records(&mut self, fields: usize) {
        self.fields = Some(fields);
    }

    /// Whether the text has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The number of the last line that was given out.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// By which what was given out so far is known again.
    pub fn hash(&self) -> u64 {
        self.hash.finish()
    }

    /// The next line; none until more is there, or at the end.
    pub fn next_line(&mut self) -> Result<Option<Line>, ForeignText> {
        if !self.begin()? {
            return Ok(None);
        }
        loop {
            self.skip();
            let (text, lines) = match self.extent() {
                LineEnd::Unknown => return Ok(None),
                LineEnd::TooLong => {
                    self.is_skipping = true;
                    (Err(LineError::TooLong), 1)
                }
                LineEnd::OpenQuote(bytes) => {
                    // Not what it says, but where the next one begins.
                    let _ = self.take(bytes);
                    (Err(LineError::OpenQuote), 1)
                }
                LineEnd::Known(bytes, lines) => (self.take(bytes), lines),
            };
            let number = self.number + 1;
            self.number += lines;
            if !matches!(&text, Ok(text) if text.trim().is_empty()) {
                let last = self.number;
                return Ok(Some(Line { number, last, text }));
            }
        }
    }

    /// Looks at what the text begins with; whether enough is there.
    fn begin(&mut self) -> Result<bool, ForeignText> {
        if self.has_begun {
            return Ok(true);
        }
        if self.buffer.len() < HEAD && !self.has_ended {
            return Ok(false);
        }
        let starts = |magic: &[u8]| self.buffer.starts_with(magic);
        if let Some((_, foreign)) = FOREIGN.iter().find(|(magic, _)| starts(magic)) {
            return Err(*foreign);
        }
        if starts(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
        }
        self.has_begun = true;
        Ok(true)
    }

    /// Leaves out the rest of a line that is too long, as far as it is there.
    fn skip(&mut self) {
        if !self.is_skipping {
            return;
        }
        let rest = &self.buffer[self.start..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.is_skipping = end.is_none();
        let bytes = end.map_or(rest.len(), |end| end + 1);
        self.hash.write(&rest[..bytes]);
        self.start += bytes;
        self.examined = 0;
    }

    fn take(&mut self, bytes: usize) -> Result<String, LineError> {
        let taken = &self.buffer[self.start..self.start + bytes];
        self.start += bytes;
        self.examined = 0;
        self.hash.write(taken);
        String::from_utf8(taken.to_vec()).map_err(|_| LineError::NotUtf8)
    }

    fn extent(&mut self) -> LineEnd {
        let rest = &self.buffer[self.start..];
        let may_tell = self.has_ended
            || rest.len() >= self.max_bytes + 2
            || rest[self.examined..].contains(&b'\n');
        self.examined = rest.len();
        if may_tell {
            self.find_end()
        } else {
            LineEnd::Unknown
        }
    }

    fn find_end(&self) -> LineEnd {
        let rest = &self.buffer[self.start..];
        // Its line break comes on top.
        let most = &rest[..rest.len().min(self.max_bytes + 2)];
        let line = most.iter().position(|byte| *byte == b'\n');
        let line = match line {
            Some(at) => at + 1,
            None if most.len() == self.max_bytes + 2 => return LineEnd::TooLong,
            None if self.has_ended && !rest.is_empty() => rest.len(),
            None => return LineEnd::Unknown,
        };
        let Some(fields) = self.fields else {
            return LineEnd::Known(line, 1);
        };
        // Nothing of the text is behind what was looked at.
        let is_all = most.len() == rest.len() && most.len() < self.max_bytes + 2;
        match record_end(most, fields) {
            RecordEnd::At(bytes, lines) => LineEnd::Known(bytes, lines),
            RecordEnd::InQuotes { is_hopeless } if is_hopeless || self.has_ended || !is_all => {
                LineEnd::OpenQuote(line)
            }
            RecordEnd::InQuotes { .. } | RecordEnd::Behind(_) if is_all && !self.has_ended => {
                LineEnd::Unknown
            }
            RecordEnd::Behind(lines) if is_all => LineEnd::Known(rest.len(), lines),
            RecordEnd::InQuotes { .. } | RecordEnd::Behind(_) => LineEnd::TooLong,
        }
    }
}

/// Where a record ends.
enum RecordEnd {
    /// After so many bytes and lines.
    At(usize, u64),
    /// Not within these bytes, which hold so many lines of it.
    Behind(u64),
    /// Within a quote that is open; nothing that comes would be taken if that is hopeless.
    InQuotes { is_hopeless: bool },
}

/// Looks for a line break that is not within quotes. What goes over several lines and is no record of so many fields was not meant
/// so: a quote is missing.
fn record_end(bytes: &[u8], fields: usize) -> RecordEnd {
    let (mut in_quotes, mut may_open, mut lines, mut commas) = (false, true, 1_u64, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, in_quotes) {
            (b'\n', false) if lines > 1 && commas + 1 != fields => {
                return RecordEnd::InQuotes { is_hopeless: true };
            }
            (b'\n', false) => return RecordEnd::At(at + 1, lines),
            (b'\n', true) if lines == MAX_RECORD_LINES => {
                return RecordEnd::InQuotes { is_hopeless: true };
            }
            (b'\n', true) => lines += 1,
            // One that follows at once is a quote within the field.
            (b'"', true) => (in_quotes, may_open) = (false, true),
            (b'"', false) => in_quotes = may_open,
            (byte, false) => {
                may_open = *byte == b',';
                commas += usize::from(may_open);
            }
            (_, true) => {}
        }
    }
    if in_quotes || (lines > 1 && commas + 1 != fields) {
        RecordEnd::InQuotes { is_hopeless: false }
    } else {
        RecordEnd::Behind(lines)
    }
}

#[cfg(test)]
#[path = "lines/tests.rs"]
mod tests;
