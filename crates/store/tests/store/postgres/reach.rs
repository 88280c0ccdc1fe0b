//! What finished sends tell, taken over by several processes at the same time.

use std::sync::Arc;

use hato_domain::ReachBlock;
use hato_testkit::TestDatabase;
use sqlx::Executor as _;

use super::{connect, until_so_many_wait};
use crate::test_store::{START, TestStore, at};

#[tokio::test(flavor = "multi_thread")]
async fn two_that_make_the_same_block_both_write_to_it() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    for number in 0..2 {
        test.send_to(&app, number, START).await;
    }
    test.deliver_all(START, 10).await;

    let mut gate = connect(&test).await;
    // Others may read the blocks and lock them, and write none.
    let closed = gate.execute("BEGIN; LOCK TABLE reach IN SHARE MODE").await;
    closed.expect("locked");
    let recording = (0..2).map(|_| {
        let store = Arc::clone(&test.store);
        tokio::spawn(async move { store.record_reach(at(1), 1).await })
    });
    let recording: Vec<_> = recording.collect();
    until_so_many_wait(&mut gate, 2).await;
    gate.execute("COMMIT").await.expect("opened");
    for recorded in recording {
        assert!(recorded.await.expect("no panic").expect("recorded"));
    }

    let blocks: Vec<(i64, Vec<u8>)> = sqlx::query_as("SELECT block, answers FROM reach")
        .fetch_all(&mut gate)
        .await
        .expect("read");
    let [(0, answers)] = blocks.as_slice() else {
        panic!("one block: {blocks:?}");
    };
    let block = ReachBlock::from_bytes(0, answers).expect("it can be read");
    let days = [1, 2].map(|position| block.last_success(position));
    assert_eq!(days, [Some(START.day_number()); 2]);
}
