//! CPU for each delivery of a large send during which a back-up is made, the back-up's own included, against one without: one that
//! somebody asks for, and one that the server makes by itself.

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;
use tempfile::TempDir;
use tokio::time::sleep;

use super::prepare;
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::delivery::send::send;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};
use crate::process::ended_children_seconds;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 5;
const RECIPIENTS: u64 = 200_000;

/// How often it is looked whether the server has made its back-up.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// CPU for each delivery without a back-up and with one, microseconds, by round.
struct Compared {
    alone: Vec<f64>,
    saved: Vec<f64>,
}

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(RECIPIENTS);
    let data = prepare(setup, None, "backup", 0..recipients).await?;
    let rounds = options.rounds(ROUNDS);
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let asked_for = Compared::measure(rounds, recipients, async |is_saved| {
        send_beside(setup, &hato, &data, recipients, is_saved).await
    });
    asked_for.await?.add_to(figures, "asked_for");
    drop(hato);
    let scheduled = Compared::measure(rounds, recipients, async |is_saved| {
        deliver_queued(setup, &data, recipients, is_saved).await
    });
    scheduled.await?.add_to(figures, "scheduled");
    Ok(())
}

impl Compared {
    /// `cost` is CPU seconds of a send, with a back-up or without.
    async fn measure(
        rounds: usize,
        recipients: u64,
        mut cost: impl AsyncFnMut(bool) -> anyhow::Result<f64>,
    ) -> anyhow::Result<Self> {
        let (mut alone, mut saved) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            // Which comes first changes, for the second finds what the first has warmed.
            let (without, with) = if round % 2 == 0 {
                (cost(false).await?, cost(true).await?)
            } else {
                let with = cost(true).await?;
                (cost(false).await?, with)
            };
            // The first round opens connections and files.
            if round > 0 {
                alone.push(without * 1e6 / recipients as f64);
                saved.push(with * 1e6 / recipients as f64);
            }
        }
        Ok(Self { alone, saved })
    }

    fn add_to(self, figures: &mut Figures, backup: &str) {
        let ratio = Summary::from_ratios(&self.saved, &self.alone);
        let name = format!("delivering_with_backup_{backup}_cpu");
        figures.add(&name, ratio, FigureTarget::AtMost(1.1));
        let name = format!("delivering_without_backup_{backup}_cpu_us");
        figures.add(&name, Summary::from_values(self.alone), FigureTarget::None);
    }
}

/// CPU seconds of the server for the send, and of the process that makes a back-up from its beginning on.
async fn send_beside(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    recipients: u64,
    is_saved: bool,
) -> anyhow::Result<f64> {
    let folder = TempDir::new_in(setup.folder.path())?;
    let before = ended_children_seconds()?;
    let saving = async {
        if is_saved {
            back_up(hato, &folder.path().join("made.hato")).await?;
        }
        anyhow::Ok(())
    };
    let sending = send(setup, hato, &data.apps[0], recipients, 0);
    let (cost, ()) = tokio::try_join!(sending, saving)?;
    Ok(cost.cpu + ended_children_seconds()? - before)
}

/// CPU seconds of a server that starts on a send that is queued, delivers it, and makes a back-up meanwhile.
async fn deliver_queued(
    setup: &mut DeliverySetup,
    data: &ServerData,
    recipients: u64,
    is_saved: bool,
) -> anyhow::Result<f64> {
    let app = &data.apps[0];
    let mut accepting = data.start_api_only(&[]).await?;
    let id = accepting.broadcast(app, recipients).await?;
    accepting.server.terminate().await?;
    setup
        .sink
        .begin(ResponsePlan::all_created(recipients))
        .await?;
    let folder = TempDir::new_in(setup.folder.path())?;
    let path = folder.path().to_string_lossy().into_owned();
    let settings = [("HATO_BACKUP_DIR", path.as_str())];
    let settings = if is_saved { &settings[..] } else { &[] };
    let mut hato = data.start_with_sink(&setup.sink, settings).await?;
    setup.sink.wait_reached().await?;
    hato.wait_done(app, &id).await?;
    while is_saved && !hato.server.log().contains("made a back-up") {
        sleep(POLL_INTERVAL).await;
    }
    let cpu = hato.cpu_seconds()?;
    setup
        .sink
        .end_exact(recipients, &setup.audience, &app.vapid_key)
        .await?;
    hato.server.terminate().await?;
    Ok(cpu)
}

/// Saves everything into this file.
async fn back_up(hato: &BenchServer, file: &Path) -> anyhow::Result<()> {
    let output = hato
        .server
        .launch()
        .command("backup")
        .arg(file)
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
