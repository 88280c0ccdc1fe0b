//! Sends accepted per second where a commit takes 4 ms: 64 clients of one account, in one app and in several, and of 64 accounts,
//! against one client.

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
use crate::hato::{BenchServer, ServerData, notification};
use crate::postgres::{BenchCluster, PostgresDatabase};

const ROUNDS: usize = 5;
const CLIENTS: usize = 64;
const LOAD_DURATION: Duration = Duration::from_millis(1_500);
/// By how much each commit is delayed, milliseconds.
const DELAY_MS: f64 = 4.0;
/// Apps that stay together in one account.
const SHARED_APPS: usize = 8;
/// Subscriptions of each app.
const SUBSCRIBERS: u64 = 10;
/// Commits of the probe.
const COMMITS: u32 = 100;

/// Gives each app but the first ones an account of its own.
fn separate_apps() -> String {
    format!(
        "CREATE TABLE separate AS SELECT id FROM apps ORDER BY created_at, id OFFSET {SHARED_APPS};
         INSERT INTO accounts (id, email, email_folded, plan, created_at)
         SELECT replace(id, 'app_', 'usr_'), id, id, 'pro', 0 FROM separate;
         UPDATE apps SET account_id = replace(id, 'app_', 'usr_')
         WHERE id IN (SELECT id FROM separate)"
    )
}

pub async fn measure(
    setup: &DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (_library, cluster) = start_slow_cluster().await?;
    let database = cluster.database("accept")?;
    let data = prepare(&database, setup).await?;
    let hato = data.start_api_only(&[]).await?;
    let apps = 0..SHARED_APPS + CLIENTS;
    let requests: Vec<LoadRequest> = apps.map(|app| request(setup, &data, app)).collect();
    let [one, one_app, eight_apps, accounts] = rates(&hato, &requests, options).await?;
    for (name, rates, target) in [
        ("accept_64_over_1_one_account", &one_app, 3.0),
        ("accept_64_over_1_eight_apps", &eight_apps, 3.0),
        ("accept_64_over_1_64_accounts", &accounts, 4.0),
    ] {
        let gain = Summary::from_ratios(rates, &one);
        figures.add(name, gain, FigureTarget::AtLeast(target));
    }
    for (name, rates) in [
        ("accept_per_second_1", one),
        ("accept_per_second_64_one_account", one_app),
        ("accept_per_second_64_eight_apps", eight_apps),
        ("accept_per_second_64_accounts", accounts),
    ] {
        figures.add(name, Summary::from_values(rates), FigureTarget::None);
    }
    let cost = Summary::from_value(commit_ms(&database)?);
    figures.add("commit_ms_postgres", cost, FigureTarget::AtLeast(DELAY_MS));
    Ok(())
}

/// Sends a second in each round: those of one client, and of 64 for one app, for the apps of one account and for those of as many
/// accounts.
async fn rates(
    hato: &BenchServer,
    requests: &[LoadRequest],
    options: &BenchOptions,
) -> anyhow::Result<[Vec<f64>; 4]> {
    let (shared, separate) = requests.split_at(SHARED_APPS);
    let one_app = vec![requests[0].clone(); CLIENTS];
    let eight_apps: Vec<_> = shared.iter().cycle().take(CLIENTS).cloned().collect();
    load_each(hato, separate, LOAD_DURATION / 3).await?;
    let loads = [&one_app[..1], &one_app, &eight_apps, separate];
    let mut rates = <[Vec<f64>; 4]>::default();
    for _ in 0..options.rounds(ROUNDS) {
        for (rates, load) in rates.iter_mut().zip(loads) {
            rates.push(load_each(hato, load, LOAD_DURATION).await?.rate());
        }
    }
    Ok(rates)
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
    let ranges: Vec<_> = (0..SHARED_APPS + CLIENTS)
        .map(|app| first(app)..first(app + 1))
        .collect();
    let data = ServerData::prepare_in(database, folder, &setup.audience, &ranges).await?;
    database.execute(&separate_apps())?;
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
