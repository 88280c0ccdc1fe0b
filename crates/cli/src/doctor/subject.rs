//! The VAPID subject: push services call there when a sender misbehaves, and Apple refuses senders without a real one.

use hato_domain::Email;
use hato_domain::outbound_policy::is_public;
use hato_domain::wire::App;
use url::{Host, Url};

use super::finding::Finding;
use crate::connection::ServerConnection;

/// Top-level domains that lead nowhere on the internet: RFC 2606 §2, RFC 6762, RFC 7686, RFC 8375, ICANN's `internal`.
const NON_PUBLIC_TLDS: &str = "localhost example test invalid local onion arpa internal lan home";

/// Domains where nobody reads mail (RFC 2606 §3).
const EXAMPLE_DOMAINS: [&str; 3] = ["example.com", "example.net", "example.org"];

/// Judges the app's subject.
pub fn examine(connection: &ServerConnection) -> Finding {
    let path = connection.app_path("");
    let app = path.and_then(|path| connection.api().get::<App>(&path));
    let subject = match app {
        Ok(app) => app.vapid_subject,
        Err(error) => {
            let found = format!("{}: {}", error.code(), error.message());
            return Finding::unknown("subject", &found, error.hint());
        }
    };
    Finding::judge(
        "subject",
        is_acceptable(&subject),
        &format!("the VAPID subject is {subject}"),
        "set HATO_VAPID_SUBJECT to https:// and your site, or mailto: and an address of yours: Apple answers BadJwtToken",
    )
}

/// `mailto:` with one address at a public domain, or an https address that others can reach.
fn is_acceptable(subject: &str) -> bool {
    match subject.strip_prefix("mailto:") {
        Some(address) => is_mailbox(address),
        None => is_site(subject),
    }
}

/// A plain address: Apple takes neither a blank after the colon nor a name around it.
fn is_mailbox(address: &str) -> bool {
    let is_plain = !address.contains(|c: char| c.is_whitespace() || "<>()[],;:\\\"?&".contains(c));
    let domain = address.rsplit_once('@').map(|(_, domain)| domain);
    is_plain && Email::parse(address).is_ok() && domain.is_some_and(is_public_domain)
}

fn is_site(subject: &str) -> bool {
    let Ok(url) = Url::parse(subject) else {
        return false;
    };
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_reachable = match url.host() {
        Some(Host::Domain(domain)) => is_public_domain(domain),
        Some(Host::Ipv4(v4)) => is_public(v4.into()),
        Some(Host::Ipv6(v6)) => is_public(v6.into()),
        None => false,
    };
    subject.starts_with("https://") && is_plain && is_reachable
}

fn is_public_domain(domain: &str) -> bool {
    let domain = domain.to_ascii_lowercase();
    let top = domain.rsplit('.').next().unwrap_or_default();
    let is_below = |parent: &str| {
        let rest = domain.strip_suffix(parent);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_name = domain.contains('.') && !top.starts_with(|c: char| c.is_ascii_digit());
    is_name
        && !NON_PUBLIC_TLDS.split(' ').any(|it| it == top)
        && !EXAMPLE_DOMAINS.into_iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use super::is_acceptable;

    #[test]
    fn apple_wants_somebody_to_be_there() {
        for subject in "mailto:push@hato.dev mailto:push+web@mail.hato.co.jp https://push.hato.dev https://hato.dev/contact \
                        https://93.184.215.14"
            .split(' ')
        {
            assert!(is_acceptable(subject), "{subject}");
        }
        for subject in "mailto: mailto:@ mailto:hato.dev mailto:@hato.dev mailto:<push@hato.dev> mailto:a@hato.dev,b@hato.dev \
                        mailto:push@hato.dev?subject=x mailto:push@hato..dev mailto:push@10.0.0.1 mailto:admin@localhost \
                        mailto:admin@host.internal mailto:admin@example.com mailto:admin@mail.example.com http://hato.dev \
                        https://localhost https://localhost:3000 https://push.localhost https://127.0.0.1 \
                        https://10.1.2.3/ https://192.168.0.1 https://169.254.1.1 https://[::1] https://[fd00::1]/ \
                        https://user@hato.dev https://www.example.org/ https:// push@hato.dev"
            .split(' ')
            .chain(["", "mailto: push@hato.dev", "mailto:push@hato.dev ", "mailto:Push <push@hato.dev>"])
        {
            assert!(!is_acceptable(subject), "{subject}");
        }
    }
}
