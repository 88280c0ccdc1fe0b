//! Requests that are repeated under the name that their client gave them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, IdempotencyKey, Plan, UnixMillis};
use hato_service::ports::{AcceptSendOutcome, Audience, IdempotencyEntry, NewSend};

use crate::world::{START, World, at, endpoint};

const DAY: Duration = Duration::from_hours(24);

fn named(world: &World, app: &AppId, key: &str, body: u8, now: UnixMillis) -> NewSend {
    let mut send = world.new_send(app, Audience::Everyone, now);
    send.idempotency = Some(IdempotencyEntry {
        key: IdempotencyKey::parse(key.as_bytes()).expect("a key"),
        path: "/notify",
        body_hash: [body; 32],
        since: now.minus(DAY),
    });
    send
}

#[tokio::test]
async fn the_same_request_gets_the_first_answer_for_a_day() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    let first = named(&world, &app, "a", 1, START);
    let id = first.id.clone();
    let queued = AcceptSendOutcome::Queued { recipients: 1 };
    assert_eq!(world.accept(first).await, queued);
    world.subscribe(&app, 1).await;
    let replayed = AcceptSendOutcome::Replayed {
        send_id: id,
        recipients: 1,
    };
    let last_moment = START.plus(DAY).minus(Duration::from_millis(1));
    for now in [START, last_moment] {
        let again = named(&world, &app, "a", 1, now);
        assert_eq!(world.accept(again).await, replayed);
        let other_body = named(&world, &app, "a", 2, now);
        assert_eq!(world.accept(other_body).await, AcceptSendOutcome::Conflict);
    }
    assert_eq!(world.history(&app).await.len(), 1);
    let next_day = named(&world, &app, "a", 2, START.plus(DAY));
    assert_eq!(
        world.accept(next_day).await,
        AcceptSendOutcome::Queued { recipients: 2 }
    );
    let its_repetition = named(&world, &app, "a", 1, START.plus(DAY));
    assert_eq!(
        world.accept(its_repetition).await,
        AcceptSendOutcome::Conflict
    );
}

#[tokio::test]
async fn key_path_and_app_together_name_a_request() {
    let world = World::new().await;
    let (app, other) = (world.app().await, world.app().await);
    let queued = AcceptSendOutcome::Queued { recipients: 0 };
    for send in [
        named(&world, &app, "a", 1, START),
        named(&world, &app, "b", 2, START),
        named(&world, &other, "a", 3, START),
    ] {
        assert_eq!(world.accept(send).await, queued);
    }
    let mut elsewhere = named(&world, &app, "a", 4, START);
    elsewhere.idempotency.as_mut().expect("named").path = "/notify/batch";
    assert_eq!(world.accept(elsewhere).await, queued);
}

#[tokio::test]
async fn a_refused_request_does_not_use_up_its_key() {
    let world = World::new().await;
    let app = world.app_of(&world.account(Plan::Free).await).await;
    let mut to_one = named(&world, &app, "a", 1, START);
    to_one.audience = Audience::One(endpoint(0));
    assert_eq!(
        world.accept(to_one.clone()).await,
        AcceptSendOutcome::NotFound
    );
    world.subscribe(&app, 0).await;
    assert_eq!(
        world.accept(to_one).await,
        AcceptSendOutcome::Queued { recipients: 1 }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sixteen_twins_one_sends() {
    let world = Arc::new(World::new().await);
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    let twins = (0..16).map(|_| {
        let send = named(&world, &app, "a", 1, at(1));
        let store = world.store.clone();
        tokio::spawn(async move { store.accept_send(send).await })
    });
    let answers: Vec<_> = join_all(twins)
        .await
        .into_iter()
        .map(|answer| answer.expect("no panic").expect("judged"))
        .collect();
    let queued = AcceptSendOutcome::Queued { recipients: 1 };
    assert_eq!(answers.iter().filter(|it| **it == queued).count(), 1);
    let sent = &world.history(&app).await;
    assert_eq!(sent.len(), 1);
    let replayed = AcceptSendOutcome::Replayed {
        send_id: sent[0].id.clone(),
        recipients: 1,
    };
    assert_eq!(answers.iter().filter(|it| **it == replayed).count(), 15);
}
