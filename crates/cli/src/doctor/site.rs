//! A customer's site (docs/EMBED.md): the page that visitors end up on, and what its policy allows.

use ureq::http::Response;
use ureq::{Agent, ResponseExt as _};
use url::Url;

use super::finding::Finding;
use super::html::tags;
use super::policy::{self, Requirement, policies, policies_in};
use super::{sdk, worker};
use crate::http::{agent, collect};
use crate::server_url::ServerUrl;

/// Most redirects that are followed from the page.
const MAX_REDIRECTS: u32 = 10;

/// Examines the page and the worker file; `hato` is the server's address as browsers know it.
pub fn examine(page: &str, worker: &str, hato: &ServerUrl, findings: &mut Vec<Finding>) {
    let url = Url::parse(page).ok();
    let Some(asked) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else {
        let hint = "give an address like https://www.example.com/";
        let found = format!("{page} is no address");
        return findings.push(Finding::problem("site", &found, hint));
    };
    let agent = agent();
    let (page, site, response) = match visit(&agent, &asked) {
        Ok((page, response)) => (
            page.clone(),
            judge(&asked, &page, &response),
            Some(response),
        ),
        Err(error) => (asked.clone(), Finding::unread("site", &asked, &error), None),
    };
    findings.push(site);
    let file = page.join(worker);
    let response = response.filter(|response| response.status().is_success());
    findings.push(response.map_or_else(no_page, |response| {
        page_policy(&page, &response, file.as_ref().unwrap_or(&page), hato)
    }));
    match file {
        Ok(file) => worker::examine(&agent, &file, hato, findings),
        Err(_) => findings.push(Finding::problem(
            "worker",
            &format!("{worker} is no path"),
            "give one like /hato-sw.js",
        )),
    }
}

/// The page after all redirects, as browsers follow them.
fn visit(agent: &Agent, page: &Url) -> Result<(Url, Response<Vec<u8>>), ureq::Error> {
    let request = agent.get(page.as_str()).config();
    let request = request.max_redirects(MAX_REDIRECTS);
    let request = request.max_redirects_will_error(true).build();
    let response = request.call()?;
    let place = Url::parse(&response.get_uri().to_string());
    Ok((place.unwrap_or_else(|_| page.clone()), collect(response)?))
}

fn judge(asked: &Url, page: &Url, response: &Response<Vec<u8>>) -> Finding {
    if !response.status().is_success() {
        let found = format!("{page} answers {}", response.status());
        return Finding::problem(
            "site",
            &found,
            "give the address of a page that visitors see",
        );
    }
    let origin = ServerUrl::parse(&page.origin().ascii_serialization());
    let is_secure = page.scheme() == "https" || origin.is_ok_and(|it| it.is_loopback());
    let kind = if is_secure { "secure" } else { "plain http" };
    let mut found = format!("{page}, which is {kind}");
    if asked != page {
        found = format!("{asked} leads to {found}");
    }
    let hint = "serve the site over https: browsers give push to no other";
    Finding::judge("site", is_secure, &found, hint)
}

fn no_page() -> Finding {
    let hint = "see to what is said of the site first";
    Finding::unknown("page-csp", "there is no page to look at", hint)
}

fn page_policy(
    page: &Url,
    response: &Response<Vec<u8>>,
    worker: &Url,
    hato: &ServerUrl,
) -> Finding {
    let html = String::from_utf8_lossy(response.body());
    let mut policies = policies(response);
    policies.extend(policies_in(&html));
    let mut scripts = tags(&html, "script").into_iter();
    let tag = scripts.find_map(|tag| {
        let source = page.join(tag.get("src")?).ok()?;
        sdk::is_file(&source, hato).then(|| (source, tag.get("nonce").cloned()))
    });
    let script = hato.with_path("/sdk/hato.js");
    let script = match &tag {
        Some((source, nonce)) => Requirement::Tag(source, nonce.as_deref()),
        None => Requirement::Script(&script),
    };
    let api = sdk::api(hato);
    let requirements = [
        script,
        Requirement::Connect(&api),
        Requirement::Worker(worker),
    ];
    policy::examine("page-csp", &policies, &requirements, page)
}
