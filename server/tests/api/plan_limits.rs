//! What the Free plan allows is exact, also for requests at the same time (SPEC 8).

use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::database::execute;
use crate::fixtures::{
    BINARY, app, concurrently, count, get, post, registration, snapshot, start, status_and_code,
    subscribe,
};

const NOTIFY: &str = "/api/v1/notify";
const BATCH: &str = "/api/v1/notify/batch";

/// A server that delivers nothing, and an app with subscribers.
async fn setup(database: TestDatabase, subscribers: usize) -> (HatoServer, OwnedApp, Vec<String>) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let endpoints = subscribe(&app, subscribers).await;
    (server, app, endpoints)
}

/// The statuses of the same request made 16 times at once, counted: of `good` and of `bad`.
async fn sixteen(
    client: &Client,
    path: &str,
    body: impl Fn(usize) -> Value,
    good: u16,
    bad: u16,
) -> (usize, usize) {
    let replies = concurrently((0..16).map(|number| {
        let (client, path, body) = (client.clone(), path.to_owned(), body(number));
        async move { post(&client, &path, &body).await }
    }));
    let replies = replies.await;
    (count(&replies, good), count(&replies, bad))
}

#[on_each_database]
async fn of_sixteen_apps_one_is_made(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let session = server
        .client()
        .register_account("a@example.com", "a long password")
        .await;
    let owner = server.client().bearer(&session.expect("a session"));
    let body = |number: usize| json!({"name": number.to_string()});
    assert_eq!(
        sixteen(&owner, "/api/v1/apps", body, 201, 403).await,
        (1, 15)
    );
    let refusal = post(&owner, "/api/v1/apps", &body(16)).await;
    assert_eq!(
        status_and_code(&refusal),
        (403, "PLAN_LIMIT_EXCEEDED".into())
    );
    let apps = get(&owner, "/api/v1/apps").await.json();
    assert_eq!(apps.as_array().map(Vec::len), Some(1));
    let path = format!("/api/v1/apps/{}", apps[0]["appId"].as_str().expect("an id"));
    assert_eq!(owner.delete(&path).await.expect("an answer").status, 200);
    assert_eq!(post(&owner, "/api/v1/apps", &body(17)).await.status, 201);
}

fn new_browser(number: usize) -> Value {
    registration(&format!("https://push.example.com/new/{number}"))
}

async fn active(app: &OwnedApp) -> Value {
    snapshot(app).await["app"]["active_subscriptions"].clone()
}

#[on_each_database]
async fn of_sixteen_browsers_at_999_one_is_registered(database: TestDatabase) {
    let (_server, app, _) = setup(database, 999).await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    assert_eq!(
        sixteen(&app.frontend, &path, new_browser, 201, 429).await,
        (1, 15)
    );
    assert_eq!(active(&app).await, 1_000);
    let stats = snapshot(&app).await["stats"].clone();
    assert_eq!(stats["activeSubscribers"], 1_000);
}

#[on_each_database]
async fn only_a_new_browser_in_the_apps_path_is_too_many(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 1_000).await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let before = snapshot(&app).await;
    let reply = post(&app.frontend, &path, &new_browser(1)).await;
    assert_eq!(
        status_and_code(&reply),
        (429, "SUBSCRIBER_LIMIT_EXCEEDED".into())
    );
    assert_eq!(snapshot(&app).await, before);

    let known = registration(&endpoints[0]);
    assert_eq!(post(&app.frontend, &path, &known).await.status, 200);
    let elsewhere = post(&app.frontend, "/api/v1/subscriptions", &new_browser(2)).await;
    assert_eq!(elsewhere.status, 201, "{elsewhere}");
    assert_eq!(active(&app).await, 1_001);

    for (endpoint, status) in [(&endpoints[0], 429), (&endpoints[1], 201)] {
        let gone = json!({"endpoint": endpoint});
        app.frontend
            .delete_with(&path, &gone)
            .await
            .expect("an answer");
        assert_eq!(
            post(&app.frontend, &path, &new_browser(3)).await.status,
            status
        );
    }
    // Who was there before is not new: the limit is not asked.
    for endpoint in &endpoints[..2] {
        assert_eq!(
            post(&app.frontend, &path, &registration(endpoint))
                .await
                .status,
            200
        );
    }
    assert_eq!(active(&app).await, 1_002);
}

fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

async fn monthly(app: &OwnedApp) -> Value {
    snapshot(app).await["stats"]["monthlySent"].clone()
}

#[on_each_database]
async fn a_month_is_never_overshot_and_a_send_is_refused_whole(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 1_000).await;
    for _ in 0..28 {
        assert_eq!(post(&app.backend, NOTIFY, &message()).await.status, 202);
    }
    let hundred = json!({"endpoints": endpoints[..100], "payload": message()});
    assert_eq!(post(&app.backend, BATCH, &hundred).await.status, 202);
    let broadcast = format!("/api/v1/apps/{}/notify", app.id);
    assert_eq!(
        sixteen(&app.admin, &broadcast, |_| message(), 202, 429).await,
        (1, 15)
    );
    assert_eq!(monthly(&app).await, 29_100);

    let before = snapshot(&app).await;
    for (client, path) in [(&app.backend, NOTIFY), (&app.owner, &broadcast)] {
        let reply = post(client, path, &message()).await;
        assert_eq!(
            status_and_code(&reply),
            (429, "MONTHLY_LIMIT_EXCEEDED".into())
        );
        assert_eq!(reply.header("retry-after"), None);
    }
    assert_eq!(snapshot(&app).await, before);

    let batches = sixteen(&app.backend, BATCH, |_| hundred.clone(), 202, 429);
    assert_eq!(batches.await, (9, 7));
    assert_eq!(monthly(&app).await, 30_000);
}

#[on_each_database]
async fn a_month_that_is_used_up_takes_no_more_recipients(database: TestDatabase) {
    let (server, app, endpoints) = setup(database, 1).await;
    assert_eq!(post(&app.backend, NOTIFY, &message()).await.status, 202);
    execute(&server, "UPDATE monthly_usage SET recipients = 30000").await;
    let to = |endpoint: &str| json!({"title": "t", "body": "b", "endpoint": endpoint});
    let batch = |endpoint: &str| json!({"endpoints": [endpoint], "payload": message()});
    for (path, body) in [(NOTIFY, to(&endpoints[0])), (BATCH, batch(&endpoints[0]))] {
        let reply = post(&app.backend, path, &body).await;
        assert_eq!(
            status_and_code(&reply),
            (429, "MONTHLY_LIMIT_EXCEEDED".into()),
            "{path}"
        );
    }
    let nobody = "https://push.example.com/nobody";
    let reply = post(&app.backend, NOTIFY, &to(nobody)).await;
    assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()));
    let reply = post(&app.backend, BATCH, &batch(nobody)).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["queued"]),
        (202, &json!(0))
    );
}

#[on_each_database]
async fn sends_that_cost_nothing_are_counted_too(database: TestDatabase) {
    let (server, app, endpoints) = setup(database.another().await, 1).await;
    let nobody = json!({"endpoints": ["https://push.example.com/nobody"], "payload": message()});
    let mut later = message();
    later["send_at"] = (SystemClock.now().0 + 3_600_000).into();
    assert_eq!(post(&app.backend, BATCH, &nobody).await.status, 202);
    execute(&server, "UPDATE monthly_usage SET uncharged_sends = 29998").await;
    assert_eq!(post(&app.backend, NOTIFY, &later).await.status, 202);
    assert_eq!(
        sixteen(&app.backend, BATCH, |_| nobody.clone(), 202, 429).await,
        (1, 15)
    );
    let before = snapshot(&app).await;
    for (path, body) in [(NOTIFY, &later), (BATCH, &nobody)] {
        let refused = post(&app.backend, path, body).await;
        let expected = (429, "MONTHLY_LIMIT_EXCEEDED".into());
        assert_eq!(status_and_code(&refused), expected, "{path}");
    }
    assert_eq!(snapshot(&app).await, before);
    // The month of recipients is another matter.
    let batch = json!({"endpoints": [endpoints[0]], "payload": message()});
    assert_eq!(post(&app.backend, BATCH, &batch).await.status, 202);
    assert_eq!(monthly(&app).await, 1);

    let launch = ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro");
    let pro = start(launch).await;
    let app = crate::fixtures::app(&pro, "owner@example.com").await;
    assert_eq!(post(&app.backend, BATCH, &nobody).await.status, 202);
    execute(&pro, "UPDATE monthly_usage SET uncharged_sends = 30000").await;
    assert_eq!(post(&app.backend, BATCH, &nobody).await.status, 202);
}

