//! The script that worker files import from Hato.

use ureq::http::Response;
use ureq::http::header::CONTENT_TYPE;
use url::Url;

use super::finding::Finding;
use crate::connect_error::describe;
use crate::http::{HttpResult, agent, fetch};
use crate::server_url::ServerUrl;

/// Its path, where no release is pinned.
pub const WORKER_PATH: &str = "/sdk/sw.js";

/// Looks at it where browsers fetch it; that this machine cannot get there means nothing yet.
pub fn examine(hato: &ServerUrl, findings: &mut Vec<Finding>) {
    let url = hato.with_path(WORKER_PATH);
    let outcome = fetch(&agent(), &url);
    findings.push(match outcome {
        Err(error) => Finding::unknown(
            "sdk",
            format!("{url}: {}", describe(&error)),
            "open this address in a browser: if that shows no script either, correct HATO_BASE_URL",
        ),
        outcome => judge("sdk", &url, outcome),
    });
}

/// Whether an address is the script's, of this release or a pinned one.
pub fn is_worker(url: &Url, hato: &ServerUrl) -> bool {
    let path = url.path();
    let is_named = path.starts_with("/sdk/") && path.ends_with("/sw.js");
    url.origin() == hato.url().origin() && is_named
}

/// What came when it was asked for.
pub fn judge(check: &'static str, url: &Url, outcome: HttpResult) -> Finding {
    let remedy = "let everything below /sdk/ through unchanged: a proxy or another program answers there, \
                  or the release never was";
    let answer = match outcome {
        Ok(answer) => answer,
        Err(error) => {
            return Finding::problem(check, format!("{url}: {}", describe(&error)), remedy);
        }
    };
    let status = answer.status();
    let found = if status != 200 {
        format!("{url} answers {status}")
    } else if !is_script(&answer) {
        format!("{url} is not served as JavaScript")
    } else if is_blocked_cross_origin(&answer) {
        format!("{url} comes with a Cross-Origin-Resource-Policy that keeps it from other sites")
    } else {
        return Finding::fine(check, format!("{url} is Hato's worker script"));
    };
    Finding::problem(check, found, remedy)
}

/// Whether browsers take an answer for a script.
pub fn is_script(answer: &Response<Vec<u8>>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.ends_with("/javascript") || essence.ends_with("/x-javascript")
}

fn is_blocked_cross_origin(answer: &Response<Vec<u8>>) -> bool {
    let policy = answer.headers().get("cross-origin-resource-policy");
    policy.is_some_and(|policy| policy != "cross-origin")
}
