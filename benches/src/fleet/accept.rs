//! Sends accepted per second where a commit takes 4 ms: 64 clients of one account and of 64 accounts, against one client.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::BenchOptions;
use crate::api::commit;
use crate::api::load::{LoadRequest, load_each};
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{ServerData, notification};
use crate::postgres::{BenchCluster, PostgresDatabase};

const ROUNDS: usize = 5;
const CLIENTS: usize = 64;
const ROUND: Duration = Duration::from_millis(1_500);
/// By how much each commit is delayed, milliseconds.
const DELAY_MS: f64 = 4.0;
/// Subscriptions of each app.
const SUBSCRIBERS: u64 = 10;
/// Commits of the probe.
const COMMITS: u32 = 100;

/// Gives each app an account of its own.
const SEPARATE_APPS: &str = "
    INSERT INTO accounts (id, email, email_folded, plan, created_at)
    SELECT replace(id, 'app_', 'usr_'), id, id, 'pro', created_at FROM apps;
    UPDATE apps SET account_id = replace(id, 'app_', 'usr_')";

pub async fn measure(
    setup: &DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (_library, cluster) = start_slow_cluster().await?;
    let database = cluster.database("accept")?;
    let data = prepare(&database, setup).await?;
    let hato = data.start_api_only(&[]).await?;
    let requests: Vec<LoadRequest> = (0..CLIENTS).map(|app| request(setup, &data, app)).collect();
    let same = vec![requests[0].clone(); CLIENTS];
    load_each(&hato, &requests, ROUND / 3).await?;
    let (mut one, mut one_account, mut accounts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        one.push(load_each(&hato, &same[..1], ROUND).await?.rate());
        one_account.push(load_each(&hato, &same, ROUND).await?.rate());
        accounts.push(load_each(&hato, &requests, ROUND).await?.rate());
    }
    let gain = Summary::from_ratios(&one_account, &one);
    figures.add(
        "accept_64_over_1_one_account",
        gain,
        FigureTarget::AtLeast(3.0),
    );
    let gain = Summary::from_ratios(&accounts, &one);
    figures.add(
        "accept_64_over_1_64_accounts",
        gain,
        FigureTarget::AtLeast(4.0),
    );
    let mut show =
        |name: &str, rates| figures.add(name, Summary::from_values(rates), FigureTarget::None);
    show("accept_per_second_1", one);
    show("accept_per_second_64_one_account", one_account);
    show("accept_per_second_64_accounts", accounts);
    let cost = Summary::from_value(commit_ms(&database)?);
    figures.add("commit_ms_postgres", cost, FigureTarget::AtLeast(DELAY_MS));
    Ok(())
}

/// A cluster whose every fsync takes longer; the library that does it is in the folder, which PostgreSQL's user must be able to read.
async fn start_slow_cluster() -> anyhow::Result<(TempDir, BenchCluster)> {
    let folder = TempDir::with_prefix("hato-fsync-")?;
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    let library = commit::build_delay(folder.path()).await?;
    let delay = DELAY_MS.to_string();
    let cluster = BenchCluster::start(&[("LD_PRELOAD", &library), ("SLOW_FSYNC_MS", &delay)])?;
    Ok((folder, cluster))
}

/// An app with a few subscribers in each of the accounts.
async fn prepare(database: &PostgresDatabase, setup: &DeliverySetup) -> anyhow::Result<ServerData> {
    let folder = setup.folder.path().join("accept");
    let first = |app: usize| app as u64 * SUBSCRIBERS;
    let ranges: Vec<_> = (0..CLIENTS).map(|app| first(app)..first(app + 1)).collect();
    let data = ServerData::prepare_in(database, folder, &setup.audience, &ranges).await?;
    database.execute(SEPARATE_APPS)?;
    Ok(data)
}

/// A send to the first subscriber of an app.
fn request(setup: &DeliverySetup, data: &ServerData, app: usize) -> LoadRequest {
    let endpoint = setup.audience.endpoint(app as u64 * SUBSCRIBERS);
    let body = notification(Some(&endpoint));
    LoadRequest::post("/api/v1/notify", &data.apps[app].key, &body)
}

/// Milliseconds of a small commit.
fn commit_ms(database: &PostgresDatabase) -> anyhow::Result<f64> {
    database.execute("CREATE TABLE probe (number BIGINT)")?;
    let started = Instant::now();
    let commits =
        format!("FOR i IN 1..{COMMITS} LOOP INSERT INTO probe VALUES (i); COMMIT; END LOOP");
    database
        .execute(&format!("DO $$ BEGIN {commits}; END $$"))
        .context("commit in a loop")?;
    Ok(started.elapsed().as_secs_f64() * 1e3 / f64::from(COMMITS))
}
