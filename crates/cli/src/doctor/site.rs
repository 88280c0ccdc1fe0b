//! A customer's site: its worker file, and the policies of its page and of that file (docs/EMBED.md).

use ureq::Agent;
use ureq::http::Response;
use ureq::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use url::Url;

use super::finding::Finding;
use super::policy::{Need, unmet};
use super::server::is_loopback;
use crate::api::{Outcome, ServerUrl, agent, collect};

/// Looks at the page and the worker; `hato` is the server's address as browsers know it.
pub fn examine(page: &str, worker: &str, hato: &str, findings: &mut Vec<Finding>) {
    let page = match Url::parse(page) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        _ => {
            let remedy = "give an address like https://www.example.com/";
            findings.push(Finding::problem(
                "site",
                format!("{page} is no address"),
                remedy,
            ));
            return;
        }
    };
    findings.push(security(&page));
    let agent = agent();
    match fetch(&agent, &page) {
        Ok(answer) => findings.push(page_policy(&answer, hato)),
        Err(error) => findings.push(unread("site", &page, &error)),
    }
    match page.join(worker) {
        Ok(worker) => examine_worker(&agent, &worker, hato, findings),
        Err(_) => findings.push(Finding::problem(
            "worker",
            format!("{worker} is no path"),
            "give one like /hato-sw.js",
        )),
    }
}

fn security(page: &Url) -> Finding {
    let origin = ServerUrl::parse(&page.origin().ascii_serialization());
    let is_secure = page.scheme() == "https" || origin.is_ok_and(|it| is_loopback(&it));
    Finding::judge(
        "site",
        is_secure,
        format!(
            "{page} is {}",
            if is_secure { "secure" } else { "plain http" }
        ),
        "serve the site over https: browsers give push to no other",
    )
}

fn examine_worker(agent: &Agent, worker: &Url, hato: &str, findings: &mut Vec<Finding>) {
    let answer = match fetch(agent, worker) {
        Ok(answer) => answer,
        Err(error) => return findings.push(unread("worker", worker, &error)),
    };
    findings.push(worker_file(worker, &answer, hato));
    let missing = unmet(
        &policies(&answer),
        &[Need::Script, Need::Wasm, Need::Connect],
        hato,
    );
    findings.push(policy("worker-csp", &missing, hato));
}

fn worker_file(worker: &Url, answer: &Response<Vec<u8>>, hato: &str) -> Finding {
    let line = format!("importScripts(\"{hato}/sdk/sw.js\");");
    let problem = |found: String, remedy: String| Finding::problem("worker", found, remedy);
    let status = answer.status();
    if status != 200 {
        let found = format!("{worker} answers {status}");
        return problem(found, format!("put a file there with the line {line}"));
    }
    if !is_script(answer) {
        let found = format!("{worker} is not served as JavaScript");
        return problem(
            found,
            "serve it with Content-Type: text/javascript".to_owned(),
        );
    }
    let text = String::from_utf8_lossy(answer.body());
    if !imports(&text, hato) {
        let found = format!("{worker} does not import {hato}/sdk/sw.js");
        return problem(found, format!("its first line must be {line}"));
    }
    Finding::fine("worker", format!("{worker} imports ours"))
}

/// The release that is current, or one that is pinned.
fn imports(text: &str, hato: &str) -> bool {
    let folder = format!("{hato}/sdk/");
    let mut files = text
        .split(&folder)
        .skip(1)
        .filter_map(|rest| rest.split(['"', '\'', '`', ')']).next());
    text.contains("importScripts") && files.any(|file| file.rsplit('/').next() == Some("sw.js"))
}

fn is_script(answer: &Response<Vec<u8>>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.ends_with("/javascript") || essence.ends_with("/x-javascript")
}

fn page_policy(answer: &Response<Vec<u8>>, hato: &str) -> Finding {
    let text = String::from_utf8_lossy(answer.body());
    let mut policies = policies(answer);
    policies.extend(policies_in(&text));
    let missing = unmet(
        &policies,
        &[Need::Script, Need::Connect, Need::Worker],
        hato,
    );
    policy("page-csp", &missing, hato)
}

fn policy(check: &'static str, missing: &[Need], hato: &str) -> Finding {
    let remedies: Vec<_> = missing.iter().map(|need| need.remedy(hato)).collect();
    Finding::judge(
        check,
        missing.is_empty(),
        if missing.is_empty() {
            "the Content-Security-Policy lets ours work"
        } else {
            "the Content-Security-Policy is in the way"
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
    let is_policy = |tag: &str| tag.to_ascii_lowercase().contains("content-security-policy");
    let tags = html.split("<meta ").skip(1);
    let tags = tags.filter_map(|rest| rest.split('>').next());
    let contents = tags.filter(|tag| is_policy(tag)).filter_map(|tag| {
        let (_, rest) = tag.split_once("content=")?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    contents.map(str::to_owned).collect()
}

fn fetch(agent: &Agent, url: &Url) -> Outcome {
    collect(agent.get(url.as_str()).call()?)
}

fn unread(check: &'static str, url: &Url, error: &ureq::Error) -> Finding {
    let remedy = "check the address, and that this machine may reach it";
    Finding::problem(check, format!("{url}: {error}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::{imports, policies_in};

    #[test]
    fn the_import_is_found_however_it_is_written() {
        for text in [
            "importScripts(\"https://h.dev/sdk/sw.js\");",
            "importScripts('https://h.dev/sdk/0.1.0/sw.js')",
            "// ours\nimportScripts( `https://h.dev/sdk/sw.js` );",
        ] {
            assert!(imports(text, "https://h.dev"), "{text}");
        }
        for text in [
            "importScripts(\"https://other.dev/sdk/sw.js\");",
            "importScripts(\"https://h.dev/sdk/hato.js\");",
            "fetch(\"https://h.dev/sdk/sw.js\");",
            "",
        ] {
            assert!(!imports(text, "https://h.dev"), "{text}");
        }
    }

    #[test]
    fn a_policy_may_stand_in_the_page() {
        let html = "<meta charset=utf-8><meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'self'\">";
        assert_eq!(policies_in(html), ["script-src 'self'"]);
        assert_eq!(
            policies_in("<meta name=a content=\"b\">"),
            Vec::<String>::new()
        );
    }
}
