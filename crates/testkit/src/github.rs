//! A stand-in for GitHub as an OAuth provider: it checks what the real one checks (RFC 6749 §4.1, RFC 7636), and fails on
//! demand.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::github::{Github, Person};
//!
//! let github = Github::start().await;
//! github.is_visited_by(Person::new(1).verified("hato@example.com"));
//! // … GET /auth/github of the server under test, whose Location is `location` …
//! # let location = "";
//! let callback = github.agree(location);
//! // … GET `callback` of the server under test …
//! # }
//! ```

mod desk;

use crate::authority::Authority;
use crate::listening::Listening;
use crate::plain_http::{PlainResponse, respond, serve_connection};
use crate::server::Launch;
use desk::Desk;
use http::header::{ACCEPT, AUTHORIZATION, HeaderName, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub use desk::{CLIENT_ID, CLIENT_SECRET, Person};

const AUTHORIZE: &str = "/login/oauth/authorize";
const TOKEN: &str = "/login/oauth/access_token";
const USER: &str = "/api/v3/user";
const EMAILS: &str = "/api/v3/user/emails";
const JSON: &str = "application/json";

/// A request of the server under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The exchange of the code.
    Token,
    /// `GET /user`.
    User,
    /// `GET /user/emails`.
    Emails,
}

impl Step {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Token, Self::User, Self::Emails];
}

/// What a step answers in place of the truth.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The status; one of 3xx leads back to the same address.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// A running provider; dropping it closes its socket.
pub struct Github {
    url: String,
    desk: Arc<Mutex<Desk>>,
    _listening: Listening,
}

impl Github {
    /// Starts one that speaks plain HTTP.
    pub async fn start() -> Self {
        Self::listen("http", None).await
    }

    /// Starts one with a certificate of `authority`.
    pub async fn start_tls(authority: &Authority) -> Self {
        let config = authority.server_config(&["http/1.1"]);
        Self::listen("https", Some(TlsAcceptor::from(config))).await
    }

    async fn listen(scheme: &str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let url = format!("{scheme}://{address}");
        let desk = Arc::<Mutex<Desk>>::default();
        let served = Arc::clone(&desk);
        let listening = Listening::spawn(listener, move |stream| {
            converse(stream, tls.clone(), Arc::clone(&served))
        });
        Self {
            url,
            desk,
            _listening: listening,
        }
    }

    /// Who agrees from here on.
    pub fn is_visited_by(&self, person: Person) {
        self.desk().person = Some(person);
    }

    /// What this step answers from here on; `None` is the truth.
    pub fn answers(&self, step: Step, fault: Option<Fault>) {
        let faults = &mut self.desk().faults;
        faults.retain(|(faulty, _)| *faulty != step);
        faults.extend(fault.map(|fault| (step, fault)));
    }

    /// The person agrees at `location`: the path and query with which the browser comes back. Panics when the request for
    /// it is not what GitHub takes.
    pub fn agree(&self, location: &str) -> String {
        let (page, query) = location.split_once('?').unwrap_or((location, ""));
        assert_eq!(page, format!("{}{AUTHORIZE}", self.url), "another page");
        let callback = self.desk().authorize(query);
        let callback = callback.unwrap_or_else(|fault| panic!("{fault} in {location}"));
        callback[url::Position::BeforePath..].to_owned()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        lock(&self.desk)
    }
}

impl Launch {
    /// Lets people log in through this provider.
    #[must_use]
    pub fn logging_in_at(self, github: &Github) -> Self {
        let url = &github.url;
        self.env("HATO_GITHUB_CLIENT_ID", CLIENT_ID)
            .env("HATO_GITHUB_CLIENT_SECRET", CLIENT_SECRET)
            .env("HATO_GITHUB_AUTHORIZE_URL", format!("{url}{AUTHORIZE}"))
            .env("HATO_GITHUB_TOKEN_URL", format!("{url}{TOKEN}"))
            .env("HATO_GITHUB_API_URL", format!("{url}/api/v3"))
    }
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn converse(stream: TcpStream, tls: Option<TlsAcceptor>, desk: Arc<Mutex<Desk>>) {
    let handler = |request| answer(Arc::clone(&desk), request);
    match tls {
        None => serve_connection(stream, handler).await,
        // A client that does not trust us has hung up.
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                serve_connection(stream, handler).await;
            }
        }
    }
}

async fn answer(desk: Arc<Mutex<Desk>>, request: Request<Incoming>) -> PlainResponse {
    let (head, body) = request.into_parts();
    let step = match (&head.method, head.uri.path()) {
        (&Method::POST, TOKEN) => Step::Token,
        (&Method::GET, USER) => Step::User,
        (&Method::GET, EMAILS) => Step::Emails,
        _ => return respond(StatusCode::NOT_FOUND, JSON, "{}"),
    };
    let body = body.collect().await;
    let body = body
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let mut desk = lock(&desk);
    let truth = match step {
        Step::Token => desk.token(&body, text(&head.headers, ACCEPT)),
        Step::User => desk.user(&Caller::of(&head.headers)),
        Step::Emails => desk.emails(&Caller::of(&head.headers)),
    };
    let fault = desk.faults.iter().find(|(faulty, _)| *faulty == step);
    match fault {
        Some((_, fault)) => faulty(fault, &head.uri),
        None => truth,
    }
}

fn faulty(fault: &Fault, asked: &Uri) -> PlainResponse {
    let status = StatusCode::from_u16(fault.status).expect("tests give a status");
    let mut answer = respond(status, JSON, fault.body.clone());
    if status.is_redirection() {
        let there = HeaderValue::try_from(asked.path()).expect("it came in a request");
        answer.headers_mut().insert(LOCATION, there);
    }
    answer
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

/// What a request to the API shows of itself.
struct Caller {
    token: String,
    has_a_name: bool,
}

impl Caller {
    fn of(headers: &HeaderMap) -> Self {
        let token = text(headers, AUTHORIZATION).strip_prefix("Bearer ");
        Self {
            token: token.unwrap_or_default().to_owned(),
            has_a_name: !text(headers, USER_AGENT).is_empty(),
        }
    }
}
