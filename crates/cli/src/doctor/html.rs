//! The tags of a page that policies have to do with, found by a scan. It takes what looks like a tag in a script for one.

use std::collections::HashMap;

/// The attributes of a tag by their names in lower case.
pub type Attributes = HashMap<String, String>;

/// The tags of this name, without those in comments.
pub fn tags(html: &str, name: &str) -> Vec<Attributes> {
    let (mut tags, mut rest) = (Vec::new(), html);
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let end = after.find(|c: char| !c.is_ascii_alphanumeric());
        let (its, after) = after.split_at(end.unwrap_or(after.len()));
        rest = after;
        if its.eq_ignore_ascii_case(name) {
            let (tag, after) = attributes(after);
            tags.push(tag);
            rest = after;
        }
    }
    tags
}

/// The attributes up to the tag's end, and what follows them. Of two with the same name, the first counts.
fn attributes(mut text: &str) -> (Attributes, &str) {
    let mut attributes = Attributes::new();
    loop {
        text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if text.is_empty() || text.starts_with('>') {
            return (attributes, text);
        }
        let end = text.find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c));
        let (name, after) = text.split_at(end.unwrap_or(text.len()));
        let (value, after) = value(after);
        let attribute = attributes.entry(name.to_ascii_lowercase());
        attribute.or_insert_with(|| decode(value));
        text = after;
    }
}

fn value(text: &str) -> (&str, &str) {
    let Some(text) = text.trim_ascii_start().strip_prefix('=') else {
        return ("", text);
    };
    let text = text.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>');
    text.split_at(end.unwrap_or(text.len()))
}

/// As far as policies and addresses need it.
fn decode(value: &str) -> String {
    let value = value.replace("&quot;", "\"").replace("&apos;", "'");
    let value = value.replace("&#39;", "'").replace("&#x27;", "'");
    value.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::tags;

    fn values(html: &str, name: &str, attribute: &str) -> Vec<String> {
        let tags = tags(html, name).into_iter();
        tags.filter_map(|mut tag| tag.remove(attribute)).collect()
    }

    #[test]
    fn attributes_are_read_however_they_are_written() {
        let html = "<!doctype html><meta charset=utf-8><META CONTENT = \"a > 'b'\" name='x'/><meta content=c>\
                    <meta content='&#39;self&#39; &amp; d'><metal content=no><meta content";
        let expected = ["a > 'b'", "c", "'self' & d", ""];
        assert_eq!(values(html, "meta", "content"), expected);
        let html = "<script src=1></script><SCRIPT defer src='2'>x</SCRIPT><script";
        assert_eq!(values(html, "script", "src"), ["1", "2"]);
    }

    #[test]
    fn what_is_no_tag_is_left_out() {
        let html = "<!-- <meta content=1> --><meta content=3> a < b <!-- <meta content=2>";
        assert_eq!(values(html, "meta", "content"), ["3"]);
        assert!(values("<meta = é=ü content=\"", "meta", "x").is_empty());
    }
}
