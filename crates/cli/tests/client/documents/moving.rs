//! The guide to moving, as whoever moves follows it.

use std::fs;

use hato_testkit::TestDatabase;
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::ServerLaunch;

use super::{blocks, document, run, shell};
use crate::setup::{CliSetup, launch, server_binary};

/// The subscribers of a site.
const SUBSCRIBERS: usize = 10_000;

/// The guide's commands, with the password of the tests' owner.
fn commands() -> Vec<String> {
    let commands = blocks(&document("guides/MOVING.md"), "sh").into_iter();
    let commands = commands.map(|block| block.replace("correct horse battery", PASSWORD));
    commands.collect()
}

/// Runs a block in the setup's folder, with a key of the scope that the guide asks for.
async fn follow(setup: &CliSetup, script: &str) -> String {
    let key = setup.app.owner.create_key(&setup.app.id, "mover", "full");
    let mut command = shell(setup.home.path(), &setup.server, script);
    command.env("HATO_KEY", key.await.expect("a key"));
    run(command).await
}

#[tokio::test]
async fn every_command_of_the_guide_to_moving() {
    let setup = CliSetup::new().await;
    let said = follow(&setup, &commands().concat()).await;
    assert!(said.contains("Exported 4 subscriptions."), "{said}");
    // Who has unsubscribed at OneSignal is not among them.
    assert_eq!(
        said.matches("\"code\":\"UNSUBSCRIBED\"").count(),
        1,
        "{said}"
    );
    let files = fs::read_dir(setup.home.path()).expect("a folder");
    let files = files.map(|entry| entry.expect("an entry").path());
    let keys: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|it| it == "pem"))
        .map(|path| fs::read_to_string(path).expect("a key"))
        .collect();
    assert_eq!(keys.len(), 1, "one key has subscribers");
    assert!(keys[0].starts_with("-----BEGIN PRIVATE KEY-----\n"));
}

/// From a table of one's own into Hato, and on to another one, on another database.
#[tokio::test]
async fn ten_thousand_follow_the_guide_in_and_out_again() {
    let in_file = launch().env("HATO_DEFAULT_PLAN", "pro");
    let in_postgres = ServerLaunch::on(server_binary(), TestDatabase::postgres().await);
    let in_postgres = in_postgres.env("HATO_DEFAULT_PLAN", "pro");
    let first = CliSetup::with_launch(in_file).await;
    let second = CliSetup::with_launch(in_postgres).await;
    let third = CliSetup::with_launch(launch().env("HATO_DEFAULT_PLAN", "pro")).await;
    let commands = commands();
    let block = |text: &str| {
        let found = commands.iter().find(|block| block.contains(text));
        found.expect("a block")
    };
    // The table of the guide, with more lines.
    let shown = block("cat > browsers.ndjson");
    let example = shown.lines().nth(1).expect("a line");
    let lines = (0..SUBSCRIBERS).map(|number| {
        let line = example.replace("/1\"", &format!("/{number}\""));
        line.replace("u-1", &format!("u-{number}")) + "\n"
    });
    let lines: String = lines.collect();
    fs::write(first.home.path().join("browsers.ndjson"), lines).expect("a file");
    let said = follow(&first, block("cat > vapid.json")).await;
    assert!(said.contains("10000 new, 0 known, 0 refused."), "{said}");

    let (leave, arrive) = (
        block("hato export everybody.ndjson"),
        block("touch nobody.ndjson"),
    );
    follow(&first, leave).await;
    let mut from = &first;
    for to in [&second, &third] {
        for entry in fs::read_dir(from.home.path()).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let text = name.to_string_lossy();
            if text == "everybody.ndjson" || text.starts_with("vapid_") {
                let (file, copy) = (from.home.path().join(&name), to.home.path().join(&name));
                fs::copy(file, copy).expect("a copy");
            }
        }
        follow(to, arrive).await;
        let read = |setup: &CliSetup, name: &str| {
            fs::read_to_string(setup.home.path().join(name)).expect("a file")
        };
        let (left, arrived) = (read(from, "everybody.ndjson"), read(to, "arrived.ndjson"));
        assert_eq!(left.lines().count(), SUBSCRIBERS);
        assert!(left == arrived, "the exports differ");
        // The browsers' key is the app's primary one now.
        let app = format!("/api/v1/apps/{}", to.app.id);
        let app = to.app.owner.get(&app).await.expect("an answer").json();
        assert!(left.contains(app["vapid_public_key"].as_str().expect("a key")));
        fs::remove_file(to.home.path().join("everybody.ndjson")).expect("removed");
        follow(to, leave).await;
        from = to;
    }
}
