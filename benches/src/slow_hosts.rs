//! A thousand origins that are no use to anybody, in a process of their own: some accept connections and stay silent, others answer
//! after nine seconds.

use std::convert::Infallible;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hato_testkit::test_ca::TestCa;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, Command};
use tokio_rustls::TlsAcceptor;

/// How many origins there are.
pub const ORIGINS: usize = 1_000;
/// How long one that answers takes for it.
const ANSWER_DELAY: Duration = Duration::from_secs(9);

/// What they do to a connection.
#[derive(Clone, Copy)]
pub enum Slowness {
    /// They accept it and stay silent.
    Silent,
    /// They answer each request after nine seconds.
    Late,
}

impl Slowness {
    /// As figures are named.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Late => "late",
        }
    }
}

/// The running origins; they end with this value.
pub struct SlowHosts {
    _process: Child,
    _stdin: ChildStdin,
    /// The origin of each host.
    pub origins: Vec<String>,
    /// The PEM file of the CA that senders have to trust.
    pub ca: PathBuf,
}

impl SlowHosts {
    /// Starts them; their files are in `folder`.
    pub async fn start(folder: &Path, slowness: Slowness) -> anyhow::Result<Self> {
        let ca = folder.join(format!("{}-ca.pem", slowness.as_str()));
        let mut process = Command::new(std::env::current_exe()?)
            .args(["slow-hosts", slowness.as_str()])
            .arg(&ca)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdin = process.stdin.take().context("it is piped")?;
        let out = process.stdout.take().context("it is piped")?;
        let line = BufReader::new(out).lines().next_line().await?;
        Ok(Self {
            _process: process,
            _stdin: stdin,
            origins: serde_json::from_str(&line.context("it has ended")?)?,
            ca,
        })
    }
}

/// Runs the process, which serves until its standard input ends.
pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let [kind, ca] = arguments else {
        anyhow::bail!("how slow they are, and where to write the CA's certificate");
    };
    let slowness = match kind.as_str() {
        "silent" => Slowness::Silent,
        _ => Slowness::Late,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(Path::new(ca), slowness))
}

async fn serve(ca: &Path, slowness: Slowness) -> anyhow::Result<()> {
    let test_ca = TestCa::new();
    test_ca.write_pem(ca)?;
    let acceptor = TlsAcceptor::from(test_ca.server_config(&["http/1.1"]));
    let mut origins = Vec::new();
    for _ in 0..ORIGINS {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        origins.push(format!("https://{}", listener.local_addr()?));
        tokio::spawn(accept(listener, acceptor.clone(), slowness));
    }
    let mut out = std::io::stdout();
    writeln!(out, "{}", serde_json::to_string(&origins)?)?;
    out.flush()?;
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, slowness: Slowness) {
    let mut silent = Vec::new();
    while let Ok((stream, _)) = listener.accept().await {
        match slowness {
            Slowness::Silent => silent.push(stream),
            Slowness::Late => {
                tokio::spawn(answer_late(stream, acceptor.clone()));
            }
        }
    }
}

/// Serves a connection to its end, whatever that is.
async fn answer_late(stream: TcpStream, acceptor: TlsAcceptor) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = service_fn(|request: Request<Incoming>| async {
        let _ = request.into_body().collect().await;
        tokio::time::sleep(ANSWER_DELAY).await;
        let mut response = Response::new(Empty::<Bytes>::new());
        *response.status_mut() = StatusCode::CREATED;
        Ok::<_, Infallible>(response)
    });
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
