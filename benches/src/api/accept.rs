//! Sends accepted per second: 64 clients against 1.

use std::time::Duration;

use super::load::{Request, load};
use super::{Stage, commit};
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::{Data, Hato};

const ROUNDS: usize = 7;
const CLIENTS: usize = 64;
const ROUND: Duration = Duration::from_millis(1_500);

/// SQLite with synchronous=FULL on the disk that is there.
pub async fn as_shipped(stage: &Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let data = data(stage, "accept").await?;
    let hato = data.accept(&[]).await?;
    let measured = measure(&hato, &stage.send_to_one(&data.apps[0]), wish).await?;
    figures.add("accept_64_over_1", measured.gain(), Target::AtLeast(2.5));
    figures.add("accept_per_second_1", Span::of(measured.one), Target::None);
    figures.add(
        "accept_per_second_64",
        Span::of(measured.many),
        Target::None,
    );
    figures.add("accept_cpu_us_1", Span::of(measured.one_cpu), Target::None);
    figures.add(
        "accept_cpu_us_64",
        Span::of(measured.many_cpu),
        Target::None,
    );
    let cost = commit::cost(&stage.path("probe"), None).await?;
    figures.add("commit_ms_as_shipped", cost, Target::None);
    Ok(())
}

/// The same where each fsync takes at least a millisecond more.
pub async fn with_slow_commits(
    stage: &Stage,
    wish: &Wish,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let delay = commit::build_delay(stage.folder.path()).await?;
    let data = data(stage, "slow").await?;
    let hato = data.accept(&[("LD_PRELOAD", &delay)]).await?;
    let measured = measure(&hato, &stage.send_to_one(&data.apps[0]), wish).await?;
    figures.add(
        "accept_64_over_1_slow_commit",
        measured.gain(),
        Target::AtLeast(8.0),
    );
    figures.add(
        "accept_per_second_1_slow_commit",
        Span::of(measured.one),
        Target::None,
    );
    figures.add(
        "accept_per_second_64_slow_commit",
        Span::of(measured.many),
        Target::None,
    );
    let cost = commit::cost(&stage.path("slow-probe"), Some(&delay)).await?;
    figures.add("commit_ms", cost, Target::AtLeast(1.0));
    Ok(())
}

async fn data(stage: &Stage, name: &str) -> anyhow::Result<Data> {
    Data::prepare(
        stage.path(name),
        &stage.audience,
        std::slice::from_ref(&(0..10)),
    )
    .await
}

/// Accepted per second, and the CPU of each in microseconds, round by round.
#[derive(Default)]
struct Measured {
    one: Vec<f64>,
    many: Vec<f64>,
    one_cpu: Vec<f64>,
    many_cpu: Vec<f64>,
}

impl Measured {
    fn gain(&self) -> Span {
        Span::of_ratios(&self.many, &self.one)
    }
}

async fn measure(hato: &Hato, request: &Request, wish: &Wish) -> anyhow::Result<Measured> {
    let mut measured = Measured::default();
    load(hato, request, CLIENTS, ROUND / 3).await?;
    for _ in 0..wish.rounds(ROUNDS) {
        let one = load(hato, request, 1, ROUND).await?;
        let many = load(hato, request, CLIENTS, ROUND).await?;
        measured.one.push(one.rate());
        measured.many.push(many.rate());
        measured.one_cpu.push(one.cpu_us());
        measured.many_cpu.push(many.cpu_us());
    }
    Ok(measured)
}
