//! Tags of a page, read as far as policies need it.

/// The attributes of a tag, by their names in lower case.
pub struct Tag(Vec<(String, String)>);

impl Tag {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut attributes = self.0.iter();
        attributes
            .find(|(its, _)| its == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The tags of this name, without those that stand in comments or in scripts.
pub fn tags(html: &str, name: &str) -> Vec<Tag> {
    let (mut tags, mut rest) = (Vec::new(), html);
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let end = after.find(|c: char| !c.is_ascii_alphanumeric());
        let (its, after) = after.split_at(end.unwrap_or(after.len()));
        if its.is_empty() {
            rest = after;
            continue;
        }
        let (tag, after) = attributes(after);
        rest = after;
        if its.eq_ignore_ascii_case("script") {
            rest = find_end_of_script(rest);
        }
        if its.eq_ignore_ascii_case(name) {
            tags.push(tag);
        }
    }
    tags
}

fn find_end_of_script(text: &str) -> &str {
    let is_end = |at: usize| {
        let name = text.as_bytes().get(at + 2..at + 8);
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"script"))
    };
    let end = text.match_indices("</").map(|(at, _)| at);
    &text[end.into_iter().find(|at| is_end(*at)).unwrap_or(text.len())..]
}

/// The attributes up to the tag's end, and what follows it.
fn attributes(mut text: &str) -> (Tag, &str) {
    let mut attributes = Vec::new();
    loop {
        text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if text.is_empty() || text.starts_with('>') {
            return (Tag(attributes), text.strip_prefix('>').unwrap_or(text));
        }
        // A name may begin with what ends one.
        let first = text.chars().next().map_or(0, char::len_utf8);
        let end = text[first..].find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c));
        let (name, after) = text.split_at(end.map_or(text.len(), |end| first + end));
        let (value, after) = value(after);
        attributes.push((name.to_ascii_lowercase(), value));
        text = after;
    }
}

fn value(text: &str) -> (String, &str) {
    let Some(text) = text.trim_ascii_start().strip_prefix('=') else {
        return (String::new(), text);
    };
    let text = text.trim_ascii_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, after) = if let Some(quote) = quote {
        text[1..].split_once(quote).unwrap_or((&text[1..], ""))
    } else {
        let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>');
        text.split_at(end.unwrap_or(text.len()))
    };
    (plain(value), after)
}

/// The characters that policies and addresses have.
fn plain(value: &str) -> String {
    [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(value.to_owned(), |text, (entity, character)| {
        text.replace(entity, character)
    })
}

#[cfg(test)]
mod tests {
    use super::tags;

    fn values(html: &str, name: &str, attribute: &str) -> Vec<String> {
        let tags = tags(html, name);
        let values = tags.iter().filter_map(|tag| tag.get(attribute));
        values.map(str::to_owned).collect()
    }

    #[test]
    fn attributes_are_read_however_they_are_written() {
        let html = "<!doctype html><meta charset=utf-8><META CONTENT = \"a > 'b'\" name='x'/><meta content=c>\
                    <meta content='&#39;self&#39; &amp; d'><metal content=no><meta content";
        let expected = ["a > 'b'", "c", "'self' & d", ""];
        assert_eq!(values(html, "meta", "content"), expected);
    }

    #[test]
    fn what_is_no_tag_is_left_out() {
        let html =
            "<!-- <meta content=1> --><script>\"<meta content=2>\"</script ><meta content=3> a < b";
        assert_eq!(values(html, "meta", "content"), ["3"]);
        let html = "<script src=1></script><SCRIPT defer src='2'>x</SCRIPT><script";
        assert_eq!(values(html, "script", "src"), ["1", "2"]);
        assert!(values("<meta é=ü content=\"", "meta", "x").is_empty());
    }
}