#[on_each_database]
async fn what_was_counted_stays_counted(database: TestDatabase) {
    let (server, app, _) = setup(database, 3).await;
    let sent = post(&app.backend, NOTIFY, &message()).await.json();
    let path = format!("/api/v1/apps/{}", app.id);
    let of_send = format!(
        "{path}/notifications/{}",
        sent["send_id"].as_str().expect("an id")
    );
    app.owner.delete(&of_send).await.expect("an answer");
    assert_eq!(monthly(&app).await, 3);
    app.owner.delete(&path).await.expect("an answer");
    app.owner.create_app("Another").await.expect("an app");
    let stats = get(&app.owner, "/api/v1/stats").await.json();
    assert_eq!(
        (&stats["monthlySent"], &stats["monthlyLimit"]),
        (&json!(3), &json!(30_000))
    );
    assert_eq!(stats["totalSent"], 0);

    execute(&server, "UPDATE monthly_usage SET month = month - 1").await;
    assert_eq!(
        get(&app.owner, "/api/v1/stats").await.json()["monthlySent"],
        0
    );
}

#[on_each_database]
async fn the_month_is_the_accounts_whatever_the_app(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_ROLE", "api")
        .env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let first = app(&server, "owner@example.com").await;
    let second = first.owner.create_app("Second").await.expect("an app");
    let second = second["appId"].as_str().expect("an id").to_owned();
    let key = first
        .owner
        .create_key(&second, "key", "full")
        .await
        .expect("a key");
    let second_admin = server.client().bearer(&key);
    subscribe(&first, 2).await;
    post(&second_admin, "/api/v1/subscriptions", &new_browser(1)).await;
    execute(&server, "UPDATE accounts SET plan = 'free'").await;
    post(&first.backend, NOTIFY, &message()).await;
    execute(
        &server,
        "UPDATE monthly_usage SET recipients = recipients + 29997",
    )
    .await;
    let reply = post(&first.backend, NOTIFY, &message()).await;
    assert_eq!(
        status_and_code(&reply),
        (429, "MONTHLY_LIMIT_EXCEEDED".into())
    );
    assert_eq!(post(&second_admin, NOTIFY, &message()).await.status, 202);
    let reply = post(&second_admin, NOTIFY, &message()).await;
    assert_eq!(
        status_and_code(&reply),
        (429, "MONTHLY_LIMIT_EXCEEDED".into())
    );
    for client in [&first.admin, &second_admin] {
        assert_eq!(
            get(client, "/api/v1/stats").await.json()["monthlySent"],
            30_000
        );
    }
}

#[on_each_database]
async fn pro_has_none_of_these_limits(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_ROLE", "api")
        .env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 1_000).await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    assert_eq!(
        sixteen(&app.frontend, &path, new_browser, 201, 429).await,
        (16, 0)
    );
    for _ in 0..30 {
        assert_eq!(post(&app.backend, NOTIFY, &message()).await.status, 202);
    }
    let stats = snapshot(&app).await["stats"].clone();
    assert_eq!(
        (&stats["monthlySent"], &stats["monthlyLimit"]),
        (&json!(30_480), &Value::Null)
    );
}
