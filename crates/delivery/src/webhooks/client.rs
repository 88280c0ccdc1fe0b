//! One request to a stranger: filtered by address, bounded in time and size, and without redirects.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use hato_domain::{NoResponseReason, UnixMillis, WebhookEventId};
use hato_outbound::{
    AddressFilter, FilteredResolver, LookupError, ResolveError, RootStoreError, client_config,
    retry_after,
};
use hato_service::ports::WebhookResponse;
use http::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::time::timeout;
use url::Url;

use super::settings::WebhookSettings;
use super::signature::timestamp;
use crate::exhaustion::is_exhaustion;
use crate::failure_log::FailureLog;

/// Bytes of a response that are kept.
const MAX_BODY_BYTES: usize = 1_024;
/// How long reading them may take once the head is there.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a connection is kept for the next event: less than the five seconds after which many a receiver closes it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientBuildError {
    /// The additional trusted roots cannot be used.
    #[error(transparent)]
    Roots(#[from] RootStoreError),
    /// Something else is wrong with it.
    #[error("the client for webhooks cannot be made")]
    Client(#[from] reqwest::Error),
}

/// The HTTP client that posts events over HTTP/1.1, only to addresses that the filter allows.
pub(super) struct WebhookClient {
    client: Client,
    filter: AddressFilter,
    response_timeout: Duration,
    /// Posts for which this machine had no socket.
    sockets: FailureLog,
}

/// An event that is ready to be posted.
pub(super) struct WebhookRequest {
    pub(super) url: String,
    pub(super) id: WebhookEventId,
    pub(super) sent_at: UnixMillis,
    pub(super) signature: String,
    pub(super) body: String,
}

/// What came back, and the wait that `Retry-After` asks for.
pub(super) struct PostResult {
    pub(super) response: WebhookResponse,
    pub(super) retry_after: Option<Duration>,
}

impl WebhookClient {
    pub(super) fn new(settings: &WebhookSettings) -> Result<Self, ClientBuildError> {
        let mut tls = client_config(settings.outbound_ca.as_deref())?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let resolver = Arc::clone(&settings.resolver);
        let filter = AddressFilter::new(settings.outbound.clone(), resolver);
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(Arc::new(FilteredResolver::new(filter.clone())))
            .user_agent(concat!("hato-server/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .https_only(true)
            .http1_only()
            .pool_max_idle_per_host(settings.per_app)
            .pool_idle_timeout(IDLE_TIMEOUT);
        Ok(Self {
            client: client.build()?,
            filter,
            response_timeout: settings.response_timeout,
            sockets: FailureLog::new("webhooks fail on this machine", "webhooks are posted again"),
        })
    }

    /// Posts the request; `now` tells the time of the response.
    pub(super) async fn post(
        &self,
        request: WebhookRequest,
        now: impl Fn() -> UnixMillis,
    ) -> PostResult {
        match self.head(request).await {
            Ok(head) => {
                let retry_after = retry_after(head.headers(), now());
                let status = head.status().as_u16();
                let text = beginning(head).await;
                PostResult {
                    response: WebhookResponse::Received { status, text },
                    retry_after,
                }
            }
            Err(failure) => PostResult {
                response: WebhookResponse::NotReceived(failure),
                retry_after: None,
            },
        }
    }

    /// Whether the address may be connected to as far as the URL tells: no resolver sees an address literal.
    fn permits_literal(&self, url: &Url) -> bool {
        url.host()
            .is_some_and(|host| self.filter.permits_literal(&host))
    }

    /// Posts the event, unless the URL names a blocked address, and waits for the response's head.
    async fn head(&self, request: WebhookRequest) -> Result<Response, NoResponseReason> {
        let url = Url::parse(&request.url).map_err(|_| NoResponseReason::Unreachable)?;
        if !self.permits_literal(&url) {
            return Err(NoResponseReason::BlockedAddress);
        }
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", request.id.as_str())
            .header("webhook-timestamp", timestamp(request.sent_at))
            .header("webhook-signature", request.signature)
            .body(request.body);
        match timeout(self.response_timeout, request.send()).await {
            Ok(Ok(response)) => {
                self.sockets.succeeded();
                Ok(response)
            }
            Ok(Err(error)) => {
                if let Some(cause) = exhaustion(&error) {
                    self.sockets.failed(cause);
                }
                Err(failure(&error))
            }
            Err(_) => Err(NoResponseReason::TimedOut),
        }
    }
}

fn failure(error: &reqwest::Error) -> NoResponseReason {
    if is_blocked(error) {
        NoResponseReason::BlockedAddress
    } else if error.is_timeout() {
        NoResponseReason::TimedOut
    } else {
        NoResponseReason::Unreachable
    }
}

/// Whether the address filter caused it.
fn is_blocked(error: &reqwest::Error) -> bool {
    let mut refusals = causes(error).filter_map(|cause| cause.downcast_ref());
    refusals.any(|refusal| matches!(refusal, ResolveError::Blocked))
}

/// What this machine has no more of, if that caused it.
fn exhaustion(error: &reqwest::Error) -> Option<&io::Error> {
    let mut of_system = causes(error).filter_map(|cause| match cause.downcast_ref() {
        Some(ResolveError::Unresolved(LookupError::Io(cause))) => Some(cause.as_ref()),
        _ => cause.downcast_ref::<io::Error>(),
    });
    of_system.find(|cause| is_exhaustion(cause))
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |&cause| cause.source())
}

/// The beginning of the body, as much of it as comes in time. What is left unread goes with its connection.
async fn beginning(mut response: Response) -> String {
    let mut kept = Vec::new();
    let reading = async {
        while kept.len() < MAX_BODY_BYTES {
            let Ok(Some(chunk)) = response.chunk().await else {
                break;
            };
            kept.extend_from_slice(&chunk[..chunk.len().min(MAX_BODY_BYTES - kept.len())]);
        }
    };
    // However reading ends, what has come is kept.
    let _ = timeout(BODY_TIMEOUT, reading).await;
    // A database may not take NUL in texts.
    String::from_utf8_lossy(&kept).replace('\0', "\u{fffd}")
}
