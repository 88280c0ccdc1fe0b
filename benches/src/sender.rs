//! The senders that Hato is compared with: each a long-running process that sends when told to.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use p256::SecretKey;
use p256::elliptic_curve::rand_core::OsRng;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::audience::{BenchAudience, encode};
use crate::message::{SUBJECT, TTL, payload};
use crate::process::cpu_seconds;
use crate::sink::Sink;
use crate::sink::protocol::ResponsePlan;

/// A sender, and how many messages take it about two seconds.
pub struct SenderKind {
    /// The name in the results.
    pub name: &'static str,
    /// How many messages it sends in a round.
    pub messages: u64,
    command: fn() -> anyhow::Result<Command>,
}

/// Every kind, the slowest first.
pub const SENDER_KINDS: [SenderKind; 4] = [
    SenderKind {
        name: "npm_web_push",
        messages: 2_000,
        command: node,
    },
    SenderKind {
        name: "pywebpush_aiohttp",
        messages: 3_000,
        command: python,
    },
    SenderKind {
        name: "web_push_hyper",
        messages: 3_000,
        command: || rust("hyper"),
    },
    SenderKind {
        name: "web_push_reqwest",
        messages: 8_000,
        command: || rust("reqwest"),
    },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("senders")
}

fn node() -> anyhow::Result<Command> {
    let folder = folder().join("node");
    ensure!(
        folder.join("node_modules/web-push").exists(),
        "run scripts/setup bench first"
    );
    let mut command = Command::new("node");
    command.arg(folder.join("sender.js"));
    Ok(command)
}

fn python() -> anyhow::Result<Command> {
    let folder = folder().join("python");
    let interpreter = folder.join(".venv/bin/python");
    ensure!(interpreter.exists(), "run scripts/setup bench first");
    let mut command = Command::new(interpreter);
    command.arg(folder.join("sender.py"));
    Ok(command)
}

fn rust(client: &str) -> anyhow::Result<Command> {
    let program = std::env::current_exe()?.with_file_name("web-push-sender");
    ensure!(program.exists(), "cargo build --release --workspace first");
    let mut command = Command::new(program);
    command.arg(client);
    Ok(command)
}

/// A sender that runs; it ends with this value.
pub struct ComparedSender {
    process: Child,
    stdin: ChildStdin,
    replies: Lines<BufReader<ChildStdout>>,
    key: String,
}

impl ComparedSender {
    /// Starts one that knows the first `subscriptions` of the audience.
    pub async fn start(
        kind: &SenderKind,
        sink: &Sink,
        audience: &BenchAudience,
        subscriptions: u64,
    ) -> anyhow::Result<Self> {
        let secret = SecretKey::random(&mut OsRng);
        let key = encode(secret.public_key().to_encoded_point(false).as_bytes());
        let config = sender_config(&secret, &key, sink, audience, subscriptions);
        let path = sink.ca.with_file_name(format!("{}.json", kind.name));
        std::fs::write(&path, config.to_string())?;
        let mut command = (kind.command)()?;
        command.arg(path).env("SSL_CERT_FILE", &sink.ca);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdin = process.stdin.take().context("it is piped")?;
        let out = process.stdout.take().context("it is piped")?;
        let mut sender = Self {
            process,
            stdin,
            replies: BufReader::new(out).lines(),
            key,
        };
        ensure!(
            sender.read_reply().await? == "ready",
            "{} does not start",
            kind.name
        );
        Ok(sender)
    }

    /// Sends so many messages; CPU seconds of one.
    pub async fn send(
        &mut self,
        messages: u64,
        sink: &mut Sink,
        audience: &BenchAudience,
    ) -> anyhow::Result<f64> {
        let process = self.process.id().context("the sender has ended")?;
        sink.begin(ResponsePlan::all_created(messages)).await?;
        let before = cpu_seconds(process)?;
        self.stdin
            .write_all(format!("0 {messages}\n").as_bytes())
            .await?;
        let reply = self.read_reply().await?;
        let used = cpu_seconds(process)? - before;
        ensure!(reply == format!("sent {messages} 0"), "{reply}");
        sink.wait_reached().await?;
        sink.end_exact(messages, audience, &self.key).await?;
        Ok(used / messages as f64)
    }

    async fn read_reply(&mut self) -> anyhow::Result<String> {
        self.replies
            .next_line()
            .await?
            .context("the sender has ended")
    }
}

fn sender_config(
    secret: &SecretKey,
    key: &str,
    sink: &Sink,
    audience: &BenchAudience,
    count: u64,
) -> Value {
    let subscriptions: Vec<Value> = (0..count)
        .map(|number| audience.subscription(number))
        .collect();
    json!({
        "origin": sink.origin,
        "public_key": key,
        "private_key": encode(secret.to_bytes()),
        "subject": SUBJECT,
        "ca": sink.ca,
        "payload": payload(),
        "ttl": TTL,
        "subscriptions": subscriptions,
    })
}
