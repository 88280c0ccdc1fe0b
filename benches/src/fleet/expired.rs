//! What it costs on PostgreSQL that one recipient in a hundred has expired, against a send that reaches everybody.

use super::BenchFleet;
use super::deliver::{DeliveryCost, deliver};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::ServerData;
use crate::postgres::BenchCluster;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 5;
const RECIPIENTS: u64 = 200_000;
const PERCENT: [(u16, u64); 3] = [(410, 1), (429, 0), (500, 0)];

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (recipients, rounds) = (options.scaled(RECIPIENTS), options.rounds(ROUNDS));
    let cluster = BenchCluster::start(&[])?;
    // Who has expired stays so: each round has an app of its own, besides one that all reach and one to warm up with.
    let app = |number: u64| number * recipients..(number + 1) * recipients;
    let ranges: Vec<_> = (0..rounds as u64 + 2).map(app).collect();
    let folder = setup.folder.path().join("expired");
    let database = cluster.database("expired")?;
    let data = ServerData::prepare_in(&database, folder, &setup.audience, &ranges).await?;
    database.execute("VACUUM ANALYZE")?;
    let fleet = BenchFleet::start(&data, &setup.sink, 1).await?;

    let reached = ResponsePlan::all_created(recipients);
    let expiring = ResponsePlan {
        percent: PERCENT,
        ..reached.clone()
    };
    let (mut plain, mut expired) = (Vec::new(), Vec::new());
    for app in &data.apps[1..] {
        let cluster = Some(&cluster);
        plain.push(deliver(setup, &fleet, cluster, &data.apps[0], &reached).await?);
        expired.push(deliver(setup, &fleet, cluster, app, &expiring).await?);
    }
    show(figures, &plain[1..], &expired[1..]);
    Ok(())
}

fn show(figures: &mut Figures, plain: &[DeliveryCost], expired: &[DeliveryCost]) {
    let mut ratio = |name: &str, part: fn(&DeliveryCost) -> f64| {
        let pairs = expired.iter().zip(plain);
        let ratios = Summary::from_values(pairs.map(|(one, other)| part(one) / part(other)));
        figures.add(name, ratios, FigureTarget::None);
    };
    ratio("expired_worker_cpu", DeliveryCost::worker);
    ratio("expired_database_cpu", |cost| cost.database);
    let mut value = |name: &str, part: fn(&DeliveryCost) -> f64| {
        let values = Summary::from_values(expired.iter().map(part));
        figures.add(name, values, FigureTarget::None);
    };
    value("expired_worker_cpu_us", |cost| cost.worker() * 1e6);
    value("expired_database_cpu_us", |cost| cost.database * 1e6);
    value("expired_wal_bytes_per_delivery", |cost| cost.wal);
}
