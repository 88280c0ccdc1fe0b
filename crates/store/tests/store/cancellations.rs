//! Cancelling: what is claimed is settled, what is not leaves the queue, and every recipient is accounted for.

use std::time::Duration;

use hato_domain::{AppId, SendId};
use hato_service::ports::{
    Audience, ExpiredRecipient, RetryJob, SendCounts, SendStatus, SettleOutcome, Settlement,
};
use uuid::Uuid;

use crate::world::{LEASE, START, World, at, endpoint, ids, sent_to};

async fn cancel(world: &World, app: &AppId, send: &SendId) -> Option<i64> {
    let cancelled = world.store.cancel_send(app, send, START).await;
    cancelled.expect("judged")
}

async fn outcome(world: &World, app: &AppId, send: &SendId) -> (SendStatus, SendCounts) {
    let send = world.send(app, send).await;
    (send.status, send.counts)
}

#[tokio::test]
async fn a_send_that_nobody_claimed_is_cancelled_at_once() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 5).await;
    let send = world.broadcast(&app, START).await;
    world.unsubscribe(&app, 0).await;
    assert_eq!(cancel(&world, &app, &send).await, Some(4));
    let counts = SendCounts {
        cancelled: 4,
        skipped: 1,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Cancelled, counts);
    assert_eq!(outcome(&world, &app, &send).await, expected);
    assert_eq!(world.next_due(START).await, None);
    assert_eq!(cancel(&world, &app, &send).await, Some(0));
    assert_eq!(outcome(&world, &app, &send).await, expected);
}

#[tokio::test]
async fn a_claimed_page_is_delivered_and_its_retries_are_cancelled() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 10).await;
    let send = world.broadcast(&app, START).await;
    let page = world.claim(START, 4).await;
    assert_eq!(cancel(&world, &app, &send).await, Some(6));
    let (status, _) = outcome(&world, &app, &send).await;
    assert_eq!(status, SendStatus::Sending);
    let all = ids(&world.recipients(&page).await);
    let settlement = Settlement {
        sent: sent_to(&all[..1]),
        expired: vec![ExpiredRecipient {
            recipient: all[1],
            http_status: 410,
        }],
        retries: vec![RetryJob {
            recipients: all[2..].to_vec(),
            attempt: 1,
            due_at: at(10),
        }],
        ..Settlement::default()
    };
    assert_eq!(
        world.settle(&page, settlement).await,
        SettleOutcome::Recorded
    );
    let counts = SendCounts {
        sent: 1,
        failed_expired: 1,
        cancelled: 8,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Cancelled, counts);
    assert_eq!(outcome(&world, &app, &send).await, expected);
    assert_eq!(world.next_due(START).await, None);
}

#[tokio::test]
async fn waiting_retries_leave_the_queue() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 3).await;
    let send = world.broadcast(&app, START).await;
    let page = world.claim(START, 100).await;
    let retry = RetryJob {
        recipients: ids(&world.recipients(&page).await),
        attempt: 1,
        due_at: at(60_000),
    };
    let settlement = Settlement {
        retries: vec![retry],
        ..Settlement::default()
    };
    world.settle(&page, settlement).await;
    assert_eq!(cancel(&world, &app, &send).await, Some(3));
    let (status, counts) = outcome(&world, &app, &send).await;
    assert_eq!((status, counts.cancelled), (SendStatus::Cancelled, 3));
}

#[tokio::test]
async fn a_page_given_back_or_left_by_a_dead_process_is_nobodys() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 4).await;
    let returned = world.broadcast(&app, START).await;
    let page = world.claim(START, 100).await;
    let later = at(600_000);
    world
        .store
        .release(page.lease, later)
        .await
        .expect("released");
    assert_eq!(cancel(&world, &app, &returned).await, Some(4));
    let left = world.broadcast(&app, START).await;
    let page = world.claim(START, 100).await;
    let ended = START.plus(LEASE + Duration::from_millis(1));
    let cancelled = world.store.cancel_send(&app, &left, ended).await;
    assert_eq!(cancelled.expect("judged"), Some(4));
    let late = Settlement {
        sent: sent_to(&ids(&world.recipients(&page).await)),
        ..Settlement::default()
    };
    assert_eq!(world.settle(&page, late).await, SettleOutcome::LeaseLost);
    let (status, counts) = outcome(&world, &app, &left).await;
    assert_eq!(
        (status, counts.cancelled, counts.sent),
        (SendStatus::Cancelled, 4, 0)
    );
}

#[tokio::test]
async fn a_send_that_was_wholly_claimed_and_reached_everybody_is_done() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 2).await;
    let send = world.broadcast(&app, START).await;
    let page = world.claim(START, 100).await;
    assert_eq!(cancel(&world, &app, &send).await, Some(0));
    world.deliver(&page).await;
    let (status, counts) = outcome(&world, &app, &send).await;
    assert_eq!((status, counts.sent), (SendStatus::Done, 2));
    assert_eq!(cancel(&world, &app, &send).await, Some(0));
    assert_eq!(outcome(&world, &app, &send).await.0, SendStatus::Done);
}

#[tokio::test]
async fn nobody_cancels_what_is_not_there_or_anothers() {
    let world = World::new().await;
    let (app, other) = (world.app().await, world.app().await);
    world.subscribe(&app, 0).await;
    let send = world.broadcast(&app, START).await;
    assert_eq!(cancel(&world, &other, &send).await, None);
    let unknown = SendId::from_uuid(Uuid::from_u128(u128::MAX));
    assert_eq!(cancel(&world, &app, &unknown).await, None);
    let one = Audience::One(endpoint(0));
    world.accept(world.new_send(&app, one, START)).await;
    assert_eq!(world.deliver_all(START, 100).await.len(), 2);
}
