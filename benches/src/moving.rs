//! What moving in and out costs, and saving everything while it is sent to, on both databases where both can.

mod backup;
mod export;
mod import;

use std::ops::Range;

use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::hato::ServerData;
use crate::postgres::BenchCluster;

/// Measures the selected parts: `import`, `export`, `backup`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut setup = DeliverySetup::start().await?;
    let mut figures = options.figures("moving");
    let cluster = BenchCluster::start(&[])?;
    for database in [None, Some(&cluster)] {
        if options.includes("import") {
            import::measure(&setup, database, options, &mut figures).await?;
        }
        if options.includes("export") {
            export::measure(&setup, database, options, &mut figures).await?;
        }
    }
    if options.includes("backup") {
        backup::measure(&mut setup, options, &mut figures).await?;
    }
    figures.finish()
}

/// Data in a file, or in a new database of the cluster, of an app with these members of the audience.
async fn prepare(
    setup: &DeliverySetup,
    cluster: Option<&BenchCluster>,
    part: &str,
    subscribers: Range<u64>,
) -> anyhow::Result<ServerData> {
    let folder = setup.folder.path().join(name(part, cluster));
    let subscribers = [subscribers];
    match cluster {
        None => ServerData::prepare(folder, &setup.audience, &subscribers).await,
        Some(cluster) => {
            let database = cluster.database(part)?;
            let data =
                ServerData::prepare_in(&database, folder, &setup.audience, &subscribers).await?;
            database.execute("VACUUM ANALYZE")?;
            Ok(data)
        }
    }
}

/// The name of a figure on this database.
fn name(figure: &str, cluster: Option<&BenchCluster>) -> String {
    let database = cluster.map_or("sqlite", |_| "postgres");
    format!("{figure}_{database}")
}
