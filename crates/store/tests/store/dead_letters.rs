//! Dead letters: recorded with what is shown of them, listed newest first without skipping or repeating any.

use hato_domain::{AppId, DeadLetterId, FailureDetail, FailureReason, PageRequest};
use hato_service::ports::{DeadLetterRecord, NewDeadLetter, RecipientId, Settlement};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, endpoint, ids};

fn dead(recipient: RecipientId, reason: FailureReason) -> NewDeadLetter {
    NewDeadLetter {
        recipient,
        reason,
        http_status: Some(400),
        attempts: 1,
        detail: FailureDetail::from_text("errno 鳩"),
    }
}

async fn fail_all(test: &TestStore, count: usize) -> AppId {
    fail_all_as(test, count, |it| dead(it, FailureReason::Refused)).await
}

async fn fail_all_as(
    test: &TestStore,
    count: usize,
    dead: impl Fn(RecipientId) -> NewDeadLetter,
) -> AppId {
    let app = test.app().await;
    test.subscribe_all(&app, count).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let recipients = ids(&test.recipients(&page).await);
    let dead_letters = recipients.into_iter().map(dead).collect();
    let settlement = Settlement {
        dead_letters,
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
    app
}

async fn listed(
    test: &TestStore,
    app: &AppId,
    limit: &str,
    last: Option<&DeadLetterRecord>,
) -> Vec<DeadLetterRecord> {
    let before = last.map(|letter| letter.created_at.0.to_string());
    let id = last.map(|letter| letter.id.to_string());
    let page = PageRequest::parse(Some(limit), before.as_deref(), id.as_deref()).expect("a page");
    let before = last.map(|letter| letter.id);
    let letters = test.store.dead_letters_of(app, None, &page, before).await;
    letters.expect("listed")
}

#[on_each_database]
async fn a_dead_letter_says_who_why_and_after_how_many_attempts(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for (reason, http_status, attempts, said) in [
        (
            FailureReason::Refused,
            Some(400),
            1,
            "errno 109, \"鳩\" ' %",
        ),
        (FailureReason::Unreachable, None, 4, "TLS: no"),
        (FailureReason::OutOfTime, None, 0, ""),
    ] {
        let detail = FailureDetail::from_text(said);
        let app = fail_all_as(&test, 1, |recipient| NewDeadLetter {
            http_status,
            attempts,
            detail: detail.clone(),
            ..dead(recipient, reason)
        });
        let app = app.await;
        let letter = &listed(&test, &app, "10", None).await[0];
        assert_eq!(
            (letter.reason.as_str(), letter.http_status, letter.attempts),
            (reason.as_str(), http_status, i64::from(attempts))
        );
        let detail = detail.as_ref().map(FailureDetail::as_str);
        assert_eq!(letter.detail.as_deref(), detail);
        assert_eq!(letter.endpoint, endpoint(0).as_str());
        assert_eq!(letter.send_id, test.history(&app).await[0].id);
    }
}

#[on_each_database]
async fn a_send_keeps_its_first_ten_thousand_and_counts_the_others(database: TestDatabase) {
    const PAGES: usize = 21;
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, PAGES * 480).await;
    let send = test.broadcast(&app, START).await;
    for _ in 0..PAGES {
        let page = test.claim(START, 480).await;
        let recipients = ids(&test.recipients(&page).await);
        let dead_letters = recipients
            .into_iter()
            .map(|it| dead(it, FailureReason::Refused));
        let settlement = Settlement {
            dead_letters: dead_letters.collect(),
            ..Settlement::default()
        };
        test.settle(&page, settlement).await;
    }
    let counts = test.send(&app, &send).await.counts;
    assert_eq!(
        (counts.failed_other, counts.omitted_dead_letters()),
        (10_080, 80)
    );
    let (mut kept, mut last) = (0, None);
    loop {
        let mut page = listed(&test, &app, "100", last.as_ref()).await;
        page.truncate(100);
        kept += page.len();
        let Some(letter) = page.pop() else { break };
        last = Some(letter);
    }
    assert_eq!(kept, 10_000);
}

#[on_each_database]
async fn pages_of_letters_of_the_same_moment_neither_skip_nor_repeat(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = fail_all(&test, 7).await;
    let other = fail_all(&test, 2).await;
    let mut seen: Vec<DeadLetterId> = Vec::new();
    let mut last = None;
    loop {
        let mut page = listed(&test, &app, "3", last.as_ref()).await;
        page.truncate(3);
        seen.extend(page.iter().map(|letter| letter.id));
        let Some(letter) = page.pop() else { break };
        last = Some(letter);
    }
    let mut sorted = seen.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    sorted.dedup();
    assert_eq!((seen.len(), &seen), (7, &sorted));
    assert_eq!(listed(&test, &other, "10", None).await.len(), 2);
}
