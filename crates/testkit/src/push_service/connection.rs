//! One TLS connection of a sender.

use super::{
    body::MockResponseBody, exchange, options::PushServiceOptions,
    sender_connection::SenderConnection, state::SharedState,
};
use http::{Request, Response};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves one accepted connection to its end.
pub(super) async fn serve(
    shared: Arc<SharedState>,
    options: Arc<PushServiceOptions>,
    acceptor: TlsAcceptor,
    stream: TcpStream,
) {
    // Both are hints: a peer that is gone, or sends no handshake, is let go.
    let _ = stream.set_nodelay(true);
    if !options.handshake_delay.is_zero() {
        sleep(options.handshake_delay).await;
    }
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
            () = connection.is_cut() => return,
            () = connection.is_retired() => serving.as_mut().graceful_shutdown(),
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
) -> Result<Response<MockResponseBody>, Infallible> {
    connection.count_request();
    if shared.handling_time.is_none() {
        return Ok(exchange::answer(&shared, &connection, request).await);
    }
    // In a task of its own it goes on although the sender has given it up.
    let handled =
        tokio::spawn(async move { exchange::answer(&shared, &connection, request).await });
    Ok(handled.await.expect("no panic"))
}
