//! Clients that ask the same thing again and again, each over a connection that it keeps.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use http::Method;
use http::header::{AUTHORIZATION, HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::hato::BenchServer;

/// What is asked, and the status that must be answered.
#[derive(Clone)]
pub struct LoadRequest {
    method: Method,
    path: &'static str,
    key: String,
    body: Bytes,
    status: u16,
}

impl LoadRequest {
    /// A GET, with a key where it takes one.
    pub fn get(path: &'static str, key: &str) -> Self {
        let (key, body) = (key.to_owned(), Bytes::new());
        Self {
            method: Method::GET,
            path,
            key,
            body,
            status: 200,
        }
    }

    /// A POST of JSON that is expected to be answered with 202.
    pub fn post(path: &'static str, key: &str, body: &Value) -> Self {
        let (key, body) = (key.to_owned(), Bytes::from(body.to_string()));
        Self {
            method: Method::POST,
            path,
            key,
            body,
            status: 202,
        }
    }

    /// The same request with another status expected.
    pub fn expecting(self, status: u16) -> Self {
        Self { status, ..self }
    }

    fn http(&self, host: &str) -> http::Result<http::Request<Full<Bytes>>> {
        let mut request = http::Request::builder()
            .method(self.method.clone())
            .uri(self.path)
            .header(HOST, host);
        if !self.key.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {}", self.key));
        }
        request.body(Full::new(self.body.clone()))
    }
}

/// What a number of answers took.
pub struct LoadResult {
    answers: u64,
    /// How long they took, seconds of wall time.
    wall: f64,
    /// What they cost the server, CPU seconds.
    cpu: f64,
}

impl LoadResult {
    /// How many answers came in a second.
    pub fn rate(&self) -> f64 {
        self.answers as f64 / self.wall
    }

    /// Microseconds of the server's CPU for each answer.
    pub fn cpu_us(&self) -> f64 {
        self.cpu * 1e6 / self.answers as f64
    }
}

/// Has so many clients ask for so long.
pub async fn load(
    hato: &BenchServer,
    request: &LoadRequest,
    clients: usize,
    duration: Duration,
) -> anyhow::Result<LoadResult> {
    load_each(hato, &vec![request.clone(); clients], duration).await
}

/// The same with a request of its own for each client.
pub async fn load_each(
    hato: &BenchServer,
    requests: &[LoadRequest],
    duration: Duration,
) -> anyhow::Result<LoadResult> {
    let address = hato.server.address();
    let mut connections = Vec::new();
    for _ in requests {
        connections.push(connect(address).await?);
    }
    let (cpu, started) = (hato.cpu_seconds()?, Instant::now());
    let mut tasks = JoinSet::new();
    for (connection, request) in connections.into_iter().zip(requests) {
        tasks.spawn(request_until(
            connection,
            request.clone(),
            address,
            started + duration,
        ));
    }
    let answers: anyhow::Result<Vec<u64>> = tasks.join_all().await.into_iter().collect();
    let wall = started.elapsed().as_secs_f64();
    Ok(LoadResult {
        answers: answers?.iter().sum(),
        wall,
        cpu: hato.cpu_seconds()? - cpu,
    })
}

async fn connect(address: SocketAddr) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Asks until the end; the number of answers.
async fn request_until(
    mut connection: SendRequest<Full<Bytes>>,
    request: LoadRequest,
    address: SocketAddr,
    end: Instant,
) -> anyhow::Result<u64> {
    let (host, mut answers) = (address.to_string(), 0);
    while Instant::now() < end {
        let response = connection.send_request(request.http(&host)?).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        ensure!(status.as_u16() == request.status, "{status}: {body:?}");
        answers += 1;
    }
    Ok(answers)
}
