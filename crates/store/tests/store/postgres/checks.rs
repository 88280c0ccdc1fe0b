//! Checks and repairs beside others who write.

use std::sync::Arc;

use futures_util::future::join_all;
use hato_domain::{AppId, ProfileChange, Tags, TagsChange};
use hato_service::ports::{ChangeProfileOutcome, Store};
use hato_testkit::TestDatabase;
use sqlx::Executor as _;

use super::{connect, until_so_many_wait};
use crate::test_store::{START, TestStore, endpoint};

const SUBSCRIBERS: usize = 8;

/// Gives the subscriber these tags in the place of all others.
pub async fn tag(store: &Arc<dyn Store>, app: &AppId, number: usize, tags: &[&str]) {
    let tags = tags.iter().map(|tag| (*tag).to_owned());
    let change = ProfileChange {
        tags: TagsChange::Replace(Tags::trusted(tags)),
        ..ProfileChange::default()
    };
    let changed = store.change_profile(app, &endpoint(number), change).await;
    let changed = changed.expect("judged");
    assert!(matches!(changed, ChangeProfileOutcome::Changed(_)));
}

/// Both are changed by one transaction that comes between the two looks: it holds the blocks while the check comes to them.
#[tokio::test(flavor = "multi_thread")]
async fn a_tag_that_is_given_or_taken_between_two_looks_stays_so() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let [before, after] = [["plan:old"], ["plan:new"]];
    tag(&test.store, &app, 0, &after).await;
    test.database
        .execute("CREATE TABLE kept AS SELECT * FROM tag_positions");
    tag(&test.store, &app, 0, &before).await;

    let mut writer = connect(&test).await;
    let locked = writer.execute("BEGIN; LOCK TABLE tag_positions IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    let (store, repaired) = (Arc::clone(&test.store), app.clone());
    let repairing = tokio::spawn(async move { store.check_app(&repaired, true).await });
    until_so_many_wait(&mut writer, 1).await;
    let written = writer.execute(
        r#"UPDATE subscriptions SET tags = '["plan:new"]' WHERE tags IS NOT NULL;
           DELETE FROM tag_positions;
           INSERT INTO tag_positions SELECT * FROM kept;
           COMMIT"#,
    );
    written.await.expect("committed");

    let flaws = repairing.await.expect("no panic").expect("checked");
    assert_eq!(flaws, [], "both were right all the time");
    let flaws = test.store.check_app(&app, false).await;
    assert_eq!(flaws.expect("checked"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_lost_comes_back_while_tags_are_given_and_taken() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, SUBSCRIBERS).await;
    for round in 0..5 {
        test.database.execute("DELETE FROM tag_positions");
        let changing = (0..SUBSCRIBERS).map(|number| {
            let (store, app) = (Arc::clone(&test.store), app.clone());
            tokio::spawn(async move {
                for turn in 0..4 {
                    let tags = ["a", "b", "c", "d", "e"];
                    let first = (number + round + turn) % 4;
                    tag(&store, &app, number, &tags[first..first + 2]).await;
                }
            })
        });
        let changing: Vec<_> = changing.collect();
        for _ in 0..3 {
            test.store.check_app(&app, true).await.expect("repaired");
        }
        for changed in join_all(changing).await {
            changed.expect("no panic");
        }
        test.store.check_app(&app, true).await.expect("repaired");
        let left = test.store.check_app(&app, false).await;
        assert_eq!(left.expect("checked"), [], "round {round}");
    }
}

/// They are counted anew behind those who are counting: what these have written is not lost.
#[tokio::test(flavor = "multi_thread")]
async fn failures_that_are_counted_meanwhile_stay_counted() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    test.broadcast(&app, START).await;
    test.database.execute("UPDATE sends SET failed_other = 7");
    let mut writer = connect(&test).await;
    let counted = writer.execute(
        "BEGIN; UPDATE sends SET failed_expired = failed_expired + 1;
         INSERT INTO send_failures (send_id, host, reason, recipients)
         SELECT id, 'push.example.com', 'expired', 1 FROM sends",
    );
    counted.await.expect("counted");
    let store = Arc::clone(&test.store);
    let repairing = tokio::spawn(async move { store.check_failures(START, true).await });
    until_so_many_wait(&mut writer, 1).await;
    writer.execute("COMMIT").await.expect("committed");

    let flaws = repairing.await.expect("no panic").expect("repaired");
    assert_eq!(flaws.len(), 1, "{flaws:?}");
    let left = test.store.check_failures(START, false).await;
    assert_eq!(left.expect("checked"), []);
}
