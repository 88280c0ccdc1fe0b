//! A small JSON client over plain HTTP/1.1 with keep-alive, for tests and the demo.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Body as _;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// The largest answer that is read, bytes.
const MAX_BODY: usize = 32 * 1024 * 1024;
/// The largest request on a connection that is kept, bytes: one that is refused unread leaves its connection in the middle
/// of the body, where nothing else can be sent.
const MAX_POOLED_BODY: u64 = 64 * 1024;
/// The longest exchange: longer than any answer of the server or of a long poll takes.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(90);

/// Why there is no answer, or not the expected one.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No TCP connection could be made.
    #[error("cannot connect to {0}: {1}")]
    Connect(SocketAddr, #[source] io::Error),
    /// The connection broke, or HTTP was not spoken.
    #[error("the exchange failed: {0}")]
    Exchange(#[from] hyper::Error),
    /// The answer's body broke off or is too large.
    #[error("the answer's body cannot be read: {0}")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The answer did not come within 90 seconds.
    #[error("no answer within {EXCHANGE_TIMEOUT:?}")]
    Timeout,
    /// Another status than the call promises.
    #[error("unexpected answer {0}")]
    Unexpected(Box<Reply>),
}

/// A whole answer of a server.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The answer's status code.
    pub status: StatusCode,
    /// The headers of the answer; names are in lower case, and each may occur several times.
    pub headers: HeaderMap,
    /// The answer's body, at most 32 MiB; empty for a stream of events, which may never end.
    pub body: Bytes,
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.status, self.text())
    }
}

impl Reply {
    /// The body as JSON; panics with the answer when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON in answer {self}"))
    }

    /// The body as text, with U+FFFD for what is not UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The `code` of an error body (SPEC 7), empty when there is none.
    pub fn code(&self) -> String {
        let body = serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        body["code"].as_str().unwrap_or_default().to_owned()
    }

    /// A header's text, None when it is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Itself if the status is as expected.
    pub fn expect_status(self, status: u16) -> Result<Self, ClientError> {
        if self.status.as_u16() == status {
            Ok(self)
        } else {
            Err(ClientError::Unexpected(Box::new(self)))
        }
    }
}

/// A connection on which the next request can be sent.
pub(crate) type PooledConnection = SendRequest<Full<Bytes>>;

/// A client of one server. Clones share connections; several requests at a time use several.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    /// Which address of this machine the connections come from, if it matters.
    source: Option<Ipv4Addr>,
    authorization: Option<HeaderValue>,
    idle: Arc<Mutex<Vec<PooledConnection>>>,
}

