//! Sends that wait for their time (CONTRACT 14).

use futures_util::future::join_all;
use hato_domain::{AppId, Plan, Schedule, SendId, UnixMillis};
use hato_service::ports::{
    AcceptSendOutcome, Audience, GithubId, MAX_SCHEDULED, NewSend, ReviewConclusion, ScheduledSend,
    SendStatus, StartSendOutcome,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, endpoint};

const DUE: UnixMillis = at_second(10);

const fn at_second(second: i64) -> UnixMillis {
    UnixMillis(START.0 + second * 1_000)
}

fn scheduled(test: &TestStore, app: &AppId, audience: Audience) -> NewSend {
    NewSend {
        schedule: Schedule::parse(Some(DUE.0), None, None).expect("a schedule"),
        ..test.new_send(app, audience, START)
    }
}

/// Accepts a send that waits until it is due.
pub async fn wait(test: &TestStore, app: &AppId, audience: Audience) -> SendId {
    let send = scheduled(test, app, audience);
    let id = send.id.clone();
    assert_eq!(test.accept(send).await, AcceptSendOutcome::Scheduled);
    id
}

async fn start(test: &TestStore, send: &SendId, now: UnixMillis) -> StartSendOutcome {
    test.store.start_send(send, now).await.expect("judged")
}

async fn waiting(test: &TestStore) -> Vec<SendId> {
    let waiting = test.store.scheduled_sends(START, 100).await.expect("read");
    let due = |send: ScheduledSend| (send.due_at == DUE).then_some(send.id);
    waiting.into_iter().filter_map(due).collect()
}

#[on_each_database]
async fn recipients_are_those_of_when_it_is_due(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = wait(&test, &app, Audience::Everyone).await;
    assert!(test.try_claim(at_second(9), 10).await.is_none());
    test.unsubscribe(&app, 0).await;
    for number in 10..12 {
        test.subscribe(&app, number).await;
    }
    let early = start(&test, &send, at(9_999)).await;
    assert!(matches!(early, StartSendOutcome::NotWaiting));
    assert_eq!(waiting(&test).await, std::slice::from_ref(&send));
    let started = start(&test, &send, at(10_400)).await;
    assert!(matches!(started, StartSendOutcome::Queued));
    let page = test.claim(at(10_400), 10).await;
    assert_eq!(page.accepted_at, DUE);
    assert_eq!(test.deliver(&page).await.len(), 4);
    let record = test.send(&app, &send).await;
    assert_eq!((record.status, record.recipients), (SendStatus::Done, 4));
    assert_eq!(record.schedule.send_at(), Some(DUE));
}

#[on_each_database]
async fn of_named_endpoints_those_are_reached_that_are_there_then(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let unknown = scheduled(&test, &app, Audience::One(endpoint(7)));
    assert_eq!(test.accept(unknown).await, AcceptSendOutcome::NotFound);
    let one = wait(&test, &app, Audience::One(endpoint(1))).await;
    let listed = Audience::Listed((0..9).map(endpoint).collect());
    let some = wait(&test, &app, listed).await;
    test.unsubscribe(&app, 1).await;
    test.subscribe(&app, 8).await;
    let nobody = start(&test, &one, DUE).await;
    assert!(matches!(nobody, StartSendOutcome::Ended(_)));
    let record = test.send(&app, &one).await;
    assert_eq!((record.status, record.recipients), (SendStatus::Done, 0));
    start(&test, &some, DUE).await;
    assert_eq!(test.deliver_all(DUE, 10).await.len(), 3);
}

#[on_each_database(flavor = "multi_thread")]
async fn it_is_started_once_whoever_starts_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let app = test.app_of(&account).await;
    test.subscribe_all(&app, 4).await;
    let send = wait(&test, &app, Audience::Everyone).await;
    let starting = (0..8).map(|_| start(&test, &send, DUE));
    let outcomes = join_all(starting).await;
    let queued = |it: &&StartSendOutcome| matches!(it, StartSendOutcome::Queued);
    assert_eq!(outcomes.iter().filter(queued).count(), 1);
    assert_eq!(test.deliver_all(DUE, 10).await.len(), 4);
    let usage = test.store.monthly_usage(&account, DUE.month()).await;
    assert_eq!(usage.expect("read").recipients, 4);
}

