//! Traces and the log as OTLP over HTTP, for a collector (CONTRACT 1, `HATO_OTLP_ENDPOINT`).
//!
//! A request is a span and so is each page of recipients, and both name their send: a send is found from the call that was accepted to its
//! last page, in whichever process that was. Pushes are spans within a page of a few recipients. What is not known of the collector is
//! not waited for: what it does not take in time is lost, and deliveries go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use hato_outbound::RootStoreError;
use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{
    ExporterBuildError, LogExporter, Protocol, SpanExporter, WithExportConfig as _,
    WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::redirect::Policy;
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;
use url::Url;

use crate::config::OtlpConfig;

/// How long the collector may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long the last spans and lines may take at the end, each.
const LAST_TIMEOUT: Duration = Duration::from_millis(500);
/// What exporting itself logs, which would be exported in turn.
const EXPORTING: [&str; 6] = [
    "hyper",
    "hyper_util",
    "h2",
    "reqwest",
    "rustls",
    "opentelemetry",
];

/// Nothing can be exported.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The additional trusted roots cannot be used.
    #[error(transparent)]
    Roots(#[from] RootStoreError),
    /// The HTTP client cannot be made.
    #[error("the client for the collector cannot be made")]
    Client(#[from] reqwest::Error),
    /// The exporter cannot be made.
    #[error("the exporter for the collector cannot be made")]
    Exporter(#[from] ExporterBuildError),
}

/// What collects spans and lines, and sends them to the collector every few seconds.
pub struct Telemetry {
    traces: SdkTracerProvider,
    log: SdkLoggerProvider,
}

impl Telemetry {
    /// Begins to export to the operator's collector, if there is one. Must be called on a tokio runtime.
    pub fn start(config: &OtlpConfig, role: &'static str) -> Result<Option<Self>, TelemetryError> {
        let Some(endpoint) = &config.endpoint else {
            return Ok(None);
        };
        let client = CollectorClient::new()?;
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(signal(endpoint, "v1/traces"))
            .build()?;
        let lines = LogExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(signal(endpoint, "v1/logs"))
            .build()?;
        let traces = SdkTracerProvider::builder().with_resource(resource(role));
        let log = SdkLoggerProvider::builder().with_resource(resource(role));
        Ok(Some(Self {
            traces: traces.with_batch_exporter(spans).build(),
            log: log.with_batch_exporter(lines).build(),
        }))
    }

    /// What makes spans of the program's spans.
    pub fn spans<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.traces.tracer("hato"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
    }

    /// What exports the log's lines.
    pub fn lines<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let others = Targets::new().with_default(LevelFilter::TRACE);
        let silent = EXPORTING.map(|target| (target, LevelFilter::OFF));
        let bridge = OpenTelemetryTracingBridge::new(&self.log);
        bridge.with_filter(others.with_targets(silent))
    }

    /// Exports what is left, if the collector takes it at once.
    pub async fn finish(self) {
        let finishing = tokio::task::spawn_blocking(move || {
            // What is lost now is lost.
            let _ = self.traces.shutdown_with_timeout(LAST_TIMEOUT);
            let _ = self.log.shutdown_with_timeout(LAST_TIMEOUT);
        });
        let _ = finishing.await;
    }
}

/// Where a signal is sent to (OTLP 1.0, "OTLP/HTTP Request").
fn signal(endpoint: &Url, path: &str) -> String {
    let base = endpoint.as_str().trim_end_matches('/');
    format!("{base}/{path}")
}

/// What every span and record says of the process that it is from: its version and role.
fn resource(role: &'static str) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name("hato");
    let resource = resource.with_attribute(version);
    resource
        .with_attribute(KeyValue::new("hato.role", role))
        .build()
}

/// Sends what the exporters' threads hand over, on the server's runtime.
#[derive(Clone, Debug)]
struct CollectorClient {
    client: reqwest::Client,
    runtime: Handle,
    /// Whether the last request failed, so that the log tells it once.
    has_failed: Arc<AtomicBool>,
}

impl CollectorClient {
    fn new() -> Result<Self, TelemetryError> {
        let mut tls = hato_outbound::client_config(None)?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("hato-server/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .timeout(TIMEOUT);
        Ok(Self {
            client: client.build()?,
            runtime: Handle::current(),
            has_failed: Arc::default(),
        })
    }

    fn log(&self, outcome: &Result<Response<Bytes>, reqwest::Error>) {
        let has_failed = match outcome {
            Ok(response) => !response.status().is_success(),
            Err(_) => true,
        };
        if has_failed && !self.has_failed.swap(true, Ordering::Relaxed) {
            tracing::warn!("the collector takes no traces and no log");
        } else if !has_failed && self.has_failed.swap(false, Ordering::Relaxed) {
            tracing::info!("the collector takes traces and the log again");
        }
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let exchanging = exchange(self.client.clone(), request.try_into()?);
        let outcome = self.runtime.spawn(exchanging).await?;
        self.log(&outcome);
        Ok(outcome?)
    }
}

/// The status that the collector answers with; what else it says is of no use here.
async fn exchange(
    client: reqwest::Client,
    request: reqwest::Request,
) -> Result<Response<Bytes>, reqwest::Error> {
    let status = client.execute(request).await?.status();
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    Ok(response)
}
