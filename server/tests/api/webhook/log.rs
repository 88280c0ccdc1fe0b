//! The dashboard's log of attempts, and posting an event again from it.

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::ServerLaunch;
use hato_testkit::webhook_receiver::ReceiverResponse;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use super::WebhookFixture;
use crate::fixtures::{BINARY, send, wait_until_shown};

/// The cookie of the owner's browser.
async fn cookie(fixture: &WebhookFixture) -> String {
    let client = fixture.server.client();
    let session = client.log_in("owner@example.com", PASSWORD).await;
    format!("hato_session={}", session.expect("a session"))
}

#[on_each_database]
async fn without_retries_an_attempt_is_the_last_one(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_WEBHOOK_RETRY_DELAYS", "none");
    let fixture = WebhookFixture::with(launch).await;
    fixture
        .receiver
        .script([ReceiverResponse::Text(503, "no more".into())]);
    fixture.send().await;
    let cookie = cookie(&fixture).await;
    let headers = [("cookie", cookie.as_str()), ("accept-language", "en")];
    let page = format!("/apps/{}/webhook", fixture.app.id);
    let client = fixture.server.client();
    let shown = wait_until_shown(&client, &page, &headers, "no more").await;
    assert!(!shown.contains("again at"), "{shown}");
}

#[on_each_database]
async fn attempts_are_shown_and_their_events_posted_again(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let client = fixture.server.client();
    let cookie = cookie(&fixture).await;
    let headers = [
        ("cookie", cookie.as_str()),
        ("accept-language", "en"),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let page = format!("/apps/{}/webhook", fixture.app.id);
    fixture
        .receiver
        .script([ReceiverResponse::Text(503, "out for <lunch>".into())]);
    let sent = fixture.send().await;
    let event = fixture.events(1).await.remove(0).id();
    let shown = wait_until_shown(&client, &page, &headers, &event).await;
    for text in [
        "send.completed",
        "503",
        "out for &lt;lunch&gt;",
        "next attempt",
    ] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
    let came = fixture.receiver.seen().remove(0);
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let line = format!("{name}: {}", came.header(name));
        assert!(shown.contains(&line), "{line} in {shown}");
    }
    let request = format!("{page}?event={event}");
    let shown = wait_until_shown(&client, &request, &headers, &sent).await;
    let body = came.body.replace('"', "&quot;");
    assert!(
        shown.contains(&came.body) || shown.contains(&body),
        "{body} in {shown}"
    );

    let form = format!("app={}&event={event}", fixture.app.id);
    let path = "/_app/resend_event";
    let reply = send(&client, Method::POST, path, &headers, form).await;
    assert_eq!(reply.status, 303, "{reply}");
    let events = fixture.events(2).await;
    assert_eq!(events[1].id(), event);
    wait_until_shown(&client, &page, &headers, "204").await;
    assert_eq!(events[0].json()["data"]["recipients"], json!(0));
}
