//! A stand-in for GitHub as an OAuth provider: it checks what the real one checks (RFC 6749 §4.1, RFC 7636), and fails on
//! demand.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::github::{Github, GithubAccount};
//!
//! let github = Github::start().await;
//! github.set_user(GithubAccount::new(1).verified("hato@example.com"));
//! // … GET /auth/github of the server under test, whose Location is `location` …
//! # let location = "";
//! let callback = github.approve(location);
//! // … GET `callback` of the server under test …
//! # }
//! ```

mod request;
mod state;

use crate::listener_task::ListenerTask;
use crate::plain_http::{PlainResponse, respond, serve_connection};
use crate::server::ServerLaunch;
use crate::test_ca::TestCa;
use http::header::{ACCEPT, LOCATION};
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use request::{ApiCaller, JSON, text};
use state::GithubState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub use request::{Fault, OauthStep};
pub use state::{CLIENT_ID, CLIENT_SECRET, GithubAccount};

const AUTHORIZE: &str = "/login/oauth/authorize";
const TOKEN: &str = "/login/oauth/access_token";
const USER: &str = "/api/v3/user";
const EMAILS: &str = "/api/v3/user/emails";

/// A running provider; dropping it closes its socket.
pub struct Github {
    url: String,
    state: Arc<Mutex<GithubState>>,
    _listener_task: ListenerTask,
}

impl Github {
    /// Starts one that speaks plain HTTP.
    pub async fn start() -> Self {
        Self::listen("http", None).await
    }

    /// Starts one with a certificate of `ca`.
    pub async fn start_tls(ca: &TestCa) -> Self {
        let config = ca.server_config(&["http/1.1"]);
        Self::listen("https", Some(TlsAcceptor::from(config))).await
    }

    async fn listen(scheme: &str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let url = format!("{scheme}://{address}");
        let state = Arc::<Mutex<GithubState>>::default();
        let served = Arc::clone(&state);
        let listener_task = ListenerTask::spawn(listener, move |stream| {
            handle_connection(stream, tls.clone(), Arc::clone(&served))
        });
        Self {
            url,
            state,
            _listener_task: listener_task,
        }
    }

    /// Signs this person in at GitHub: they are whom [`Self::approve`] speaks for from now on.
    pub fn set_user(&self, person: GithubAccount) {
        self.state().person = Some(person);
    }

    /// Sets what this step answers from now on; `None` is the truth.
    pub fn set_fault(&self, step: OauthStep, fault: Option<Fault>) {
        let faults = &mut self.state().faults;
        faults.retain(|(faulty, _)| *faulty != step);
        faults.extend(fault.map(|fault| (step, fault)));
    }

    /// Lets the person agree at `location`, and returns the path and query with which the browser comes back. Panics
    /// when the request for it is not what GitHub takes.
    pub fn approve(&self, location: &str) -> String {
        let (page, query) = location.split_once('?').unwrap_or((location, ""));
        assert_eq!(page, format!("{}{AUTHORIZE}", self.url), "another page");
        let callback = self.state().authorize(query);
        let callback = callback.unwrap_or_else(|fault| panic!("{fault} in {location}"));
        callback[url::Position::BeforePath..].to_owned()
    }

    fn state(&self) -> MutexGuard<'_, GithubState> {
        lock(&self.state)
    }
}

impl ServerLaunch {
    /// Lets people log in through this provider.
    #[must_use]
    pub fn with_github(self, github: &Github) -> Self {
        let url = &github.url;
        self.env("HATO_GITHUB_CLIENT_ID", CLIENT_ID)
            .env("HATO_GITHUB_CLIENT_SECRET", CLIENT_SECRET)
            .env("HATO_GITHUB_AUTHORIZE_URL", format!("{url}{AUTHORIZE}"))
            .env("HATO_GITHUB_TOKEN_URL", format!("{url}{TOKEN}"))
            .env("HATO_GITHUB_API_URL", format!("{url}/api/v3"))
    }
}

fn lock(state: &Mutex<GithubState>) -> MutexGuard<'_, GithubState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn handle_connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    state: Arc<Mutex<GithubState>>,
) {
    let handler = |request| answer(Arc::clone(&state), request);
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

async fn answer(state: Arc<Mutex<GithubState>>, request: Request<Incoming>) -> PlainResponse {
    let (head, body) = request.into_parts();
    let step = match (&head.method, head.uri.path()) {
        (&Method::POST, TOKEN) => OauthStep::Token,
        (&Method::GET, USER) => OauthStep::User,
        (&Method::GET, EMAILS) => OauthStep::Emails,
        _ => return respond(StatusCode::NOT_FOUND, JSON, "{}"),
    };
    let body = body.collect().await;
    let body = body
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let mut state = lock(&state);
    let truth = match step {
        OauthStep::Token => state.token(&body, text(&head.headers, ACCEPT)),
        OauthStep::User => state.user(&ApiCaller::from_headers(&head.headers)),
        OauthStep::Emails => state.emails(&ApiCaller::from_headers(&head.headers)),
    };
    let fault = state.faults.iter().find(|(faulty, _)| *faulty == step);
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
