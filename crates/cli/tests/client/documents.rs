//! What the documents tell people to type works. Run are all shell blocks of the readme's English half and of API.md, CLI.md,
//! DEPLOY.md (with the files it shows), EMBED.md, FLEET.md, MCP.md and the guides, and the samples of the guides in every
//! language that is installed. Blocks that change a machine's PostgreSQL are marked `bash`, and run on a cluster of the test's own.
//! EMBED.md's samples for pages run in browsers, in end2end/samples, and those of MOVING.md in end2end/tests/moving.spec.ts. Not run is
//! what deploying has in blocks marked `console`, which takes a container engine.

mod api_examples;
mod deployment;
mod embedding;
mod measuring;
mod moving;
mod postgres;
mod quick_start;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::HatoServer;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::setup::{CliSetup, EMAIL, HATO, Port, with_push_service};
use crate::stub_site::{StubSite, answer};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
const README: &str = include_str!("../../../../README.md");

/// The blocks of a document in this language, in their order.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let after = document.split(&fence).skip(1);
    let inner = after.filter_map(|rest| rest.split("```").next());
    inner
        .map(|text| text.trim_end().to_owned() + "\n")
        .collect()
}

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(DOCS).join(name)).expect("a document")
}

/// A shell in the folder, in which `hato` can be called.
fn shell(home: &Path, server: &HatoServer, script: &str) -> Command {
    let programs = Path::new(HATO).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(home)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("HATO_URL", server.url())
        .env_remove("HATO_KEY");
    command
}

async fn run(command: Command) -> String {
    let (succeeded, said) = ended(command).await;
    assert!(succeeded, "{said}");
    said
}

/// Whether a command succeeded, and what it said: if it failed, on standard error too.
async fn ended(mut command: Command) -> (bool, String) {
    let output = command.output().await.expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        (true, said)
    } else {
        (false, format!("{said}\n{errors}"))
    }
}

async fn titles(setup: &CliSetup) -> Vec<String> {
    let path = format!("/api/v1/apps/{}/notifications?limit=100", setup.app.id);
    let history = setup.app.owner.get(&path).await.expect("an answer").json();
    let items = history["items"].as_array().expect("items").clone();
    let title = |item: &Value| item["title"].as_str().map(str::to_owned);
    items.iter().filter_map(title).collect()
}

#[tokio::test]
async fn every_command_of_the_command_lines_page() {
    let setup = CliSetup::new().await;
    let script = blocks(&document("CLI.md"), "sh").concat();
    fs::write(setup.home.path().join("password.txt"), PASSWORD).expect("a file");
    let said = run(shell(setup.home.path(), &setup.server, &script)).await;
    assert!(said.contains("Unsubscribed."), "{said}");
    for left in ["hato.bash", "hato.1", "man1/hato-notify.1"] {
        assert!(setup.home.path().join(left).exists(), "{left}");
    }
    assert_eq!(titles(&setup).await.len(), 9);
}

#[tokio::test]
async fn every_command_of_the_guide_to_rich_notifications() {
    let setup = CliSetup::new().await;
    let home = setup.home.path();
    let login = setup.hato(&["login", "--email", EMAIL]).input(PASSWORD);
    login.success().await;
    let script = blocks(&document("guides/RICH.md"), "sh").concat();
    run(shell(home, &setup.server, &script)).await;
    assert_eq!(titles(&setup).await.len(), 2);
}

/// The command that asks some of those who were imported, which the text has, for a push service that answers.
#[tokio::test]
async fn the_probe_of_the_guide_to_moving() {
    let (setup, service) = with_push_service().await;
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), 3);
    let lines = browsers.iter().map(|it| it.registration().to_string());
    let lines: Vec<_> = lines.collect();
    fs::write(setup.home.path().join("FILE"), lines.join("\n")).expect("a file");
    let guide = document("guides/MOVING.md");
    let command = guide.split('`').find(|it| it.contains(" --probe "));
    let command = command.expect("a command").replace('\n', " ");
    let key = setup.app.owner.create_key(&setup.app.id, "mover", "full");
    let mut command = shell(setup.home.path(), &setup.server, &command);
    command.env("HATO_KEY", key.await.expect("a key"));
    run(command).await;
    assert_eq!(titles(&setup).await, ["We have moved"]);
    assert_eq!(service.seen(|seen| seen.total.created), 3);
}

#[tokio::test]
async fn every_command_of_the_assistants_page() {
    let setup = CliSetup::new().await;
    let key = setup
        .app
        .owner
        .create_key(&setup.app.id, "assistant", "full")
        .await;
    let script = blocks(&document("MCP.md"), "sh").concat();
    let mut command = shell(setup.home.path(), &setup.server, &script);
    command.env("HATO_KEY", key.expect("a key"));
    let said = run(command).await;
    assert!(
        said.contains("send_notification") && said.contains("activeSubscribers"),
        "{said}"
    );
}

/// A language, how its block is run, and the program that has to be there for it.
const LANGUAGES: [(&str, &str, &[&str]); 5] = [
    ("js", "send.mjs", &["node"]),
    ("python", "send.py", &["python3"]),
    ("php", "send.php", &["php"]),
    ("ruby", "send.rb", &["ruby"]),
    ("go", "send.go", &["go", "run"]),
];

