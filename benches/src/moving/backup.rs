//! CPU of the server for each delivery of a large send while a back-up is made, against one without.

use std::path::Path;

use anyhow::ensure;
use tempfile::TempDir;

use super::prepare;
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::delivery::send::send;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};

const ROUNDS: usize = 5;
const RECIPIENTS: u64 = 200_000;

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(RECIPIENTS);
    let data = prepare(setup, None, "backup", 0..recipients).await?;
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let (mut alone, mut saved, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=options.rounds(ROUNDS) {
        let mut cost = async |is_saved: bool| -> anyhow::Result<(f64, f64)> {
            let (cpu, files) = send_beside(setup, &hato, &data, recipients, is_saved).await?;
            Ok((cpu * 1e6 / recipients as f64, files as f64))
        };
        // Which comes first changes, for the second finds what the first has warmed.
        let ((without, _), (with, files)) = if round % 2 == 0 {
            (cost(false).await?, cost(true).await?)
        } else {
            let with = cost(true).await?;
            (cost(false).await?, with)
        };
        // The first round opens connections and files.
        if round > 0 {
            alone.push(without);
            saved.push(with);
            counts.push(files);
        }
    }
    let ratio = Summary::from_ratios(&saved, &alone);
    figures.add(
        "delivering_beside_backups_cpu",
        ratio,
        FigureTarget::AtMost(1.1),
    );
    figures.add(
        "delivering_cpu_us",
        Summary::from_values(alone),
        FigureTarget::None,
    );
    figures.add(
        "backups_of_a_send",
        Summary::from_values(counts),
        FigureTarget::AtLeast(1.0),
    );
    Ok(())
}

/// CPU seconds of the server for the send, and how many back-ups were made meanwhile, one after the other.
async fn send_beside(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    recipients: u64,
    is_saved: bool,
) -> anyhow::Result<(f64, usize)> {
    let folder = TempDir::new_in(setup.folder.path())?;
    let mut files = 0;
    let saving = async {
        if !is_saved {
            return std::future::pending().await;
        }
        loop {
            back_up(hato, &folder.path().join(format!("{files}.hato"))).await?;
            files += 1;
        }
    };
    let sending = send(setup, hato, &data.apps[0], recipients, 0);
    let cost = tokio::select! {
        biased;
        cost = sending => cost?,
        failed = saving => return failed,
    };
    Ok((cost.cpu, files))
}

/// Saves everything into this file, which is then removed.
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
    Ok(std::fs::remove_file(file)?)
}
