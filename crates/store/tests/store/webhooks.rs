//! Webhooks: their secrets, the outbox, and what is kept of attempts.

use std::time::Duration;

use hato_domain::{AppId, WebhookUrl};
use hato_service::ports::{
    Attempt, Disposition, DueEvents, NextOutbox, OutboxClaimRequest, OutboxLease,
    RecordAttemptOutcome, SealedSecrets, SettleOutcome, Settlement, WebhookEvent, WebhookResponse,
};

use crate::world::{LEASE, START, World, at, ids, sent_to};

const URL: &str = "https://hooks.example/1";
const FIVE_DAYS: Duration = Duration::from_hours(120);

async fn app(world: &World) -> AppId {
    let app = world.app().await;
    let url = WebhookUrl::parse(URL, &hato_domain::OutboundPolicy::default()).expect("a URL");
    let set = world.store.set_webhook(&app, Some(url)).await;
    set.expect("stored");
    app
}

async fn announce(world: &World, app: &AppId) {
    let queued = world.store.queue_test_event(app, START).await;
    assert!(queued.expect("stored"));
}

async fn next_outbox(world: &World, millis: i64, include_slow: bool) -> NextOutbox {
    let claim = OutboxClaimRequest {
        now: at(millis),
        lease: LEASE,
        include_slow,
    };
    world.store.claim_outbox(claim).await.expect("asked")
}

async fn claim(world: &World, millis: i64) -> OutboxLease {
    match next_outbox(world, millis, true).await {
        NextOutbox::Claimed(outbox) => outbox,
        NextOutbox::Idle { next_due } => panic!("nothing is due before {next_due:?}"),
    }
}

/// What is due of an outbox: events never posted, and those to be posted again.
async fn due(world: &World, outbox: &OutboxLease, in_flight: &[i64]) -> [Vec<WebhookEvent>; 2] {
    let due_events = world.store.due_events(outbox, in_flight, START, 100).await;
    match due_events.expect("read") {
        DueEvents::Post { first, again, .. } => [first, again],
        other => panic!("{other:?}"),
    }
}

fn attempt(event: i64, status: u16, disposition: Disposition) -> Attempt {
    Attempt {
        event,
        resend: None,
        url: URL.into(),
        signature: "v1,x".into(),
        response: WebhookResponse::Received {
            status,
            text: String::new(),
        },
        started_at: START,
        duration: Duration::ZERO,
        is_slow: false,
        disposition,
    }
}

async fn record(world: &World, outbox: &OutboxLease, attempt: Attempt) -> RecordAttemptOutcome {
    let recorded = world
        .store
        .record_attempt(outbox, attempt, FIVE_DAYS, START);
    recorded.await.expect("stored")
}

async fn secrets(world: &World, app: &AppId, millis: i64) -> SealedSecrets {
    let webhook = world.store.webhook(app, at(millis)).await;
    webhook.expect("read").expect("a webhook").secrets
}

#[tokio::test]
async fn the_secret_before_stays_until_it_expires() {
    let world = World::new().await;
    let app = app(&world).await;
    assert_eq!(secrets(&world, &app, 0).await.current, None);
    for sealed in [vec![1], vec![9]] {
        let kept = world.store.keep_first_secret(&app, sealed).await;
        kept.expect("stored");
    }
    assert_eq!(secrets(&world, &app, 0).await.current, Some(vec![1]));
    for (sealed, until) in [(vec![2], 100), (vec![3], 200)] {
        let rotated = world.store.rotate_secret(&app, sealed, at(until)).await;
        rotated.expect("stored");
    }
    let now = secrets(&world, &app, 199).await;
    assert_eq!(
        (now.current, now.previous),
        (Some(vec![3]), Some((vec![2], at(200))))
    );
    assert_eq!(secrets(&world, &app, 200).await.previous, None);
}

#[tokio::test]
async fn an_outbox_is_one_holders_and_fences_the_others_off() {
    let world = World::new().await;
    let app = app(&world).await;
    announce(&world, &app).await;
    let old = claim(&world, 0).await;
    let lease = i64::try_from(LEASE.as_millis()).expect("short");
    let new = claim(&world, lease).await;
    let [first, _] = due(&world, &new, &[]).await;
    let event = first[0].number;
    let arrived = || attempt(event, 200, Disposition::Arrived);
    assert_eq!(
        record(&world, &old, arrived()).await,
        RecordAttemptOutcome::LeaseLost
    );
    let lost = world.store.due_events(&old, &[], START, 1).await;
    assert!(matches!(lost.expect("read"), DueEvents::LeaseLost));
    assert_eq!(
        record(&world, &new, arrived()).await,
        RecordAttemptOutcome::Recorded
    );
    assert!(due(&world, &new, &[]).await.iter().all(Vec::is_empty));
}

