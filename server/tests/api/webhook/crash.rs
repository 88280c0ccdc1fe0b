//! SIGKILL between settling and posting, and between an answer and its record: the same event again, never none.

use std::sync::Arc;

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::webhook_receiver::{Event, ReceiverResponse};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::WebhookFixture;
use crate::database::{DatabaseConnection, values};
use crate::fixtures::{BINARY, wait_until_logged};

/// The ids of the events that wait for their first attempt, in the order of settlement.
async fn waiting(fixture: &WebhookFixture) -> Vec<String> {
    let waiting = "SELECT public_id FROM webhook_events WHERE due_at IS NOT NULL AND attempts = 0 ORDER BY id";
    values(&fixture.server, waiting).await
}

/// Lets nobody record an attempt until it is closed.
async fn locked(server: &HatoServer) -> DatabaseConnection {
    let mut connection = DatabaseConnection::to(server).await;
    let lock = match connection {
        DatabaseConnection::Sqlite(_) => "BEGIN IMMEDIATE",
        DatabaseConnection::Postgres(_) => "BEGIN; LOCK TABLE webhook_attempts IN SHARE MODE",
    };
    connection.execute(lock).await;
    connection
}

#[on_each_database(flavor = "multi_thread")]
async fn what_was_settled_and_not_posted_is_posted_after_a_restart(database: TestDatabase) {
    let mut fixture = WebhookFixture::new(database).await;
    fixture.subscribe(ScriptedResponse::Created).await;
    // Connections are taken by the system, and nobody ever speaks on them.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("it is bound");
    fixture.set_webhook(&format!("https://{address}/")).await;
    let send = fixture.send().await;
    let settled = waiting(&fixture).await;
    fixture.server.kill().await;
    assert_eq!(waiting(&fixture).await, settled, "nothing was posted");
    fixture.server.restart().await.expect("it starts again");
    fixture.set_webhook(fixture.receiver.url()).await;
    let events = fixture.events(2).await;
    let kinds: Vec<_> = events.iter().map(Event::kind).collect();
    assert_eq!(kinds, ["delivery.results", "send.completed"]);
    let ids: Vec<_> = events.iter().map(Event::id).collect();
    assert_eq!(ids, settled);
    for event in events {
        assert_eq!(event.json()["data"]["send_id"], send);
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn what_was_answered_and_not_recorded_is_posted_again_under_its_id(database: TestDatabase) {
    let log = "hato_delivery=debug,info";
    let mut fixture =
        WebhookFixture::with(ServerLaunch::on(BINARY, database).env("HATO_LOG", log)).await;
    let answers = Arc::new(Semaphore::new(0));
    fixture
        .receiver
        .script([ReceiverResponse::When(Arc::clone(&answers))]);
    fixture.send().await;
    let before = fixture.events(1).await.remove(0);
    let lock = locked(&fixture.server).await;
    answers.add_permits(1);
    wait_until_logged(&fixture.server, "an event was posted").await;
    fixture.server.kill().await;
    lock.close().await;
    fixture.server.restart().await.expect("it starts again");
    let after = fixture.events(2).await.remove(1);
    assert_eq!(after.id(), before.id());
    assert_eq!(after.body, before.body);
}
