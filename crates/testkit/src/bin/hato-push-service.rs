//! The stand-in push service as a program, for tests in other languages.
//!
//! Prints one line of JSON when it listens, and lives until its standard input closes or SIGTERM comes.

use anyhow::Context;
use clap::{Parser, ValueEnum};
use hato_testkit::{
    program,
    push_service::{Decryption, Protocols, PushService, PushServiceOptions, ScriptedResponse},
};
use serde_json::json;
use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

/// A stand-in push service that is real on the wire
#[derive(Parser)]
struct PushServiceArgs {
    /// Address of the TLS side
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Address of the WebSocket side, for Firefox
    #[arg(long, default_value = "127.0.0.1:0")]
    websocket_listen: SocketAddr,
    /// Address of the control side
    #[arg(long, default_value = "127.0.0.1:0")]
    control_listen: SocketAddr,
    /// Host in endpoints: 127.0.0.1, localhost, push.test or an IPv6 loopback in brackets
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Where the CA's certificate is written; a temporary file if not given
    #[arg(long)]
    ca_file: Option<PathBuf>,
    /// Answer by default: created, a status, status:retry-after, hang, reset, redirect, endless
    #[arg(long, default_value = "created")]
    answer: ScriptedResponse,
    /// HTTP versions offered
    #[arg(long, default_value = "both")]
    protocols: ProtocolsArg,
    /// Decrypt and keep each Nth message only; 0 counts only
    #[arg(long, default_value_t = 1)]
    decrypt_every: u64,
    /// How long every answer takes, milliseconds
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// End a connection politely after so many requests
    #[arg(long)]
    requests_per_connection: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProtocolsArg {
    Both,
    Http2,
    Http1,
}

impl PushServiceArgs {
    fn options(&self) -> PushServiceOptions {
        PushServiceOptions {
            listen: self.listen,
            websocket_listen: self.websocket_listen,
            control_listen: self.control_listen,
            host: self.host.clone(),
            protocols: match self.protocols {
                ProtocolsArg::Both => Protocols::Both,
                ProtocolsArg::Http2 => Protocols::Http2,
                ProtocolsArg::Http1 => Protocols::Http1,
            },
            decryption: match self.decrypt_every {
                0 => Decryption::CountOnly,
                step => Decryption::EveryNth(step),
            },
            latency: Duration::from_millis(self.latency_ms),
            requests_per_connection: self.requests_per_connection,
            ..PushServiceOptions::default()
        }
    }
}

fn main() -> anyhow::Result<()> {
    program::run(run(PushServiceArgs::parse()))
}

async fn run(args: PushServiceArgs) -> anyhow::Result<()> {
    let service = PushService::start_with(args.options())
        .await
        .context("an address cannot be bound")?;
    service.respond_by_default(args.answer.clone());
    let folder = tempfile::tempdir()?;
    let ca_file = args.ca_file.unwrap_or_else(|| folder.path().join("ca.pem"));
    service
        .write_ca(&ca_file)
        .with_context(|| format!("cannot write {}", ca_file.display()))?;
    let server_file = folder.path().join("server.pem");
    std::fs::write(&server_file, service.ca().server_pem())?;
    announce(&service, &ca_file, &server_file)?;
    program::wait_for_shutdown().await
}

fn announce(service: &PushService, ca_file: &Path, server_file: &Path) -> std::io::Result<()> {
    let line = json!({
        "endpoint_base": service.origin(),
        "websocket_url": service.websocket_url(),
        "control_url": service.control_url(),
        "ca_file": ca_file,
        "server_file": server_file,
    });
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
