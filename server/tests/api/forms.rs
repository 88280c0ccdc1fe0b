//! Forms of the dashboard that cannot be read or name nothing, and where browsers are led (CONTRACT 2, 11).

use bytes::Bytes;
use hato_domain::wire::MAX_BODY_BYTES;
use hato_testkit::client::Reply;
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{AUTH, BINARY, P256DH, app, send, setup, start, wait_until_logged};

/// Every server function that a form or a script posts to.
const FORMS: [&str; 36] = [
    "change_password",
    "logout_everywhere",
    "delete_account",
    "create_app",
    "rename_app",
    "change_messages",
    "delete_app",
    "make_icon",
    "delete_picture",
    "register",
    "login",
    "logout",
    "create_key",
    "create_embed_key",
    "delete_key",
    "language",
    "conclude_review",
    "reject_app",
    "cancel_send",
    "send_test",
    "send_draft_to_me",
    "count_recipients",
    "subscribe_browser",
    "unsubscribe_browser",
    "remove_subscriber",
    "remove_subscribers",
    "send_test_to",
    "set_webhook",
    "clear_webhook",
    "rotate_webhook_secret",
    "enable_webhook",
    "send_test_event",
    "resend_event",
    "operator_set_plan",
    "operator_set_password",
    "operator_create_account",
];

const PAGE: (&str, &str) = ("accept", "text/html");
const SCRIPT: (&str, &str) = ("accept", "application/json");
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

async fn post_form(
    server: &HatoServer,
    form: &str,
    headers: &[(&'static str, &str)],
    body: impl Into<Bytes>,
) -> Reply {
    let path = format!("/_app/{form}");
    send(&server.client(), Method::POST, &path, headers, body).await
}

#[tokio::test]
async fn a_form_that_cannot_be_read_is_its_senders_mistake() {
    let launch = ServerLaunch::new(BINARY).env("HATO_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = start(launch).await;
    let malformed = FORMS.map(|form| (form, &b"\xff\xff"[..])).into_iter();
    let misused = [
        ("login", &b"email=a&email=b"[..]),
        ("login", b"email[]=1"),
        ("register", b"password[a]=1"),
        ("language", b"lang=en&lang=ja"),
        ("create_app", b"name[a][b]=1"),
        ("conclude_review", b"decisions=1"),
    ];
    for (number, (form, body)) in malformed.chain(misused).enumerate() {
        // Limits of logins and registrations are for each client.
        let client = format!("192.0.2.{number}");
        for accept in [PAGE, SCRIPT, ("accept", "*/*")] {
            let headers = [accept, OWN, ("x-forwarded-for", client.as_str())];
            let reply = post_form(&server, form, &headers, body).await;
            assert_eq!(reply.status, 400, "{form} {accept:?}: {reply}");
            assert_eq!(reply.header("location"), None, "{form} {accept:?}");
            if accept == SCRIPT {
                assert_eq!(reply.json(), json!("INVALID_INPUT"), "{form}");
            } else {
                let page = reply.text();
                assert!(page.contains("<html") && page.contains("INVALID_INPUT"));
            }
            assert_logged(&server, &reply, "status=400 code=\"INVALID_INPUT\"").await;
        }
    }
}

/// The decoder of forms calls itself for each level that a name has, and lets them have more of them the more names there are.
#[tokio::test]
async fn a_form_with_names_of_thousands_of_levels_is_its_senders_mistake() {
    let server = start(ServerLaunch::new(BINARY)).await;
    let names = "a&".repeat(50_000);
    for level in ["[a]", "[0]", "%5Ba]", "[a%5D", "[a=]"] {
        for stem in ["lang", "", "lang[a=]", "lang%5Ba=%5D"] {
            let room = MAX_BODY_BYTES - names.len() - stem.len() - "=".len();
            let levels = level.repeat(room / level.len());
            let body = format!("{names}{stem}{levels}=");
            let reply = post_form(&server, "language", &[SCRIPT, OWN], body).await;
            assert_eq!(reply.status, 400, "{stem}{level}: {reply}");
        }
    }
    let health = server.client().get("/healthz").await.expect("an answer");
    assert_eq!(health.status, 200);
}

async fn assert_logged(server: &HatoServer, reply: &Reply, answer: &str) {
    let id = reply.header("x-request-id").expect("an id");
    wait_until_logged(server, id).await;
    let log = server.log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains(id)).collect();
    assert!(lines.len() == 1 && lines[0].contains(answer), "{lines:?}");
}

#[tokio::test]
async fn a_form_that_nothing_reads_is_not_found() {
    let (server, _app) = setup(TestDatabase::sqlite().await).await;
    for accept in [PAGE, SCRIPT] {
        let reply = post_form(&server, "nothing", &[accept], "a=b").await;
        assert_eq!(reply.status, 404, "{reply}");
        let text = reply.text();
        assert!(
            text.contains("NOT_FOUND") && !text.contains("server function"),
            "{text}"
        );
        assert_logged(&server, &reply, "status=404 code=\"NOT_FOUND\"").await;
    }
}

#[tokio::test]
async fn a_browser_is_led_to_our_pages_whatever_it_says_of_its_own() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("a session"));
    let body = format!(
        "app={}&endpoint=https%3A%2F%2Fpush.example.com%2F1&p256dh={P256DH}&auth={AUTH}",
        app.id
    );
    let here = server.url();
    for (referer, expected) in [
        (format!("{here}/apps/app_1?a=b#c"), "/apps/app_1?a=b"),
        ("http://localhost:3000/account".to_owned(), "/account"),
        ("https://evil.example/account".to_owned(), "/apps"),
        (format!("{here}.evil.example/account"), "/apps"),
        (format!("{here}//evil.example"), "/apps"),
        (format!("{here}/_app/logout"), "/apps"),
        ("javascript:alert(1)".to_owned(), "/apps"),
    ] {
        let headers = [PAGE, OWN, ("cookie", &cookie), ("referer", &referer)];
        let reply = post_form(&server, "subscribe_browser", &headers, body.clone()).await;
        assert!(reply.status.is_redirection(), "{referer}: {reply}");
        assert_eq!(reply.header("location"), Some(expected), "{referer}");
    }
}

