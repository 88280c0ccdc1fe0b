//! What must hold for any bytes whatever: the targets of `make fuzz` in this crate. Each panics when it does not.

#[cfg(feature = "import")]
mod import_lines;
mod tag_expression;
mod wire;

use std::str;

use crate::{Endpoint, HttpsUrl, PushHosts, SiteOrigin};

#[cfg(feature = "import")]
pub use import_lines::import_lines;
pub use tag_expression::tag_expression;
pub use wire::wire;

/// An endpoint is kept as it was given, and its parsed form is the same endpoint.
pub fn endpoint(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    if let Ok(link) = HttpsUrl::parse(text) {
        assert_eq!(link.as_str(), text);
    }
    if let Some(origin) = SiteOrigin::parse(text) {
        assert!(text.ends_with(origin.name()));
    }
    let Ok(endpoint) = Endpoint::parse(text) else {
        return;
    };
    assert_eq!(endpoint.as_str(), text);
    assert!(text.starts_with("https://") && text.len() <= Endpoint::MAX_BYTES);
    assert!(!text.contains(|c: char| c.is_whitespace() || c.is_control()));
    assert!(!Endpoint::written_host(text).is_empty());
    let url = endpoint.to_url().expect("an endpoint is a URL");
    assert!(url.scheme() == "https" && url.username().is_empty() && url.password().is_none());
    let host = url.host_str().expect("an endpoint has a host");
    // A comma would be the end of a name in the list.
    let hosts = PushHosts::parse(host).filter(|_| !host.contains(','));
    assert!(hosts.is_none_or(|hosts| endpoint.is_at(&hosts)));
    // Percent-encoding makes a text longer.
    if url.as_str().len() <= Endpoint::MAX_BYTES {
        let again = Endpoint::parse(url.as_str()).expect("a parsed endpoint is one");
        assert_eq!(again.to_url().as_ref(), Ok(&url));
    }
}

#[cfg(test)]
mod tests {
    use hato_corpus::replay;

    #[test]
    fn endpoints() {
        replay("endpoint", super::endpoint);
    }

    #[test]
    fn tag_expressions() {
        replay("tag_expression", super::tag_expression);
    }

    #[test]
    fn wire_types() {
        replay("wire", super::wire);
    }

    #[cfg(feature = "import")]
    #[test]
    fn lines_of_imports() {
        replay("import_lines", super::import_lines);
    }
}
