//! Dead letters: recorded with what is shown of them, listed newest first without skipping or repeating any.

use hato_domain::{AppId, DeadLetterId, FailureReason, PageRequest};
use hato_service::ports::{DeadLetterRecord, NewDeadLetter, RecipientId, Settlement};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, endpoint, ids};

fn dead(recipient: RecipientId, reason: FailureReason) -> NewDeadLetter {
    let http_status = (reason == FailureReason::Refused).then_some(400);
    NewDeadLetter {
        recipient,
        reason,
        http_status,
    }
}

async fn fail_all(test: &TestStore, count: usize, reason: FailureReason) -> AppId {
    let app = test.app().await;
    test.subscribe_all(&app, count).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let recipients = ids(&test.recipients(&page).await);
    let dead_letters = recipients.into_iter().map(|it| dead(it, reason)).collect();
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
    let letters = test.store.dead_letters_of(app, &page, before).await;
    letters.expect("listed")
}

#[on_each_database]
async fn a_dead_letter_says_who_why_and_after_how_many_attempts(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for (reason, status, attempts) in [
        (FailureReason::Refused, Some(400), 1),
        (FailureReason::Unreachable, None, 1),
        (FailureReason::OutOfTime, None, 0),
    ] {
        let app = fail_all(&test, 1, reason).await;
        let letter = &listed(&test, &app, "10", None).await[0];
        assert_eq!(
            (letter.reason.as_str(), letter.http_status, letter.attempts),
            (reason.as_str(), status, attempts)
        );
        assert_eq!(letter.endpoint, endpoint(0).as_str());
        assert_eq!(letter.send_id, test.history(&app).await[0].id);
    }
}

#[on_each_database]
async fn pages_of_letters_of_the_same_moment_neither_skip_nor_repeat(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = fail_all(&test, 7, FailureReason::Refused).await;
    let other = fail_all(&test, 2, FailureReason::Refused).await;
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