#[on_each_database]
async fn the_month_is_charged_when_it_is_due_and_may_refuse_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let app = test.app_of(&account).await;
    test.subscribe_all(&app, 100).await;
    let limit = Plan::Free.max_monthly_recipients().expect("a limit");
    let send = wait(&test, &app, Audience::Everyone).await;
    let usage = test.store.monthly_usage(&account, START.month()).await;
    assert_eq!(usage.expect("read").recipients, 0);
    for _ in 0..limit / 100 {
        test.broadcast(&app, START).await;
    }
    let refused = start(&test, &send, DUE).await;
    assert!(matches!(refused, StartSendOutcome::Ended(_)));
    let found = test.store.send_of(&app, &send).await.expect("read");
    let record = found.expect("the send");
    let reason = record.refused_reason.as_deref();
    assert_eq!(reason, Some("MONTHLY_LIMIT_EXCEEDED"));
    assert_eq!((record.status, record.recipients), (SendStatus::Refused, 0));
    assert!(waiting(&test).await.is_empty());
}

#[on_each_database]
async fn apps_take_turns_with_what_is_due(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let mut sends = Vec::new();
    for count in [10, 1, 3] {
        let app = test.app().await;
        let mut of_app = Vec::new();
        for _ in 0..count {
            of_app.push(wait(&test, &app, Audience::Everyone).await);
        }
        sends.push(of_app);
    }
    let gone = test.app().await;
    wait(&test, &gone, Audience::Everyone).await;
    test.store.delete_app(&gone, at(5)).await.expect("deleted");
    let in_turns = async |now, limit| {
        let sends = test.store.due_sends_in_turns(now, limit).await;
        sends.expect("read")
    };
    assert!(in_turns(at(9_999), 100).await.is_empty());
    let [a, b, c] = &sends[..] else {
        unreachable!()
    };
    let expected: Vec<&SendId> = [&a[0], &b[0], &c[0], &a[1], &c[1], &a[2], &c[2]]
        .into_iter()
        .chain(&a[3..8])
        .collect();
    let found = in_turns(DUE, 100).await;
    assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    assert_eq!(in_turns(DUE, 4).await, found[..4]);
}

#[on_each_database]
async fn a_cancelled_one_starts_no_more(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = wait(&test, &app, Audience::Everyone).await;
    let cancelled = test.store.cancel_send(&app, &send, at(5)).await;
    assert_eq!(cancelled.expect("done"), Some(0));
    let record = test.send(&app, &send).await;
    assert_eq!(
        (record.status, record.finished_at),
        (SendStatus::Cancelled, Some(at(5)))
    );
    let started = start(&test, &send, DUE).await;
    assert!(matches!(started, StartSendOutcome::NotWaiting));
    assert!(test.try_claim(DUE, 10).await.is_none());
    let again = test.store.cancel_send(&app, &send, DUE).await;
    assert_eq!(again.expect("done"), Some(0));
}

#[on_each_database]
async fn a_deleted_apps_never_starts(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    let send = wait(&test, &app, Audience::Everyone).await;
    test.store.delete_app(&app, at(5)).await.expect("deleted");
    assert!(waiting(&test).await.is_empty());
    let started = start(&test, &send, DUE).await;
    assert!(matches!(started, StartSendOutcome::NotWaiting));
}

