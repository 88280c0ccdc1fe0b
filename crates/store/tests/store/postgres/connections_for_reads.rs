//! Connections that no transaction gets, however many there are.

use futures_util::future::join_all;
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;

use super::{assert_all_register, connect, execute, until_so_many_wait};
use crate::test_store::TestStore;

/// More than the store has connections, each of which waits for an app of its own.
const REGISTRATIONS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn no_number_of_transactions_keeps_a_read_waiting() {
    let settings = PostgresSettings {
        max_connections: 4,
        listen: false,
        ..PostgresSettings::default()
    };
    let test = TestStore::with_settings(TestDatabase::postgres().await, &settings).await;
    let apps = join_all((0..REGISTRATIONS).map(|_| test.app())).await;
    let mut outside = connect(&test).await;
    execute(&mut outside, "BEGIN; SELECT FROM apps FOR UPDATE").await;
    let registrations = apps.iter().map(|app| {
        let (store, new) = (test.store.clone(), test.new_subscription(app, 0));
        tokio::spawn(async move { store.register_subscription(new).await })
    });
    let registrations: Vec<_> = registrations.collect();
    until_so_many_wait(&mut outside, 3).await;
    for app in &apps {
        let keys = test.store.vapid_keys_of(app).await.expect("a connection");
        assert_eq!(keys.len(), 1, "the app's first one");
    }
    execute(&mut outside, "COMMIT").await;
    assert_all_register(registrations).await;
}
