//! Source expressions of Content-Security-Policy: which addresses they cover (CSP 3 §6.7.2).

use url::Url;

/// Whether `expression` covers `address` in a policy that came with `own`. An expression with `http` covers `https`, too.
pub fn covers(expression: &str, address: &Url, own: &Url) -> bool {
    if expression.eq_ignore_ascii_case("'self'") {
        return is_own(address, own);
    }
    match expression.strip_suffix(':') {
        _ if expression == "*" => matches!(address.scheme(), "http" | "https"),
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

/// `[scheme://]host[:port][/path]`; without a scheme, that of `own`. Apart from `:*` this is itself the address of what it
/// covers: the parser of addresses leaves a `*` in the host alone, and a port that is the scheme's own out.
fn covers_host(expression: &str, address: &Url, own: &Url) -> bool {
    let parts = expression.split_once("://");
    let (scheme, rest) = parts.unwrap_or((own.scheme(), expression));
    let Ok(pattern) = Url::parse(&format!("{scheme}://{}", rest.replacen(":*", "", 1))) else {
        return false;
    };
    let (host, path) = (address.host_str().unwrap_or_default(), pattern.path());
    let is_host = match pattern.host_str().unwrap_or_default().strip_prefix('*') {
        Some(parent) => parent.is_empty() || parent.starts_with('.') && host.ends_with(parent),
        None => pattern.host() == address.host(),
    };
    let either = [address.port(), address.port_or_known_default()];
    let is_port = either.contains(&pattern.port()) || rest.contains(":*");
    let is_path = path == address.path() || path.ends_with('/') && address.path().starts_with(path);
    covers_scheme(scheme, address) && is_host && is_port && is_path
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
        let script = "https://push.hato.dev/sdk/sw.js";
        let covered = |expression: &str| is_covered(expression, script, "https://shop.dev/");
        for expression in "* https: http: https://push.hato.dev https://push.hato.dev/ http://push.hato.dev PUSH.hato.dev \
                           push.hato.dev:443 push.hato.dev:* http://push.hato.dev:80 *.hato.dev https://* \
                           https://push.hato.dev/sdk/ https://push.hato.dev/sdk/sw.js"
            .split(' ')
        {
            assert!(covered(expression), "{expression}");
        }
        for expression in "'self' 'none' data: https://hato.dev *.push.hato.dev *hato.dev push.hato.dev:8443 \
                           https://push.hato.dev/sdk https://push.hato.dev/SDK/ https://push.hato.dev/sdk/hato.js \
                           https://push.hato.dev.evil.dev"
            .split(' ')
        {
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
