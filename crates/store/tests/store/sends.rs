//! Accepting sends: the audience, the charge and the limit.

use futures_util::future::join_all;
use hato_domain::notification::Links;
use hato_domain::{AppId, HttpsUrl, Notification, Plan, PushOptions, Topic, Ttl, Urgency};
use hato_service::ports::{AcceptSendOutcome, Audience, PageRange, SendStatus, VapidKeyNumber};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{START, TestStore, actor, at, endpoint};

#[on_each_database]
async fn a_send_to_everyone_counts_the_active_and_is_queued(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    test.unsubscribe(&app, 2).await;
    let send = test.new_send(&app, Audience::Everyone, START);
    assert_eq!(
        test.accept(send).await,
        AcceptSendOutcome::Queued { recipients: 4 }
    );
    let listed = test.history(&app).await;
    assert_eq!(
        (listed[0].status, listed[0].recipients),
        (SendStatus::Queued, 4)
    );
    assert_eq!(
        (listed[0].actor.clone(), listed[0].created_at),
        (actor(), START)
    );
}

#[on_each_database]
async fn every_text_comes_back_as_it_was_sent(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    for text in ["\0", "a\0b\u{1a}0", "\u{1a}", "鳩\u{1a}\0\u{1a}"] {
        let mut send = test.new_send(&app, Audience::Everyone, START);
        let (id, links) = (send.id.clone(), Links::default());
        send.notification = Notification::new(text.into(), text.into(), links).expect("small");
        let payload = send.notification.payload().to_owned();
        test.accept(send).await;
        let shown = test.send(&app, &id).await;
        assert_eq!((&*shown.title, &*shown.body), (text, text));
        let page = test.claim(START, 10).await;
        assert_eq!(page.payload, payload);
        test.deliver(&page).await;
    }
}

#[on_each_database]
async fn a_send_to_nobody_is_done_and_leaves_no_job(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let send = test.new_send(&app, Audience::Everyone, START);
    assert_eq!(
        test.accept(send).await,
        AcceptSendOutcome::Queued { recipients: 0 }
    );
    assert_eq!(test.history(&app).await[0].status, SendStatus::Done);
    assert_eq!(test.next_due(START).await, None);
}

#[on_each_database]
async fn a_send_to_one_reaches_that_one_while_it_is_active(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    test.send_to(&app, 1, START).await;
    let page = test.claim(START, 100).await;
    assert!(matches!(page.range, PageRange::List(_)));
    let recipients = test.recipients(&page).await;
    assert_eq!(recipients.len(), 1);
    assert_eq!(recipients[0].endpoint, endpoint(1));
    test.unsubscribe(&app, 1).await;
    for stranger in [1, 99] {
        let send = test.new_send(&app, Audience::One(endpoint(stranger)), START);
        assert_eq!(test.accept(send).await, AcceptSendOutcome::NotFound);
    }
    assert_eq!(test.history(&app).await.len(), 1);
}

#[on_each_database]
async fn an_app_that_is_gone_sends_nothing(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    let send = test.new_send(&app, Audience::Everyone, START);
    assert_eq!(test.accept(send).await, AcceptSendOutcome::NotFound);
}

#[on_each_database]
async fn a_claimed_page_carries_everything_that_was_accepted(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let mut send = test.new_send(&app, Audience::Everyone, at(5));
    let url = HttpsUrl::parse("https://example.com/").ok();
    send.notification = Notification::new(
        "題".into(),
        "本文".into(),
        Links {
            url,
            ..Links::default()
        },
    )
    .expect("small");
    send.options = PushOptions {
        ttl: Ttl::parse(60).expect("a TTL"),
        urgency: Some(Urgency::High),
        topic: Some(Topic::parse("news").expect("a topic")),
    };
    let (id, content, options) = (
        send.id.clone(),
        send.notification.clone(),
        send.options.clone(),
    );
    test.accept(send).await;
    let page = test.claim(at(5), 100).await;
    assert_eq!(
        (page.send_id, page.app_id, page.attempt),
        (id, app.clone(), 0)
    );
    assert_eq!(page.payload, content.payload());
    let carried = PushOptions {
        ttl: page.ttl,
        urgency: page.urgency,
        topic: page.topic,
    };
    assert_eq!((carried, page.accepted_at), (options, at(5)));
    assert_eq!(
        (page.vapid_key, page.sealed_private_key),
        (VapidKeyNumber(0), vec![7; 60])
    );
    let listed = &test.history(&app).await[0];
    assert_eq!(
        (listed.title.as_str(), listed.body.as_str()),
        ("題", "本文")
    );
    assert_eq!(listed.url.as_deref(), Some("https://example.com/"));
}

