//! The files that Hato serves to sites: above all the script that worker files import.

use ureq::http::Response;
use ureq::http::header::CONTENT_TYPE;
use url::Url;

use super::finding::Finding;
use crate::connect_error::describe;
use crate::http::{HttpResult, agent, fetch};
use crate::server_url::ServerUrl;

/// The path of the worker script where no release is pinned.
pub const WORKER_PATH: &str = "/sdk/sw.js";

/// Fetches the worker script as browsers do; that this machine cannot get there means nothing yet.
pub fn examine(hato: &ServerUrl) -> Finding {
    let url = hato.with_path(WORKER_PATH);
    match fetch(&agent(), &url) {
        Err(error) => Finding::unknown(
            "sdk",
            &format!("{url}: {}", describe(&error)),
            "open this address in a browser: if that shows no script either, correct HATO_BASE_URL",
        ),
        outcome => judge("sdk", &url, outcome),
    }
}

/// Whether an address is that of a file for sites.
pub fn is_file(url: &Url, hato: &ServerUrl) -> bool {
    url.origin() == hato.url().origin() && url.path().starts_with("/sdk/")
}

/// Whether an address is the worker script's, of this release or a pinned one.
pub fn is_worker(url: &Url, hato: &ServerUrl) -> bool {
    is_file(url, hato) && url.path().ends_with("/sw.js")
}

/// What the page script and the worker ask of the API.
pub fn api(hato: &ServerUrl) -> [Url; 2] {
    ["/api/v1/vapid-public-key", "/api/v1/subscriptions"].map(|path| hato.with_path(path))
}

/// Judges what came when the worker script at `url` was asked for.
pub fn judge(check: &'static str, url: &Url, outcome: HttpResult) -> Finding {
    let wrong = match outcome {
        Err(error) => format!(": {}", describe(&error)),
        Ok(response) if response.status() != 200 => format!(" answers {}", response.status()),
        Ok(response) if !is_script(&response) => " is not served as JavaScript".to_owned(),
        Ok(response) if is_blocked_cross_origin(&response) => {
            " comes with a Cross-Origin-Resource-Policy that keeps it from other sites".to_owned()
        }
        Ok(_) => return Finding::fine(check, &format!("{url} is Hato's worker script")),
    };
    let hint = "let everything below /sdk/ through unchanged: a proxy or another program answers there, \
                  or the release never was";
    Finding::problem(check, &format!("{url}{wrong}"), hint)
}

/// Whether browsers take a response for a script.
pub fn is_script(response: &Response<Vec<u8>>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.ends_with("/javascript") || essence.ends_with("/x-javascript")
}

fn is_blocked_cross_origin(response: &Response<Vec<u8>>) -> bool {
    let policy = response.headers().get("cross-origin-resource-policy");
    policy.is_some_and(|policy| policy != "cross-origin")
}
