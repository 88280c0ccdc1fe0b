//! Secrets that are damaged, until somebody puts them back: those in the file, or, with PostgreSQL, the settings.

use std::fs;

use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};

use super::refused_start::{assert_delivered, assert_refused, with_queued_send};
use crate::database::execute;
use crate::fixtures::{start, wait_until_logged};

#[tokio::test]
async fn a_damaged_file_of_secrets_ends_the_start_with_one_line_and_stays() {
    let push = PushService::start().await;
    let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
    let file = server.data_dir().join("secrets.toml");
    let whole = fs::read(&file).expect("a file");
    let line = whole.iter().position(|byte| *byte == b'\n').expect("lines") + 1;
    for damaged in [
        &whole[..whole.len() / 2],
        &whole[..line],
        &whole[line..],
        b"no toml",
        b"pepper = 1\n",
        b"",
    ] {
        fs::write(&file, damaged).expect("written");
        let serve = server.launch().command("serve").output().await;
        assert_refused(&serve.expect("it runs"), 2, "secrets.toml");
        assert_eq!(fs::read(&file).expect("a file"), damaged);
    }
    fs::remove_file(&file).expect("removed");
    let serve = server.launch().command("serve").output().await;
    assert_refused(&serve.expect("it runs"), 2, "secrets.toml");
    assert!(!file.exists());
    fs::write(&file, whole).expect("written");
    assert_delivered(&server, &push).await;
}

/// The secret with another first digit.
fn mistaken(secret: &str) -> String {
    let digit = if secret.starts_with('0') { '1' } else { '0' };
    format!("{digit}{}", &secret[1..])
}

/// The file with another first digit in each secret.
fn mistaken_file(whole: &str) -> String {
    let lines = whole.lines().map(|line| {
        let (name, secret) = line.split_once('"').expect("a secret");
        format!("{name}\"{}\n", mistaken(secret))
    });
    lines.collect()
}

/// The same with another first digit in each secret that is set.
fn with_mistaken_settings(launch: ServerLaunch) -> ServerLaunch {
    let names = ["HATO_PEPPER", "HATO_ENCRYPTION_KEY"];
    names.into_iter().fold(launch, |launch, name| {
        let wrong = mistaken(launch.variable(name).expect("it is set"));
        launch.env(name, wrong)
    })
}

#[on_each_database]
async fn secrets_of_which_a_digit_is_wrong_are_named_and_nothing_is_lost(database: TestDatabase) {
    let push = PushService::start().await;
    let server = with_queued_send(database, &push).await;
    let file = server.data_dir().join("secrets.toml");
    let whole = fs::read_to_string(&file).ok();
    let launch = server.launch().clone().env("HATO_ROLE", "all");
    let mut other = start(match &whole {
        Some(whole) => {
            fs::write(&file, mistaken_file(whole)).expect("written");
            launch
        }
        None => with_mistaken_settings(launch),
    })
    .await;
    let says = ["another HATO_PEPPER", "another HATO_ENCRYPTION_KEY"];
    assert!(
        says.iter().all(|it| other.log().contains(it)),
        "{}",
        other.log()
    );
    wait_until_logged(&other, "a page waits: no VAPID key").await;
    other.terminate().await.expect("it stops");
    if let Some(whole) = whole {
        fs::write(&file, whole).expect("written");
    }
    // A minute later.
    execute(&server, "UPDATE jobs SET due_at = 0").await;
    assert_delivered(&server, &push).await;
}
