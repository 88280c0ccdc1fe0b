//! SIGKILL between settling and posting, and between an answer and its record: the same event again, never none.

use std::sync::Arc;

use hato_testkit::push_service::Answer;
use hato_testkit::server::Launch;
use hato_testkit::webhook_receiver::{Event, Reaction};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::Scene;
use crate::stage::{BINARY, database, until_logged};

/// The ids of the events that wait for their first attempt, in the order of settlement.
async fn waiting(scene: &Scene) -> Vec<String> {
    let mut database = database(&scene.server).await;
    let waiting = sqlx::query_scalar(
        "SELECT public_id FROM webhook_events WHERE due_at IS NOT NULL AND attempts = 0 ORDER BY id",
    );
    let waiting = waiting.fetch_all(&mut database).await;
    waiting.expect("events")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_settled_and_not_posted_is_posted_after_a_restart() {
    let mut scene = Scene::new().await;
    scene.subscribe(Answer::Created).await;
    // Connections are taken by the system, and nobody ever speaks on them.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("it is bound");
    scene.point(&format!("https://{address}/")).await;
    let send = scene.send().await;
    let settled = waiting(&scene).await;
    scene.server.kill9().await;
    assert_eq!(waiting(&scene).await, settled, "nothing was posted");
    scene.server.restart().await.expect("it starts again");
    scene.point(scene.receiver.url()).await;
    let events = scene.events(2).await;
    let kinds: Vec<_> = events.iter().map(Event::kind).collect();
    assert_eq!(kinds, ["delivery.results", "send.completed"]);
    let ids: Vec<_> = events.iter().map(Event::id).collect();
    assert_eq!(ids, settled);
    for event in events {
        assert_eq!(event.json()["data"]["send_id"], send);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_and_not_recorded_is_posted_again_under_its_id() {
    let log = "hato_delivery=debug,info";
    let mut scene = Scene::with(Launch::new(BINARY).env("HATO_LOG", log)).await;
    let answers = Arc::new(Semaphore::new(0));
    scene
        .receiver
        .script([Reaction::When(Arc::clone(&answers))]);
    scene.send().await;
    let before = scene.events(1).await.remove(0);
    let mut writer = database(&scene.server).await;
    let locked = sqlx::query("BEGIN IMMEDIATE").execute(&mut writer).await;
    locked.expect("nobody else writes for long");
    answers.add_permits(1);
    until_logged(&scene.server, "an event was posted").await;
    scene.server.kill9().await;
    drop(writer);
    scene.server.restart().await.expect("it starts again");
    let after = scene.events(2).await.remove(1);
    assert_eq!(after.id(), before.id());
    assert_eq!(after.body, before.body);
}
