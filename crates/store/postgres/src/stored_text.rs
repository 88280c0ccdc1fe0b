//! U+0000 in texts, which PostgreSQL's type TEXT cannot hold. It stands there as U+001A and a digit, and so does U+001A itself.
//!
//! Only what a browser shows can hold it: the title and the body of a send (`sends.title`, `sends.body`). In names it is refused, and
//! JSON writes it as `\u0000`.

use std::borrow::Cow;

/// Stands before a digit: 0 for U+0000, 1 for itself.
const ESCAPE: char = '\u{1a}';

/// The text as its column holds it.
pub fn to_stored(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return text.into();
    }
    text.replace(ESCAPE, "\u{1a}1")
        .replace('\0', "\u{1a}0")
        .into()
}

/// The text that [`to_stored`] was given.
pub fn from_stored(text: String) -> String {
    if !text.contains(ESCAPE) {
        return text;
    }
    text.replace("\u{1a}0", "\0").replace("\u{1a}1", "\u{1a}")
}

#[cfg(test)]
mod tests {
    use super::{from_stored, to_stored};

    #[test]
    fn every_text_comes_back_and_none_is_stored_with_nul() {
        for text in [
            "",
            "a",
            "\0",
            "a\0b\0",
            "\u{1a}",
            "\u{1a}0",
            "\u{1a}\0",
            "\0\u{1a}1",
            "\u{1a}\u{1a}10",
        ] {
            let stored = to_stored(text).into_owned();
            assert!(!stored.contains('\0'));
            assert_eq!(from_stored(stored), text);
        }
    }
}
