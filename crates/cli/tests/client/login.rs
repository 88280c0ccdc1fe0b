//! Credentials: stored by login, named by profiles, or in the environment.

use std::os::unix::fs::PermissionsExt as _;

use hato_testkit::owner::PASSWORD;

use crate::stage::{EMAIL, Run, Stage};

#[tokio::test]
async fn a_session_is_kept_for_its_owner_alone_until_logout() {
    let stage = Stage::new().await;
    let login = stage
        .hato(&["login", "--email", EMAIL])
        .input(&format!("{PASSWORD}\n"));
    assert!(login.done().await.contains(EMAIL));
    let file = stage.home.path().join("config/hato/config.toml");
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // The profile knows the address as well.
    let apps = Run::new(stage.home.path(), &["apps", "list"]).json().await;
    assert_eq!(apps[0]["appId"], *stage.app.id);
    let text = std::fs::read_to_string(&file).expect("text");
    assert!(!text.contains(PASSWORD), "{text}");
    let token = text
        .split("credential = \"")
        .nth(1)
        .and_then(|it| it.split('"').next());
    let token = token.expect("a token").to_owned();

    Run::new(stage.home.path(), &["logout"]).done().await;
    let session = stage
        .server
        .client()
        .bearer(&token)
        .get("/auth/session")
        .await;
    assert_eq!(session.expect("an answer").status, 401);
    let gone = stage.hato(&["apps", "list"]).ran().await;
    assert_eq!(gone.refusal(), (4, "signed-out"));
}

#[tokio::test]
async fn a_wrong_password_stores_nothing() {
    let stage = Stage::new().await;
    let login = stage
        .hato(&["login", "--email", EMAIL])
        .input("wrong password");
    assert_eq!(login.ran().await.refusal(), (4, "INVALID_CREDENTIALS"));
    assert!(!stage.home.path().join("config").exists());
}

#[tokio::test]
async fn somebody_has_to_be_named() {
    let stage = Stage::new().await;
    let ran = stage.hato(&["login"]).input(PASSWORD).ran().await;
    assert_eq!(ran.refusal(), (2, "usage"));
    assert!(ran.errors.contains("--email"), "{ran:?}");
}

#[tokio::test]
async fn a_key_is_stored_once_the_server_knows_it() {
    let stage = Stage::new().await;
    let unknown = format!("pk_{}", "0".repeat(64));
    let login = stage.hato(&["login", "--key"]).input(&unknown);
    assert_eq!(login.ran().await.refusal(), (4, "INVALID_API_KEY"));
    let key = stage
        .app
        .owner
        .create_key(&stage.app.id, "ci", "full")
        .await
        .expect("a key");
    stage
        .hato(&["login", "--key", "--profile", "ci"])
        .input(&key)
        .done()
        .await;
    let profiles = stage.hato(&["profiles", "list"]).done().await;
    assert!(
        profiles.contains(&stage.app.id) && !profiles.contains(&key),
        "{profiles}"
    );
    assert_eq!(stage.hato(&["stats"]).json().await["totalSent"], 0);
}

#[tokio::test]
async fn profiles_are_chosen_and_removed() {
    let stage = Stage::new().await;
    for name in ["one", "two"] {
        let line = ["login", "--email", EMAIL, "--profile", name];
        stage.hato(&line).input(PASSWORD).done().await;
    }
    stage.hato(&["profiles", "use", "one"]).done().await;
    let listed = stage.hato(&["profiles", "list"]).json().await;
    let current = |at: usize| (listed[at]["name"].clone(), listed[at]["current"].clone());
    assert_eq!(current(0), ("one".into(), true.into()));
    assert_eq!(current(1), ("two".into(), false.into()));
    stage.hato(&["profiles", "remove", "one"]).done().await;
    let none = stage.hato(&["apps", "list"]).ran().await;
    assert_eq!(none.refusal(), (4, "signed-out"));
    stage
        .hato(&["apps", "list", "--profile", "two"])
        .done()
        .await;
    let unknown = stage.hato(&["profiles", "use", "one"]).ran().await;
    assert_eq!(unknown.refusal(), (2, "usage"));
}

#[tokio::test]
async fn a_stored_credential_is_shown_to_its_own_server_only() {
    let stage = Stage::new().await;
    stage
        .hato(&["login", "--email", EMAIL])
        .input(PASSWORD)
        .done()
        .await;
    let other = Stage::new().await;
    let elsewhere = stage
        .hato(&["apps", "list"])
        .env("HATO_URL", &other.server.url());
    assert_eq!(elsewhere.ran().await.refusal(), (2, "usage"));
    let key = other
        .app
        .owner
        .create_key(&other.app.id, "ci", "full")
        .await
        .expect("a key");
    let with_key = stage
        .hato(&["apps", "show"])
        .env("HATO_URL", &other.server.url());
    let shown = with_key.env("HATO_KEY", &key).json().await;
    assert_eq!(shown["appId"], *other.app.id);
}

#[tokio::test]
async fn a_damaged_file_is_named_and_not_needed_with_the_environment() {
    let stage = Stage::new().await;
    let file = stage.home.path().join("config/hato/config.toml");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "profiles = 1").expect("a file");
    is_named_and_not_needed(&stage).await;
    // What cannot be read, even by root: a folder.
    std::fs::remove_file(&file).expect("it is there");
    std::fs::create_dir(&file).expect("a folder");
    is_named_and_not_needed(&stage).await;
}

async fn is_named_and_not_needed(stage: &Stage) {
    let ran = stage.hato(&["apps", "list"]).ran().await;
    assert_eq!(ran.code, 2, "{ran:?}");
    for told in ["config.toml", "HATO_URL and HATO_KEY"] {
        assert!(ran.errors.contains(told), "{ran:?}");
    }
    for line in [&["stats"][..], &["notify", "a", "b"], &["doctor"]] {
        let ran = stage.with_key("full", line).await.ran().await;
        assert!(!ran.errors.contains("config.toml"), "{ran:?}");
        assert!(!ran.output.contains("config.toml"), "{ran:?}");
    }
    stage.with_key("full", &["stats"]).await.done().await;
}
