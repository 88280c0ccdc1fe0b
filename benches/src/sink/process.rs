//! The sink itself: TLS, HTTP/2 and HTTP/1.1 on one thread, which answers several times as many requests as two cores can
//! send.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hato_testkit::test_ca::TestCa;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tokio_rustls::TlsAcceptor;

use super::protocol::{ResponsePlan, SampledRequest, SinkCommand, SinkReport};
use super::run_state::{RunState, now};
use crate::audience::{encode, number};

/// Streams that a connection may have open, as with the large push services.
const MAX_STREAMS: u32 = 100;

type SharedRunState = Rc<RefCell<RunState>>;

/// Runs the sink's process, which serves until its standard input ends.
pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let ca = arguments
        .first()
        .context("where to write the CA's certificate")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, serve(Path::new(ca)))
}

async fn serve(ca: &Path) -> anyhow::Result<()> {
    let test_ca = TestCa::new();
    test_ca.write_pem(ca)?;
    let acceptor = TlsAcceptor::from(test_ca.server_config(&["h2", "http/1.1"]));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    write_line(&format!("https://{}", listener.local_addr()?))?;
    let state = Rc::new(RefCell::new(RunState::new(ResponsePlan::all_created(0))));
    spawn_local(accept(listener, acceptor, Rc::clone(&state)));
    let mut commands = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = commands.next_line().await? {
        match serde_json::from_str(&line)? {
            SinkCommand::Begin(plan) => {
                state.replace(RunState::new(plan));
                write_line(&())?;
            }
            SinkCommand::End => {
                write_line(&std::mem::take::<SinkReport>(state.borrow_mut().report()))?
            }
        }
    }
    Ok(())
}

fn write_line(message: &impl Serialize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(message)?)?;
    Ok(out.flush()?)
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, state: SharedRunState) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            spawn_local(connection(stream, acceptor.clone(), Rc::clone(&state)));
        }
    }
}

/// Serves a connection to its end, whatever that is: senders see it too.
async fn connection(stream: TcpStream, acceptor: TlsAcceptor, state: SharedRunState) {
    let _ = stream.set_nodelay(true);
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let service = service_fn(move |request| answer(request, Rc::clone(&state)));
    let stream = TokioIo::new(stream);
    let _ = if is_http2 {
        let mut builder = http2::Builder::new(LocalExecutor);
        builder
            .max_concurrent_streams(MAX_STREAMS)
            .serve_connection(stream, service)
            .await
    } else {
        http1::Builder::new()
            .serve_connection(stream, service)
            .await
    };
}

async fn answer(
    request: Request<Incoming>,
    state: SharedRunState,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let planned = state
        .borrow_mut()
        .record_request(number(request.uri().path()));
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes());
    if planned.is_sampled {
        let sample = sample(&head, &body.unwrap_or_default());
        state.borrow_mut().report().samples.push(sample);
    }
    if let Some(turn) = planned.turn {
        tokio::time::sleep_until(turn).await;
    }
    let latency = state.borrow().latency_ms();
    if latency > 0 {
        tokio::time::sleep(Duration::from_millis(latency)).await;
    }
    if planned.is_counted && state.borrow_mut().record_answer() {
        // Whoever listens is gone only when the benchmark is over.
        let _ = write_line(&now());
    }
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::from_u16(planned.status).unwrap_or(StatusCode::CREATED);
    Ok(response)
}

fn sample(head: &Parts, body: &[u8]) -> SampledRequest {
    let text = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), text(value)));
    SampledRequest {
        path: head.uri.path().to_owned(),
        headers: headers.collect::<BTreeMap<_, _>>(),
        body: encode(body),
    }
}

/// An executor that runs everything on the one thread.
#[derive(Clone)]
struct LocalExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LocalExecutor {
    fn execute(&self, future: F) {
        spawn_local(future);
    }
}
