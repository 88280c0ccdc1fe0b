//! A push service that takes less than Hato can send: how long a send takes there, and how many messages its users get.
//!
//! It handles what it has accepted in order, whether or not the sender still waits. So each request that is given up after 10 s and
//! made again is a copy.

use anyhow::ensure;

use super::DeliverySetup;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::ServerData;
use crate::sink::check_samples;
use crate::sink::protocol::{AnswerRate, ResponsePlan};
use crate::sink::run_state::now;

const ROUNDS: usize = 3;
const MAX_COPIES: FigureTarget = FigureTarget::AtMost(1.01);

const SLOW_RECIPIENTS: u64 = 5_000;
const SLOW: u32 = 200;
/// A third more than it takes the push service at least.
const MAX_SECONDS: f64 = 33.0;

const CHANGING_RECIPIENTS: u64 = 50_000;
const FAST: u32 = 20_000;
const SLOWED_DOWN: u32 = 300;

/// What came of a send.
struct SlowSend {
    /// From the request to the last settlement.
    seconds: f64,
    /// How many messages a recipient got on the average: 1 if none came twice.
    copies: f64,
}

/// Sends to a push service that handles 200 requests a second.
pub async fn measure_slow(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(SLOW_RECIPIENTS);
    let paces = vec![AnswerRate::new(0, SLOW)];
    let sends = sends(setup, options, "slow", recipients, paces).await?;
    let target = FigureTarget::AtMost(MAX_SECONDS);
    figures.add(
        "slow_service_seconds",
        summary(&sends, |it| it.seconds),
        target,
    );
    figures.add(
        "slow_service_copies",
        summary(&sends, |it| it.copies),
        MAX_COPIES,
    );
    Ok(())
}

/// Sends to one that handles 20,000 a second, then 300 for ten seconds, then 20,000 again.
pub async fn measure_changing(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(CHANGING_RECIPIENTS);
    let slow_from = recipients * 2 / 5;
    let slow_until = slow_from + options.scaled(10 * u64::from(SLOWED_DOWN));
    let paces = vec![
        AnswerRate::new(0, FAST),
        AnswerRate::new(slow_from, SLOWED_DOWN),
        AnswerRate::new(slow_until, FAST),
    ];
    let sends = sends(setup, options, "changing", recipients, paces).await?;
    figures.add(
        "changing_service_copies",
        summary(&sends, |it| it.copies),
        MAX_COPIES,
    );
    let seconds = summary(&sends, |it| it.seconds);
    figures.add("changing_service_seconds", seconds, FigureTarget::None);
    Ok(())
}

fn summary(sends: &[SlowSend], value: impl Fn(&SlowSend) -> f64) -> Summary {
    Summary::from_values(sends.iter().map(value))
}

/// Sends of servers that know nothing of the push service yet.
async fn sends(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    name: &str,
    recipients: u64,
    paces: Vec<AnswerRate>,
) -> anyhow::Result<Vec<SlowSend>> {
    let folder = setup.folder.path().join(name);
    let everybody = 0..recipients;
    let everybody = std::slice::from_ref(&everybody);
    let data = ServerData::prepare(folder, &setup.audience, everybody).await?;
    let mut sends = Vec::new();
    for _ in 0..options.rounds(ROUNDS) {
        let plan = ResponsePlan {
            paces: paces.clone(),
            ..ResponsePlan::all_created(recipients)
        };
        sends.push(send_slowly(setup, &data, plan).await?);
    }
    Ok(sends)
}

async fn send_slowly(
    setup: &mut DeliverySetup,
    data: &ServerData,
    plan: ResponsePlan,
) -> anyhow::Result<SlowSend> {
    let (recipients, app) = (plan.expected, &data.apps[0]);
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    setup.sink.begin(plan).await?;
    let started = now();
    let id = hato.broadcast(app, recipients).await?;
    setup.sink.wait_reached().await?;
    let item = hato.wait_done(app, &id).await?;
    let seconds = now() - started;
    let report = setup.sink.end().await?;
    ensure!(item["sent_count"] == recipients, "the history says {item}");
    ensure!(
        report.distinct == recipients && report.unmatched == 0,
        "not all arrived, or others"
    );
    check_samples(&report, &setup.audience, &app.vapid_key)?;
    Ok(SlowSend {
        seconds,
        copies: report.requests as f64 / recipients as f64,
    })
}
