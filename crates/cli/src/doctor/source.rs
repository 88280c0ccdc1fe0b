//! Source expressions of Content-Security-Policy: which addresses they cover (CSP 3 §6.7.2).

use url::Url;

/// Whether an expression covers an address; `own` is the address of what the policy came with.
pub fn covers(expression: &str, address: &Url, own: &Url) -> bool {
    if expression == "*" {
        return matches!(address.scheme(), "http" | "https");
    }
    if expression.eq_ignore_ascii_case("'self'") {
        return is_own(address, own);
    }
    match expression.strip_suffix(':') {
        Some(scheme) => covers_scheme(scheme, address),
        None => covers_host(expression, address, own),
    }
}

/// An https address at the same host is as much the site's own as the http page itself.
fn is_own(address: &Url, own: &Url) -> bool {
    let is_upgrade = (own.scheme(), address.scheme()) == ("http", "https");
    let has_no_port = own.port().is_none() && address.port().is_none();
    address.origin() == own.origin() || address.host() == own.host() && is_upgrade && has_no_port
}

fn covers_scheme(scheme: &str, address: &Url) -> bool {
    let is_upgrade = scheme.eq_ignore_ascii_case("http") && address.scheme() == "https";
    scheme.eq_ignore_ascii_case(address.scheme()) || is_upgrade
}

/// `[scheme://]host[:port][/path]`; without a scheme, that of `own`.
fn covers_host(expression: &str, address: &Url, own: &Url) -> bool {
    let (scheme, rest) = expression
        .split_once("://")
        .unwrap_or((own.scheme(), expression));
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    covers_scheme(scheme, address)
        && is_host(host, address)
        && is_port(port, address)
        && is_path(path, address.path())
}

fn is_host(pattern: &str, address: &Url) -> bool {
    let (Some(host), pattern) = (address.host_str(), pattern.to_ascii_lowercase()) else {
        return false;
    };
    match pattern.strip_prefix('*') {
        Some("") => true,
        Some(parent) => parent.starts_with('.') && host.ends_with(parent),
        None => host == pattern,
    }
}

fn is_port(pattern: Option<&str>, address: &Url) -> bool {
    match pattern {
        None => address.port().is_none(),
        Some("*") => true,
        Some("80") if address.scheme() == "https" => address.port().is_none(),
        Some(port) => address.port_or_known_default().map(|it| it.to_string()) == Some(port.into()),
    }
}

/// A path with a slash at its end stands for all below it.
fn is_path(pattern: &str, path: &str) -> bool {
    pattern.is_empty() || pattern == path || pattern.ends_with('/') && path.starts_with(pattern)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::covers;

    fn is_covered(expression: &str, address: &str, own: &str) -> bool {
        let url = |text: &str| Url::parse(text).expect("an address");
        covers(expression, &url(address), &url(own))
    }

    #[test]
    fn an_address_is_covered_by_its_host_port_and_path() {
        let covered = |expression: &str| {
            is_covered(
                expression,
                "https://push.hato.dev/sdk/sw.js",
                "https://shop.dev/",
            )
        };
        for expression in [
            "*",
            "https:",
            "http:",
            "https://push.hato.dev",
            "https://push.hato.dev/",
            "http://push.hato.dev",
            "PUSH.hato.dev",
            "push.hato.dev:443",
            "push.hato.dev:*",
            "http://push.hato.dev:80",
            "*.hato.dev",
            "https://*",
            "https://push.hato.dev/sdk/",
            "https://push.hato.dev/sdk/sw.js",
        ] {
            assert!(covered(expression), "{expression}");
        }
        for expression in [
            "'self'",
            "'none'",
            "data:",
            "https://hato.dev",
            "*.push.hato.dev",
            "*hato.dev",
            "push.hato.dev:8443",
            "https://push.hato.dev/sdk",
            "https://push.hato.dev/SDK/",
            "https://push.hato.dev/sdk/hato.js",
            "https://push.hato.dev.evil.dev",
        ] {
            assert!(!covered(expression), "{expression}");
        }
    }

    #[test]
    fn self_is_the_sites_own_origin() {
        let own = "https://shop.dev/page";
        assert!(is_covered("'self'", "https://shop.dev/hato-sw.js", own));
        assert!(is_covered(
            "'SELF'",
            "https://shop.dev/",
            "http://shop.dev/"
        ));
        assert!(!is_covered("'self'", "https://www.shop.dev/", own));
        assert!(!is_covered("'self'", "http://shop.dev/", own));
        // Without a scheme, the page's own: an https page loads nothing over http.
        assert!(!is_covered("push.dev", "http://push.dev/", own));
        assert!(is_covered(
            "push.dev",
            "http://push.dev/",
            "http://shop.dev/"
        ));
    }
}
