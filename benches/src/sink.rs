//! The push service of all senders, seen from the benchmark: a process of its own, spoken to in lines of JSON.

pub mod process;
pub mod protocol;
pub mod run_state;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::audience::BenchAudience;
use crate::message::verify;
use protocol::{ResponsePlan, SinkCommand, SinkReport};

/// How long a run may take before it counts as failed.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);

/// A running sink; it ends with this value.
pub struct Sink {
    _process: Child,
    stdin: ChildStdin,
    replies: Lines<BufReader<ChildStdout>>,
    /// The origin of all endpoints, `https://127.0.0.1:PORT`.
    pub origin: String,
    /// The PEM file of the CA that senders have to trust.
    pub ca: PathBuf,
}

impl Sink {
    /// Starts a sink whose files are in `folder`.
    pub async fn start(folder: &Path) -> anyhow::Result<Self> {
        let ca = folder.join("sink-ca.pem");
        let mut process = Command::new(std::env::current_exe()?)
            .arg("sink")
            .arg(&ca)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdin = process.stdin.take().context("it is piped")?;
        let out = process.stdout.take().context("it is piped")?;
        let replies = BufReader::new(out).lines();
        let mut sink = Self {
            _process: process,
            stdin,
            replies,
            origin: String::new(),
            ca,
        };
        sink.origin = sink.read_reply().await?;
        Ok(sink)
    }

    /// Starts a run, from which the sink counts anew.
    pub async fn begin(&mut self, plan: ResponsePlan) -> anyhow::Result<()> {
        self.send_command(&SinkCommand::Begin(plan)).await?;
        self.read_reply().await
    }

    /// Waits for the expected number of answers; when the last one was given, Unix seconds.
    pub async fn wait_reached(&mut self) -> anyhow::Result<f64> {
        self.read_reply().await
    }

    /// Ends the run and returns what the sink has seen.
    pub async fn end(&mut self) -> anyhow::Result<SinkReport> {
        self.send_command(&SinkCommand::End).await?;
        self.read_reply().await
    }

    /// Ends a run in which each of so many recipients must have been sent one message with the owner of `key` as sender.
    pub async fn end_exact(
        &mut self,
        expected: u64,
        audience: &BenchAudience,
        key: &str,
    ) -> anyhow::Result<()> {
        let report = self.end().await?;
        let (requests, distinct) = (report.requests, report.distinct);
        ensure!(
            report.unmatched == 0,
            "{} requests to elsewhere",
            report.unmatched
        );
        ensure!(
            requests == expected,
            "{requests} requests instead of {expected}"
        );
        ensure!(
            distinct == expected,
            "{distinct} recipients instead of {expected}"
        );
        check_samples(&report, audience, key)
    }

    async fn send_command(&mut self, command: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(command)? + "\n";
        Ok(self.stdin.write_all(line.as_bytes()).await?)
    }

    async fn read_reply<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let line = timeout(RUN_TIMEOUT, self.replies.next_line()).await;
        let line = line.context("the sink waits for requests that do not come")??;
        Ok(serde_json::from_str(&line.context("the sink has ended")?)?)
    }
}

/// Whether each of so many recipients was sent to, and the send's item of the history says exactly what the sink has answered.
pub fn check_counts(report: &SinkReport, item: &Value, recipients: u64) -> anyhow::Result<()> {
    let count = |name: &str| {
        item[name]
            .as_u64()
            .with_context(|| format!("no {name}: {item}"))
    };
    let answers = |status| report.answers.get(&status).copied().unwrap_or_default();
    let (sent, expired, other) = (
        count("sent_count")?,
        count("failed_expired")?,
        count("failed_other")?,
    );
    let same = sent == answers(201)
        && expired == answers(410)
        && report.distinct == recipients
        && report.unmatched == 0;
    let all = sent + expired + other == recipients;
    ensure!(same && all, "{item} after answers {:?}", report.answers);
    Ok(())
}

/// Whether enough messages were kept, and each is what it should be.
pub fn check_samples(
    report: &SinkReport,
    audience: &BenchAudience,
    key: &str,
) -> anyhow::Result<()> {
    let kept = report.samples.len() as u64;
    ensure!(kept == protocol::SAMPLES, "{kept} messages were kept");
    for sample in &report.samples {
        verify(sample, audience, key).with_context(|| sample.path.clone())?;
    }
    Ok(())
}
