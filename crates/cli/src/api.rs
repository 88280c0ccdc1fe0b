//! Requests to the API: bounded in time and size, and repeated only where that cannot do anything twice.

use std::fmt;
use std::time::{Duration, Instant};

use hato_domain::ErrorCode;
use hato_domain::wire::ErrorBody;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{Method, Request, Response, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::Url;

use crate::connect_error::{ConnectError, HostConnector, HostResolver, describe};
use crate::error::{CliError, Exit, Result};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request may take in all.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// The waits before a request is repeated.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// Most bytes of an answer.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// A server's address, without a slash at the end.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(Url);

impl ServerUrl {
    /// An http or https origin; a path, query or credentials in it are a mistake.
    pub fn parse(text: &str) -> Result<Self> {
        let url = Url::parse(text).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && matches!(url.path(), "" | "/")
                && url.query().is_none()
                && url.fragment().is_none()
        });
        url.map(Self).ok_or_else(|| {
            CliError::usage(
                format!("{text} is no server's address"),
                "use one like https://push.example.com",
            )
        })
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// A server, and the credential that is shown to it.
pub struct Api {
    agent: Agent,
    url: ServerUrl,
    credential: Option<String>,
    deadline: Option<Instant>,
}

/// What a request came to: whatever was answered, or why nothing was.
pub type HttpResult = std::result::Result<Response<Vec<u8>>, ureq::Error>;

/// What may be done when no answer came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RetrySafety {
    /// The same request again: it changes nothing, or the server knows it by its `Idempotency-Key`.
    Idempotent,
    /// Only what certainly did not reach the server.
    UnsentOnly,
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
            agent: self.agent.clone(),
            url: self.url.clone(),
            credential: self.credential.clone(),
            deadline: Some(deadline),
        }
    }

    /// The server's address.
    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Reads something.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.call(&Method::GET, path, &[], &[], RetrySafety::Idempotent)
    }

    /// Makes or does something.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.call(
            &Method::POST,
            path,
            &json(body),
            &[],
            RetrySafety::UnsentOnly,
        )
    }

    /// Makes something that is the same when it is made twice.
    pub fn post_idempotent<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.call(
            &Method::POST,
            path,
            &json(body),
            &[],
            RetrySafety::Idempotent,
        )
    }

    /// Sends a notification once, however often the request has to be made (CONTRACT 6).
    pub fn post_with_key<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        idempotency_key: &str,
    ) -> Result<T> {
        let headers = [("idempotency-key", idempotency_key)];
        self.call(
            &Method::POST,
            path,
            &json(body),
            &headers,
            RetrySafety::Idempotent,
        )
    }

    /// Changes something to a given value.
    pub fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.call(
            &Method::PATCH,
            path,
            &json(body),
            &[],
            RetrySafety::Idempotent,
        )
    }

    /// Removes something; a second time it is `NOT_FOUND`.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.call(&Method::DELETE, path, &[], &[], RetrySafety::UnsentOnly)
    }

    /// Removes what the body names, which may be gone already.
    pub fn delete_idempotent<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.call(
            &Method::DELETE,
            path,
            &json(body),
            &[],
            RetrySafety::Idempotent,
        )
    }

    /// The answer to a GET, whatever it is.
    pub fn get_raw(&self, path: &str) -> Result<Response<Vec<u8>>> {
        self.exchange(&Method::GET, path, &[], &[])
            .map_err(|error| self.unreachable(&error))
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: &Method,
        path: &str,
        body: &[u8],
        headers: &[(&str, &str)],
        safety: RetrySafety,
    ) -> Result<T> {
        let mut delays = RETRY_DELAYS.iter();
        let mut may_be_done = false;
        loop {
            let outcome = self.exchange(method, path, body, headers);
            may_be_done |= *method != Method::GET && is_uncertain(&outcome);
            let should_retry = match &outcome {
                Ok(answer) => safety == RetrySafety::Idempotent && is_transient(answer),
                Err(error) => safety == RetrySafety::Idempotent || is_unsent(error),
            };
            match delays.next() {
                Some(delay) if should_retry && *delay < self.timeout() => {
                    std::thread::sleep(*delay)
                }
                _ => {
                    return self
                        .read(outcome)
                        .map_err(|it| it.uncertain_if(may_be_done));
                }
            }
        }
    }

    /// How long a request may take now.
    fn timeout(&self) -> Duration {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map_or(REQUEST_TIMEOUT, |deadline| {
            left(deadline).min(REQUEST_TIMEOUT)
        })
    }

    fn exchange(
        &self,
        method: &Method,
        path: &str,
        body: &[u8],
        headers: &[(&str, &str)],
    ) -> HttpResult {
        let mut request = Request::builder()
            .method(method.clone())
            .uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(credential) = &self.credential {
            request = request.header(header::AUTHORIZATION, format!("Bearer {credential}"));
        }
        let timeout = Some(self.timeout());
        collect(if body.is_empty() && *method != Method::POST {
            let request = self.agent.configure_request(request.body(())?);
            self.agent.run(request.timeout_global(timeout).build())?
        } else {
            let request = request.header(header::CONTENT_TYPE, "application/json");
            let request = self.agent.configure_request(request.body(body.to_vec())?);
            let request = request.timeout_global(timeout);
            self.agent
                .run(request.allow_non_standard_methods(true).build())?
        })
    }

    fn read<T: DeserializeOwned>(&self, outcome: HttpResult) -> Result<T> {
        let answer = outcome.map_err(|error| self.unreachable(&error))?;
        let (status, body) = (answer.status(), answer.body());
        if status.is_success() {
            return serde_json::from_slice(body).map_err(|_| self.not_an_api(status.as_u16()));
        }
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(body) => Err(CliError::refused(status.as_u16(), body)),
            Err(_) => Err(self.not_an_api(status.as_u16())),
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> CliError {
        let remedy = match ConnectError::downcast(error) {
            Some(ConnectError::Resolve(_)) => "check the host's name",
            Some(ConnectError::Connect(cause)) if is_about_tls(cause) => {
                "check the certificate; SSL_CERT_FILE names further roots"
            }
            None if matches!(error, ureq::Error::Timeout(_)) => {
                "try again; `hato doctor` looks closer"
            }
            _ => "check the address and that the server runs; `hato doctor` looks closer",
        };
        let message = format!("{}: {}", self.url, describe(error));
        CliError::new(Exit::NoAnswer, "no-answer", message, remedy)
    }

    /// Whoever answers there does not speak the API.
    fn not_an_api(&self, status: u16) -> CliError {
        let message = format!("{} answered {status} without the body of the API", self.url);
        let remedy = "check that the address is Hato's, and what stands in front of it";
        CliError::new(Exit::NoAnswer, "no-api", message, remedy)
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

/// Time-outs, no redirects (the API has none, and a credential must not follow one), the system's trusted roots.
pub fn agent() -> Agent {
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("hato/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(REQUEST_TIMEOUT))
        .build();
    Agent::with_parts(config, HostConnector::default(), HostResolver::default())
}

/// Reads the whole answer, up to a bound.
pub fn collect(answer: Response<Body>) -> HttpResult {
    let (parts, mut body) = answer.into_parts();
    let body = body.with_config().limit(MAX_RESPONSE_BYTES).read_to_vec()?;
    Ok(Response::from_parts(parts, body))
}

fn json(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("wire types are plain data")
}

/// Whether an answer may be another one soon: a proxy without its server, or a failure that is not a setting's.
fn is_transient(answer: &Response<Vec<u8>>) -> bool {
    let code = || serde_json::from_slice::<ErrorBody>(answer.body()).ok();
    let is_known = |body: ErrorBody| {
        ErrorCode::parse(&body.code).is_some_and(|code| code != ErrorCode::InternalError)
    };
    answer.status().is_server_error() && !code().is_some_and(is_known)
}

/// Whether the server may have carried a request out without saying so in words of the API.
fn is_uncertain(outcome: &HttpResult) -> bool {
    match outcome {
        Ok(answer) => is_transient(answer) || answer.status().is_success(),
        Err(error) => !is_unsent(error),
    }
}

/// Whether a request certainly did not reach the server.
fn is_unsent(error: &ureq::Error) -> bool {
    ConnectError::downcast(error).is_some()
}

#[cfg(test)]
mod tests {
    use super::ServerUrl;

    #[test]
    fn a_server_is_an_origin() {
        let shown = |text: &str| ServerUrl::parse(text).map(|url| url.to_string()).ok();
        assert_eq!(
            shown("https://a.example/"),
            Some("https://a.example".into())
        );
        assert_eq!(shown("http://[::1]:3000"), Some("http://[::1]:3000".into()));
        for text in [
            "a.example",
            "ftp://a",
            "https://u:p@a",
            "https://a/x",
            "https://a/?q",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
