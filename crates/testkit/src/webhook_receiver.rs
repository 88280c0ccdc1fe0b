//! A customer's server that takes the events of a webhook: it writes down what comes, and answers as a test wants.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::authority::Authority;
//! use hato_testkit::webhook_receiver::{Reaction, WebhookReceiver};
//!
//! let receiver = WebhookReceiver::start(&Authority::new()).await;
//! receiver.script([Reaction::Status(500), Reaction::Status(204)]);
//! // … let the server under test post to receiver.url() …
//! receiver.wait_until(|seen| seen.len() == 2).await;
//! # }
//! ```

use crate::authority::Authority;
use crate::listening::Listening;
use crate::push_service::body::{AnswerBody, empty, endless, full};
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

/// How a request is met.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// With this status and no body.
    Status(u16),
    /// With this status and body.
    Text(u16, String),
    /// With 503 and `Retry-After` in seconds.
    RetryAfter(u64),
    /// With 307 to this address.
    Redirect(String),
    /// With 204, once there is a permit.
    When(Arc<Semaphore>),
    /// Not at all.
    Hang,
    /// With 200 and a body that never ends.
    Stream,
    /// By closing the connection.
    Close,
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its path.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: String,
}

impl Event {
    /// `webhook-id`.
    pub fn id(&self) -> String {
        self.header("webhook-id")
    }

    /// A header; panics when it is missing.
    pub fn header(&self, name: &'static str) -> String {
        let value = self.headers.get(HeaderName::from_static(name));
        let value = value.unwrap_or_else(|| panic!("no {name} in {:?}", self.headers));
        value.to_str().expect("a text").to_owned()
    }

    /// The body's JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// The `type`.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }
}

/// A running receiver; dropping it closes its socket.
pub struct WebhookReceiver {
    url: String,
    desk: Arc<Desk>,
    _listening: Listening,
}

struct Desk {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    default: Reaction,
    script: VecDeque<Reaction>,
    seen: Vec<Event>,
}

impl WebhookReceiver {
    /// Starts one with a certificate of `authority`, which answers 204.
    pub async fn start(authority: &Authority) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let acceptor = TlsAcceptor::from(authority.server_config(&["http/1.1"]));
        let desk = Arc::new(Desk {
            state: Mutex::new(State {
                default: Reaction::Status(204),
                script: VecDeque::new(),
                seen: Vec::new(),
            }),
            changed: Notify::new(),
        });
        let served = Arc::clone(&desk);
        Self {
            url: format!("https://{address}/hook?token=secret"),
            desk,
            _listening: Listening::spawn(listener, move |stream| {
                converse(stream, acceptor.clone(), Arc::clone(&served))
            }),
        }
    }

    /// Where events are to be posted.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How requests are met from here on for which there is no script.
    pub fn react(&self, reaction: Reaction) {
        self.desk.state().default = reaction;
    }

    /// How the next requests are met.
    pub fn script(&self, reactions: impl IntoIterator<Item = Reaction>) {
        self.desk.state().script.extend(reactions);
    }

    /// What has come, in order of arrival.
    pub fn seen(&self) -> Vec<Event> {
        self.desk.state().seen.clone()
    }

    /// What has come since the last time.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.desk.state().seen)
    }

    /// Resolves once `done` holds for what has come.
    pub async fn wait_until(&self, done: impl Fn(&[Event]) -> bool) {
        loop {
            let changed = self.desk.changed.notified();
            if done(&self.desk.state().seen) {
                return;
            }
            changed.await;
        }
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn meet(&self, event: Event) -> Reaction {
        let mut state = self.state();
        state.seen.push(event);
        let scripted = state.script.pop_front();
        let reaction = scripted.unwrap_or_else(|| state.default.clone());
        drop(state);
        self.changed.notify_waiters();
        reaction
    }
}

/// The connection is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("closed on demand")]
struct Closed;

async fn converse(stream: TcpStream, acceptor: TlsAcceptor, desk: Arc<Desk>) {
    // A client that does not trust us has hung up.
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = service_fn(|request| answer(Arc::clone(&desk), request));
    // A connection that breaks is the peer's business: there is nobody to tell.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    desk: Arc<Desk>,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Closed> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
    let event = Event {
        path: head.uri.to_string(),
        headers: head.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    match desk.meet(event) {
        Reaction::Status(code) => Ok(respond(code, empty())),
        Reaction::Text(code, text) => Ok(respond(code, full(text))),
        Reaction::RetryAfter(seconds) => Ok(with(respond(503, empty()), RETRY_AFTER, &seconds)),
        Reaction::Redirect(there) => Ok(with(respond(307, empty()), LOCATION, &there)),
        Reaction::When(permits) => {
            permits.acquire().await.map_err(|_| Closed)?.forget();
            Ok(respond(204, empty()))
        }
        Reaction::Hang => std::future::pending().await,
        Reaction::Stream => Ok(respond(200, endless())),
        Reaction::Close => Err(Closed),
    }
}

fn respond(code: u16, body: AnswerBody) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code).expect("tests give a status");
    response
}

fn with(
    mut response: Response<AnswerBody>,
    name: HeaderName,
    value: &impl ToString,
) -> Response<AnswerBody> {
    let value = Bytes::from(value.to_string());
    let value = HeaderValue::from_maybe_shared(value).expect("a header's value");
    response.headers_mut().insert(name, value);
    response
}
