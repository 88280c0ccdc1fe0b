//! HTTP requests that are bounded in time and size.

use std::sync::Arc;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::{Agent, Body};
use url::Url;

use crate::connect_error::{HostConnector, HostResolver};

/// How long a connection may take, its TLS handshake included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request may take in all.
pub const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Most bytes of a response's body.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// What a request came to: whatever was answered, or why nothing was.
pub type HttpResult = Result<Response<Vec<u8>>, ureq::Error>;

/// Time-outs, no redirects (the API has none, and a credential must not follow one), the system's trusted roots.
pub fn agent() -> Agent {
    Agent::with_parts(
        settings().build(),
        HostConnector::default(),
        HostResolver::default(),
    )
}

/// The same for what is near: no proxy, and an answer within `timeout`.
pub fn direct_agent(timeout: Duration) -> Agent {
    let config = settings().proxy(None).timeout_global(Some(timeout));
    Agent::with_parts(
        config.build(),
        HostConnector::default(),
        HostResolver::default(),
    )
}

fn settings() -> ConfigBuilder<AgentScope> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("hato/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(REQUEST_TIMEOUT))
}

/// Reads the whole response; fails when it is too large.
pub fn collect(response: Response<Body>) -> HttpResult {
    let (parts, mut body) = response.into_parts();
    let body = body.with_config().limit(MAX_RESPONSE_BYTES).read_to_vec()?;
    Ok(Response::from_parts(parts, body))
}

/// The response to a GET without a credential, whatever its status.
pub fn fetch(agent: &Agent, url: &Url) -> HttpResult {
    collect(agent.get(url.as_str()).call()?)
}
