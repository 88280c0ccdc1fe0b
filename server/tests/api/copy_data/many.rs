//! A copy of very many rows: all arrive, and come back.

use std::time::Instant;

use hato_testkit::TestDatabase;
use hato_testkit::server::ServerLaunch;

use super::{assert_copied, copy_by, file, moved};
use crate::database::fill_subscriptions;
use crate::fixtures::{BINARY, app, env_or, snapshot, start};
use crate::process::program;

/// The memory that a copy may take, however much it copies.
const MOST_MEMORY_KIB: u64 = 160 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn as_many_rows_as_there_are_arrive_and_come_back() {
    let count = usize::try_from(env_or("HATO_RECIPIENTS", 5_000)).expect("not so many");
    let launch = ServerLaunch::on(BINARY, TestDatabase::sqlite().await);
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    fill_subscriptions(&server, count, "https://push.example.com/").await;
    let before = snapshot(&app).await;
    assert_eq!(before["stats"]["activeSubscribers"], count);
    server.terminate().await.expect("it stops");

    let folder = tempfile::tempdir().expect("a folder");
    let bounded = program(&folder, &format!("ulimit -d {MOST_MEMORY_KIB} || exit"));
    let postgres = TestDatabase::empty_postgres();
    let asked_at = Instant::now();
    let copied = copy_by(&bounded, &file(server.data_dir()), postgres.url()).await;
    println!("{count} to PostgreSQL: {:?}", asked_at.elapsed());
    assert_copied(&copied, count);
    let mut fleet = moved(&server, &launch, postgres.url()).await;
    assert_eq!(snapshot(&app).await, before);
    fleet.terminate().await.expect("it stops");

    let asked_at = Instant::now();
    let copied = copy_by(&bounded, postgres.url(), &file(folder.path())).await;
    println!("{count} to SQLite: {:?}", asked_at.elapsed());
    assert_copied(&copied, count);
    let _back = moved(&server, &launch, &file(folder.path())).await;
    assert_eq!(snapshot(&app).await, before);
}
