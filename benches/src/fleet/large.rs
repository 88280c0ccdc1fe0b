//! Accepting a broadcast, and its first delivery: an app with 2,000,000 subscriptions against one with 10,000, in one database.

use super::BenchFleet;
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, ServerData};
use crate::postgres::{BenchCluster, PostgresDatabase};
use crate::sink::protocol::ResponsePlan;
use crate::sink::run_state::now;

const ROUNDS: usize = 21;
const FEW: u64 = 10_000;
const MANY: u64 = 2_000_000;
/// Says how many there are instead of 2,000,000.
const MANY_VARIABLE: &str = "HATO_BENCH_SUBSCRIPTIONS";

/// Milliseconds from the request.
struct SendLatency {
    accepted: f64,
    /// Until the push service has answered the first message.
    delivered: f64,
}

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let chosen = std::env::var(MANY_VARIABLE).ok();
    let many = chosen.map_or(Ok(options.scaled(MANY)), |number| number.parse())?;
    let counts = [FEW, many];
    let database = BenchCluster::start(&[])?.database("large")?;
    let data = prepare(&database, setup, counts).await?;
    show_sizes(&database, figures, FEW + many)?;
    let fleet = BenchFleet::start(&data, &setup.sink, 1).await?;
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=options.rounds(ROUNDS) {
        for which in order(round) {
            let measured = begin(setup, &fleet, &data.apps[which], counts[which]).await?;
            // The first round warms up.
            if round > 0 {
                times[which].push(measured);
            }
        }
    }
    show_latencies(figures, &times);
    Ok(())
}

/// Whoever comes second finds the machine as the first has left it, so that changes by the round.
fn order(round: usize) -> [usize; 2] {
    if round.is_multiple_of(2) {
        [0, 1]
    } else {
        [1, 0]
    }
}

async fn prepare(
    database: &PostgresDatabase,
    setup: &DeliverySetup,
    [few, many]: [u64; 2],
) -> anyhow::Result<ServerData> {
    let (folder, ranges) = (setup.folder.path().join("large"), [0..few, few..few + many]);
    let data = ServerData::prepare_in(database, folder, &setup.audience, &ranges).await?;
    // As autovacuum leaves it, which would otherwise come in the middle.
    database.execute("VACUUM ANALYZE")?;
    database.execute("CHECKPOINT")?;
    Ok(data)
}

fn show_sizes(
    database: &PostgresDatabase,
    figures: &mut Figures,
    subscriptions: u64,
) -> anyhow::Result<()> {
    let size = |function| database.number(&format!("SELECT {function}('subscriptions')"));
    let all = size("pg_total_relation_size")? / subscriptions as f64;
    let rows = size("pg_table_size")? / subscriptions as f64;
    figures.add(
        "subscriptions",
        Summary::from_value(subscriptions as f64),
        FigureTarget::None,
    );
    figures.add(
        "bytes_per_subscription",
        Summary::from_value(all),
        FigureTarget::None,
    );
    figures.add(
        "bytes_without_indexes",
        Summary::from_value(rows),
        FigureTarget::None,
    );
    Ok(())
}

/// Begins a broadcast, and cancels it after its first delivery.
async fn begin(
    setup: &mut DeliverySetup,
    fleet: &BenchFleet,
    app: &BenchApp,
    recipients: u64,
) -> anyhow::Result<SendLatency> {
    setup.sink.begin(ResponsePlan::all_created(1)).await?;
    let started = now();
    let send = fleet.api.broadcast(app, recipients).await?;
    let accepted = now();
    let delivered = setup.sink.wait_reached().await?;
    fleet.api.cancel(app, &send).await?;
    setup.sink.end().await?;
    Ok(SendLatency {
        accepted: (accepted - started) * 1e3,
        delivered: (delivered - started) * 1e3,
    })
}

fn show_latencies(figures: &mut Figures, [few, many]: &[Vec<SendLatency>; 2]) {
    let values = |times: &[SendLatency], part: fn(&SendLatency) -> f64| {
        Summary::from_values(times.iter().map(part))
    };
    let parts: [(&str, fn(&SendLatency) -> f64); 2] = [
        ("accept", |times| times.accepted),
        ("first_delivery", |times| times.delivered),
    ];
    for (name, part) in parts {
        let (few, many) = (values(few, part), values(many, part));
        // Of medians: two times of one round have nothing else in common.
        let ratio = Summary::from_value(many.median / few.median);
        figures.add(
            &format!("large_over_small_{name}"),
            ratio,
            FigureTarget::AtMost(1.5),
        );
        figures.add(&format!("{name}_ms_small"), few, FigureTarget::None);
        figures.add(&format!("{name}_ms_large"), many, FigureTarget::None);
    }
}
