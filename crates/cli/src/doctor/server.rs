//! The server: whether it answers, what time it has, and under which address browsers know it.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use ureq::http::Response;
use ureq::http::header::DATE;

use super::finding::Finding;
use super::sdk;
use crate::api::Api;
use crate::server_url::ServerUrl;

/// A difference that signatures and sessions do not forgive for long; answers say whole seconds.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(30);

/// The part of the API's description that names the server's own address.
#[derive(Deserialize)]
struct OpenApiDocument {
    servers: Vec<OpenApiServer>,
}

#[derive(Deserialize)]
struct OpenApiServer {
    url: String,
}

/// Examines the server; returns the address that it goes by itself, if it answers.
pub fn examine(api: &Api, findings: &mut Vec<Finding>) -> Option<ServerUrl> {
    let response = match api.get_raw("/readyz") {
        Ok(response) => response,
        Err(error) => {
            let hint = "start the server, or correct HATO_URL; for a certificate of your own set SSL_CERT_FILE";
            findings.push(Finding::problem("server", error.message(), hint));
            return None;
        }
    };
    findings.push(readiness(api, &response));
    #[expect(
        clippy::disallowed_methods,
        reason = "this machine's clock is what is examined"
    )]
    let now = SystemTime::now();
    let date = response.headers().get(DATE);
    findings.push(clock(date.and_then(|date| date.to_str().ok()), now));
    let description = api.get::<OpenApiDocument>("/api/v1/openapi.json").ok();
    let base = description.and_then(|it| it.servers.into_iter().next());
    findings.extend(address(api.url(), base.as_ref().map(|server| &*server.url)));
    let base = base.and_then(|server| ServerUrl::parse(&server.url).ok());
    findings.push(sdk::examine(base.as_ref().unwrap_or(api.url())));
    base
}

fn clock(date: Option<&str>, now: SystemTime) -> Finding {
    let Some(theirs) = date.and_then(|date| httpdate::parse_http_date(date).ok()) else {
        return Finding::unknown(
            "clock",
            "the server does not tell its time",
            "let the header Date through where a proxy takes it out",
        );
    };
    let skew = now.duration_since(theirs);
    let skew = skew.unwrap_or_else(|error| error.duration());
    Finding::judge(
        "clock",
        skew <= MAX_CLOCK_SKEW,
        &format!("server and client differ by {} s", skew.as_secs()),
        "set both clocks by NTP: push services refuse tokens of a server whose clock is wrong",
    )
}

/// Browsers give push only to https pages, whose requests go to https alone; loopback is their exception. Who asks on the
/// server's own machine passes its proxy by, and sees nothing of the address that browsers use.
fn address(asked: &ServerUrl, base: Option<&str>) -> Vec<Finding> {
    let unknown = |found: &str, hint| vec![Finding::unknown("address", found, hint)];
    let Some(base) = base else {
        return unknown(
            "the server does not tell its address",
            "let /api/v1/openapi.json through: a proxy or another program answers there",
        );
    };
    let Ok(own) = ServerUrl::parse(base) else {
        let found = format!("the server calls itself {base}");
        let hint = "set HATO_BASE_URL to an address like https://push.example.com";
        return unknown(&found, hint);
    };
    let same = Finding::judge(
        "address",
        own == *asked || asked.is_loopback(),
        &format!("the server calls itself {own}"),
        &format!("set HATO_BASE_URL to {asked} if that is how browsers reach it"),
    );
    vec![same, tls(&own)]
}

fn readiness(api: &Api, response: &Response<Vec<u8>>) -> Finding {
    Finding::judge(
        "server",
        response.status() == 200,
        &format!("{} answers {}", api.url(), response.status()),
        "the database does not answer, or something else listens there: see the server's log",
    )
}

fn tls(own: &ServerUrl) -> Finding {
    let is_secure = own.url().scheme() == "https" || own.is_loopback();
    let found = if is_secure {
        "browsers may use it"
    } else {
        "browsers refuse plain http"
    };
    let hint = "put a reverse proxy with a certificate in front, and set HATO_BASE_URL to its https address (docs/DEPLOY.md)";
    Finding::judge("tls", is_secure, found, hint)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{address, clock};
    use crate::server_url::ServerUrl;

    #[test]
    fn a_clock_may_be_off_by_half_a_minute() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        for (ahead, is_problem) in [(0, false), (29, false), (31, true)] {
            for theirs in [
                now + Duration::from_secs(ahead),
                now - Duration::from_secs(ahead),
            ] {
                let date = httpdate::fmt_http_date(theirs);
                assert_eq!(clock(Some(&date), now).is_problem(), is_problem, "{ahead}");
            }
        }
        assert!(!clock(None, now).is_problem());
    }

    #[test]
    fn the_public_address_is_https_and_the_one_in_use() {
        let problems = |asked: &str, base: &str| {
            let asked = ServerUrl::parse(asked).expect("an address");
            let findings = address(&asked, Some(base));
            findings.iter().filter(|it| it.is_problem()).count()
        };
        assert_eq!(problems("https://a.example", "https://a.example"), 0);
        assert_eq!(
            problems("http://127.0.0.1:3000", "http://localhost:3000"),
            0
        );
        assert_eq!(problems("http://localhost:3000", "https://a.example"), 0);
        assert_eq!(problems("https://a.example", "https://b.example"), 1);
        assert_eq!(problems("https://a.example", "http://localhost:3000"), 1);
        assert_eq!(problems("http://a.example", "http://a.example"), 1);
    }
}
