//! Lists of subscribers as other services write them (CONTRACT 16): read piece by piece, each line judged by itself.

mod batches;
mod columns;
mod records;

use serde::Deserialize;

pub use self::batches::{Batches, LineFault, RefusedLine};
use self::columns::Columns;
use crate::UnixMillis;
use crate::lines::{ForeignText, Line, LineError, LineReader};
use crate::wire::{BulkItem, RegisterSubscription, UNSUBSCRIBED};

/// Most bytes of a line: more than a subscription with all its tags takes.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// How many lines are looked at to find out how a list is written.
const MAX_LINES_BEFORE: usize = 100;

/// Reads a list piece by piece.
pub struct ListReader {
    lines: LineReader,
    format: Option<Format>,
    /// How many lines were looked at in vain.
    lines_before: usize,
}

/// How the lines of a list are written.
enum Format {
    /// An object a line.
    Json,
    /// The first line names the columns.
    Csv(Columns),
}

/// A line of a list.
pub struct ListEntry {
    /// The number of its first line, from 1 on.
    pub line: u64,
    /// The number of its last line, which is another one where quotes hold line breaks.
    pub last_line: u64,
    /// The registration that it is.
    pub item: Result<BulkItem, EntryError>,
}

/// Why a line of a list is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryError {
    /// It cannot be read.
    Line(LineError),
    /// It is no JSON object of a subscription.
    NoSubscription,
    /// It has no endpoint.
    NoEndpoint,
    /// An earlier line that was taken has the same endpoint.
    Duplicate,
    /// It is of somebody who has unsubscribed at the other service.
    Unsubscribed,
}

/// A text that is no list of subscribers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormatError {
    /// It is no text in UTF-8.
    Foreign(ForeignText),
    /// None of its first lines is a JSON object or names a column of endpoints.
    Unknown,
}

impl ListFormatError {
    /// The code that the file is refused with, at its first line.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Foreign(foreign) => foreign.code(),
            Self::Unknown => "NO_LIST",
        }
    }
}

/// An exported subscription, or what `PushSubscription.toJSON()` gives.
#[derive(Deserialize)]
struct JsonLine {
    keys: Option<SubscriptionKeys>,
    created_at: Option<i64>,
    #[serde(flatten)]
    registration: RegisterSubscription,
}

#[derive(Deserialize)]
struct SubscriptionKeys {
    p256dh: Option<String>,
    auth: Option<String>,
}

impl Default for ListReader {
    fn default() -> Self {
        Self {
            lines: LineReader::new(MAX_LINE_BYTES),
            format: None,
            lines_before: 0,
        }
    }
}

impl ListReader {
    /// Takes a piece, as [`LineReader::push`] does.
    pub fn push(&mut self, piece: &[u8]) {
        self.lines.push(piece);
    }

    /// There are no more pieces.
    pub fn end(&mut self) {
        self.lines.end();
    }

    /// Whether the list has ended.
    pub fn has_ended(&self) -> bool {
        self.lines.has_ended()
    }

    /// Whether it is known how the list is written. What comes before that is refused.
    pub fn has_format(&self) -> bool {
        self.format.is_some()
    }

    /// By which what was read so far is known again.
    pub fn hash(&self) -> u64 {
        self.lines.hash()
    }

    /// The next line; none until more is there, or at the end.
    pub fn next_entry(&mut self) -> Result<Option<ListEntry>, ListFormatError> {
        loop {
            let Some(line) = self.lines.next_line().map_err(ListFormatError::Foreign)? else {
                // The export of an app without subscribers has no line.
                let may_be_one = self.has_format() || self.lines_before == 0;
                return if may_be_one || !self.has_ended() {
                    Ok(None)
                } else {
                    Err(ListFormatError::Unknown)
                };
            };
            if let Some(entry) = self.entry(line)? {
                return Ok(Some(entry));
            }
        }
    }

    /// Counts a line that stands before the list; too many of them, and there is none.
    const fn count_line_before(&mut self) -> Result<(), ListFormatError> {
        self.lines_before += 1;
        if self.lines_before == MAX_LINES_BEFORE {
            return Err(ListFormatError::Unknown);
        }
        Ok(())
    }

    /// What a line is; none for the one that names the columns.
    fn entry(&mut self, line: Line) -> Result<Option<ListEntry>, ListFormatError> {
        if self.format.is_none() {
            let text = line.text.as_deref().unwrap_or_default();
            self.format = Format::recognize(text);
            if let Some(Format::Csv(columns)) = &self.format {
                self.lines.expect_records(columns.count());
                return Ok(None);
            }
        }
        if self.format.is_none() {
            self.count_line_before()?;
        }
        let text = line.text.map_err(EntryError::Line);
        let format = self.format.as_mut().ok_or(EntryError::NoSubscription);
        Ok(Some(ListEntry {
            line: line.number,
            last_line: line.last,
            item: text.and_then(|text| format?.item(&text)),
        }))
    }
}

impl Format {
    /// How a list is written that begins with this line.
    fn recognize(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.starts_with('{') {
            return Some(Self::Json);
        }
        Columns::named(line).map(Self::Csv)
    }

    /// What a line says.
    fn item(&mut self, line: &str) -> Result<BulkItem, EntryError> {
        let item = match self {
            Self::Json => json_item(line)?,
            Self::Csv(columns) => columns.item(line)?,
        };
        match item.registration.endpoint {
            Some(_) => Ok(item),
            None => Err(EntryError::NoEndpoint),
        }
    }
}

fn json_item(line: &str) -> Result<BulkItem, EntryError> {
    let line = serde_json::from_str(line.trim());
    let line: JsonLine = line.map_err(|_| EntryError::NoSubscription)?;
    let mut registration = line.registration;
    if let Some(SubscriptionKeys { p256dh, auth }) = line.keys {
        (registration.p256dh, registration.auth) = (p256dh, auth);
    }
    // What an import registers is nobody's page.
    registration.user_token = None;
    Ok(BulkItem {
        registration,
        created_at: line.created_at.map(UnixMillis),
    })
}

impl EntryError {
    /// The code that the line is refused with.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Line(LineError::TooLong) => "LINE_TOO_LONG",
            Self::Line(LineError::NotUtf8 | LineError::OpenQuote) | Self::NoSubscription => {
                "INVALID_INPUT"
            }
            Self::NoEndpoint => "MISSING_FIELDS",
            Self::Duplicate => "DUPLICATE",
            Self::Unsubscribed => UNSUBSCRIBED.0,
        }
    }

    /// The same as a sentence in English.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Line(LineError::TooLong) => "the line is longer than any that is right",
            Self::Line(LineError::NotUtf8) => "the line is no text in UTF-8",
            Self::Line(LineError::OpenQuote) => "a quote is opened and never closed",
            Self::NoSubscription => "the line is no JSON object of a subscription",
            Self::NoEndpoint => "the line has no endpoint",
            Self::Duplicate => "an earlier line has the same endpoint",
            Self::Unsubscribed => "the list says that they have unsubscribed",
        }
    }
}
