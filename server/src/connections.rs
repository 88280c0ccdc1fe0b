//! Accepting and serving connections: bounded in number and in the time that a request's head may take.

mod error_body_stream;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hato_app::Draining;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::service_fn;
use tower::util::ServiceExt as _;

use self::error_body_stream::ErrorBodyStream;
use crate::http::client_address::PeerAddr;

/// Connections at a time; the next one waits in the system's queue.
const MAX_CONNECTIONS: usize = 10_000;
/// How long a connection may take to send a request's head, idle time included: longer than proxies keep theirs.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// Most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The pause after the system refused a connection: descriptors come free when others end.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `draining`, then finishes the requests in flight. Dropping the future ends them.
pub async fn serve(listener: TcpListener, router: Router, draining: CancellationToken) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = draining.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(serve_connection(stream, peer, router.clone(), draining.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    draining: CancellationToken,
) {
    // Answers are written in one go: waiting for more only delays them.
    let _ = stream.set_nodelay(true);
    let service = {
        let draining = draining.clone();
        service_fn(move |request| handle(router.clone(), peer, draining.clone(), request))
    };
    let mut http = auto::Builder::new(TokioExecutor::new()).http1_only();
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES);
    let connection = http.serve_connection(
        TokioIo::new(ErrorBodyStream::new(stream)),
        TowerToHyperService::new(service),
    );
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = draining.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

async fn handle<B>(
    router: Router,
    peer: SocketAddr,
    draining: CancellationToken,
    request: Request<B>,
) -> Result<axum::response::Response, Infallible>
where
    B: axum::body::HttpBody<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(PeerAddr(peer.ip()));
    request.extensions_mut().insert(Draining(draining));
    router.oneshot(request).await
}
