//! A target of `make fuzz`: lists of subscribers.

use serde_json::Value;

use crate::import::{Batches, ListEntry, ListFormatError, ListReader};
use crate::lines::{ForeignText, Line, LineReader};
use crate::wire::RegisteredMany;

/// Most bytes of a line, where lines are read without what they mean.
const SHORT_LINE: usize = 24;

/// A list says the same in whatever pieces it comes, and an item can be written as a line again. The first byte is the length of
/// the pieces, and the second the number of fields of a record, or 0.
pub fn import_lines(data: &[u8]) {
    let [piece, fields, text @ ..] = data else {
        return;
    };
    let piece = usize::from(*piece).max(1);
    let fields = usize::from(*fields);
    assert_eq!(lines(text, text.len(), fields), lines(text, piece, fields));
    let (whole, in_pieces) = (list(text, text.len()), list(text, piece));
    assert_eq!(whole, in_pieces);
    let (entries, ..) = whole;
    for line in entries.iter().filter_map(|it| it.2.as_ref().ok()) {
        let (again, ended, _) = list(line.as_bytes(), line.len());
        assert!(ended.is_none() && again.len() == 1, "{line}");
        assert_eq!(again[0].2.as_ref(), Ok(line));
    }
}

/// What a reader gave out, how it ended, and its hash.
type Read<T, E> = (Vec<T>, Option<E>, u64);

fn lines(text: &[u8], piece: usize, fields: usize) -> Read<Line, ForeignText> {
    let mut reader = LineReader::new(SHORT_LINE);
    if fields > 0 {
        reader.expect_records(fields);
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut pieces = text.chunks(piece.max(1));
    while !reader.has_ended() {
        match pieces.next() {
            Some(piece) => reader.push(piece),
            None => reader.end(),
        }
        loop {
            match reader.next_line() {
                Ok(Some(line)) => lines.push(line),
                Ok(None) => break,
                Err(foreign) => return (lines, Some(foreign), 0),
            }
        }
    }
    let in_order = lines.windows(2).all(|it| it[0].last < it[1].number);
    assert!(in_order && lines.iter().all(|it| it.number <= it.last));
    let is_short = |line: &Line| line.text.as_ref().is_ok_and(|it| it.len() > SHORT_LINE + 2);
    assert!(!lines.iter().any(is_short));
    (lines, None, reader.hash())
}

/// A line's first and last number, and the item as JSON or the code of its error.
type Entry = (u64, u64, Result<String, &'static str>);

fn list(text: &[u8], piece: usize) -> Read<Entry, ListFormatError> {
    let (mut reader, mut batches) = (ListReader::default(), Batches::default());
    let mut entries = Vec::new();
    let mut pieces = text.chunks(piece.max(1));
    while !reader.has_ended() {
        match pieces.next() {
            Some(piece) => reader.push(piece),
            None => reader.end(),
        }
        loop {
            match reader.next_entry() {
                Ok(Some(entry)) => {
                    entries.push(shown(&entry));
                    add(&mut batches, entry);
                }
                Ok(None) => break,
                Err(error) => return (entries, Some(error), 0),
            }
        }
    }
    batches.settle(&RegisteredMany::default());
    assert!(batches.items().is_empty());
    (entries, None, reader.hash())
}

fn add(batches: &mut Batches, entry: ListEntry) {
    if batches.is_full() || batches.is_in_the_way(&entry) {
        batches.settle(&RegisteredMany::default());
        assert!(!batches.is_full() && !batches.is_in_the_way(&entry));
    }
    batches.add(entry);
}

fn shown(entry: &ListEntry) -> Entry {
    let json = |item| serde_json::to_value(item).expect("an item is plain data");
    let item = entry.item.as_ref().map(|it| json(it).to_string());
    if let Ok(item) = &item {
        assert!(serde_json::from_str::<Value>(item).is_ok_and(|it| it["endpoint"].is_string()));
    }
    (entry.line, entry.last_line, item.map_err(|it| it.code()))
}
