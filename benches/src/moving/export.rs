//! How much more memory the server holds while it gives out a large list.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::ensure;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{name, prepare};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::postgres::BenchCluster;
use crate::process::{peak_memory, reset_peak_memory};

const SUBSCRIPTIONS: u64 = 1_000_000;

pub async fn measure(
    setup: &DeliverySetup,
    cluster: Option<&BenchCluster>,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let count = options.scaled(SUBSCRIPTIONS);
    let data = prepare(setup, cluster, "export", 0..count).await?;
    let hato = data
        .start_api_only(&[("HATO_OUTBOUND_ALLOW", "127.0.0.0/8")])
        .await?;
    let app = &data.apps[0];
    let key = app.full_key(&hato).await?;
    let process = hato.process_id()?;
    // What the start took and gave back would hide what the export takes.
    reset_peak_memory(process)?;
    let before = peak_memory(process)?;
    let began = Instant::now();
    let lines = export(hato.server.address(), &app.id, &key).await?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(lines == count, "{lines} lines");
    let held = Summary::from_value(peak_memory(process)? - before);
    figures.add(
        &name("export_mib", cluster),
        held,
        FigureTarget::AtMost(32.0),
    );
    let speed = Summary::from_value(count as f64 / seconds);
    figures.add(
        &name("export_per_second", cluster),
        speed,
        FigureTarget::None,
    );
    Ok(())
}

/// Reads the list, of which nothing is kept; its lines.
async fn export(server: SocketAddr, app: &str, key: &str) -> anyhow::Result<u64> {
    let mut stream = TcpStream::connect(server).await?;
    // The older version knows no chunks, whose lengths would stand in lines too.
    let request = format!(
        "GET /api/v1/apps/{app}/export HTTP/1.0\r\nhost: h\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let (mut buffer, mut last, mut lines) = (vec![0; 65_536], b' ', 0);
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(lines);
        }
        for byte in &buffer[..read] {
            // Those of the head end with a carriage return.
            lines += u64::from(*byte == b'\n' && last != b'\r');
            last = *byte;
        }
    }
}