#[on_each_database(flavor = "multi_thread")]
async fn sixteen_at_once_stay_within_the_month(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, 2_000).await;
    let callers = (0..16).map(|_| {
        let (store, send) = (
            test.store.clone(),
            test.new_send(&app, Audience::Everyone, START),
        );
        tokio::spawn(async move { store.accept_send(send).await })
    });
    let answers: Vec<_> = join_all(callers)
        .await
        .into_iter()
        .map(|answer| answer.expect("no panic").expect("judged"))
        .collect();
    let count = |wanted| answers.iter().filter(|answer| **answer == wanted).count();
    assert_eq!(count(AcceptSendOutcome::Queued { recipients: 2_000 }), 15);
    assert_eq!(count(AcceptSendOutcome::OverMonthlyLimit), 1);
    assert_eq!(test.history(&app).await.len(), 15);
    let one_more = test.new_send(&app, Audience::One(endpoint(0)), START);
    assert_eq!(
        test.accept(one_more).await,
        AcceptSendOutcome::OverMonthlyLimit
    );
}

#[on_each_database]
async fn the_month_is_full_at_exactly_its_limit_and_the_next_starts_at_zero(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, 30_001).await;
    let everyone = |now| test.accept(test.new_send(&app, Audience::Everyone, now));
    assert_eq!(everyone(START).await, AcceptSendOutcome::OverMonthlyLimit);
    test.unsubscribe(&app, 0).await;
    let all = AcceptSendOutcome::Queued { recipients: 30_000 };
    assert_eq!(everyone(START).await, all);
    let one_more = test.new_send(&app, Audience::One(endpoint(1)), START);
    assert_eq!(
        test.accept(one_more).await,
        AcceptSendOutcome::OverMonthlyLimit
    );
    assert_eq!(everyone(START.month().end()).await, all);
}

#[on_each_database]
async fn nobody_else_pays_and_a_send_to_nobody_passes_a_full_month(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let app = test.app_of(&account).await;
    test.subscribe_all(&app, 1_000).await;
    for _ in 0..30 {
        test.broadcast(&app, START).await;
    }
    let everyone = |app| test.accept(test.new_send(app, Audience::Everyone, START));
    assert_eq!(everyone(&app).await, AcceptSendOutcome::OverMonthlyLimit);
    let other = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe(&other, 0).await;
    assert_eq!(
        everyone(&other).await,
        AcceptSendOutcome::Queued { recipients: 1 }
    );
    for first in (0..1_000).step_by(50) {
        join_all((first..first + 50).map(|number| test.unsubscribe(&app, number))).await;
    }
    assert_eq!(
        everyone(&app).await,
        AcceptSendOutcome::Queued { recipients: 0 }
    );
}

#[on_each_database]
async fn a_batch_is_for_those_of_its_list_that_are_active(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.subscribe_all(&app, 4).await;
    test.subscribe(&other, 9).await;
    test.unsubscribe(&app, 1).await;
    let listed = |numbers: &[usize]| {
        let endpoints = numbers.iter().copied().map(endpoint).collect();
        test.new_send(&app, Audience::Listed(endpoints), START)
    };
    let batch = listed(&[3, 1, 0, 9]);
    assert_eq!(
        test.accept(batch).await,
        AcceptSendOutcome::Queued { recipients: 2 }
    );
    let page = test.claim(START, 100).await;
    let reached = test.recipients(&page).await;
    let mut endpoints: Vec<_> = reached.into_iter().map(|it| it.endpoint).collect();
    endpoints.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    assert_eq!(endpoints, [endpoint(0), endpoint(3)]);
    assert_eq!(
        test.accept(listed(&[1, 9])).await,
        AcceptSendOutcome::Queued { recipients: 0 }
    );
    let newest = &test.history(&app).await[0];
    assert_eq!(newest.recipients, 0);
    assert_eq!(newest.status, SendStatus::Done);
}
