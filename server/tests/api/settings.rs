//! Settings (CONTRACT 1): a bad one ends the start with one line.

use std::process::{Command, Output, Stdio};

use crate::stage::BINARY;

fn run(arguments: &[&str], env: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(BINARY);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .env("HATO_DATA_DIR", folder.path())
        .env("HATO_LISTEN", "127.0.0.1:0")
        .envs(env.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

#[test]
fn a_bad_value_stops_the_start_with_one_line() {
    let empty_file = tempfile::NamedTempFile::new().expect("a file");
    let empty_file = empty_file.path().to_string_lossy();
    for (name, value) in [
        ("HATO_LISTEN", "3000"),
        ("HATO_LISTEN", "localhost"),
        ("HATO_BASE_URL", "push.example.com"),
        ("HATO_BASE_URL", "https://push.example.com/path"),
        ("HATO_DATABASE_URL", "postgres://localhost/hato"),
        ("HATO_DATABASE_URL", "hato.db"),
        ("HATO_DATABASE_URL", "sqlite:"),
        ("HATO_ROLE", "none"),
        ("HATO_PEPPER", "short"),
        ("HATO_ENCRYPTION_KEY", "zz"),
        ("HATO_GENERATE_SECRETS", "yes"),
        ("HATO_VAPID_SUBJECT", "admin@example.com"),
        ("HATO_DEFAULT_PLAN", "gold"),
        ("HATO_REGISTRATION", "maybe"),
        ("HATO_PRICING_URL", "pricing"),
        ("HATO_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("HATO_OUTBOUND_ALLOW", "everything"),
        ("HATO_OUTBOUND_CA", "/nonexistent/ca.pem"),
        ("HATO_OUTBOUND_CA", &empty_file),
        ("HATO_RETRY_DELAYS", "5s,1m"),
        ("HATO_RETRY_DELAYS", "5s,1m,10m,1h"),
        ("HATO_RETRY_DELAYS", "5,1m,10m"),
        ("HATO_LOG", "info,=,"),
        ("HATO_LOG_FORMAT", "xml"),
    ] {
        let output = run(&["serve"], &[(name, value)]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}={value}: {told}");
        assert_eq!(told.lines().count(), 1, "{name}={value}: {told}");
        assert!(told.contains(name) && told.contains(" takes "), "{told}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_secret_is_not_repeated() {
    let value = "0123456789abcdef";
    let output = run(&["serve"], &[("HATO_PEPPER", value)]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains(value));
    let output = run(&["serve", "--help"], &[("HATO_PEPPER", value)]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains(value));
}

#[test]
fn help_lists_every_setting() {
    let output = run(&["serve", "--help"], &[]);
    let help = String::from_utf8_lossy(&output.stdout);
    for name in [
        "HATO_LISTEN",
        "HATO_BASE_URL",
        "HATO_DATA_DIR",
        "HATO_DATABASE_URL",
        "HATO_ROLE",
        "HATO_PEPPER",
        "HATO_ENCRYPTION_KEY",
        "HATO_GENERATE_SECRETS",
        "HATO_VAPID_SUBJECT",
        "HATO_DEFAULT_PLAN",
        "HATO_REGISTRATION",
        "HATO_PRICING_URL",
        "HATO_TRUSTED_PROXIES",
        "HATO_OUTBOUND_ALLOW",
        "HATO_OUTBOUND_CA",
        "HATO_RETRY_DELAYS",
        "HATO_LOG]",
        "HATO_LOG_FORMAT",
    ] {
        assert!(help.contains(name.trim_end_matches(']')), "{name}");
    }
}

#[test]
fn a_data_folder_that_cannot_be_made_is_a_bad_setting() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let below_a_file = file.path().join("data");
    let output = run(
        &["serve"],
        &[
            ("HATO_DATA_DIR", &below_a_file.to_string_lossy()),
            ("HATO_LOG", "off"),
        ],
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.lines().count() == 1 && told.contains("HATO_DATA_DIR"),
        "{told}"
    );
}

#[test]
fn a_taken_address_is_a_failure_and_no_bad_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = run(
        &["serve"],
        &[("HATO_LISTEN", &address), ("HATO_LOG", "off")],
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.lines().count() == 1 && told.contains(&address),
        "{told}"
    );
}

#[test]
fn migrating_makes_the_database_and_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("new").join("data");
    let data_text = data.to_string_lossy();
    for _ in 0..2 {
        let output = run(&["migrate", "--data-dir", &data_text], &[]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert!(data.join("hato.db").exists() && !data.join("secrets.toml").exists());
}
