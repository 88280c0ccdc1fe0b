//! Records of CSV (RFC 4180 §2), each read by itself.

use csv_core::{ReadRecordResult, Reader};

/// Fields for which there is room at first.
const USUAL_FIELDS: usize = 16;

/// Reads records. One reader serves a whole list: to make one takes as long as to read dozens of lines.
pub struct RecordReader {
    parser: Box<Reader>,
}

/// The fields of a record.
pub struct Record {
    /// One after the other, without their quotes.
    text: String,
    /// Where each of them ends in the text.
    ends: Vec<usize>,
}

impl Default for RecordReader {
    fn default() -> Self {
        Self {
            parser: Box::new(Reader::new()),
        }
    }
}

impl RecordReader {
    /// The first record of the text, as if nothing had been read before; none where there is nothing but line breaks.
    pub fn read(&mut self, text: &str) -> Option<Record> {
        self.parser.reset();
        let mut input = text.as_bytes();
        let (mut fields, mut ends) = (vec![0_u8; input.len()], vec![0_usize; USUAL_FIELDS]);
        let (mut bytes, mut count) = (0_usize, 0_usize);
        loop {
            let (result, taken, written, ended) =
                self.parser
                    .read_record(input, &mut fields[bytes..], &mut ends[count..]);
            input = &input[taken..];
            bytes += written;
            count += ended;
            match result {
                // Asked again, without input, it ends the record.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputEndsFull => ends.resize(2 * count, 0),
                ReadRecordResult::Record => break,
                // The fields take no more room than the text, so that this is its end.
                ReadRecordResult::OutputFull | ReadRecordResult::End => return None,
            }
        }
        fields.truncate(bytes);
        ends.truncate(count);
        let text = String::from_utf8(fields).ok()?;
        Some(Record { text, ends })
    }
}

impl Record {
    /// How many fields there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The field with this index, if there is one.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    /// The fields in their order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        (0..self.count()).map(|index| self.get(index).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use csv::{ReaderBuilder, StringRecord};
    use fastrand::Rng;

    use super::{Record, RecordReader};

    const CASES: u64 = 3_000;

    /// What lines are made of where they are odd.
    const PARTS: [&str; 12] = [
        "a", "bc", ",", ",,", "\"", "\"\"", ",\"", "\",", "\r", "\n", " ", "鳩",
    ];

    const BYTE_ORDER_MARK: &str = "\u{feff}";

    /// What a reader of its own says of the text.
    fn expected(text: &str) -> Option<Vec<String>> {
        let mut reader = ReaderBuilder::new();
        let mut reader = reader
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let record: StringRecord = reader.records().next()?.ok()?;
        Some(record.iter().map(str::to_owned).collect())
    }

    fn assert_same(records: &mut RecordReader, text: &str) {
        let read = records.read(text);
        let fields = |record: &Record| record.fields().map(str::to_owned).collect();
        let fields: Option<Vec<String>> = read.as_ref().map(fields);
        assert_eq!(fields, expected(text), "{text:?}");
        let Some(read) = read else {
            return;
        };
        assert_eq!(Some(read.count()), fields.map(|it| it.len()), "{text:?}");
        assert!(read.get(read.count()).is_none(), "{text:?}");
    }

    #[test]
    fn any_line_after_any_other_is_read_as_by_a_reader_of_its_own() {
        let mut records = RecordReader::default();
        for seed in 0..CASES {
            let mut random = Rng::with_seed(seed);
            let count = random.usize(0..12);
            let parts = (0..count).map(|_| PARTS[random.usize(0..PARTS.len())]);
            let mut text: String = parts.collect();
            if seed.is_multiple_of(8) {
                text.insert_str(0, BYTE_ORDER_MARK);
            }
            assert_same(&mut records, &text);
        }
    }

    #[test]
    fn lines_with_odd_quotes_breaks_and_lengths_are_read_as_by_a_reader_of_its_own() {
        let mut records = RecordReader::default();
        let long = "x".repeat(20_000);
        for text in [
            "",
            "\r\n",
            BYTE_ORDER_MARK,
            "\u{feff}a,\u{feff}b",
            "a,\"b, c\",\"d \"\"e\"\"\",f\r\n",
            "\"a\"b,c\"d\",e",
            "\"a\"\"",
            "\"a,b\nc",
            "\"\"",
            "a\rb,c",
            "\n\na,b",
            "a,",
            &",".repeat(15),
            &",".repeat(16),
            &",".repeat(1_000),
            &"a,".repeat(10_000),
            &long,
            &format!("\"{long}\"\"{long}\",{long}\n{long}"),
        ] {
            assert_same(&mut records, text);
        }
    }
}
