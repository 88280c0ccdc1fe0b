//! Whose account it is: the person's at GitHub, else the one with their verified address, else a new one.

use hato_testkit::github::{Github, GithubAccount};
use hato_testkit::owner::PASSWORD;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::login_browser::LoginBrowser;
use super::{launch, setup};
use crate::fixtures::{get, post, start, status_and_code};

#[on_each_database]
async fn an_account_with_the_verified_address_becomes_the_persons(database: TestDatabase) {
    let (server, github) = setup(database).await;
    let client = server.client();
    let session = client.register_account("Owner@example.com", PASSWORD).await;
    let session = client.bearer(&session.expect("registered"));
    let account = get(&session, "/auth/session").await.json()["user"].clone();
    let app = session.create_app("Mine").await.expect("an app");

    github.set_user(GithubAccount::new(7).verified("owner@EXAMPLE.com"));
    let mut browser = LoginBrowser::logged_in(&server, &github).await;
    assert_eq!(browser.user().await, account);
    let path = format!("/api/v1/apps/{}", app["appId"].as_str().expect("an id"));
    assert_eq!(browser.get(&path).await.status, 200);

    let dead = get(&session, "/auth/session").await;
    assert_eq!(status_and_code(&dead), (401, "INVALID_SESSION".into()));
    let password = json!({"email": "owner@example.com", "password": PASSWORD});
    let gone = post(&client, "/auth/login", &password).await;
    assert_eq!(status_and_code(&gone), (401, "INVALID_CREDENTIALS".into()));

    let second = LoginBrowser::logged_in(&server, &github).await.user().await;
    assert_eq!(second, account);
    browser.user().await;
}

#[on_each_database]
async fn an_address_that_is_not_verified_leads_to_no_account(database: TestDatabase) {
    let (server, github) = setup(database).await;
    let client = server.client();
    let session = client.register_account("owner@example.com", PASSWORD).await;
    let session = client.bearer(&session.expect("registered"));

    let stranger = GithubAccount::new(7).email("owner@example.com", true, false);
    github.set_user(stranger.clone());
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;
    let reply = browser.get(&callback).await;
    assert_eq!(status_and_code(&reply), (502, "GITHUB_AUTH_FAILED".into()));

    github.set_user(stranger.email("other@example.com", false, true));
    let user = LoginBrowser::logged_in(&server, &github).await.user().await;
    assert_eq!(user["email"], "other@example.com");
    assert_eq!(get(&session, "/auth/session").await.status, 200);
    let login = client.log_in("owner@example.com", PASSWORD).await;
    login.expect("the password is what it was");
}

#[on_each_database]
async fn the_primary_verified_address_comes_first(database: TestDatabase) {
    let (server, github) = setup(database).await;
    let cases = [
        (
            GithubAccount::new(1)
                .email("a1@example.com", false, true)
                .email("a2@example.com", true, true),
            "a2@example.com",
        ),
        (
            GithubAccount::new(2)
                .email("b1@example.com", true, false)
                .email("b2@example.com", false, true)
                .email("b3@example.com", false, false),
            "b2@example.com",
        ),
        (
            GithubAccount::new(3).email("no address", true, true).email(
                "c2@example.com",
                false,
                true,
            ),
            "c2@example.com",
        ),
    ];
    for (person, expected) in cases {
        github.set_user(person);
        let user = LoginBrowser::logged_in(&server, &github).await.user().await;
        assert_eq!(user["email"], expected);
    }
}

#[on_each_database]
async fn an_address_is_whoever_holds_it_now(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(1).verified("team@example.com"));
    let mut before = LoginBrowser::logged_in(&server, &github).await;
    let account = before.user().await;

    github.set_user(GithubAccount::new(2).verified("team@example.com"));
    let after = LoginBrowser::logged_in(&server, &github).await.user().await;
    assert_eq!(after, account);
    assert_eq!(before.get("/auth/session").await.code(), "INVALID_SESSION");
}

#[on_each_database]
async fn a_closed_server_knows_its_accounts_and_makes_none(database: TestDatabase) {
    let github = Github::start().await;
    let launch = launch(database, &github);
    let mut server = start(launch.clone()).await;
    let client = server.client();
    let local = client.register_account("local@example.com", PASSWORD);
    local.await.expect("registered");
    github.set_user(GithubAccount::new(1).verified("known@example.com"));
    LoginBrowser::logged_in(&server, &github).await;
    server.terminate().await.expect("stopped");

    let closed = launch.env("HATO_REGISTRATION", "closed");
    let server = start(closed).await;
    LoginBrowser::logged_in(&server, &github).await;
    github.set_user(GithubAccount::new(2).verified("local@example.com"));
    LoginBrowser::logged_in(&server, &github).await;

    github.set_user(GithubAccount::new(3).verified("new@example.com"));
    let mut browser = LoginBrowser::new(&server);
    for _ in 0..2 {
        let callback = browser.agree(&github, "/auth/github").await;
        let reply = browser.get(&callback).await;
        assert_eq!(status_and_code(&reply), (403, "REGISTRATION_CLOSED".into()));
        assert_eq!(browser.cookie("hato_session"), None);
    }
}
