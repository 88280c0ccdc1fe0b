//! Transactions that wait for an app that others have locked, of which there may be any number.

use std::time::Duration;

use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;

use super::{assert_all_register, connect, execute, until_so_many_wait};
use crate::test_store::TestStore;

/// More registrations than the store has connections.
const REGISTRATIONS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_is_locked_for_long_leaves_others_their_connections() {
    let settings = PostgresSettings {
        max_connections: 4,
        acquire_timeout: Duration::from_secs(2),
        listen: false,
        ..PostgresSettings::default()
    };
    let test = TestStore::with_settings(TestDatabase::postgres().await, &settings).await;
    let (locked, other) = (test.app().await, test.app().await);
    let mut outside = connect(&test).await;
    let lock = format!(
        "BEGIN; SELECT FROM apps WHERE id = '{}' FOR UPDATE",
        locked.as_str()
    );
    execute(&mut outside, &lock).await;
    let registrations = (0..REGISTRATIONS).map(|number| {
        let (store, new) = (test.store.clone(), test.new_subscription(&locked, number));
        tokio::spawn(async move { store.register_subscription(new).await })
    });
    let registrations: Vec<_> = registrations.collect();
    until_so_many_wait(&mut outside, 2).await;
    test.subscribe(&other, 0).await;
    test.subscribe(&other, 1).await;
    execute(&mut outside, "COMMIT").await;
    assert_all_register(registrations).await;
}
