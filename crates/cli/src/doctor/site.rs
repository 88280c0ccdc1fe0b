//! A customer's site: its worker file, and the policies of its page and of that file (docs/EMBED.md).

use ureq::http::Response;
use ureq::http::header::CONTENT_SECURITY_POLICY;
use ureq::{Agent, ResponseExt as _};
use url::Url;

use super::finding::Finding;
use super::html::tags;
use super::policy::{Initiator, PolicyViolation, Requirement, violations};
use super::script::imports;
use super::sdk::{self, is_script};
use crate::connect_error::describe;
use crate::http::{agent, collect, fetch};
use crate::server_url::ServerUrl;

/// Most redirects that are followed from the page.
const MAX_REDIRECTS: u32 = 10;

/// Looks at the page and the worker; `hato` is the server's address as browsers know it.
pub fn examine(page: &str, worker: &str, hato: &ServerUrl, findings: &mut Vec<Finding>) {
    let page = match Url::parse(page) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        _ => {
            let remedy = "give an address like https://www.example.com/";
            let found = format!("{page} is no address");
            return findings.push(Finding::problem("site", found, remedy));
        }
    };
    let agent = agent();
    let place = examine_page(&agent, page, worker, hato, findings);
    match place.join(worker) {
        Ok(worker) => examine_worker(&agent, &worker, hato, findings),
        Err(_) => findings.push(Finding::problem(
            "worker",
            format!("{worker} is no path"),
            "give one like /hato-sw.js",
        )),
    }
}

/// Looks at the page that visitors end up on, and tells where that is.
fn examine_page(
    agent: &Agent,
    page: Url,
    worker: &str,
    hato: &ServerUrl,
    findings: &mut Vec<Finding>,
) -> Url {
    let (place, answer) = match visit(agent, &page) {
        Ok(visited) => visited,
        Err(error) => {
            findings.push(unread("site", &page, &error));
            findings.push(no_page());
            return page;
        }
    };
    if !answer.status().is_success() {
        let found = format!("{place} answers {}", answer.status());
        let remedy = "give the address of a page that visitors see";
        findings.push(Finding::problem("site", found, remedy));
        findings.push(no_page());
        return place;
    }
    findings.push(security(&page, &place));
    let worker = place.join(worker).unwrap_or_else(|_| place.clone());
    findings.push(page_policy(&place, &answer, &worker, hato));
    place
}

fn no_page() -> Finding {
    let remedy = "see to what is said of the site first";
    Finding::unknown("page-csp", "there is no page to look at", remedy)
}

/// The page after all redirects, as browsers follow them.
fn visit(agent: &Agent, page: &Url) -> Result<(Url, Response<Vec<u8>>), ureq::Error> {
    let request = agent.get(page.as_str()).config();
    let request = request.max_redirects(MAX_REDIRECTS);
    let request = request.max_redirects_will_error(true).build();
    let answer = request.call()?;
    let place = Url::parse(&answer.get_uri().to_string());
    Ok((place.unwrap_or_else(|_| page.clone()), collect(answer)?))
}

fn security(asked: &Url, place: &Url) -> Finding {
    let origin = ServerUrl::parse(&place.origin().ascii_serialization());
    let is_secure = place.scheme() == "https" || origin.is_ok_and(|it| it.is_loopback());
    let led = if asked == place {
        String::new()
    } else {
        format!("{asked} leads to ")
    };
    let kind = if is_secure { "secure" } else { "plain http" };
    Finding::judge(
        "site",
        is_secure,
        format!("{led}{place}, which is {kind}"),
        "serve the site over https: browsers give push to no other",
    )
}

fn examine_worker(agent: &Agent, worker: &Url, hato: &ServerUrl, findings: &mut Vec<Finding>) {
    let answer = match fetch(agent, worker) {
        Ok(answer) => answer,
        Err(error) => return findings.push(unread("worker", worker, &error)),
    };
    findings.push(worker_file(agent, worker, &answer, hato));
    if !answer.status().is_success() {
        return findings.push(Finding::unknown(
            "worker-csp",
            "there is no file to look at",
            "see to what is said of the worker first",
        ));
    }
    let script = hato.with_path(sdk::WORKER_PATH);
    let api = api(hato);
    let requirements = [
        Requirement::Script(&script, Initiator::Script),
        Requirement::Wasm,
        Requirement::Connect(&api),
    ];
    let missing = violations(&policies(&answer), &requirements, worker);
    findings.push(policy("worker-csp", &missing));
}

