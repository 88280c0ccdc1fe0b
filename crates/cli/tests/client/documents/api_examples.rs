//! Runs the examples on the pages of the reference, which are made of the OpenAPI document, against a server, as readers do who
//! copy them.

use std::fs;
use std::process::Stdio;

use hato_testkit::client::Client;
use hato_testkit::github::Github;
use hato_testkit::owner::PASSWORD;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::reference::{CURL, log_in, variables};
use super::{ended, which};
use crate::setup::{CliSetup, EMAIL, launch};

/// A language of the examples, what one is saved as, and what runs it.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("curl", "example.sh", "bash"),
    ("node", "example.mjs", "node"),
    ("python", "example.py", "python3"),
];

/// The variables by what the examples call them.
const NAMES: [(&str, &str); 6] = [
    ("FULL_KEY", "HATO_KEY"),
    ("SESSION", "HATO_SESSION"),
    ("APP", "HATO_APP"),
    ("SEND", "HATO_SEND"),
    ("KEY", "HATO_KEY_ID"),
    ("VAPID_KEY", "HATO_VAPID_KEY_ID"),
];

/// Each example has an app of its own, because some delete what they name.
#[tokio::test]
async fn every_example_of_the_reference() {
    for language in LANGUAGES {
        // The examples of one log in as often as anybody may.
        every_example_in(language).await;
    }
}

async fn every_example_in((language, file, program): (&str, &str, &str)) {
    let github = Github::start().await;
    let launch = launch().with_github(&github);
    let setup = CliSetup::with_launch(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let client = setup.server.client();
    let document = client.get("/api/v1/openapi.json").await.expect("an answer");
    let base_url = document.json()["servers"][0]["url"].clone();
    let base_url = base_url.as_str().expect("an address").to_owned();
    let session = log_in(&setup).await;
    let pages = pages(&client).await;
    let examples = examples(&pages, language);
    assert!(examples.len() > 40, "{language}: {}", examples.len());
    for (id, example) in examples {
        // Only a browser that has begun a login gets there.
        if id == "finishGithubLogin" {
            continue;
        }
        let somebody = format!("{language}@example.com");
        let email = if id == "register" { &somebody } else { EMAIL };
        let example = example
            .replace(&base_url, &setup.server.url())
            .replace(
                base_url.trim_start_matches("http://"),
                &client.address().to_string(),
            )
            .replace("owner@example.com", email)
            .replace("a long password", PASSWORD)
            .replace("correct horse battery", PASSWORD);
        let head = if language == "curl" { CURL } else { "" };
        let path = setup.home.path().join(file);
        fs::write(&path, format!("{head}{example}\n")).expect("a file");
        let session = match id.as_str() {
            "logOut" => &log_in(&setup).await,
            _ => &session,
        };
        let known = variables(&setup, session).await;
        let known = NAMES.map(|(name, called)| {
            let value = known.iter().find(|(it, _)| *it == name);
            (called, value.expect("a value").1.clone())
        });
        let mut command = Command::new(which(program).expect("it is installed"));
        command.arg(&path).envs(known);
        if id == "streamEvents" {
            listens(command, language).await;
            continue;
        }
        let (succeeded, said) = ended(command).await;
        let has_answer = !["", "null", "None"].contains(&said.trim());
        assert!(
            succeeded && has_answer,
            "{id} {language}: {said}\n{example}"
        );
    }
}

/// The overview and what it leads to.
async fn pages(client: &Client) -> String {
    let page = async |path: &str| client.get(path).await.expect("an answer").text();
    let overview = page("/docs/api").await;
    let links = overview.split("href=\"/docs/api/").skip(1);
    let links = links.filter_map(|rest| rest.split('"').next());
    let mut pages = String::new();
    for group in links.filter(|it| !it.contains('#')) {
        pages += &page(&format!("/docs/api/{group}")).await;
    }
    pages
}

/// The programs of a language with the names of their endpoints.
fn examples(pages: &str, language: &str) -> Vec<(String, String)> {
    let end_of_id = format!("-{language}\" lang=\"en\">");
    let example = |rest: &str| {
        let (id, rest) = rest.split_once(&end_of_id)?;
        let (text, _) = rest.split_once("</code>")?;
        // Leptos ends each text so.
        let text = text.trim_end_matches("<!>");
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        let text = text.replace("&quot;", "\"").replace("&amp;", "&");
        Some((id.to_owned(), text))
    };
    let rests = pages.split("<code id=\"").skip(1);
    rests
        .filter_map(|rest| rest.split_inclusive("</code>").next().and_then(example))
        .collect()
}

/// It goes on and on; once it has begun it is ended.
async fn listens(mut command: Command, language: &str) {
    let mut child = command
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    let mut output = child.stdout.take().expect("piped");
    while !said.contains(": listening") {
        let mut bytes = [0; 256];
        let count = output.read(&mut bytes).await.expect("it says something");
        assert!(count > 0, "{language}: {said}");
        said += &String::from_utf8_lossy(&bytes[..count]);
    }
}
