//! What leads to no session: states that do not fit, codes that are not there, and a provider that fails.

use hato_testkit::github::{Fault, GithubAccount, OauthStep};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::login_browser::LoginBrowser;
use super::setup;
use crate::database::execute;
use crate::fixtures::{get, post, status_and_code};

fn with(callback: &str, name: &str, value: &str) -> String {
    let (path, query) = callback.split_once('?').expect("a query");
    let others = url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key != name);
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .append_pair(name, value)
        .finish();
    format!("{path}?{query}")
}

#[on_each_database]
async fn a_state_is_good_once_and_for_its_browser(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let invalid = (403, "INVALID_STATE".to_owned());
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;

    let wrong = ["", "wrong", &"x".repeat(4_000)];
    for state in wrong.map(|state| with(&callback, "state", state)) {
        assert_eq!(
            status_and_code(&browser.get(&state).await),
            invalid,
            "{state}"
        );
    }
    let mut other = LoginBrowser::new(&server);
    assert_eq!(
        status_and_code(&other.get(&callback).await),
        invalid,
        "no cookie"
    );
    other.agree(&github, "/auth/github").await;
    assert_eq!(
        status_and_code(&other.get(&callback).await),
        invalid,
        "another one"
    );

    assert_eq!(browser.get(&callback).await.status, 302);
    browser.user().await;
    assert_eq!(
        status_and_code(&browser.get(&callback).await),
        invalid,
        "again"
    );
}

#[on_each_database]
async fn a_state_is_good_for_ten_minutes(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    for (statement, outcome) in [
        (
            "UPDATE github_logins SET expires_at = expires_at - 9 * 60000",
            (302, None),
        ),
        (
            "UPDATE github_logins SET expires_at = expires_at - 10 * 60000",
            (403, Some("INVALID_STATE")),
        ),
    ] {
        let mut browser = LoginBrowser::new(&server);
        let callback = browser.agree(&github, "/auth/github").await;
        execute(&server, statement).await;
        let back = browser.get(&callback).await;
        let code = (back.status == 403).then(|| back.code());
        assert_eq!((back.status.as_u16(), code.as_deref()), outcome);
    }
}

#[on_each_database]
async fn a_state_is_used_up_when_github_fails(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;
    let forged = browser.get(&with(&callback, "code", "forged")).await;
    assert_eq!(status_and_code(&forged), (502, "GITHUB_AUTH_FAILED".into()));
    let late = browser.get(&callback).await;
    assert_eq!(status_and_code(&late), (403, "INVALID_STATE".into()));
}

#[on_each_database]
async fn a_code_must_be_there(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;
    for path in [
        "/auth/github/callback",
        "/auth/github/callback?code=",
        &with(&callback, "code", ""),
    ] {
        let reply = browser.get(path).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "MISSING_CODE".into()),
            "{path}"
        );
    }
}

#[on_each_database]
async fn a_person_who_does_not_agree_is_not_logged_in(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;
    let denied = with(&with(&callback, "code", ""), "error", "access_denied");
    let reply = browser.get(&denied).await;
    assert_eq!(status_and_code(&reply), (400, "MISSING_CODE".into()));
    assert_eq!(browser.cookie("hato_session"), None);
}

#[tokio::test]
async fn a_provider_that_fails_signs_nobody_in() {
    let (server, github) = setup(TestDatabase::sqlite().await).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let huge = format!("[\"{}\"]", "x".repeat(300 * 1024));
    for step in OauthStep::ALL {
        for (status, body) in [
            (500, "{}"),
            (401, "{\"message\": \"Bad credentials\"}"),
            (302, ""),
            (307, ""),
            (200, ""),
            (200, "{"),
            (200, "null"),
            (200, "{\"error\": \"bad_verification_code\"}"),
            (200, &huge),
        ] {
            let body = body.to_owned();
            github.set_fault(step, Some(Fault { status, body }));
            let mut browser = LoginBrowser::new(&server);
            let callback = browser.agree(&github, "/auth/github").await;
            let reply = browser.get(&callback).await;
            let expected = (502, "GITHUB_AUTH_FAILED".to_owned());
            assert_eq!(status_and_code(&reply), expected, "{step:?} {status}");
            assert_eq!(browser.cookie("hato_session"), None);
        }
        github.set_fault(step, None);
    }
    let registered = json!({"email": "hato@example.com", "password": "correct horse"});
    let reply = post(&server.client(), "/auth/register", &registered).await;
    assert_eq!(reply.status, 201, "no account was made");
    let log = server.log();
    assert!(log.contains("GitHub answered"), "{log}");
    assert!(!log.contains("gho_") && !log.contains("code_0"), "{log}");
}

#[on_each_database]
async fn nobody_is_signed_in_without_an_id(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    for body in [
        "{}",
        "{\"id\": null}",
        "{\"id\": \"7\"}",
        "{\"id\": 0}",
        "{\"id\": -7}",
    ] {
        let body = body.to_owned();
        github.set_fault(OauthStep::User, Some(Fault { status: 200, body }));
        let mut browser = LoginBrowser::new(&server);
        let callback = browser.agree(&github, "/auth/github").await;
        let reply = browser.get(&callback).await;
        assert_eq!(status_and_code(&reply), (502, "GITHUB_AUTH_FAILED".into()));
    }
}

#[tokio::test]
async fn a_provider_may_be_away() {
    let (server, github) = setup(TestDatabase::sqlite().await).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::new(&server);
    let callback = browser.agree(&github, "/auth/github").await;
    drop(github);
    let reply = browser.get(&callback).await;
    assert_eq!(status_and_code(&reply), (502, "GITHUB_AUTH_FAILED".into()));
}

#[tokio::test]
async fn a_server_without_an_oauth_app_says_so() {
    let server = crate::fixtures::server(TestDatabase::sqlite().await).await;
    for path in ["/auth/github", "/auth/github/callback?code=x&state=y"] {
        let reply = get(&server.client(), path).await;
        assert_eq!(
            status_and_code(&reply),
            (503, "OAUTH_NOT_CONFIGURED".into())
        );
    }
}

#[tokio::test]
async fn people_read_refusals_as_a_page() {
    let (server, github) = setup(TestDatabase::sqlite().await).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::new(&server);
    for (path, status) in [
        ("/auth/github/callback", 400),
        ("/auth/github/callback?code=x&state=y", 403),
    ] {
        let page = browser.open(path).await;
        assert_eq!(page.status, status);
        let kind = page.header("content-type").expect("a type");
        assert!(kind.starts_with("text/html"), "{kind}");
    }
}

#[on_each_database]
async fn beginning_counts_as_a_login(database: TestDatabase) {
    let (server, _github) = setup(database).await;
    let client = server.client();
    let login = json!({"email": "hato@example.com", "password": "wrong"});
    for _ in 0..5 {
        assert_eq!(get(&client, "/auth/github").await.status, 302);
        assert_eq!(post(&client, "/auth/login", &login).await.status, 401);
    }
    for reply in [
        get(&client, "/auth/github").await,
        post(&client, "/auth/login", &login).await,
    ] {
        assert_eq!(status_and_code(&reply), (429, "RATE_LIMITED".into()));
        assert_eq!(reply.header("retry-after"), Some("60"));
    }
    let callback = get(&client, "/auth/github/callback").await;
    assert_eq!(status_and_code(&callback), (400, "MISSING_CODE".into()));
}
