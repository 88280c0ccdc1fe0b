//! Without file descriptors no event reaches its receiver, and none is lost.

use std::collections::HashSet;

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::server::ServerLaunch;
use hato_testkit::webhook_receiver::{Event, ReceiverResponse};
use hato_testkit::{TestDatabase, on_each_database};
use rustix::process::Resource;

use super::WebhookFixture;
use crate::database::DatabaseConnection;
use crate::fixtures::{BINARY, wait_until_logged};
use crate::process::limit;

const EVENTS: usize = 2;

const ATTEMPTS: &str = "SELECT COUNT(*) FROM webhook_attempts";

#[on_each_database(flavor = "multi_thread")]
async fn what_cannot_be_posted_without_file_descriptors_is_posted_with_them(
    database: TestDatabase,
) {
    let waits = ["3s"; 20].join(",");
    let launch = ServerLaunch::on(BINARY, database).env("HATO_WEBHOOK_RETRY_DELAYS", waits);
    let fixture = WebhookFixture::with(launch).await;
    // No connection is kept that could be used without another descriptor.
    fixture
        .receiver
        .script([ReceiverResponse::Close, ReceiverResponse::Close]);
    fixture.subscribe(ScriptedResponse::Created).await;
    let mut connection = DatabaseConnection::to(&fixture.server).await;
    fixture.send().await;
    connection
        .wait_for_count(ATTEMPTS, |count| count >= 2)
        .await;
    let usual = limit(&fixture.server, Resource::Nofile, Some(3));
    connection
        .wait_for_count(ATTEMPTS, |count| count >= 4)
        .await;
    assert_eq!(fixture.receiver.seen().len(), EVENTS, "nothing is posted");
    let said = fixture.server.log();
    assert_eq!(said.matches("webhooks fail on this machine").count(), 1);
    assert!(said.contains("Too many open files"), "{said}");
    limit(&fixture.server, Resource::Nofile, usual);

    let posted = fixture.events(2 * EVENTS).await;
    wait_until_logged(&fixture.server, "webhooks are posted again").await;
    let ids = |events: &[Event]| events.iter().map(Event::id).collect::<HashSet<_>>();
    assert_eq!(ids(&posted[EVENTS..2 * EVENTS]), ids(&posted[..EVENTS]));
}
