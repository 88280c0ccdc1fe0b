//! Posting events as a webhook gets them: the same headers, signed as Standard Webhooks says (CONTRACT 8).

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use ureq::Agent;
use url::Url;

use super::event_stream::SentEvent;
use crate::connect_error::describe;
use crate::error::{CliError, Exit, Result};
use crate::http::direct_agent;

/// How long an answer may take (CONTRACT 8).
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes of a signing secret.
const SECRET_BYTES: usize = 32;

/// Where events are posted, with a secret of its own.
pub struct Forwarder {
    agent: Agent,
    url: Url,
    key: Key,
    secret: String,
}

/// What became of a post.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ForwardResult {
    /// It was answered with this status.
    Answered { status: u16 },
    /// It was not answered.
    Failed { error: String },
}

impl Forwarder {
    /// Posts to `url`, which begins with `http://` or `https://`.
    pub fn new(url: &str) -> Result<Self> {
        let parsed = Url::parse(url).ok();
        let parsed = parsed.filter(|it| ["http", "https"].contains(&it.scheme()));
        let url = parsed.ok_or_else(|| {
            let message = "--forward is no address that begins with http:// or https://";
            CliError::usage(message, "for instance http://localhost:8080/hook")
        })?;
        let mut secret = [0; SECRET_BYTES];
        rand::fill(&mut secret).map_err(|_| {
            let message = "the system has no random numbers";
            CliError::new(Exit::Usage, "random", message, "try again")
        })?;
        Ok(Self {
            agent: direct_agent(RESPONSE_TIMEOUT),
            url,
            key: Key::new(HMAC_SHA256, &secret),
            secret: format!("whsec_{}", STANDARD.encode(secret)),
        })
    }

    /// The secret that verifies the signatures.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Posts the event once.
    pub fn post(&self, event: &SentEvent) -> ForwardResult {
        let timestamp = unix_seconds();
        let request = self.agent.post(self.url.as_str());
        let request = request
            .header("content-type", "application/json")
            .header("webhook-id", &event.id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", self.sign(event, timestamp));
        match request.send(&event.body) {
            Ok(response) => ForwardResult::Answered {
                status: response.status().as_u16(),
            },
            Err(error) => ForwardResult::Failed {
                error: describe(&error),
            },
        }
    }

    fn sign(&self, event: &SentEvent, timestamp: u64) -> String {
        let text = format!("{}.{timestamp}.{}", event.id, event.body);
        format!("v1,{}", STANDARD.encode(sign(&self.key, text.as_bytes())))
    }
}

fn unix_seconds() -> u64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "a receiver compares it with its own clock"
    )]
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

impl fmt::Display for ForwardResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { status } => write!(f, "{status}"),
            Self::Failed { error } => f.write_str(error),
        }
    }
}
