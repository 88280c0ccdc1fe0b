//! One TLS connection of a sender.

use super::{body::AnswerBody, exchange, options::PushServiceOptions, state::SharedState};
use http::{Request, Response};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use std::{
    convert::Infallible,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpStream, sync::Notify, time::timeout};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// What the requests of one connection can do to it.
pub(super) struct SenderConnection {
    cut: Notify,
    retire: Notify,
    requests_left: AtomicU64,
}

impl SenderConnection {
    fn new(requests: Option<u64>) -> Self {
        Self {
            cut: Notify::new(),
            retire: Notify::new(),
            requests_left: AtomicU64::new(requests.unwrap_or(u64::MAX)),
        }
    }

    /// Closes the TCP connection, unanswered requests and all.
    pub(super) fn cut(&self) {
        self.cut.notify_one();
    }

    fn count_request(&self) {
        if self.requests_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.retire.notify_one();
        }
    }
}

/// Serves one accepted connection to its end.
pub(super) async fn serve(
    shared: Arc<SharedState>,
    options: Arc<PushServiceOptions>,
    acceptor: TlsAcceptor,
    stream: TcpStream,
) {
    // Both are hints: a peer that is gone, or sends no handshake, is let go.
    let _ = stream.set_nodelay(true);
    if let Ok(Ok(stream)) = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
        serve_http(shared, &options, stream).await;
    }
}

async fn serve_http(
    shared: Arc<SharedState>,
    options: &PushServiceOptions,
    stream: TlsStream<TcpStream>,
) {
    let connection = Arc::new(SenderConnection::new(options.requests_per_connection));
    let service = {
        let connection = Arc::clone(&connection);
        service_fn(move |request| exchange(Arc::clone(&shared), Arc::clone(&connection), request))
    };
    let builder = builder(options, &stream);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = &mut serving => return,
            () = connection.cut.notified() => return,
            () = connection.retire.notified() => serving.as_mut().graceful_shutdown(),
        }
    }
}

/// A connection speaks what ALPN chose; HTTP/1.1 when nothing was asked for.
fn builder(
    options: &PushServiceOptions,
    stream: &TlsStream<TcpStream>,
) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http2()
        .max_concurrent_streams(options.max_concurrent_streams);
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        builder.http2_only()
    } else {
        builder.http1_only()
    }
}

async fn exchange(
    shared: Arc<SharedState>,
    connection: Arc<SenderConnection>,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    connection.count_request();
    Ok(exchange::answer(&shared, &connection, request).await)
}
