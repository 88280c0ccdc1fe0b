//! Where a click on a notification leads.

/// The address to open: `requested` (absolute, as a URL parser writes it) when it is https or on the
/// site itself, otherwise the site's root (CONTRACT 10).
///
/// `origin` is the site's own, as in `https://shop.example`. The site itself may be on plain http:
/// browsers allow service workers on localhost. No other scheme passes, so that a push can run no
/// script and open no file.
pub fn destination(requested: Option<String>, origin: &str) -> String {
    let root = format!("{origin}/");
    requested
        .filter(|address| address.starts_with("https://") || address.starts_with(&root))
        .unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use super::destination;

    const SITE: &str = "http://localhost:8080";

    fn leads_to(requested: &str) -> String {
        destination(Some(requested.to_owned()), SITE)
    }

    #[test]
    fn https_and_own_addresses_are_opened() {
        for address in [
            "https://example.com/news?id=1#top",
            "http://localhost:8080/cart",
        ] {
            assert_eq!(leads_to(address), address);
        }
    }

    #[test]
    fn anything_else_leads_to_the_root_of_the_site() {
        for address in [
            "http://example.com/",
            "http://localhost:80801/",
            "http://localhost:8080.example.com/",
            "javascript:alert(1)",
            "blob:http://localhost:8080/7b3c",
            "data:text/html,hello",
        ] {
            assert_eq!(leads_to(address), "http://localhost:8080/", "{address}");
        }
        assert_eq!(destination(None, SITE), "http://localhost:8080/");
    }
}