impl Client {
    /// A client of the server at this address; nothing is connected yet.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            source: None,
            authorization: None,
            idle: Arc::default(),
        }
    }

    /// The same client with `Authorization: Bearer <token>` on every request.
    #[must_use]
    pub fn bearer(&self, token: &str) -> Self {
        let value = HeaderValue::try_from(format!("Bearer {token}"));
        Self {
            authorization: Some(value.expect("a token is visible ASCII")),
            ..self.clone()
        }
    }

    /// A client of the server at another address, where it was started again, with the same credential.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        Self {
            source: self.source,
            authorization: self.authorization.clone(),
            ..Self::new(address)
        }
    }

    /// The client on connections from this address of 127.0.0.0/8: another one, to a server that tells clients apart.
    #[must_use]
    pub fn from(&self, source: Ipv4Addr) -> Self {
        Self {
            source: Some(source),
            ..self.at(self.address)
        }
    }

    /// The address that requests go to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends `GET` to `path`, which includes the query.
    pub async fn get(&self, path: &str) -> Result<Reply, ClientError> {
        self.send(request(Method::GET, path, Bytes::new())).await
    }

    /// Sends `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Reply, ClientError> {
        self.send(json_request(Method::POST, path, body)).await
    }

    /// Sends `PATCH` with a JSON body.
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Reply, ClientError> {
        self.send(json_request(Method::PATCH, path, body)).await
    }

    /// Sends `DELETE` without a body.
    pub async fn delete(&self, path: &str) -> Result<Reply, ClientError> {
        self.send(request(Method::DELETE, path, Bytes::new())).await
    }

    /// Sends `DELETE` with a JSON body (SPEC 4.3).
    pub async fn delete_with(&self, path: &str, body: &Value) -> Result<Reply, ClientError> {
        self.send(json_request(Method::DELETE, path, body)).await
    }

    /// Sends any request whose URI is a path; Host and Authorization are added where absent.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Reply, ClientError> {
        self.complete(request.headers_mut());
        let exchange = self.exchange(request.map(Full::new));
        timeout(EXCHANGE_TIMEOUT, exchange)
            .await
            .map_err(|_| ClientError::Timeout)?
    }

    pub(crate) fn complete(&self, headers: &mut HeaderMap) {
        if !headers.contains_key(HOST) {
            let host = HeaderValue::try_from(self.address.to_string());
            headers.insert(HOST, host.expect("an address is visible ASCII"));
        }
        if let Some(authorization) = &self.authorization
            && !headers.contains_key(AUTHORIZATION)
        {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Reply, ClientError> {
        if request.body().size_hint().lower() > MAX_POOLED_BODY {
            return self.exchange_apart(request).await;
        }
        let mut unsent = request;
        // A kept connection that the server has closed meanwhile hands the request back unsent.
        while let Some(mut sender) = self.take_idle() {
            match sender.try_send_request(unsent).await {
                Ok(response) => return self.finish(sender, response).await,
                Err(mut error) => match error.take_message() {
                    Some(request) => unsent = request,
                    None => return Err(error.into_error().into()),
                },
            }
        }
        let mut sender = self.connect().await?;
        let response = sender.send_request(unsent).await?;
        self.finish(sender, response).await
    }

    async fn exchange_apart(&self, request: Request<Full<Bytes>>) -> Result<Reply, ClientError> {
        let response = self.connect().await?.send_request(request).await?;
        read(response).await
    }

    fn take_idle(&self) -> Option<PooledConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|sender| !sender.is_closed());
        idle.pop()
    }

    pub(crate) async fn connect(&self) -> Result<PooledConnection, ClientError> {
        let stream = self
            .open_stream()
            .await
            .map_err(|error| ClientError::Connect(self.address, error))?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the sender, or its error reaches the request in flight.
        tokio::spawn(connection);
        Ok(sender)
    }

    async fn open_stream(&self) -> io::Result<TcpStream> {
        let Some(source) = self.source else {
            return TcpStream::connect(self.address).await;
        };
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((source, 0)))?;
        socket.connect(self.address).await
    }

    async fn finish(
        &self,
        sender: PooledConnection,
        response: http::Response<hyper::body::Incoming>,
    ) -> Result<Reply, ClientError> {
        let is_whole = !is_event_stream(&response);
        let reply = read(response).await?;
        if !is_whole {
            return Ok(reply);
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(sender);
        Ok(reply)
    }
}

async fn read(response: http::Response<hyper::body::Incoming>) -> Result<Reply, ClientError> {
    let is_endless = is_event_stream(&response);
    let (parts, body) = response.into_parts();
    if is_endless {
        return Ok(Reply {
            status: parts.status,
            headers: parts.headers,
            body: Bytes::new(),
        });
    }
    let body = Limited::new(body, MAX_BODY).collect().await;
    Ok(Reply {
        status: parts.status,
        headers: parts.headers,
        body: body.map_err(ClientError::Body)?.to_bytes(),
    })
}

fn is_event_stream<B>(response: &http::Response<B>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

fn json_request(method: Method, path: &str, body: &Value) -> Request<Bytes> {
    let mut request = request(method, path, Bytes::from(body.to_string()));
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(CONTENT_TYPE, json);
    request
}

fn request(method: Method, path: &str, body: Bytes) -> Request<Bytes> {
    Request::builder()
        .method(method)
        .uri(path)
        .body(body)
        .expect("the caller gives a well-formed path")
}
