//! One request to a stranger: guarded, bounded in time and size, and without redirects.

mod parcel;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hato_domain::{PostFailure, UnixMillis};
use hato_service::ports::PostReply;
use http::HeaderMap;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::sync::oneshot;
use tokio::time::timeout;
use url::Url;

use super::settings::WebhookSettings;
use crate::answer::retry_after;
use crate::guard::{Guard, NoAddress};
use crate::roots::{BadRoots, client_config};
use parcel::Parcel;

/// Bytes of an answer that are kept.
const KEPT_BYTES: usize = 1_024;
/// How long reading them may take once the head is there.
const BODY_PATIENCE: Duration = Duration::from_secs(1);
/// How long a connection is kept for the next event: less than the five seconds after which many a receiver closes it.
const IDLE: Duration = Duration::from_secs(4);

/// The client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BadPoster {
    /// The additional trusted roots cannot be used.
    #[error(transparent)]
    Roots(#[from] BadRoots),
    /// Something else is wrong with it.
    #[error("the client for webhooks cannot be made")]
    Client(#[from] reqwest::Error),
}

/// Posts events.
pub struct Poster {
    client: Client,
    guard: Guard,
    answer_timeout: Duration,
}

/// What is posted, and where.
pub struct Letter {
    /// The receiver.
    pub url: String,
    /// Signature and the rest.
    pub headers: HeaderMap,
    /// The event.
    pub body: Bytes,
    /// Told the body's size when the request leaves; dropped when it does not.
    pub leaves: oneshot::Sender<usize>,
}

/// What came back, and what `Retry-After` asks for.
pub struct Reply {
    /// The reply.
    pub reply: PostReply,
    /// The wait that was asked for.
    pub asked: Option<Duration>,
}

impl Poster {
    /// One that goes by `settings`.
    pub fn new(settings: &WebhookSettings) -> Result<Self, BadPoster> {
        let mut tls = client_config(settings.outbound_ca.as_deref())?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let guard = Guard::new(settings.outbound.clone());
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(Arc::new(Guarded(guard.clone())))
            .user_agent(concat!("hato-server/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .https_only(true)
            .http1_only()
            .pool_max_idle_per_host(settings.per_app)
            .pool_idle_timeout(IDLE);
        Ok(Self {
            client: client.build()?,
            guard,
            answer_timeout: settings.answer_timeout,
        })
    }

    /// Posts the letter; `now` tells the time of the answer.
    pub async fn post(&self, letter: Letter, now: impl Fn() -> UnixMillis) -> Reply {
        match self.answer(letter).await {
            Ok(answer) => {
                let asked = retry_after(answer.headers(), now());
                let status = answer.status().as_u16();
                let text = beginning(answer).await;
                let reply = PostReply::Answer { status, text };
                Reply { reply, asked }
            }
            Err(failure) => Reply {
                reply: PostReply::Nothing(failure),
                asked: None,
            },
        }
    }

    /// The head of the answer.
    async fn answer(&self, letter: Letter) -> Result<Response, PostFailure> {
        let url = Url::parse(&letter.url).map_err(|_| PostFailure::Unreachable)?;
        // No resolver sees an address literal.
        if !url.host().is_some_and(|host| self.guard.permits(&host)) {
            return Err(PostFailure::BlockedAddress);
        }
        let parcel = Parcel::new(letter.body, letter.leaves);
        let request = self
            .client
            .post(url)
            .headers(letter.headers)
            .body(reqwest::Body::wrap(parcel));
        match timeout(self.answer_timeout, request.send()).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(failure(&error)),
            Err(_) => Err(PostFailure::TimedOut),
        }
    }
}

fn failure(error: &reqwest::Error) -> PostFailure {
    if is_blocked(error) {
        PostFailure::BlockedAddress
    } else if error.is_timeout() {
        PostFailure::TimedOut
    } else {
        PostFailure::Unreachable
    }
}

/// Whether the guard stands at the bottom of it.
fn is_blocked(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if matches!(error.downcast_ref(), Some(NoAddress::Blocked)) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The beginning of the body, as much of it as comes in time. What is left unread goes with its connection.
async fn beginning(mut answer: Response) -> String {
    let mut kept = Vec::new();
    let reading = async {
        while kept.len() < KEPT_BYTES {
            let Ok(Some(chunk)) = answer.chunk().await else {
                break;
            };
            kept.extend_from_slice(&chunk[..chunk.len().min(KEPT_BYTES - kept.len())]);
        }
    };
    // However reading ends, what has come is kept.
    let _ = timeout(BODY_PATIENCE, reading).await;
    // A database may not take NUL in texts.
    String::from_utf8_lossy(&kept).replace('\0', "\u{fffd}")
}

/// Names become addresses that were vetted.
struct Guarded(Guard);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let found = guard.look_up_permitted(name.as_str().to_owned()).await?;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}
