//! How much of the room for a payload is used.

/// The members of the payload that are always there, and those that are left out when empty (CONTRACT 7).
const MEMBERS: [(&str, bool); 5] = [
    ("title", true),
    ("body", true),
    ("icon", false),
    ("badge", false),
    ("url", false),
];

/// Bytes of the payload's JSON, from the text of each field.
pub(super) fn payload_bytes(field: impl Fn(&str) -> String) -> usize {
    let members: Vec<usize> = MEMBERS
        .iter()
        .map(|(name, always)| (name, always, field(name)))
        .filter(|(_, always, text)| **always || !text.is_empty())
        .map(|(name, _, text)| r#""":"""#.len() + name.len() + escaped_bytes(&text))
        .collect();
    let braces_and_commas = 1 + members.len();
    members.iter().sum::<usize>() + braces_and_commas
}

/// Bytes of a text within a JSON string (RFC 8259 §7), in the shortest form.
fn escaped_bytes(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            _ => c.len_utf8(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::payload_bytes;
    use hato_domain::notification::Links;
    use hato_domain::{HttpsUrl, Notification};

    const URL: &str = "https://example.com/?a=\"b\"";

    #[test]
    fn the_size_is_that_of_the_payload() {
        for (title, body, url) in [
            ("", "", None),
            ("題", "本文\n\"引用\"\\\t\u{1}\u{7f}🕊", None),
            ("t", "b", Some(URL)),
        ] {
            let links = Links {
                url: url.map(|url| HttpsUrl::parse(url).expect("a link")),
                ..Links::default()
            };
            let sent = Notification::new(title.into(), body.into(), links).expect("small");
            let field = |name: &str| match name {
                "title" => title.to_owned(),
                "body" => body.to_owned(),
                "url" => url.unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            assert_eq!(payload_bytes(field), sent.payload().len(), "{title} {body}");
        }
    }
}
