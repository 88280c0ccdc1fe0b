//! Accepting and serving connections: bounded in number and in the time that they may keep the server waiting (CONTRACT 18).

mod client_stream;
mod error_body_stream;
mod head_timer;
mod held_answers;
mod open_connections;
mod settings;
mod split_body;
#[cfg(test)]
mod tests;
mod watched_stream;

use std::convert::Infallible;
use std::mem;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hato_app::Draining;
use http::Request;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::service_fn;
use tower::util::ServiceExt as _;

use self::client_stream::ClientStream;
use self::error_body_stream::ErrorBodyStream;
use self::head_timer::{ConnectionActivity, HeadTimer};
use self::held_answers::HeldAnswers;
use self::open_connections::OpenConnections;
pub use self::settings::{ConnectionSettings, ConnectionTimeouts};
use self::split_body::SplitBody;
use self::watched_stream::WatchedStream;
use crate::config::TrustedProxies;
use crate::http::client_address::{PeerAddr, rate_limit_key, site};
use crate::http::in_flight::is_event_stream;
use crate::state::{ClientLimiter, ClientPermit};

/// Most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// The pause after the system refused a connection: descriptors come free when others end.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// After which time without room it is looked again for connections that wait for a request.
const ROOM_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Among a request's extensions: once it is cancelled, the connection is closed, whatever waits to be written there.
#[derive(Clone, Debug, Default)]
pub struct AbortConnection(pub CancellationToken);

/// What handlers find of the connection among a request's extensions.
#[derive(Clone)]
struct ConnectionExtensions {
    peer: PeerAddr,
    draining: Draining,
    abort: AbortConnection,
}

/// What serves each connection.
#[derive(Clone)]
struct ConnectionServer {
    router: Router,
    requires_https: bool,
    timeouts: ConnectionTimeouts,
    draining: CancellationToken,
    open: OpenConnections,
    answers: HeldAnswers,
}

/// Serves `router` on `listener` until `draining`, then finishes the requests in flight. Dropping the future ends them.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    draining: CancellationToken,
    settings: ConnectionSettings,
) {
    let limiter = ClientLimiter::new(settings.per_address);
    let server = ConnectionServer::new(router, draining, &settings);
    let mut connections = JoinSet::new();
    let mut is_failing = false;
    loop {
        let is_full = connections.len() >= settings.max;
        if is_full {
            server.open.make_room();
        }
        tokio::select! {
            biased;
            () = server.draining.cancelled() => break,
            Some(_) = connections.join_next() => {}
            () = tokio::time::sleep(ROOM_CHECK_INTERVAL), if is_full => {}
            accepted = listener.accept(), if !is_full => match accepted {
                Ok((stream, peer)) => {
                    if mem::take(&mut is_failing) {
                        tracing::info!("connections are accepted again");
                    }
                    if let Ok(permit) = acquire_permit(&limiter, &settings.trusted_proxies, peer.ip()) {
                        connections.spawn(server.clone().serve_tcp(stream, peer, permit));
                    }
                }
                Err(error) => {
                    // It is tried again ten times a second for as long as it lasts.
                    if !mem::replace(&mut is_failing, true) {
                        tracing::warn!(%error, "a connection cannot be accepted");
                    }
                    server.open.make_room();
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The client has as many connections as it may.
struct TooManyConnectionsError;

/// A permit for a connection of `peer`, where one is needed.
fn acquire_permit(
    limiter: &ClientLimiter,
    proxies: &TrustedProxies,
    peer: IpAddr,
) -> Result<Option<ClientPermit>, TooManyConnectionsError> {
    if proxies.trusts(peer.to_canonical()) {
        return Ok(None);
    }
    let client = rate_limit_key(peer);
    let permit = limiter.try_acquire(client, site(client));
    if permit.is_none() {
        tracing::debug!("a client has too many connections");
    }
    permit.map(Some).ok_or(TooManyConnectionsError)
}

impl ConnectionServer {
    fn new(router: Router, draining: CancellationToken, settings: &ConnectionSettings) -> Self {
        Self {
            router,
            requires_https: settings.requires_https,
            timeouts: settings.timeouts,
            draining,
            open: OpenConnections::default(),
            answers: HeldAnswers::default(),
        }
    }

    /// What requests of a connection of `peer` carry.
    fn extensions(&self, peer: IpAddr) -> ConnectionExtensions {
        ConnectionExtensions {
            peer: PeerAddr(peer),
            draining: Draining(self.draining.clone()),
            abort: AbortConnection::default(),
        }
    }

    async fn serve_tcp(self, stream: TcpStream, peer: SocketAddr, permit: Option<ClientPermit>) {
        client_stream::prepare(&stream, self.timeouts.write);
        let activity = Arc::new(ConnectionActivity::new(self.timeouts));
        let entry = self.open.enter(&activity);
        let extensions = self.extensions(peer.ip());
        let abort = extensions.abort.0.clone();
        tokio::select! {
            () = self.serve(stream, extensions, activity) => {}
            () = entry.has_to_leave() => {}
            () = abort.cancelled() => {}
        }
        drop(permit);
    }

    async fn serve(
        self,
        stream: impl ClientStream,
        extensions: ConnectionExtensions,
        activity: Arc<ConnectionActivity>,
    ) {
        let Self {
            router,
            requires_https,
            timeouts,
            draining,
            answers,
            ..
        } = self;
        let stream = WatchedStream::new(stream, Arc::clone(&activity), timeouts.write);
        let written = Arc::clone(&activity);
        let service = service_fn(move |request| {
            let (answers, activity) = (answers.clone(), Arc::clone(&written));
            let connection = extensions.abort.0.clone();
            let answer = handle(router.clone(), extensions.clone(), request);
            async move {
                let answer = answer.await?;
                // What streams of events hold is bounded already, and may be longer than all of this.
                let is_counted = !is_event_stream(&answer);
                Ok::<_, Infallible>(answer.map(|body| {
                    let body = SplitBody::new(body, activity);
                    if is_counted {
                        body.counted(answers, connection)
                    } else {
                        body
                    }
                }))
            }
        });
        let mut connection = http1::Builder::new()
            .timer(HeadTimer(activity))
            // Which time-out it is, the timer decides.
            .header_read_timeout(timeouts.idle)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(
                TokioIo::new(ErrorBodyStream::new(stream, requires_https)),
                TowerToHyperService::new(service),
            );
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = draining.cancelled() => {
                std::pin::Pin::new(&mut connection).graceful_shutdown();
                (&mut connection).await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke");
        }
        connection
            .into_parts()
            .io
            .into_inner()
            .drain_refused()
            .await;
    }
}

async fn handle<B>(
    router: Router,
    extensions: ConnectionExtensions,
    request: Request<B>,
) -> Result<http::Response<Body>, Infallible>
where
    B: axum::body::HttpBody<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(extensions.peer);
    request.extensions_mut().insert(extensions.draining);
    request.extensions_mut().insert(extensions.abort);
    router.oneshot(request).await
}
