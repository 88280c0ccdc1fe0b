//! A site's worker file (docs/EMBED.md): whether browsers take it for a worker, whether it imports Hato's script, and whether
//! the policy that it is served with lets that script work.

use ureq::Agent;
use ureq::http::{Response, StatusCode};
use url::Url;

use super::finding::Finding;
use super::policy::{self, Requirement, policies};
use super::script::imports;
use super::sdk;
use crate::http::fetch;
use crate::server_url::ServerUrl;

pub fn examine(agent: &Agent, worker: &Url, hato: &ServerUrl, findings: &mut Vec<Finding>) {
    let response = match fetch(agent, worker) {
        Ok(response) => response,
        Err(error) => return findings.push(Finding::unread("worker", worker, &error)),
    };
    findings.push(judge(agent, worker, &response, hato));
    findings.push(if response.status().is_success() {
        let (script, api) = (hato.with_path(sdk::WORKER_PATH), sdk::api(hato));
        let requirements = [
            Requirement::Script(&script),
            Requirement::Wasm,
            Requirement::Connect(&api),
        ];
        policy::examine("worker-csp", &policies(&response), &requirements, worker)
    } else {
        let hint = "see to what is said of the worker first";
        Finding::unknown("worker-csp", "there is no file to look at", hint)
    });
}

fn judge(agent: &Agent, worker: &Url, response: &Response<Vec<u8>>, hato: &ServerUrl) -> Finding {
    let problem =
        |found: &str, hint: &str| Finding::problem("worker", &format!("{worker} {found}"), hint);
    let status = response.status();
    match status {
        StatusCode::OK if sdk::is_script(response) => judge_imports(agent, worker, response, hato),
        StatusCode::OK => problem(
            "is not served as JavaScript",
            "serve it with Content-Type: text/javascript",
        ),
        _ if status.is_redirection() => problem(
            &format!("answers {status}"),
            "serve the file itself there: browsers refuse a worker that redirects",
        ),
        _ => problem(
            &format!("answers {status}"),
            &format!("put a file there with the line {}", import_line(hato)),
        ),
    }
}

fn judge_imports(
    agent: &Agent,
    worker: &Url,
    response: &Response<Vec<u8>>,
    hato: &ServerUrl,
) -> Finding {
    let ours = hato.with_path(sdk::WORKER_PATH);
    let imports = imports(&String::from_utf8_lossy(response.body()));
    let mut imported = imports
        .addresses
        .iter()
        .filter_map(|it| worker.join(it).ok());
    match imported.find(|it| sdk::is_worker(it, hato)) {
        Some(imported) if imported == ours => {
            Finding::fine("worker", &format!("{worker} imports {ours}"))
        }
        // A release that is pinned.
        Some(imported) => sdk::judge("worker", &imported, fetch(agent, &imported)),
        None if imports.has_computed => Finding::unknown(
            "worker",
            &format!("{worker} imports what it puts together when it runs"),
            &format!("see to it that this is {ours}"),
        ),
        None => Finding::problem(
            "worker",
            &format!("{worker} does not import {ours}"),
            &format!("its first line must be {}", import_line(hato)),
        ),
    }
}

fn import_line(hato: &ServerUrl) -> String {
    format!("importScripts(\"{}\");", hato.with_path(sdk::WORKER_PATH))
}
