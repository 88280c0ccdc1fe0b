//! Requests to the API, repeated only where that cannot do anything twice.

use std::time::{Duration, Instant};

use hato_domain::ErrorCode;
use hato_domain::wire::ErrorBody;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use ureq::http::request::Builder;
use ureq::http::{Method, Request, Response, header};
use ureq::{Agent, BodyReader};

use crate::connect_error::{ServerUnreachableError, describe};
use crate::error::{CliError, Exit, Result};
use crate::http::{HttpResult, REQUEST_TIMEOUT, agent, collect};
use crate::server_url::ServerUrl;

/// The waits before a request is repeated.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// How long a download may take in all.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_hours(2);

/// How long an answer may take that goes on and on.
const STREAM_TIMEOUT: Duration = Duration::from_hours(24);

/// A server, and the credential that is shown to it.
#[derive(Clone)]
pub struct Api {
    agent: Agent,
    url: ServerUrl,
    credential: Option<String>,
    deadline: Option<Instant>,
}

/// One call of the API, which may take several attempts.
struct ApiCall<'a> {
    method: Method,
    path: &'a str,
    body: Option<Vec<u8>>,
    idempotency_key: Option<&'a str>,
    /// It changes nothing when it is made twice, or the server knows it by its `Idempotency-Key`. What is not idempotent is
    /// repeated only if it certainly did not reach the server.
    is_idempotent: bool,
}

impl Api {
    /// Nothing is connected yet.
    pub fn new(url: ServerUrl, credential: Option<String>) -> Self {
        Self {
            agent: agent(),
            url,
            credential,
            deadline: None,
        }
    }

