//! What an app's webhook is told of the end of scheduled sends that reach nobody (CONTRACT 8, CONTRACT 14).

use hato_domain::UnixMillis;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::webhook_receiver::WebhookReceiver;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{accepted, ahead};
use crate::database::execute;
use crate::fixtures::{BINARY, app, register, start};

/// A server that delivers, and an app with a webhook and one subscriber.
async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp, PushService, WebhookReceiver) {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let launch = ServerLaunch::on(BINARY, database)
        .with_push_service(&push)
        .env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 1);
    register(&app.backend, &browsers).await;
    let (path, hook) = (
        format!("/api/v1/apps/{}", app.id),
        json!({"webhook_url": receiver.url()}),
    );
    let set = app.owner.patch(&path, &hook).await;
    assert_eq!(set.expect("an answer").status, 200);
    (server, app, push, receiver)
}

/// What the first event says, which is the end of a send.
async fn completed(receiver: &WebhookReceiver) -> Value {
    receiver.wait_until(|seen| !seen.is_empty()).await;
    let events = receiver.take();
    assert_eq!(
        (events.len(), events[0].kind().as_str()),
        (1, "send.completed")
    );
    events[0].json()["data"].take()
}

/// The end of the send at this path, which has reached nobody.
fn nobody(app: &OwnedApp, path: &str) -> Value {
    let send = path.rsplit('/').next();
    json!({
        "app_id": app.id, "send_id": send, "recipients": 0, "sent_count": 0, "failed_expired": 0,
        "failed_other": 0, "skipped_count": 0, "cancelled_count": 0,
    })
}

/// Fills the account's month on the plan that has a limit, which has no webhooks; the other plan is back when a send is refused.
async fn fill_month(server: &HatoServer) {
    let month = UnixMillis(ahead(0)).month();
    let trigger = if server.database().is_postgres() {
        "CREATE FUNCTION upgrade() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN UPDATE accounts SET plan = 'pro'; RETURN NEW; END $$;
         CREATE TRIGGER upgrade AFTER UPDATE ON sends FOR EACH ROW
         WHEN (NEW.refused_reason IS NOT NULL) EXECUTE FUNCTION upgrade()"
    } else {
        "CREATE TRIGGER upgrade AFTER UPDATE ON sends WHEN NEW.refused_reason IS NOT NULL
         BEGIN UPDATE accounts SET plan = 'pro'; END"
    };
    let statements = format!(
        "UPDATE accounts SET plan = 'free';
         INSERT INTO monthly_usage (account_id, month, recipients)
         SELECT id, {0}, 30000 FROM accounts UNION SELECT id, {0} + 1, 30000 FROM accounts;
         {trigger}",
        month.0
    );
    execute(server, &statements).await;
}

#[on_each_database]
async fn a_refused_one_says_that_it_is_and_why(database: TestDatabase) {
    let (server, app, push, receiver) = setup(database).await;
    fill_month(&server).await;
    let path = accepted(&app, &json!({"send_at": ahead(1_000)})).await;
    let mut expected = nobody(&app, &path);
    expected["status"] = json!("refused");
    expected["refused_reason"] = json!("MONTHLY_LIMIT_EXCEEDED");
    assert_eq!(completed(&receiver).await, expected);
    assert_eq!(push.seen(|seen| seen.total.requests), 0);
}

#[on_each_database]
async fn those_that_are_cancelled_or_for_nobody_are_told_without(database: TestDatabase) {
    let (_server, app, push, receiver) = setup(database).await;
    let cancelled = accepted(&app, &json!({"send_at": ahead(3_600_000)})).await;
    assert_eq!(
        app.owner
            .delete(&cancelled)
            .await
            .expect("an answer")
            .status,
        200
    );
    assert_eq!(completed(&receiver).await, nobody(&app, &cancelled));

    let members = json!({"send_at": ahead(1_000), "to": {"tags": "unknown"}});
    let for_nobody = accepted(&app, &members).await;
    assert_eq!(completed(&receiver).await, nobody(&app, &for_nobody));
    assert_eq!(push.seen(|seen| seen.total.requests), 0);
}
