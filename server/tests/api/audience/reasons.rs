//! Why a subscription is not active.

use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use http::Method;

use super::*;
use crate::fixtures::{BINARY, app, register, send, start, wait_until};

async fn broadcast(app: &OwnedApp) {
    let message = json!({"title": "t", "body": "b"});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    let id = reply.json()["send_id"]
        .as_str()
        .expect("accepted")
        .to_owned();
    let item = path(app, &format!("notifications/{id}"));
    wait_until(&app.owner, &item, |it| it["status"] == "done").await;
}

#[on_each_database]
async fn each_reason_is_told(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let (app, other) = (
        app(&server, "owner@example.com").await,
        app(&server, "other@example.com").await,
    );
    let mut browsers = push.subscribe_many(Some(&app.vapid_public_key), 4);
    browsers.push(push.subscribe(Some(&other.vapid_public_key)));
    register(&app.backend, &browsers).await;
    push.always_respond(&browsers[2], ScriptedResponse::Status(410));
    push.always_respond(&browsers[3], ScriptedResponse::Status(400));

    let gone = json!({"endpoint": browsers[0].endpoint}).to_string();
    let subscriptions = path(&app, "subscriptions");
    let left = send(&app.frontend, Method::DELETE, &subscriptions, &[], gone).await;
    assert_eq!(left.status, 200, "{left}");
    let mut new = push.subscribe(Some(&app.vapid_public_key)).registration();
    new["replaces"] = browsers[1].endpoint.clone().into();
    let renewed = post(&app.backend, "/api/v1/subscriptions", &new).await;
    assert_eq!(renewed.status, 201, "{renewed}");
    broadcast(&app).await;
    // As if it had been the fourth in a row, and yesterday.
    let earlier = "UPDATE refusals SET sends = 4, days = 2, last_day = last_day - 1";
    execute(&server, earlier).await;
    broadcast(&app).await;

    let list = path(&app, "subscriptions?state=deactivated");
    let page = get(&app.admin, &list).await.json();
    let items = page["items"].as_array().expect("a list");
    for (browser, reason) in browsers.iter().zip([
        "unsubscribed",
        "replaced",
        "expired",
        "refused",
        "key_mismatch",
    ]) {
        let found = items.iter().find(|it| it["endpoint"] == browser.endpoint);
        let item = found.unwrap_or_else(|| panic!("{reason} is not listed: {page}"));
        assert_eq!(
            (&item["state"], &item["reason"]),
            (&json!("deactivated"), &json!(reason))
        );
        assert!(item["deactivated_at"].is_i64(), "{item}");
    }
    assert_eq!(items.len(), browsers.len(), "{page}");
}
