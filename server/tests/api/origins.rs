//! Cookies go along with requests of any site: changes must come from our own (CONTRACT 3).

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::HatoServer;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{get, post, registration, send, server, setup, status_and_code};

/// Signs the owner in and returns the session as a Cookie header, `hato_session=…`.
async fn cookie(server: &HatoServer) -> String {
    let login = json!({"email": "owner@example.com", "password": PASSWORD});
    let session = post(&server.client(), "/auth/login", &login).await.json();
    let token = session["session_token"].as_str().expect("a token");
    format!("hato_session={token}")
}

#[on_each_database]
async fn a_change_by_cookie_must_come_from_our_pages(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let cookie = cookie(&server).await;
    let own = format!("http://{}", server.address());
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let body = json!({"name": "CI", "scope": "full"}).to_string();
    for (header, passes) in [
        (Some(("sec-fetch-site", "same-origin")), true),
        (Some(("sec-fetch-site", "none")), true),
        (Some(("sec-fetch-site", "same-site")), false),
        (Some(("sec-fetch-site", "cross-site")), false),
        (Some(("origin", own.as_str())), true),
        (Some(("origin", "http://localhost:3000")), true),
        (Some(("origin", "https://evil.example")), false),
        (Some(("origin", "null")), false),
        (None, false),
    ] {
        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(header);
        let reply = send(
            &server.client(),
            Method::POST,
            &path,
            &headers,
            body.clone(),
        )
        .await;
        let code = if passes { "" } else { "INVALID_ORIGIN" };
        let status = if passes { 201 } else { 403 };
        assert_eq!(status_and_code(&reply), (status, code.into()), "{header:?}");
        let reading = send(&server.client(), Method::GET, &path, &headers, "").await;
        assert_eq!(reading.status, 200, "{header:?}");
    }
    let made = get(&app.owner, &path).await.json();
    let made = made.as_array().expect("a list").iter();
    assert_eq!(made.filter(|key| key["name"] == "CI").count(), 4);
}

#[tokio::test]
async fn other_sites_cannot_sign_a_browser_in() {
    let server = server(TestDatabase::sqlite().await).await;
    for path in ["/auth/register", "/auth/login"] {
        for header in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://evil.example"),
        ] {
            let body = json!({"email": "a@example.com", "password": PASSWORD}).to_string();
            let reply = send(&server.client(), Method::POST, path, &[header], body).await;
            assert_eq!(
                status_and_code(&reply),
                (403, "INVALID_ORIGIN".into()),
                "{path} {header:?}"
            );
            assert_eq!(reply.header("set-cookie"), None);
        }
    }
}

#[tokio::test]
async fn forms_are_guarded_like_endpoints() {
    let server = server(TestDatabase::sqlite().await).await;
    for path in [
        "/_app/login",
        "/_app/register",
        "/_app/create_app",
        "/_app/language",
        "/_app/change_password",
        "/_app/delete_account",
        "/apps/app_1/send",
    ] {
        let headers = [
            ("sec-fetch-site", "cross-site"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "text/html"),
        ];
        let reply = send(&server.client(), Method::POST, path, &headers, "a=b").await;
        assert_eq!(reply.status, 403, "{path}: {reply}");
        assert_eq!(reply.header("set-cookie"), None);
    }
}

#[on_each_database]
async fn a_form_with_a_cookie_must_say_that_it_is_ours(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let cookie = cookie(&server).await;
    let send_page = format!("/apps/{}/send", app.id);
    for path in ["/_app/create_app", "/_app/logout", &send_page] {
        for (header, passes) in [
            (None, false),
            (Some(("sec-fetch-site", "same-site")), false),
            (Some(("origin", "https://evil.example")), false),
            (Some(("sec-fetch-site", "same-origin")), true),
        ] {
            let mut headers = vec![
                ("cookie", cookie.as_str()),
                ("content-type", "application/x-www-form-urlencoded"),
                ("accept", "text/html"),
            ];
            headers.extend(header);
            let reply = send(&server.client(), Method::POST, path, &headers, "name=a").await;
            assert_eq!(reply.status != 403, passes, "{path} {header:?}: {reply}");
        }
    }
}

#[on_each_database]
async fn the_site_that_subscribed_is_shown_as_the_sender(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let cookie = cookie(&server).await;
    let path = format!("/apps/{}/send", app.id);
    for (number, (origin, sender)) in [
        (None, ">通知を許可したサイト<"),
        (Some("null"), ">通知を許可したサイト<"),
        (Some("https://shop.example/x"), ">通知を許可したサイト<"),
        (Some("https://shop.example"), ">shop.example<"),
    ]
    .into_iter()
    .enumerate()
    {
        let headers = [
            ("content-type", "application/json"),
            ("origin", origin.unwrap_or("")),
        ];
        let headers = &headers[..=usize::from(origin.is_some())];
        let body = registration(&format!("https://push.example/{number}")).to_string();
        let registered = send(
            &app.frontend,
            Method::POST,
            "/api/v1/subscriptions",
            headers,
            body,
        );
        assert_eq!(registered.await.status, 201, "{origin:?}");
        let headers = [("cookie", cookie.as_str()), ("accept-language", "ja")];
        let page = send(&server.client(), Method::GET, &path, &headers, "").await;
        assert!(page.text().contains(sender), "{origin:?}: {}", page.text());
    }
}
