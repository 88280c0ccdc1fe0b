//! A customer's server that takes the events of a webhook: it writes down what comes, and answers as a test wants.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::test_ca::TestCa;
//! use hato_testkit::webhook_receiver::{ReceiverResponse, WebhookReceiver};
//!
//! let receiver = WebhookReceiver::start(&TestCa::new()).await;
//! receiver.script([ReceiverResponse::Status(500), ReceiverResponse::Status(204)]);
//! // … let the server under test post to receiver.url() …
//! receiver.wait_until(|seen| seen.len() == 2).await;
//! # }
//! ```

use crate::listener_task::ListenerTask;
use crate::push_service::body::{MockResponseBody, empty, endless, full};
use crate::test_ca::TestCa;
use bytes::Bytes;
use http::header::{HeaderName, LOCATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

/// The answer that a request gets.
#[derive(Clone, Debug)]
pub enum ReceiverResponse {
    /// An answer with this status and no body.
    Status(u16),
    /// An answer with this status and body.
    Text(u16, String),
    /// An answer with 503 and `Retry-After` in seconds.
    RetryAfter(u64),
    /// An answer with 307 to this address.
    Redirect(String),
    /// An answer with 204, once there is a permit.
    When(Arc<Semaphore>),
    /// No answer, and the connection stays open.
    Hang,
    /// An answer with 200 and a body that never ends.
    Stream,
    /// No answer, and the connection is closed.
    Close,
}

/// A request that the receiver was posted.
#[derive(Clone, Debug)]
pub struct Event {
    /// The path and query that it was posted to.
    pub path: String,
    /// The headers that it was posted with, of which `webhook-signature` proves who posted it.
    pub headers: HeaderMap,
    /// The request's body as text.
    pub body: String,
}

impl Event {
    /// The header `webhook-id`, the same at every attempt; panics when it is missing.
    pub fn id(&self) -> String {
        self.header("webhook-id")
    }

    /// The text of a header; panics when it is missing.
    pub fn header(&self, name: &'static str) -> String {
        let value = self.headers.get(HeaderName::from_static(name));
        let value = value.unwrap_or_else(|| panic!("no {name} in {:?}", self.headers));
        value.to_str().expect("a text").to_owned()
    }

    /// The body as JSON; panics when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// The member `type` of the body; panics when it is missing.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }
}

/// A running receiver; dropping it closes its socket.
pub struct WebhookReceiver {
    url: String,
    shared: Arc<ReceiverShared>,
    _listener_task: ListenerTask,
}

struct ReceiverShared {
    state: Mutex<ReceiverState>,
    changed: Notify,
}

struct ReceiverState {
    default: ReceiverResponse,
    script: VecDeque<ReceiverResponse>,
    seen: Vec<Event>,
}

impl WebhookReceiver {
    /// Starts a receiver with a certificate of `ca` that answers 204.
    pub async fn start(ca: &TestCa) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let acceptor = TlsAcceptor::from(ca.server_config(&["http/1.1"]));
        let shared = Arc::new(ReceiverShared {
            state: Mutex::new(ReceiverState {
                default: ReceiverResponse::Status(204),
                script: VecDeque::new(),
                seen: Vec::new(),
            }),
            changed: Notify::new(),
        });
        let served = Arc::clone(&shared);
        Self {
            url: format!("https://{address}/hook?token=secret"),
            shared,
            _listener_task: ListenerTask::spawn(listener, move |stream| {
                handle_connection(stream, acceptor.clone(), Arc::clone(&served))
            }),
        }
    }

    /// The URL that events are to be posted to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets the answer of every request from now on for which there is no script.
    pub fn respond_with(&self, response: ReceiverResponse) {
        self.shared.state().default = response;
    }

    /// Sets the answers of the next requests, in order.
    pub fn script(&self, responses: impl IntoIterator<Item = ReceiverResponse>) {
        self.shared.state().script.extend(responses);
    }

    /// The requests that have come, in order of arrival.
    pub fn seen(&self) -> Vec<Event> {
        self.shared.state().seen.clone()
    }

    /// The requests that have come since the last call, which are then forgotten.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.shared.state().seen)
    }

    /// Resolves once `done` holds for the requests that have come; never, if it never does.
    pub async fn wait_until(&self, done: impl Fn(&[Event]) -> bool) {
        loop {
            let changed = self.shared.changed.notified();
            if done(&self.shared.state().seen) {
                return;
            }
            changed.await;
        }
    }
}

impl ReceiverShared {
    fn state(&self) -> MutexGuard<'_, ReceiverState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record_and_choose(&self, event: Event) -> ReceiverResponse {
        let mut state = self.state();
        state.seen.push(event);
        let scripted = state.script.pop_front();
        let response = scripted.unwrap_or_else(|| state.default.clone());
        drop(state);
        self.changed.notify_waiters();
        response
    }
}

/// The connection is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("closed on demand")]
struct ClosedError;

async fn handle_connection(stream: TcpStream, acceptor: TlsAcceptor, shared: Arc<ReceiverShared>) {
    // A client that does not trust us has hung up.
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = service_fn(|request| answer(Arc::clone(&shared), request));
    // A connection that breaks is the peer's business: there is nobody to tell.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    shared: Arc<ReceiverShared>,
    request: Request<Incoming>,
) -> Result<Response<MockResponseBody>, ClosedError> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| ClosedError)?.to_bytes();
    let event = Event {
        path: head.uri.to_string(),
        headers: head.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    match shared.record_and_choose(event) {
        ReceiverResponse::Status(code) => Ok(respond(code, empty())),
        ReceiverResponse::Text(code, text) => Ok(respond(code, full(text))),
        ReceiverResponse::RetryAfter(seconds) => {
            Ok(with(respond(503, empty()), RETRY_AFTER, &seconds))
        }
        ReceiverResponse::Redirect(there) => Ok(with(respond(307, empty()), LOCATION, &there)),
        ReceiverResponse::When(permits) => {
            permits.acquire().await.map_err(|_| ClosedError)?.forget();
            Ok(respond(204, empty()))
        }
        ReceiverResponse::Hang => std::future::pending().await,
        ReceiverResponse::Stream => Ok(respond(200, endless())),
        ReceiverResponse::Close => Err(ClosedError),
    }
}

fn respond(code: u16, body: MockResponseBody) -> Response<MockResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code).expect("tests give a status");
    response
}

fn with(
    mut response: Response<MockResponseBody>,
    name: HeaderName,
    value: &impl ToString,
) -> Response<MockResponseBody> {
    let value = Bytes::from(value.to_string());
    let value = HeaderValue::from_maybe_shared(value).expect("a header's value");
    response.headers_mut().insert(name, value);
    response
}
