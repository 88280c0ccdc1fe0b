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

use crate::audience::{Audience, encode};
use crate::message::{SUBJECT, TTL, payload};
use crate::process::cpu_seconds;
use crate::sink::Sink;
use crate::sink::plan::Plan;

/// A sender, and how many messages take it about two seconds.
pub struct Kind {
    /// As it is called in the results.
    pub name: &'static str,
    /// Messages of a round.
    pub messages: u64,
    command: fn() -> anyhow::Result<Command>,
}

/// All of them, the slowest first.
pub const KINDS: [Kind; 4] = [
    Kind {
        name: "npm_web_push",
        messages: 2_000,
        command: node,
    },
    Kind {
        name: "pywebpush_aiohttp",
        messages: 3_000,
        command: python,
    },
    Kind {
        name: "web_push_hyper",
        messages: 3_000,
        command: || rust("hyper"),
    },
    Kind {
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
pub struct Sender {
    process: Child,
    orders: ChildStdin,
    words: Lines<BufReader<ChildStdout>>,
    key: String,
}

impl Sender {
    /// Starts one that knows the first `subscriptions` of the audience.
    pub async fn start(
        kind: &Kind,
        sink: &Sink,
        audience: &Audience,
        subscriptions: u64,
    ) -> anyhow::Result<Self> {
        let secret = SecretKey::random(&mut OsRng);
        let key = encode(secret.public_key().to_encoded_point(false).as_bytes());
        let order = order(&secret, &key, sink, audience, subscriptions);
        let path = sink.ca.with_file_name(format!("{}.json", kind.name));
        std::fs::write(&path, order.to_string())?;
        let mut command = (kind.command)()?;
        command.arg(path).env("SSL_CERT_FILE", &sink.ca);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let orders = process.stdin.take().context("it is piped")?;
        let out = process.stdout.take().context("it is piped")?;
        let mut sender = Self {
            process,
            orders,
            words: BufReader::new(out).lines(),
            key,
        };
        ensure!(
            sender.hear().await? == "ready",
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
        audience: &Audience,
    ) -> anyhow::Result<f64> {
        let process = self.process.id().context("the sender has ended")?;
        sink.begin(Plan::plain(messages)).await?;
        let before = cpu_seconds(process)?;
        self.orders
            .write_all(format!("0 {messages}\n").as_bytes())
            .await?;
        let said = self.hear().await?;
        let used = cpu_seconds(process)? - before;
        ensure!(said == format!("sent {messages} 0"), "{said}");
        sink.reached().await?;
        sink.end_exact(messages, audience, &self.key).await?;
        Ok(used / messages as f64)
    }

    async fn hear(&mut self) -> anyhow::Result<String> {
        self.words
            .next_line()
            .await?
            .context("the sender has ended")
    }
}

fn order(secret: &SecretKey, key: &str, sink: &Sink, audience: &Audience, count: u64) -> Value {
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
