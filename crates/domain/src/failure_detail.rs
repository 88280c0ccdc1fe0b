//! What was said of a failure, in a form that may be stored, logged and shown.

use std::fmt;

/// Characters that are kept at most (CONTRACT 4).
const MAX_CHARS: usize = 300;
/// Characters that are looked at: what a stranger says beyond them is not worth the time.
const MAX_READ: usize = 4_096;
/// From so many characters on, a run of letters and digits may be a credential, and from so many on it is taken for one without a
/// digit as well.
const TOKEN_CHARS: (usize, usize) = (32, 64);

/// What a push service or a connection said of a failure (CONTRACT 4): one line of at most 300 characters, without control
/// characters, without characters that change how others are shown, and without what may be a token or a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureDetail(Box<str>);

impl FailureDetail {
    /// The detail that a stranger's text gives; None when nothing is left of it.
    pub fn from_text(text: &str) -> Option<Self> {
        let words: Vec<String> = text
            .chars()
            .take(MAX_READ)
            .map(|c| if is_shown(c) { c } else { ' ' })
            .collect::<String>()
            .split_whitespace()
            .map(without_tokens)
            .collect();
        let line = words.join(" ");
        (!line.is_empty()).then(|| Self(shortened(line).into()))
    }

    /// The detail as it is stored and shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FailureDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Not control characters, nor those that are invisible or turn the direction of a text (Unicode's category Cf).
fn is_shown(c: char) -> bool {
    let is_format = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    !c.is_control() && !is_format
}

/// The word with an ellipsis in place of each run that may be a token: base64 in either alphabet, hexadecimal digits, or either of
/// them percent-encoded.
fn without_tokens(word: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '%' | '~');
    let mut shown = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let run = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(run);
        shown.push_str(if is_token(part) { "…" } else { part });
        let between = after.find(is_part).unwrap_or(after.len());
        shown.push_str(&after[..between]);
        rest = &after[between..];
    }
    shown
}

fn is_token(run: &str) -> bool {
    let (with_digit, any) = TOKEN_CHARS;
    run.len() >= any || run.len() >= with_digit && run.bytes().any(|b| b.is_ascii_digit())
}

fn shortened(line: String) -> String {
    if line.chars().count() <= MAX_CHARS {
        return line;
    }
    line.chars().take(MAX_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::FailureDetail;

    fn detail(text: &str) -> Option<String> {
        FailureDetail::from_text(text).map(|it| it.as_str().to_owned())
    }

    #[test]
    fn it_is_one_line_of_what_can_be_seen() {
        let text = "  errno\t109,\r\n\u{1b}[31mVAPID\0 \u{202e}鳩\u{200b}!  ";
        assert_eq!(detail(text).as_deref(), Some("errno 109, [31mVAPID 鳩 !"));
        assert_eq!(detail(" \n\u{feff} "), None);
    }

    #[test]
    fn it_has_at_most_300_characters() {
        let exact = "鳩".repeat(300);
        assert_eq!(detail(&exact).as_deref(), Some(exact.as_str()));
        let cut = detail(&"鳩 ".repeat(10_000)).expect("a text");
        assert_eq!(cut.chars().count(), 300);
        assert!(cut.ends_with('…'));
    }

    #[test]
    fn tokens_and_keys_are_left_out() {
        let jwt = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJodHRwczovL2EuZXhhbXBsZSJ9.c2lnbmF0dXJlLW9mLXNpeHR5LWZvdXItYnl0ZXM5";
        for (text, shown) in [
            (format!("vapid t={jwt}, k=x"), "vapid t=….….…, k=x"),
            (
                "no such subscription: /wpush/v2/gAAAAABk3Jq1Zx0123456789abcdefABCDEF".into(),
                "no such subscription: /wpush/v2/…",
            ),
            ("a".repeat(64), "…"),
        ] {
            assert_eq!(detail(&text).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn codes_and_addresses_of_documents_stay() {
        for text in [
            r#"{"reason":"VapidPkHashMismatch"}"#,
            "see http://autopush.readthedocs.io/en/latest/http.html#error-codes",
            "x-wns-error-description: the-channel-was-opened-by-another-app-server",
        ] {
            assert_eq!(detail(text).as_deref(), Some(text));
        }
    }
}
