use super::{ForeignText, Line, LineError, LineReader};

/// What comes of a text in pieces of so many bytes, without the ends of lines.
fn read(text: &[u8], piece: usize, fields: Option<usize>) -> Result<Vec<Line>, ForeignText> {
    let mut reader = LineReader::new(40);
    if let Some(fields) = fields {
        reader.expect_records(fields);
    }
    let mut lines = Vec::new();
    let mut pieces = text.chunks(piece);
    loop {
        while let Some(line) = reader.next_line()? {
            lines.push(Line {
                text: line.text.map(|text| text.trim_end().to_owned()),
                ..line
            });
        }
        if reader.has_ended() {
            return Ok(lines);
        }
        match pieces.next() {
            Some(piece) => reader.push(piece),
            None => reader.end(),
        }
    }
}

fn said(number: u64, last: u64, text: &str) -> Line {
    let text = Ok(text.to_owned());
    Line { number, last, text }
}

fn refused(number: u64, error: LineError) -> Line {
    Line {
        number,
        last: number,
        text: Err(error),
    }
}

#[test]
fn lines_are_the_same_in_whatever_pieces_they_come() {
    let long = "x".repeat(43);
    let text = format!("\u{feff}one\r\n\n{long}\ntwo \"2\n{long}{long}{long}\n\nlast");
    let expected = vec![
        said(1, 1, "one"),
        refused(3, LineError::TooLong),
        said(4, 4, "two \"2"),
        refused(5, LineError::TooLong),
        said(7, 7, "last"),
    ];
    for piece in 1..=text.len() {
        let lines = read(text.as_bytes(), piece, None).expect("text");
        assert_eq!(lines, expected, "{piece}");
    }
    assert_eq!(
        read(b"a\n\xff\xfe\nb\n", 3, None).expect("text"),
        [
            said(1, 1, "a"),
            refused(2, LineError::NotUtf8),
            said(3, 3, "b")
        ]
    );
    assert_eq!(read(b"", 1, None), Ok(Vec::new()));
}

#[test]
fn a_record_goes_on_within_quotes() {
    let text = "a,\"b\nc \"\"d\"\"\n\",e\n\nf,g\"h\n\"i\nj\",,";
    let expected = vec![
        said(1, 3, "a,\"b\nc \"\"d\"\"\n\",e"),
        said(5, 5, "f,g\"h"),
        said(6, 7, "\"i\nj\",,"),
    ];
    for piece in 1..=text.len() {
        let lines = read(text.as_bytes(), piece, Some(3)).expect("text");
        assert_eq!(lines, expected, "{piece}");
    }
}

#[test]
fn a_quote_that_stays_open_takes_nobody_along() {
    let many = format!("\"a\n{}", "b\n".repeat(40));
    let paired = "\"a\nb,\"c\",d\n".to_owned();
    for (text, last) in [
        ("\"a\nb\n".to_owned(), "b".to_owned()),
        (format!("\"a\n{}\n", "b".repeat(40)), "b".repeat(40)),
        (many, "b".to_owned()),
        (paired, "b,\"c\",d".to_owned()),
    ] {
        for piece in [1, 7, text.len()] {
            let lines = read(text.as_bytes(), piece, Some(3)).expect("text");
            assert_eq!(lines[0], refused(1, LineError::OpenQuote), "{text}");
            assert_eq!(lines[1], said(2, 2, &last), "{text}");
        }
    }
}

#[test]
fn what_is_no_text_is_known_by_its_beginning() {
    for (bytes, foreign) in [
        (&b"\x1f\x8b\x08\x00"[..], ForeignText::Gzip),
        (b"\x28\xb5\x2f\xfd\x00", ForeignText::Zstd),
        (b"\xff\xfe{\x00", ForeignText::Utf16),
        (b"\xfe\xff\x00{", ForeignText::Utf16),
    ] {
        assert_eq!(read(bytes, 1, None), Err(foreign));
    }
}