#[tokio::test]
async fn an_event_written_while_its_outbox_is_held_is_due_when_it_is_given_back() {
    let world = World::new().await;
    let app = app(&world).await;
    announce(&world, &app).await;
    let outbox = claim(&world, 0).await;
    let [first, _] = due(&world, &outbox, &[]).await;
    announce(&world, &app).await;
    let next_at = Some(at(500));
    record(
        &world,
        &outbox,
        attempt(first[0].number, 500, Disposition::Failed(next_at)),
    )
    .await;
    world
        .store
        .release_outbox(&outbox, at(10))
        .await
        .expect("stored");
    let idle = next_outbox(&world, 9, true).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due } if next_due == Some(at(10))));
    let outbox = claim(&world, 10).await;
    let [first, again] = due(&world, &outbox, &[]).await;
    assert_eq!((first.len(), again.len()), (1, 0));
    let [in_flight, _] = due(&world, &outbox, &[first[0].number]).await;
    assert!(in_flight.is_empty());
    record(
        &world,
        &outbox,
        attempt(first[0].number, 200, Disposition::Arrived),
    )
    .await;
    world
        .store
        .release_outbox(&outbox, START)
        .await
        .expect("stored");
    let idle = next_outbox(&world, 0, true).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due } if next_due == next_at));
}

#[tokio::test]
async fn a_410_from_a_url_that_was_changed_meanwhile_changes_nothing() {
    let world = World::new().await;
    let app = app(&world).await;
    announce(&world, &app).await;
    let outbox = claim(&world, 0).await;
    let [first, _] = due(&world, &outbox, &[]).await;
    let mut gone = attempt(first[0].number, 410, Disposition::Gone);
    gone.url = "https://hooks.example/before".into();
    assert_eq!(
        record(&world, &outbox, gone).await,
        RecordAttemptOutcome::Recorded
    );
    let [_, again] = due(&world, &outbox, &[]).await;
    let is_due = again.iter().any(|event| event.number == first[0].number);
    assert!(is_due, "it goes to the new URL");
}

#[tokio::test]
async fn the_newest_attempts_are_kept_with_their_events() {
    let world = World::new().await;
    let apps = [app(&world).await, app(&world).await];
    for app in &apps {
        for _ in 0..7 {
            announce(&world, app).await;
        }
        let outbox = claim(&world, 0).await;
        let [first, _] = due(&world, &outbox, &[]).await;
        for event in &first[..6] {
            record(
                &world,
                &outbox,
                attempt(event.number, 200, Disposition::Arrived),
            )
            .await;
        }
    }
    let mut steps = 0;
    while world.store.purge_webhooks(4, 1).await.expect("stored") {
        steps += 1;
    }
    assert_eq!(steps, 4, "two attempts of each app, and their events");
    for app in &apps {
        let attempts = world.store.webhook_attempts(app, 100).await.expect("read");
        assert_eq!(attempts.len(), 4);
        for attempt in attempts {
            let event = world.store.webhook_event(app, &attempt.event_id).await;
            assert!(event.expect("read").is_some());
        }
    }
}

#[tokio::test]
async fn an_event_is_written_if_and_only_if_its_outcome_was_counted() {
    let world = World::new().await;
    let app = app(&world).await;
    world.subscribe_all(&app, 2).await;
    world.broadcast(&app, START).await;
    let page = world.claim(START, 100).await;
    let settlement = Settlement {
        sent: sent_to(&ids(&world.recipients(&page).await)),
        ..Settlement::default()
    };
    let settled = world.settle(&page, settlement.clone()).await;
    let again = world.settle(&page, settlement).await;
    assert_eq!(again, SettleOutcome::LeaseLost);
    let outbox = claim(&world, 0).await;
    let [first, _] = due(&world, &outbox, &[]).await;
    assert_eq!(first.len(), 2, "results, and the end of the send");
    let results = Some(first[0].id.clone());
    assert_eq!(settled, SettleOutcome::RecordedWithEvents { results });
}

#[tokio::test]
async fn a_slow_receivers_outbox_can_be_passed_over() {
    let world = World::new().await;
    let apps = [app(&world).await, app(&world).await];
    announce(&world, &apps[0]).await;
    let outbox = claim(&world, 0).await;
    let [first, _] = due(&world, &outbox, &[]).await;
    let mut dawdling = attempt(first[0].number, 200, Disposition::Arrived);
    dawdling.is_slow = true;
    record(&world, &outbox, dawdling).await;
    announce(&world, &apps[0]).await;
    let released = world.store.release_outbox(&outbox, START).await;
    released.expect("stored");
    let idle = next_outbox(&world, 1, false).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due: None }));
    announce(&world, &apps[1]).await;
    let prompt = next_outbox(&world, 1, false).await;
    assert!(
        matches!(prompt, NextOutbox::Claimed(outbox) if outbox.app_id == apps[1] && !outbox.is_slow)
    );
    let outbox = claim(&world, 1).await;
    assert_eq!((&outbox.app_id, outbox.is_slow), (&apps[0], true));
    let [first, _] = due(&world, &outbox, &[]).await;
    record(
        &world,
        &outbox,
        attempt(first[0].number, 200, Disposition::Arrived),
    )
    .await;
    announce(&world, &apps[0]).await;
    let released = world.store.release_outbox(&outbox, START).await;
    released.expect("stored");
    let again = next_outbox(&world, 1, false).await;
    assert!(
        matches!(again, NextOutbox::Claimed(outbox) if !outbox.is_slow),
        "it is prompt again"
    );
}
