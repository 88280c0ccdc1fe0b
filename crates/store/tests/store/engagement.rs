//! What recipients did, counted once for each token (CONTRACT 15).

use std::time::Duration;

use hato_domain::{AppId, Engagement, SendId, UnixMillis};
use hato_service::ports::{EngagementCounts, EngagementReport, RecipientId};
use hato_service::{first_counted_hour, hour_of};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::task::JoinSet;

use crate::test_store::{START, TestStore};

const WEEK: Duration = Duration::from_hours(7 * 24);

fn report(recipient: i64, engagement: Engagement) -> EngagementReport {
    EngagementReport {
        recipient: RecipientId(recipient),
        hour: hour_of(START),
        engagement,
        action: None,
    }
}

fn displayed(recipients: impl IntoIterator<Item = i64>) -> Vec<EngagementReport> {
    let recipients = recipients.into_iter();
    recipients
        .map(|it| report(it, Engagement::Displayed))
        .collect()
}

/// An app with one subscriber, and a send to it that is done.
async fn sent(database: TestDatabase) -> (TestStore, AppId, SendId) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    let send = test.broadcast(&app, START).await;
    test.deliver_all(START, 10).await;
    (test, app, send)
}

impl TestStore {
    async fn count(&self, send: &SendId, reports: Vec<EngagementReport>, now: UnixMillis) {
        let counted = self.store.count_engagement(send, reports, now).await;
        counted.expect("counted");
    }

    async fn engagement(&self, app: &AppId, send: &SendId) -> EngagementCounts {
        self.send(app, send).await.engagement
    }
}

#[on_each_database]
async fn a_recipient_counts_once_for_each_kind_and_hour(database: TestDatabase) {
    let (test, app, send) = sent(database).await;
    // Blocks of 4,096, sparse and dense ones, and numbers far away.
    let many = || (0..9_000).step_by(3).chain([1 << 39]);
    test.count(&send, displayed(many()), START).await;
    test.count(&send, displayed(many().chain([1, 2])), START)
        .await;
    let mut others = displayed([1]);
    others[0].hour -= 1;
    others.push(report(1, Engagement::Clicked));
    others.push(report(1, Engagement::Dismissed));
    test.count(&send, others.clone(), START).await;
    test.count(&send, others, START).await;
    let expected = EngagementCounts {
        displayed: 3_000 + 1 + 2 + 1,
        clicked: 1,
        dismissed: 1,
        ..EngagementCounts::default()
    };
    assert_eq!(test.engagement(&app, &send).await, expected);
}

#[on_each_database(flavor = "multi_thread")]
async fn those_who_count_at_the_same_time_count_once(database: TestDatabase) {
    let (test, app, send) = sent(database).await;
    let mut counting = JoinSet::new();
    for first in 0..16 {
        let (store, send) = (std::sync::Arc::clone(&test.store), send.clone());
        counting.spawn(async move {
            let reports = displayed(first * 100..first * 100 + 1_000);
            store.count_engagement(&send, reports, START).await
        });
    }
    for counted in counting.join_all().await {
        counted.expect("counted");
    }
    assert_eq!(test.engagement(&app, &send).await.displayed, 2_500);
}

#[on_each_database]
async fn sends_that_are_gone_or_long_over_count_nothing(database: TestDatabase) {
    let (test, app, send) = sent(database).await;
    let unknown = SendId::from_uuid(test.uuid());
    test.count(&unknown, displayed([1]), START).await;
    let late = START.plus(WEEK + Duration::from_hours(2));
    // A token has room for seven years of hours only: its bits may be those of a recent hour.
    let mut recent = displayed([1]);
    recent[0].hour = hour_of(late);
    test.count(&send, recent, late).await;
    assert_eq!(test.engagement(&app, &send).await.displayed, 0);
    test.store.delete_app(&app, START).await.expect("deleted");
    test.count(&send, displayed([1]), START).await;
}

#[on_each_database]
async fn who_was_counted_is_forgotten_with_the_last_token(database: TestDatabase) {
    let (test, app, send) = sent(database).await;
    test.count(&send, displayed([1, 5_000, 10_000]), START)
        .await;
    let forget = async |now, limit| {
        let forgotten = test
            .store
            .forget_engaged(first_counted_hour(now), limit)
            .await;
        forgotten.expect("forgotten")
    };
    let week = START.plus(WEEK);
    assert!(!forget(week, 10).await);
    test.count(&send, displayed([1]), week).await;
    assert_eq!(test.engagement(&app, &send).await.displayed, 3);
    let over = week.plus(Duration::from_hours(1));
    assert!(forget(over, 2).await && !forget(over, 2).await && !forget(over, 2).await);
    // Somebody heard of the token while it was good, and counts it only now.
    let late = displayed([1]).into_iter();
    let mut good = report(1, Engagement::Clicked);
    good.hour = hour_of(over);
    test.count(&send, late.chain([good]).collect(), over).await;
    let counts = test.engagement(&app, &send).await;
    assert_eq!((counts.displayed, counts.clicked), (3, 1));
}
