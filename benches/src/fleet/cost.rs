//! What a delivery costs on PostgreSQL, with one worker and with three, against SQLite: the same broadcast in turns.

use super::BenchFleet;
use super::deliver::{DeliveryCost, deliver};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::ServerData;
use crate::postgres::BenchCluster;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 9;
const RECIPIENTS: u64 = 300_000;
const WORKERS: usize = 3;
/// Sends before those that count, until each connection of each of three workers has planned its statements for good, which
/// PostgreSQL does at the sixth execution.
const WARM_UP_SENDS: usize = 3;
/// Recipients of a page.
const PAGE: f64 = 500.0;

/// A fleet on data of its own.
struct Contestant {
    data: ServerData,
    fleet: BenchFleet,
    cluster: Option<BenchCluster>,
    costs: Vec<DeliveryCost>,
}

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(RECIPIENTS);
    let cluster = BenchCluster::start(&[])?;
    let mut contestants = [
        Contestant::start(setup, None, recipients, 1).await?,
        Contestant::start(setup, Some(&cluster), recipients, 1).await?,
        Contestant::start(setup, Some(&cluster), recipients, WORKERS).await?,
    ];
    for round in 0..WARM_UP_SENDS + options.rounds(ROUNDS) {
        for contestant in &mut contestants {
            let is_kept = round >= WARM_UP_SENDS;
            contestant.send(setup, recipients, is_kept).await?;
        }
    }
    let [sqlite, one, three] = contestants.map(|contestant| contestant.costs);
    compare_databases(figures, &sqlite, &one);
    compare_workers(figures, &one, &three);
    Ok(())
}

impl Contestant {
    async fn start(
        setup: &DeliverySetup,
        cluster: Option<&BenchCluster>,
        recipients: u64,
        workers: usize,
    ) -> anyhow::Result<Self> {
        let name = cluster.map_or("sqlite".to_owned(), |_| format!("workers_{workers}"));
        let folder = setup.folder.path().join(&name);
        let (audience, range) = (&setup.audience, 0..recipients);
        let ranges = std::slice::from_ref(&range);
        let data = if let Some(cluster) = cluster {
            let database = cluster.database(&name)?;
            let data = ServerData::prepare_in(&database, folder, audience, ranges).await?;
            database.execute("VACUUM ANALYZE")?;
            data
        } else {
            ServerData::prepare(folder, audience, ranges).await?
        };
        Ok(Self {
            fleet: BenchFleet::start(&data, &setup.sink, workers).await?,
            data,
            cluster: cluster.cloned(),
            costs: Vec::new(),
        })
    }

    async fn send(
        &mut self,
        setup: &mut DeliverySetup,
        recipients: u64,
        is_kept: bool,
    ) -> anyhow::Result<()> {
        let (app, cluster) = (&self.data.apps[0], self.cluster.as_ref());
        let plan = ResponsePlan::all_created(recipients);
        let cost = deliver(setup, &self.fleet, cluster, app, &plan).await?;
        if is_kept {
            self.costs.push(cost);
        }
        Ok(())
    }
}

fn compare_databases(figures: &mut Figures, sqlite: &[DeliveryCost], postgres: &[DeliveryCost]) {
    let pairs = sqlite.iter().zip(postgres);
    let ratio = Summary::from_values(pairs.map(|(file, one)| one.worker() / file.worker()));
    figures.add("postgres_over_sqlite_cpu", ratio, FigureTarget::AtMost(1.2));
    let share = summary(postgres, |cost| cost.database / cost.worker());
    figures.add(
        "database_over_worker_cpu",
        share,
        FigureTarget::AtMost(0.25),
    );
    let mut show = |name: &str, value| figures.add(name, value, FigureTarget::None);
    show(
        "worker_cpu_us_sqlite",
        summary(sqlite, |cost| cost.worker() * 1e6),
    );
    show(
        "worker_cpu_us_postgres",
        summary(postgres, |cost| cost.worker() * 1e6),
    );
    show(
        "database_cpu_us",
        summary(postgres, |cost| cost.database * 1e6),
    );
    show("per_second_sqlite", summary(sqlite, |cost| 1.0 / cost.wall));
    show(
        "per_second_postgres",
        summary(postgres, |cost| 1.0 / cost.wall),
    );
    show("wal_bytes_per_delivery", summary(postgres, |cost| cost.wal));
    show(
        "wal_bytes_per_page",
        summary(postgres, |cost| cost.wal * PAGE),
    );
    show(
        "push_bytes_per_delivery",
        summary(postgres, |cost| cost.network),
    );
}

fn compare_workers(figures: &mut Figures, one: &[DeliveryCost], three: &[DeliveryCost]) {
    let pairs = one.iter().zip(three);
    let ratio = Summary::from_values(pairs.map(|(one, three)| three.database / one.database));
    figures.add(
        "three_workers_database_cpu",
        ratio,
        FigureTarget::AtMost(1.15),
    );
    let least = summary(three, |cost| cost.least_share);
    figures.add(
        "three_workers_least_share",
        least,
        FigureTarget::AtLeast(0.2),
    );
    let cpu = summary(three, |cost| cost.worker() * 1e6);
    figures.add("worker_cpu_us_of_three", cpu, FigureTarget::None);
    let cpu = summary(three, |cost| cost.database * 1e6);
    figures.add("database_cpu_us_of_three", cpu, FigureTarget::None);
}

fn summary(costs: &[DeliveryCost], value: impl Fn(&DeliveryCost) -> f64) -> Summary {
    Summary::from_values(costs.iter().map(value))
}
