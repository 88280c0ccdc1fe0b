//! A file of secrets that is damaged, until somebody puts it back.

use std::fs;

use hato_testkit::TestDatabase;
use hato_testkit::push_service::PushService;

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

/// The line of a secret with another first digit.
fn mistaken(line: &str) -> String {
    let (name, digits) = line.split_once('"').expect("a secret");
    let digit = if digits.starts_with('0') { '1' } else { '0' };
    format!("{name}\"{digit}{}\n", &digits[1..])
}

#[tokio::test]
async fn secrets_of_which_a_digit_is_wrong_are_named_and_nothing_is_lost() {
    let push = PushService::start().await;
    let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
    let file = server.data_dir().join("secrets.toml");
    let whole = fs::read_to_string(&file).expect("a file");
    let wrong: String = whole.lines().map(mistaken).collect();
    fs::write(&file, wrong).expect("written");
    let launch = server.launch().clone();
    let mut other = start(launch.env("HATO_ROLE", "all")).await;
    let says = ["another HATO_PEPPER", "another HATO_ENCRYPTION_KEY"];
    assert!(
        says.iter().all(|it| other.log().contains(it)),
        "{}",
        other.log()
    );
    wait_until_logged(&other, "a page waits: no VAPID key").await;
    other.terminate().await.expect("it stops");
    fs::write(&file, whole).expect("written");
    // A minute later.
    execute(&server, "UPDATE jobs SET due_at = 0").await;
    assert_delivered(&server, &push).await;
}
