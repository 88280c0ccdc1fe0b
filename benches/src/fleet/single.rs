//! Sends to one recipient each: what accepting, delivering and recording one costs whom.

use super::BenchFleet;
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, ServerData};
use crate::postgres::BenchCluster;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 3;
const SENDS: u64 = 2_000;

/// What one send to one recipient took, of each process and of the disk.
struct FleetSendCost {
    /// CPU seconds of the process that accepts.
    api: f64,
    /// Of the process that delivers.
    worker: f64,
    /// Of all PostgreSQL processes.
    database: f64,
    /// Bytes that PostgreSQL has written to its log.
    wal: f64,
}

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (sends, folder) = (options.scaled(SENDS), setup.folder.path().join("single"));
    let cluster = BenchCluster::start(&[])?;
    let (database, range) = (cluster.database("single")?, 0..sends);
    let ranges = std::slice::from_ref(&range);
    let data = ServerData::prepare_in(&database, folder, &setup.audience, ranges).await?;
    let fleet = BenchFleet::start(&data, &setup.sink, 1).await?;
    let mut costs = Vec::new();
    for round in 0..=options.rounds(ROUNDS) {
        let cost = send_all(setup, &fleet, &cluster, &data.apps[0], sends).await?;
        // The first round warms up.
        if round > 0 {
            costs.push(cost);
        }
    }
    let mut show = |name: &str, part: fn(&FleetSendCost) -> f64| {
        let values = Summary::from_values(costs.iter().map(part));
        figures.add(name, values, FigureTarget::None);
    };
    show("single_api_cpu_us", |cost| cost.api * 1e6);
    show("single_worker_cpu_us", |cost| cost.worker * 1e6);
    show("single_database_cpu_us", |cost| cost.database * 1e6);
    show("single_wal_bytes", |cost| cost.wal);
    Ok(())
}

/// Sends to each subscriber on its own.
async fn send_all(
    setup: &mut DeliverySetup,
    fleet: &BenchFleet,
    cluster: &BenchCluster,
    app: &BenchApp,
    sends: u64,
) -> anyhow::Result<FleetSendCost> {
    setup.sink.begin(ResponsePlan::all_created(sends)).await?;
    let wal = cluster.wal_bytes()?;
    let (api, worker) = (fleet.api.cpu_seconds()?, fleet.worker_cpu()?);
    let database = cluster.cpu_seconds()?;
    let endpoints = (0..sends).map(|number| setup.audience.endpoint(number));
    fleet.api.send_to_each(app, endpoints).await?;
    setup.sink.wait_reached().await?;
    // What is still to be recorded after the last answer is a small part of all.
    let count = sends as f64;
    let cost = FleetSendCost {
        api: (fleet.api.cpu_seconds()? - api) / count,
        worker: (fleet.worker_cpu()?[0] - worker[0]) / count,
        database: (cluster.cpu_seconds()? - database) / count,
        wal: (cluster.wal_bytes()? - wal) / count,
    };
    setup
        .sink
        .end_exact(sends, &setup.audience, &app.vapid_key)
        .await?;
    Ok(cost)
}