fn worker_file(
    agent: &Agent,
    worker: &Url,
    answer: &Response<Vec<u8>>,
    hato: &ServerUrl,
) -> Finding {
    let ours = hato.with_path(sdk::WORKER_PATH);
    let line = format!("importScripts(\"{ours}\");");
    let problem = |found: String, remedy: String| Finding::problem("worker", found, remedy);
    let status = answer.status();
    if status.is_redirection() {
        let found = format!("{worker} answers {status}");
        let remedy = "serve the file itself there: browsers refuse a worker that redirects";
        return problem(found, remedy.to_owned());
    }
    if status != 200 {
        let found = format!("{worker} answers {status}");
        return problem(found, format!("put a file there with the line {line}"));
    }
    if !is_script(answer) {
        let found = format!("{worker} is not served as JavaScript");
        let remedy = "serve it with Content-Type: text/javascript";
        return problem(found, remedy.to_owned());
    }
    let imports = imports(&String::from_utf8_lossy(answer.body()));
    let imported = imports
        .addresses
        .iter()
        .filter_map(|it| worker.join(it).ok());
    let imported = imported.into_iter().find(|it| sdk::is_worker(it, hato));
    match imported {
        Some(imported) if imported == ours => {
            Finding::fine("worker", format!("{worker} imports {ours}"))
        }
        // A release that is pinned.
        Some(imported) => sdk::judge("worker", &imported, fetch(agent, &imported)),
        None if imports.has_computed => Finding::unknown(
            "worker",
            format!("{worker} imports what it puts together when it runs"),
            format!("see to it that this is {ours}"),
        ),
        None => {
            let found = format!("{worker} does not import {ours}");
            problem(found, format!("its first line must be {line}"))
        }
    }
}

fn page_policy(place: &Url, answer: &Response<Vec<u8>>, worker: &Url, hato: &ServerUrl) -> Finding {
    let html = String::from_utf8_lossy(answer.body());
    let mut policies = policies(answer);
    policies.extend(policies_in(&html));
    let scripts = tags(&html, "script");
    let tag = scripts.iter().find_map(|tag| {
        let source = place.join(tag.get("src")?).ok()?;
        let is_ours = source.origin() == hato.url().origin() && source.path().starts_with("/sdk/");
        is_ours.then_some((source, tag.get("nonce")))
    });
    let api = api(hato);
    let (script, initiator) = match tag {
        Some((source, nonce)) => (source, Initiator::Tag(nonce)),
        None => (hato.with_path("/sdk/hato.js"), Initiator::Script),
    };
    let requirements = [
        Requirement::Script(&script, initiator),
        Requirement::Connect(&api),
        Requirement::Worker(worker),
    ];
    policy("page-csp", &violations(&policies, &requirements, place))
}

fn policy(check: &'static str, missing: &[PolicyViolation]) -> Finding {
    let directives: Vec<_> = missing.iter().map(|it| &*it.directive).collect();
    let remedies: Vec<_> = missing.iter().map(|it| &*it.remedy).collect();
    Finding::judge(
        check,
        missing.is_empty(),
        if missing.is_empty() {
            "the Content-Security-Policy lets ours work".to_owned()
        } else {
            let directives = directives.join("; ");
            format!("the Content-Security-Policy is in the way: {directives}")
        },
        remedies.join(", "),
    )
}

fn policies(answer: &Response<Vec<u8>>) -> Vec<String> {
    let headers = answer.headers().get_all(CONTENT_SECURITY_POLICY).iter();
    let texts = headers.filter_map(|policy| policy.to_str().ok());
    texts.map(str::to_owned).collect()
}

/// The policies in `<meta http-equiv="Content-Security-Policy" content="…">`.
fn policies_in(html: &str) -> Vec<String> {
    let tags = tags(html, "meta");
    let policies = tags.iter().filter_map(|tag| {
        let kind = tag.get("http-equiv")?;
        let is_policy = kind.eq_ignore_ascii_case(CONTENT_SECURITY_POLICY.as_str());
        tag.get("content").filter(|_| is_policy)
    });
    policies.map(str::to_owned).collect()
}

/// What the page script and the worker ask of the API.
fn api(hato: &ServerUrl) -> [Url; 2] {
    ["/api/v1/vapid-public-key", "/api/v1/subscriptions"].map(|path| hato.with_path(path))
}

fn unread(check: &'static str, url: &Url, error: &ureq::Error) -> Finding {
    let remedy = match error {
        ureq::Error::TooManyRedirects => "end the redirects: browsers give up as well",
        _ => "check the address, and that this machine may reach it",
    };
    Finding::problem(check, format!("{url}: {}", describe(error)), remedy)
}

#[cfg(test)]
mod tests {
    use super::policies_in;

    #[test]
    fn a_policy_may_stand_in_the_page() {
        let html = "<meta charset=utf-8><meta content=\"script-src 'self'\" http-equiv=content-security-policy>\
                    <!-- <meta http-equiv=Content-Security-Policy content=\"default-src 'none'\"> -->";
        assert_eq!(policies_in(html), ["script-src 'self'"]);
        assert!(policies_in("<meta name=a content=\"b\">").is_empty());
    }
}
