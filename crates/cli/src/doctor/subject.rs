//! The VAPID subject: push services call there when a sender misbehaves, and Apple refuses senders without a real one.

use hato_domain::wire::App;
use url::Url;

use super::finding::Finding;
use crate::connection::Connection;

/// Looks at the app's.
pub fn examine(connection: &Connection, findings: &mut Vec<Finding>) {
    let app = connection
        .of_app("")
        .and_then(|path| connection.api().get::<App>(&path));
    findings.push(match app {
        Ok(app) => judge(&app.vapid_subject),
        Err(failure) => Finding::unknown(
            "subject",
            format!("{}: shown to a full key or a session", failure.code()),
        ),
    });
}

fn judge(subject: &str) -> Finding {
    Finding::judge(
        "subject",
        is_acceptable(subject),
        format!("the VAPID subject is {subject}"),
        "set HATO_VAPID_SUBJECT to https:// and your site, or mailto: and an address of yours: Apple answers BadJwtToken",
    )
}

/// `mailto:` with an address at a public domain, or an https address that is not local.
fn is_acceptable(subject: &str) -> bool {
    let host = match subject.strip_prefix("mailto:") {
        Some(address) => address.split_once('@').map(|(_, host)| host.to_owned()),
        None => Url::parse(subject)
            .ok()
            .filter(|url| url.scheme() == "https")
            .and_then(|url| url.host_str().map(str::to_owned)),
    };
    host.is_some_and(|host| {
        let reserved = ["localhost", "example", "test", "invalid", "local"];
        let top = host.rsplit('.').next().unwrap_or_default();
        host.contains('.') && !reserved.contains(&top) && !is_example(&host)
    })
}

/// RFC 2606 §3: nobody reads mail there.
fn is_example(host: &str) -> bool {
    ["example.com", "example.net", "example.org"].contains(&host)
}

#[cfg(test)]
mod tests {
    use super::is_acceptable;

    #[test]
    fn apple_wants_somebody_to_be_there() {
        for subject in [
            "mailto:push@hato.dev",
            "https://push.hato.dev",
            "https://hato.dev/contact",
        ] {
            assert!(is_acceptable(subject), "{subject}");
        }
        for subject in [
            "",
            "mailto:",
            "mailto:admin@localhost",
            "mailto:admin@example.com",
            "http://hato.dev",
            "https://localhost",
            "https://localhost:3000",
            "push@hato.dev",
        ] {
            assert!(!is_acceptable(subject), "{subject}");
        }
    }
}
