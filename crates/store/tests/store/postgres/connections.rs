//! Connections that are lost: what is asked for next is done all the same, and nothing twice.

use hato_testkit::TestDatabase;

use crate::test_store::{START, TestStore};

/// Ends every session of the database but this one.
const CUT_ALL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test]
async fn writes_and_reads_go_on_after_all_connections_were_cut() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    for round in 0..5 {
        // Many at once, so that there are many connections to lose.
        let first = round * 100;
        futures_util::future::join_all((first..first + 50).map(|n| test.subscribe(&app, n))).await;
        test.database.execute(CUT_ALL);
        test.store.ping().await.expect("asked again");
        test.database.execute(CUT_ALL);
        futures_util::future::join_all((first + 50..first + 100).map(|n| test.subscribe(&app, n)))
            .await;
    }
    assert_eq!(test.record(&app).await.active_subscriptions, 500);
    test.database.execute(CUT_ALL);
    test.broadcast(&app, START).await;
    assert_eq!(test.deliver_all(START, 200).await.len(), 500);
}