#[on_each_database]
async fn what_is_under_review_waits_until_it_is_decided(database: TestDatabase) {
    const ADDRESS: &str = "hato@example.com";
    let test = TestStore::new(database).await;
    let account = test.new_account(ADDRESS, Plan::Pro);
    let (owner, email) = (account.id.clone(), account.email.clone());
    assert!(test.store.create_account(account).await.expect("stored"));
    let app = test.app_of(&owner).await;
    test.subscribe(&app, 1).await;
    let kept = wait(&test, &app, Audience::Everyone).await;
    let store = &test.store;
    let linked = store.account_of_github_user(GithubId(7), Some(email), None, START);
    linked.await.expect("done");
    assert!(waiting(&test).await.is_empty());
    let held = start(&test, &kept, DUE).await;
    assert!(matches!(held, StartSendOutcome::NotWaiting));
    let listed = store.held_sends(&app, 10).await.expect("read");
    assert_eq!(listed[0].status, SendStatus::Scheduled);
    assert_eq!(
        store.held_send_ids(&app).await.expect("read"),
        std::slice::from_ref(&kept)
    );
    let conclusion = ReviewConclusion {
        app: app.clone(),
        deleted_keys: Vec::new(),
        keeps_webhook: false,
        old_events: START,
        now: at_second(20),
    };
    assert!(store.conclude_review(conclusion).await.expect("stored"));
    let late = start(&test, &kept, at_second(20)).await;
    assert!(matches!(late, StartSendOutcome::Queued));
}

#[on_each_database]
async fn a_send_is_kept_from_when_it_was_due(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let plain = test.broadcast(&app, START).await;
    let send = wait(&test, &app, Audience::Everyone).await;
    start(&test, &send, DUE).await;
    test.store.purge_sends(DUE, 100).await.expect("purged");
    let left: Vec<_> = test.history(&app).await;
    assert_eq!(left.len(), 1, "{plain} is old");
    assert_eq!(left[0].id, send);
    test.store
        .purge_sends(at(10_001), 100)
        .await
        .expect("purged");
    assert!(test.history(&app).await.is_empty());
}

/// Has so many wait, all like the first one.
fn fill_up_to(test: &TestStore, count: i64) {
    test.database.execute(&format!(
        "INSERT INTO sends (id, app_id, title, body, payload, ttl, recipients, status, actor_kind,
                            actor_id, actor_name, created_at, send_at, waits_until, audience)
         SELECT 'snd_x' || n, app_id, '', '', '', 0, 0, 'queued', actor_kind, actor_id, actor_name,
                created_at, send_at, waits_until, audience
         FROM sends, generate_series(2, {count}) AS n"
    ));
}

#[tokio::test]
async fn an_app_has_so_many_at_a_time() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    let send = wait(&test, &app, Audience::Everyone).await;
    fill_up_to(&test, MAX_SCHEDULED);
    let another = scheduled(&test, &app, Audience::Everyone);
    let refused = test.accept(another.clone()).await;
    assert_eq!(refused, AcceptSendOutcome::TooManyScheduled);
    start(&test, &send, DUE).await;
    assert_eq!(test.accept(another).await, AcceptSendOutcome::Scheduled);
}

/// Two processes, each with a group of sends, and one place left.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_do_not_pass_that_number_together() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    wait(&test, &app, Audience::Everyone).await;
    fill_up_to(&test, MAX_SCHEDULED - 1);
    let other = hato_store::open(test.database.url()).await.expect("opened");
    let requests = (0..20).map(|number| {
        let send = scheduled(&test, &app, Audience::Everyone);
        let store = if number % 2 == 0 { &test.store } else { &other };
        store.accept_send(send)
    });
    let answers = join_all(requests).await.into_iter();
    let accepted = answers.filter(|answer| {
        matches!(
            answer.as_ref().expect("judged"),
            AcceptSendOutcome::Scheduled
        )
    });
    assert_eq!(accepted.count(), 1);
}

#[tokio::test]
async fn one_that_cannot_be_read_holds_no_other_up() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    let bad = wait(&test, &app, Audience::Everyone).await;
    test.database.execute("UPDATE sends SET audience = '?'");
    let good = wait(&test, &app, Audience::Everyone).await;
    let unread = start(&test, &bad, DUE).await;
    assert!(matches!(unread, StartSendOutcome::Unreadable(_)));
    assert_eq!(waiting(&test).await, [good]);
}

#[on_each_database]
async fn a_schedule_is_judged_after_a_repeated_request(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let late = NewSend {
        now: DUE,
        ..scheduled(&test, &app, Audience::Everyone)
    };
    assert_eq!(test.accept(late).await, AcceptSendOutcome::NotAhead);
    assert!(test.history(&app).await.is_empty());
}
