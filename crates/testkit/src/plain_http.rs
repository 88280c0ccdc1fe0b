//! Plain HTTP/1.1 serving for the control side and the customer's site.

use crate::listener_task::ListenerTask;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{convert::Infallible, future::Future};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

/// An answer whose body is in memory.
pub(crate) type PlainResponse = Response<Full<Bytes>>;

/// Answers every request on `listener` with `handler`.
pub(crate) fn serve<H, F>(listener: TcpListener, handler: H) -> ListenerTask
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = PlainResponse> + Send + 'static,
{
    ListenerTask::spawn(listener, move |stream| {
        serve_connection(stream, handler.clone())
    })
}

/// Answers the requests of one connection, encrypted or not, with `handler`.
pub(crate) async fn serve_connection<S, H, F>(stream: S, handler: H)
where
    S: AsyncRead + AsyncWrite + Unpin,
    H: Fn(Request<Incoming>) -> F,
    F: Future<Output = PlainResponse>,
{
    let service = service_fn(|request| {
        let answer = handler(request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    // A connection that breaks is the peer's business: there is nobody to tell.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// An answer of the given type and text.
pub(crate) fn respond(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> PlainResponse {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
