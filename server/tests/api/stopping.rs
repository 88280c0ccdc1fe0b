//! A stop, in time whatever is under way (CONTRACT 1).

use std::time::Duration;

use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::time::timeout;

use crate::fixtures::{BINARY, app, post, register, start};
use crate::held_requests::hold_requests;

/// How long a server may take from SIGTERM to its end.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

#[on_each_database(flavor = "multi_thread")]
async fn neither_a_silent_push_service_nor_a_client_holds_up_the_end(database: TestDatabase) {
    let push = PushService::start().await;
    let mut server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 5);
    register(&app.frontend, &browsers).await;
    push.respond_by_default(ScriptedResponse::Hang);
    let message = json!({"title": "t", "body": "b"});
    assert_eq!(
        post(&app.backend, "/api/v1/notify", &message).await.status,
        202
    );
    push.wait_until(|seen| seen.total.requests == 5).await;
    let key = app.owner.create_key(&app.id, "held", "notify").await;
    let _held = hold_requests(&server, &key.expect("a key"), 1, None).await;

    let ended = timeout(STOP_TIMEOUT, server.terminate()).await;
    let ended = ended.unwrap_or_else(|_| panic!("it still runs: {}", server.log()));
    let status = ended.expect("it stops");
    assert_eq!(status.code(), Some(0), "{}", server.log());
}