#[tokio::test]
async fn every_sample_of_the_sending_guide_whose_language_is_installed() {
    let setup = CliSetup::new().await;
    let home = setup.home.path();
    let login = setup.hato(&["login", "--email", EMAIL]).input(PASSWORD);
    login.success().await;
    let guide = document("guides/SENDING.md");
    run(shell(home, &setup.server, &blocks(&guide, "sh").concat())).await;
    let mut expected = ["Hello from curl", "Hello, you two", "Hello from hato"]
        .map(str::to_owned)
        .to_vec();
    let key = setup
        .app
        .owner
        .create_key(&setup.app.id, "server", "notify")
        .await
        .expect("a key");
    let nobody = Port::reserve();
    let proxy = StubSite::serve(|_| answer("502 Bad Gateway", "", "<h1>Bad Gateway</h1>")).await;
    for (language, file, program) in LANGUAGES {
        let sample = blocks(&guide, language).concat();
        let title = sample.split("Hello from ").nth(1).expect("it says hello");
        let title = title
            .split('"')
            .next()
            .and_then(|it| it.split('\'').next())
            .expect("a name");
        let found = which(program[0]);
        let Some(found) = found else {
            println!("{language} is not installed: its sample is not run");
            continue;
        };
        fs::write(home.join(file), &sample).expect("a file");
        let sample = |url: &str, key: &str| {
            let mut command = Command::new(&found);
            command
                .args(&program[1..])
                .arg(file)
                .current_dir(home)
                .env("HATO_URL", url)
                .env("HATO_KEY", key)
                .env("GOCACHE", home.join("go-cache"))
                .env("GOTOOLCHAIN", "local");
            command
        };
        let server = setup.server.url();
        let said = run(sample(&server, &key)).await;
        assert!(said.starts_with("snd_"), "{language}: {said}");
        for failing in [
            sample(&server, "pk_unknown"),
            sample(&format!("http://{}", nobody.address), &key),
            sample(&proxy, &key),
        ] {
            let (succeeded, said) = ended(failing).await;
            assert!(!succeeded && !said.contains("snd_"), "{language}: {said}");
        }
        expected.push(format!("Hello from {title}"));
    }
    let mut sent = titles(&setup).await;
    sent.sort();
    expected.sort();
    assert_eq!(sent, expected);
}

/// The token of a user whose name is not ASCII, computed by others: `openssl dgst -sha256 -hmac`.
const USER_TOKEN: &str = "8cdb6ab1676b99a89ff45364116b08d1415dfb02bcca9ed61adc925700460592";

#[tokio::test]
async fn every_sample_of_a_users_token_whose_language_is_installed() {
    let home = TempDir::new().expect("a folder");
    let guide = document("guides/AUDIENCE.md");
    let shell = ("sh", "token.sh", &["bash"][..]);
    for (language, file, program) in LANGUAGES.into_iter().chain([shell]) {
        let sample = blocks(&guide, language);
        let makes_a_token =
            |it: &&String| it.contains("HATO_IDENTITY_SECRET") && it.contains("SHOP_USER");
        let sample = sample.iter().find(makes_a_token);
        let Some(found) = which(program[0]) else {
            println!("{language} is not installed: its sample is not run");
            continue;
        };
        fs::write(home.path().join(file), sample.expect("a sample")).expect("a file");
        let mut command = Command::new(found);
        command
            .args(&program[1..])
            .arg(file)
            .current_dir(home.path())
            .env(
                "HATO_IDENTITY_SECRET",
                "idsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            )
            .env("HATO_APP", "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9")
            .env("SHOP_USER", "山田-4711")
            .env("GOCACHE", home.path().join("go-cache"))
            .env("GOTOOLCHAIN", "local");
        assert_eq!(run(command).await.trim(), USER_TOKEN, "{language}");
    }
}

/// By an owner who is logged in, whose site has one subscriber.
#[tokio::test]
async fn every_command_of_the_audience_guide() {
    let setup = CliSetup::new().await;
    let login = setup.hato(&["login", "--email", EMAIL]).input(PASSWORD);
    login.success().await;
    let subscription = reference::subscription();
    let frontend = &setup.app.frontend;
    let registered = frontend.post(reference::SUBSCRIPTIONS, &subscription).await;
    assert_eq!(registered.expect("an answer").status, 201);
    let script = blocks(&document("guides/AUDIENCE.md"), "sh").concat();
    let said = run(shell(setup.home.path(), &setup.server, &script)).await;
    let changed = r#""user_id":"4711","tags":["_plan:pro","team:osaka"],"lang":null"#;
    assert!(said.contains(changed), "{said}");
    assert_eq!(said.matches("Queued for 1 recipient.").count(), 3, "{said}");
    assert!(
        said.contains("\"queued\":1") && said.contains("Scheduled for"),
        "{said}"
    );
    assert!(said.ends_with("{\"ok\":true,\"removed\":1}"), "{said}");
}

/// Where the program is. Some are always installed, and with `HATO_ALL_LANGUAGES` set all of them have to be.
fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).map(|folder| folder.join(program));
    let found = places.into_iter().find(|place| place.is_file());
    let may_be_missing = !["bash", "node", "python3"].contains(&program)
        && std::env::var_os("HATO_ALL_LANGUAGES").is_none();
    assert!(
        found.is_some() || may_be_missing,
        "{program} is not installed"
    );
    found
}
