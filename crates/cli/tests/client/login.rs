//! Credentials: stored by login, named by profiles, or in the environment.

use std::os::unix::fs::PermissionsExt as _;

use hato_testkit::owner::PASSWORD;

use crate::setup::{CliCommand, CliSetup, EMAIL};

#[tokio::test]
async fn a_session_is_kept_for_its_owner_alone_until_logout() {
    let setup = CliSetup::new().await;
    let login = setup
        .hato(&["login", "--email", EMAIL])
        .input(&format!("{PASSWORD}\n"));
    assert!(login.success().await.contains(EMAIL));
    let file = setup.home.path().join("config/hato/config.toml");
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // The profile knows the address as well.
    let apps = CliCommand::new(setup.home.path(), &["apps", "list"])
        .json()
        .await;
    assert_eq!(apps[0]["appId"], *setup.app.id);
    let text = std::fs::read_to_string(&file).expect("text");
    assert!(!text.contains(PASSWORD), "{text}");
    let token = text
        .split("credential = \"")
        .nth(1)
        .and_then(|it| it.split('"').next());
    let token = token.expect("a token").to_owned();

    CliCommand::new(setup.home.path(), &["logout"])
        .success()
        .await;
    let session = setup
        .server
        .client()
        .bearer(&token)
        .get("/auth/session")
        .await;
    assert_eq!(session.expect("an answer").status, 401);
    let gone = setup.hato(&["apps", "list"]).output().await;
    assert_eq!(gone.error_code(), (4, "signed-out"));
}

#[tokio::test]
async fn a_wrong_password_stores_nothing() {
    let setup = CliSetup::new().await;
    let login = setup
        .hato(&["login", "--email", EMAIL])
        .input("wrong password");
    assert_eq!(
        login.output().await.error_code(),
        (4, "INVALID_CREDENTIALS")
    );
    assert!(!setup.home.path().join("config").exists());
}

#[tokio::test]
async fn somebody_has_to_be_named() {
    let setup = CliSetup::new().await;
    let output = setup.hato(&["login"]).input(PASSWORD).output().await;
    assert_eq!(output.error_code(), (2, "usage"));
    assert!(output.stderr.contains("--email"), "{output:?}");
}

#[tokio::test]
async fn a_key_is_stored_once_the_server_knows_it() {
    let setup = CliSetup::new().await;
    let unknown = format!("pk_{}", "0".repeat(64));
    let login = setup.hato(&["login", "--key"]).input(&unknown);
    assert_eq!(login.output().await.error_code(), (4, "INVALID_API_KEY"));
    let key = setup
        .app
        .owner
        .create_key(&setup.app.id, "ci", "full")
        .await
        .expect("a key");
    setup
        .hato(&["login", "--key", "--profile", "ci"])
        .input(&key)
        .success()
        .await;
    let profiles = setup.hato(&["profiles", "list"]).success().await;
    assert!(
        profiles.contains(&setup.app.id) && !profiles.contains(&key),
        "{profiles}"
    );
    assert_eq!(setup.hato(&["stats"]).json().await["totalSent"], 0);
}

#[tokio::test]
async fn profiles_are_chosen_and_removed() {
    let setup = CliSetup::new().await;
    for name in ["one", "two"] {
        let line = ["login", "--email", EMAIL, "--profile", name];
        setup.hato(&line).input(PASSWORD).success().await;
    }
    setup.hato(&["profiles", "use", "one"]).success().await;
    let listed = setup.hato(&["profiles", "list"]).json().await;
    let current = |at: usize| (listed[at]["name"].clone(), listed[at]["current"].clone());
    assert_eq!(current(0), ("one".into(), true.into()));
    assert_eq!(current(1), ("two".into(), false.into()));
    setup.hato(&["profiles", "remove", "one"]).success().await;
    let none = setup.hato(&["apps", "list"]).output().await;
    assert_eq!(none.error_code(), (4, "signed-out"));
    setup
        .hato(&["apps", "list", "--profile", "two"])
        .success()
        .await;
    let unknown = setup.hato(&["profiles", "use", "one"]).output().await;
    assert_eq!(unknown.error_code(), (2, "usage"));
}

#[tokio::test]
async fn a_stored_credential_is_shown_to_its_own_server_only() {
    let setup = CliSetup::new().await;
    setup
        .hato(&["login", "--email", EMAIL])
        .input(PASSWORD)
        .success()
        .await;
    let other = CliSetup::new().await;
    let elsewhere = setup
        .hato(&["apps", "list"])
        .env("HATO_URL", &other.server.url());
    assert_eq!(elsewhere.output().await.error_code(), (2, "usage"));
    let key = other
        .app
        .owner
        .create_key(&other.app.id, "ci", "full")
        .await
        .expect("a key");
    let with_key = setup
        .hato(&["apps", "show"])
        .env("HATO_URL", &other.server.url());
    let shown = with_key.env("HATO_KEY", &key).json().await;
    assert_eq!(shown["appId"], *other.app.id);
}

#[tokio::test]
async fn a_damaged_file_is_named_and_not_needed_with_the_environment() {
    let setup = CliSetup::new().await;
    let file = setup.home.path().join("config/hato/config.toml");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "profiles = 1").expect("a file");
    is_named_and_not_needed(&setup).await;
    // What cannot be read, even by root: a folder.
    std::fs::remove_file(&file).expect("it is there");
    std::fs::create_dir(&file).expect("a folder");
    is_named_and_not_needed(&setup).await;
}

async fn is_named_and_not_needed(setup: &CliSetup) {
    let output = setup.hato(&["apps", "list"]).output().await;
    assert_eq!(output.code, 2, "{output:?}");
    for expected in ["config.toml", "HATO_URL and HATO_KEY"] {
        assert!(output.stderr.contains(expected), "{output:?}");
    }
    for line in [&["stats"][..], &["notify", "a", "b"], &["doctor"]] {
        let output = setup.with_key("full", line).await.output().await;
        assert!(!output.stderr.contains("config.toml"), "{output:?}");
        assert!(!output.stdout.contains("config.toml"), "{output:?}");
    }
    setup.with_key("full", &["stats"]).await.success().await;
}
