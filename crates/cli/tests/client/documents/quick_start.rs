//! The readme's first steps, until its sends are with a push service.

use std::fs;
use std::path::Path;

use hato_testkit::push_service::{BrowserSubscription, PushService};
use tempfile::TempDir;

use super::{DOCS, README, blocks, run, shell};
use crate::setup::launch;

/// Where the readme's server is.
const ADDRESS: &str = "http://localhost:3000";

/// The shell blocks of the readme's English half: what `make` does, account and keys, and sending.
fn steps() -> [String; 3] {
    let (start, _) = README.split_once("## 日本語").expect("the English half");
    let steps = blocks(start, "sh").try_into();
    steps.expect("three blocks")
}

/// From the account to the send, at a server with this address. In between a visitor clicks the button of the second step.
pub fn first_sends(address: &str, visitor: &BrowserSubscription) -> String {
    let [_, account, sending] = steps();
    let click = format!(
        "curl --silent --show-error --fail {ADDRESS}/api/v1/subscriptions \
         -H \"Authorization: Bearer $SUBSCRIBE_KEY\" -d '{}'\n",
        visitor.registration()
    );
    (account + &click + &sending).replace(ADDRESS, address)
}

/// The first send was accepted, and the second one, whose end the commands wait for, is with the visitor's push service.
pub fn assert_sent(said: &str, service: &PushService) {
    assert!(said.contains("\"queued\":1"), "{said}");
    assert!(said.contains("Of 1 recipient: 1 sent"), "{said}");
    let has_arrived = service.seen(|seen| {
        let mut messages = seen.messages.iter();
        messages.any(|it| it.json()["title"] == "Hello again")
    });
    assert!(has_arrived, "{said}");
    service.assert_no_violations();
}

/// What `make` does has its own tests.
#[tokio::test]
async fn every_command_of_the_quick_start() {
    let service = PushService::start().await;
    let server = launch().with_push_service(&service).start().await;
    let server = server.expect("the server starts");
    let home = TempDir::new().expect("a folder");
    let makefile = fs::canonicalize(Path::new(DOCS).join("../Makefile")).expect("a file");
    let make = format!("make() {{ grep -q \"^$1:\" {}; }}\n", makefile.display());
    let [making, ..] = steps();
    let sends = first_sends(&server.url(), &service.subscribe(None));
    let script = make + &making + &sends;
    let mut command = shell(home.path(), &server, &script);
    command.env_remove("HATO_URL");
    assert_sent(&run(command).await, &service);
}
