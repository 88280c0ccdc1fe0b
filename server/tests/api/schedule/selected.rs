//! Scheduled sends to users and tags: their recipients are those who meet the conditions when they are due (CONTRACT 12, CONTRACT 14).

use std::time::Duration;

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions,
};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{accepted, ahead};
use crate::database::{bytes, execute, value};
use crate::fixtures::{BINARY, app, concurrently, register, start, wait_until};

const HOUR: i64 = 3_600_000;
/// More than are queued as a list.
const CROWD: usize = 520;

/// A server that starts and delivers nothing, and an app with so many subscribers at a push service.
async fn setup(
    database: TestDatabase,
    browsers: usize,
) -> (HatoServer, OwnedApp, PushService, Vec<BrowserSubscription>) {
    let push = PushService::start_with(PushServiceOptions {
        decryption: Decryption::EveryNth(20),
        ..PushServiceOptions::default()
    });
    let push = push.await.expect("a free port");
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), browsers);
    register(&app.backend, &browsers).await;
    (server, app, push, browsers)
}

/// Changes what is known of these browsers, each with the same members.
async fn change(client: &Client, browsers: &[BrowserSubscription], members: &Value) {
    let change = |browser: &BrowserSubscription| {
        let (client, mut change) = (client.clone(), members.clone());
        change["endpoint"] = browser.endpoint.clone().into();
        async move {
            let changed = client.patch("/api/v1/subscriptions", &change).await;
            changed.expect("an answer")
        }
    };
    for share in browsers.chunks(32) {
        for reply in concurrently(share.iter().map(change)).await {
            assert_eq!(reply.status, 200, "{reply}");
        }
    }
}

/// Lets another process start and deliver what is due.
async fn worker(server: &HatoServer) -> HatoServer {
    start(server.launch().clone().env("HATO_ROLE", "worker")).await
}

#[on_each_database(flavor = "multi_thread")]
async fn its_conditions_are_those_of_when_it_is_due(database: TestDatabase) {
    let (server, app, push, all) = setup(database, 6 + CROWD).await;
    let client = &app.backend;
    let (browsers, crowd) = all.split_at(6);
    change(client, &browsers[..3], &json!({"tags": ["news"]})).await;
    change(client, &browsers[2..3], &json!({"add_tags": ["muted"]})).await;
    change(client, &browsers[4..6], &json!({"user_id": "anna"})).await;
    change(client, &browsers[4..5], &json!({"add_tags": ["news"]})).await;
    let at = ahead(1_500);
    let mut sends = Vec::new();
    for to in [
        json!({"tags": "news && !muted"}),
        json!({"user_ids": ["anna"], "tags": "news"}),
        json!({"tags": "crowd"}),
    ] {
        sends.push(accepted(&app, &json!({"send_at": at, "to": to})).await);
    }

    for (number, members) in [
        json!({"add_tags": ["muted"]}),
        json!({"remove_tags": ["news"]}),
        json!({"remove_tags": ["muted"]}),
        json!({"add_tags": ["news"]}),
        json!({"remove_tags": ["news"]}),
        json!({"add_tags": ["news"]}),
    ]
    .iter()
    .enumerate()
    {
        change(client, &browsers[number..=number], members).await;
    }
    change(client, crowd, &json!({"add_tags": ["crowd"]})).await;

    let _worker = worker(&server).await;
    for (send, recipients) in sends.iter().zip([3, 1, CROWD]) {
        let done = wait_until(&app.owner, send, |it| it["status"] == "done").await;
        assert_eq!(
            (&done["recipients"], &done["sent_count"]),
            (&json!(recipients), &json!(recipients))
        );
    }
    let got = |browser: &BrowserSubscription| push.seen(|seen| seen.counts(&browser.id).created);
    assert_eq!(
        browsers.iter().map(got).collect::<Vec<_>>(),
        [0, 0, 1, 1, 0, 2]
    );
    assert!(crowd.iter().all(|browser| got(browser) == 1));
    push.assert_no_violations();
}

/// Waits until the query finds what is at least this.
async fn wait_for_value(server: &HatoServer, query: &str, least: i64) {
    let asking = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        while value::<i64>(server, query).await < least {
            ticks.tick().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_mins(1), asking).await;
    in_time.expect(query);
}

#[on_each_database]
async fn one_whose_recipients_cannot_be_read_is_put_off_and_not_lost(database: TestDatabase) {
    let (server, app, push, browsers) = setup(database, 2).await;
    change(&app.backend, &browsers[..1], &json!({"tags": ["news"]})).await;
    let at = ahead(1_000);
    let send = accepted(&app, &json!({"send_at": at, "to": {"tags": "news"}})).await;
    let kept: Vec<u8> = value(&server, "SELECT positions FROM tag_positions").await;
    let write = |positions: &[u8]| {
        let positions = bytes(&server, positions);
        format!("UPDATE tag_positions SET positions = {positions}")
    };
    execute(&server, &write(&[1])).await;
    let _worker = worker(&server).await;
    wait_for_value(&server, "SELECT waits_until FROM sends", at + HOUR).await;
    let item = wait_until(&app.owner, &send, Value::is_object).await;
    assert_eq!(item["status"], "scheduled");

    execute(&server, &write(&kept)).await;
    execute(&server, "UPDATE sends SET waits_until = send_at").await;
    let done = wait_until(&app.owner, &send, |it| it["status"] == "done").await;
    assert_eq!(done["sent_count"], 1);
    assert_eq!(push.seen(|seen| seen.total.created), 1);
}