    /// The same, for requests that have to be answered by then.
    pub fn with_deadline(&self, deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..self.clone()
        }
    }

    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.call(&ApiCall::idempotent(Method::GET, path))
    }

    /// The response to a GET, whatever its status.
    pub fn get_raw(&self, path: &str) -> Result<Response<Vec<u8>>> {
        let call = ApiCall::idempotent(Method::GET, path);
        self.exchange(&call)
            .map_err(|error| self.unreachable(&error))
    }

    /// Writes the body of a GET as it comes, however long it is.
    pub fn download(&self, path: &str, to: &mut impl std::io::Write) -> Result<()> {
        let mut body = self.open_for(path, DOWNLOAD_TIMEOUT)?;
        let copied = std::io::copy(&mut body, to);
        copied.map(drop).map_err(|error| {
            let message = format!("{}: the answer was cut short: {error}", self.url);
            CliError::new(Exit::NoAnswer, "no-answer", message, "try again")
        })
    }

    /// The body of a GET that goes on for up to a day.
    pub fn open(&self, path: &str) -> Result<BodyReader<'static>> {
        self.open_for(path, STREAM_TIMEOUT)
    }

    fn open_for(&self, path: &str, timeout: Duration) -> Result<BodyReader<'static>> {
        let request = Request::get(format!("{}{path}", self.url));
        let unreachable = |error: ureq::Error| self.unreachable(&error);
        let request = self
            .authorized(request)
            .body(())
            .map_err(|error| unreachable(error.into()))?;
        let request = self.agent.configure_request(request);
        let request = request.timeout_global(Some(timeout));
        let request = request.timeout_recv_response(Some(REQUEST_TIMEOUT)).build();
        let response = self.agent.run(request).map_err(unreachable)?;
        let status = response.status();
        if status.is_success() {
            return Ok(response.into_body().into_reader());
        }
        let refused = self.read::<IgnoredAny>(collect(response)).err();
        Err(refused.unwrap_or_else(|| self.not_an_api(status.as_u16())))
    }

    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.call(&ApiCall::new(Method::POST, path).json(body))
    }

    /// Makes something that is the same when it is made twice.
    pub fn post_idempotent<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.call(&ApiCall::idempotent(Method::POST, path).json(body))
    }

    /// Sends a notification once, however often the request has to be made (CONTRACT 6).
    pub fn post_with_key<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        idempotency_key: &str,
    ) -> Result<T> {
        self.call(&ApiCall {
            idempotency_key: Some(idempotency_key),
            ..ApiCall::idempotent(Method::POST, path).json(body)
        })
    }

    /// Changes something to a given value.
    pub fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.call(&ApiCall::idempotent(Method::PATCH, path).json(body))
    }

    /// Removes something; a second time it is `NOT_FOUND`.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.call(&ApiCall::new(Method::DELETE, path))
    }

    /// Removes what the body names, which may be gone already.
    pub fn delete_idempotent<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.call(&ApiCall::idempotent(Method::DELETE, path).json(body))
    }

    fn call<T: DeserializeOwned>(&self, call: &ApiCall<'_>) -> Result<T> {
        let mut delays = RETRY_DELAYS.iter();
        let mut may_be_done = false;
        loop {
            let outcome = self.exchange(call);
            may_be_done |= call.method != Method::GET && is_uncertain(&outcome);
            match delays.next() {
                Some(delay) if call.may_repeat(&outcome) && *delay < self.timeout() => {
                    std::thread::sleep(*delay);
                }
                _ => {
                    let read = self.read(outcome);
                    return read.map_err(|error| error.uncertain_if(may_be_done));
                }
            }
        }
    }

    /// How long a request may take now.
    fn timeout(&self) -> Duration {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let left = self.deadline.map_or(REQUEST_TIMEOUT, left);
        left.min(REQUEST_TIMEOUT)
    }

    fn exchange(&self, call: &ApiCall<'_>) -> HttpResult {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.url, call.path));
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        request = self.authorized(request);
        let timeout = Some(self.timeout());
        collect(if let Some(body) = &call.body {
            let request = request.header(header::CONTENT_TYPE, "application/json");
            let request = self.agent.configure_request(request.body(body.clone())?);
            let request = request.timeout_global(timeout);
            let request = request.allow_non_standard_methods(true);
            self.agent.run(request.build())?
        } else {
            let request = self.agent.configure_request(request.body(())?);
            self.agent.run(request.timeout_global(timeout).build())?
        })
    }

    fn read<T: DeserializeOwned>(&self, outcome: HttpResult) -> Result<T> {
        let response = outcome.map_err(|error| self.unreachable(&error))?;
        let (status, body) = (response.status(), response.body());
        if status.is_success() {
            return serde_json::from_slice(body).map_err(|_| self.not_an_api(status.as_u16()));
        }
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(body) => {
                let refused = CliError::refused(status.as_u16(), body);
                Err(refused.with_retry_after(retry_after(&response)))
            }
            Err(_) => Err(self.not_an_api(status.as_u16())),
        }
    }

    /// The request with the credential, if there is one.
    fn authorized(&self, request: Builder) -> Builder {
        match &self.credential {
            Some(credential) => {
                request.header(header::AUTHORIZATION, format!("Bearer {credential}"))
            }
            None => request,
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> CliError {
        let hint = match ServerUnreachableError::downcast(error) {
            Some(ServerUnreachableError::Resolve(_)) => "check the host's name",
            Some(ServerUnreachableError::Connect(cause)) if is_about_tls(cause) => {
                "check the certificate; SSL_CERT_FILE names further roots"
            }
            None if matches!(error, ureq::Error::Timeout(_)) => {
                "try again; `hato doctor` looks closer"
            }
            _ => "check the address and that the server runs; `hato doctor` looks closer",
        };
        let message = format!("{}: {}", self.url, describe(error));
        CliError::new(Exit::NoAnswer, "no-answer", message, hint)
    }

    /// Whoever answers there does not speak the API.
    fn not_an_api(&self, status: u16) -> CliError {
        let message = format!("{} answered {status} without the body of the API", self.url);
        let hint = "check that the address is Hato's, and what stands in front of it";
        CliError::new(Exit::NoAnswer, "no-api", message, hint)
    }
}

impl<'a> ApiCall<'a> {
    fn new(method: Method, path: &'a str) -> Self {
        Self {
            method,
            path,
            body: None,
            idempotency_key: None,
            is_idempotent: false,
        }
    }

    fn idempotent(method: Method, path: &'a str) -> Self {
        Self {
            is_idempotent: true,
            ..Self::new(method, path)
        }
    }

    fn json(self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("wire types are plain data");
        Self {
            body: Some(body),
            ..self
        }
    }

    fn may_repeat(&self, outcome: &HttpResult) -> bool {
        match outcome {
            Ok(response) => self.is_idempotent && is_transient(response),
            Err(error) => self.is_idempotent || is_unsent(error),
        }
    }
}

/// A handshake that fails shows as an error of its socket.
fn is_about_tls(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => true,
        ureq::Error::Io(error) => {
            let cause = error.get_ref();
            cause.is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>)
        }
        _ => false,
    }
}

/// The seconds of a response's `Retry-After`.
fn retry_after(response: &Response<Vec<u8>>) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(seconds.parse().ok()?))
}

/// Whether a response may be another one soon: a proxy without its server, or a failure that is not a setting's.
fn is_transient(response: &Response<Vec<u8>>) -> bool {
    let code = || serde_json::from_slice::<ErrorBody>(response.body()).ok();
    let is_known = |body: ErrorBody| {
        ErrorCode::parse(&body.code).is_some_and(|code| code != ErrorCode::InternalError)
    };
    response.status().is_server_error() && !code().is_some_and(is_known)
}

/// Whether the server may have carried a request out without saying so in words of the API.
fn is_uncertain(outcome: &HttpResult) -> bool {
    match outcome {
        Ok(response) => is_transient(response) || response.status().is_success(),
        Err(error) => !is_unsent(error),
    }
}

/// Whether a request certainly did not reach the server.
fn is_unsent(error: &ureq::Error) -> bool {
    ServerUnreachableError::downcast(error).is_some()
}
