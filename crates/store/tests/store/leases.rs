//! Leases: they end by themselves, can be renewed and given back, and fence off whoever lost one.

use hato_service::ports::{RecipientId, SettleOutcome, Settlement};

use crate::world::{LEASE, START, World, at, sent_to};

/// Everybody of a page with one recipient was reached.
fn one_sent() -> Settlement {
    Settlement {
        sent: sent_to(&[RecipientId(1)]),
        ..Settlement::default()
    }
}

#[tokio::test]
async fn an_ended_lease_is_claimed_again_and_the_old_token_settles_nothing() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 3).await;
    let send = world.broadcast(&app, START).await;
    let old = world.claim(START, 2).await;
    world.deliver(&world.claim(START, 2).await).await;
    let end = START.plus(LEASE);
    assert_eq!(
        world
            .next_due(end.minus(std::time::Duration::from_millis(1)))
            .await,
        Some(end)
    );
    let new = world.claim(end, 2).await;
    assert_eq!((&new.range, new.lease.job), (&old.range, old.lease.job));
    assert_ne!(new.lease.token, old.lease.token);
    assert_eq!(
        world.settle(&old, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(world.send(&app, &send).await.counts.sent, 1);
    assert_eq!(world.deliver(&new).await.len(), 2);
    assert_eq!(world.send(&app, &send).await.counts.sent, 3);
}

#[tokio::test]
async fn a_page_is_settled_once() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    let send = world.broadcast(&app, START).await;
    let page = world.claim(START, 10).await;
    assert_eq!(
        world.settle(&page, one_sent()).await,
        SettleOutcome::Recorded
    );
    assert_eq!(
        world.settle(&page, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(world.send(&app, &send).await.counts.sent, 1);
}

#[tokio::test]
async fn a_lease_never_fits_a_later_job() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    world.broadcast(&app, START).await;
    let first = world.claim(START, 10).await;
    world.deliver(&first).await;
    world.broadcast(&app, START).await;
    let second = world.claim(START, 10).await;
    assert_eq!(
        world.settle(&first, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(
        world.settle(&second, one_sent()).await,
        SettleOutcome::Recorded
    );
}

#[tokio::test]
async fn a_renewed_lease_is_not_due_and_a_lost_one_is_not_renewed() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 2).await;
    world.broadcast(&app, START).await;
    let (held, lost) = (world.claim(START, 1).await, world.claim(START, 1).await);
    let end = START.plus(LEASE);
    world
        .store
        .renew_leases(&[held.lease], end.plus(LEASE))
        .await
        .expect("renewed");
    let again = world.claim(end, 1).await;
    assert_eq!(again.lease.job, lost.lease.job);
    world
        .store
        .renew_leases(&[lost.lease], at(0))
        .await
        .expect("nothing to do");
    assert_eq!(world.next_due(end).await, Some(end.plus(LEASE)));
    assert_eq!(
        world.settle(&held, one_sent()).await,
        SettleOutcome::Recorded
    );
    world
        .store
        .renew_leases(&[], at(0))
        .await
        .expect("nothing to do");
}

#[tokio::test]
async fn a_page_given_back_is_due_when_it_says_and_the_lease_is_over() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    let send = world.broadcast(&app, START).await;
    let page = world.claim(START, 10).await;
    world
        .store
        .release(page.lease, at(7))
        .await
        .expect("given back");
    world
        .store
        .release(page.lease, at(1))
        .await
        .expect("nothing to do");
    assert_eq!(
        world.settle(&page, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(world.next_due(at(6)).await, Some(at(7)));
    assert_eq!(world.deliver(&world.claim(at(7), 10).await).await.len(), 1);
    assert_eq!(world.send(&app, &send).await.counts.sent, 1);
}