#[tokio::test]
async fn a_refusal_that_is_a_page_has_its_code_in_the_log() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("a session"));
    let draft = format!("/apps/{}/send", app.id);
    let stranger = ("sec-fetch-site", "cross-site");
    for (method, path, header, answer) in [
        (Method::GET, "/nothing", PAGE, "404 code=\"NOT_FOUND\""),
        (Method::GET, "/auth/nothing", PAGE, "404 code=\"NOT_FOUND\""),
        (Method::GET, "/apps/app_1", PAGE, "404 code=\"NOT_FOUND\""),
        (
            Method::POST,
            "/_app/logout",
            stranger,
            "403 code=\"INVALID_ORIGIN\"",
        ),
        (Method::POST, &draft, OWN, "400 code=\"MISSING_FIELDS\""),
    ] {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let headers = [("cookie", cookie.as_str()), form, header];
        let reply = send(&server.client(), method, path, &headers, "step=review").await;
        assert!(reply.text().contains("<html"), "{path}: {reply}");
        assert_logged(&server, &reply, &format!("status={answer}")).await;
    }
}

#[on_each_database]
async fn test_events_that_nobody_takes_do_not_pile_up(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api");
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let hook = json!({"webhook_url": "https://hooks.example.com/1"});
    let path = format!("/api/v1/apps/{}", app.id);
    let set = app.owner.patch(&path, &hook).await;
    assert_eq!(set.expect("an answer").status, 200);
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("a session"));
    let headers = [PAGE, OWN, ("cookie", cookie.as_str())];
    let press = async || {
        let body = format!("app={}", app.id);
        let reply = post_form(&server, "send_test_event", &headers, body).await;
        reply.header("location").expect("a page").to_owned()
    };
    for _ in 0..100 {
        let page = press().await;
        assert!(page.contains("/webhook?done=queued&"), "{page}");
    }
    let page = press().await;
    assert!(page.contains("error=RATE_LIMITED"), "{page}");
}
