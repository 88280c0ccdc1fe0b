//! Where a form, or the `next` of a login, may send the browser: paths of this site, never another site (CONTRACT 11).

use url::form_urlencoded::Serializer;

/// Longest path taken from a request, in bytes.
const MAX_BYTES: usize = 2_048;

/// `text` if it is a path of this site, with or without a query, and none below `/_app`: a server function answers a browser
/// that is led there with another redirect. Whether there is a page at the path is not looked at.
pub fn local_path(text: &str) -> Option<&str> {
    let visible = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    let one_slash = text.starts_with('/') && !text.starts_with("//");
    let no_server_fn = !text.starts_with("/_app");
    (visible && one_slash && no_server_fn && text.len() <= MAX_BYTES).then_some(text)
}

/// `path` with a query of the pairs whose value is not empty.
pub fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let set = pairs.iter().filter(|(_, value)| !value.is_empty());
    let query = Serializer::new(String::new()).extend_pairs(set).finish();
    if query.is_empty() {
        return path.to_owned();
    }
    format!("{path}?{query}")
}

#[cfg(test)]
mod tests {
    use super::{local_path, with_query};

    #[test]
    fn other_sites_are_no_local_paths() {
        for text in [
            "",
            "apps",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example/",
            "/a\r\nb",
            "/a b",
            "/鳩",
            "/_app/logout",
        ] {
            assert_eq!(local_path(text), None, "{text}");
        }
        for text in ["/", "/apps", "/apps/app_1?before=1&before_id=snd_1"] {
            assert_eq!(local_path(text), Some(text));
        }
    }

    #[test]
    fn a_query_is_escaped() {
        assert_eq!(
            with_query("/login", &[("next", "/a?b=c")]),
            "/login?next=%2Fa%3Fb%3Dc"
        );
        assert_eq!(with_query("/login", &[("next", "")]), "/login");
    }
}
