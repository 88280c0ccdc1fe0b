//! What the push service has seen, for tests to judge.

use super::{scripted_response::ScriptedResponse, vapid::VapidClaims};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::HashMap;

/// Violations and unmatched requests beyond this many are not kept: one is enough to fail a test.
const MAX_RECORDED: usize = 1_000;

/// One well-formed push request, whatever it was answered.
#[derive(Clone, Debug, Serialize)]
pub struct ReceivedMessage {
    /// Place among the kept messages, in order of arrival, from 0.
    pub sequence: u64,
    /// When the request arrived, Unix milliseconds.
    pub received_at: u64,
    /// The recipient, by [`super::BrowserSubscription::id`].
    pub subscription: String,
    /// The decrypted bytes; None for a browser's subscription, or when decryption failed (a violation).
    #[serde(serialize_with = "as_text")]
    pub plaintext: Option<Vec<u8>>,
    /// The header TTL, seconds.
    pub ttl: u64,
    /// The header Urgency, if there was one.
    pub urgency: Option<String>,
    /// The header Topic, if there was one.
    pub topic: Option<String>,
    /// The claims of the VAPID token.
    pub vapid: VapidClaims,
    /// The version of HTTP, `HTTP/2.0` or `HTTP/1.1`.
    pub http_version: String,
    /// The answer that the script gave.
    #[serde(serialize_with = "as_display")]
    pub answer: ScriptedResponse,
}

impl ReceivedMessage {
    /// The plaintext as JSON; panics when there is none or it is not JSON.
    pub fn json(&self) -> Value {
        let plaintext = self.plaintext.as_ref().expect("the message was decrypted");
        serde_json::from_slice(plaintext).expect("the plaintext is JSON")
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn as_text<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    bytes
        .as_ref()
        .map(|bytes| String::from_utf8_lossy(bytes))
        .serialize(serializer)
}

fn as_display<S: Serializer>(answer: &ScriptedResponse, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(answer)
}

/// A request that broke a rule of the protocols.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    /// The recipient, by [`super::BrowserSubscription::id`].
    pub subscription: String,
    /// What was answered; 201 for a body that could not be decrypted, which a real service cannot know.
    pub status: u16,
    /// The rule that was broken, in words.
    pub reason: String,
}

/// What a browser said about a notification it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ack {
    /// What the browser sent: `ack` or `nack`.
    pub kind: &'static str,
    /// The subscription's id, when the version is known.
    pub subscription: Option<String>,
    /// The version by which the notification was known to the browser.
    pub version: String,
    /// 100 delivered, 101 not decrypted, 301 the handler threw, 302 waitUntil rejected.
    pub code: u64,
}

/// How often a subscription was asked, and how often it was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Well-formed requests, whatever they were answered.
    pub requests: u64,
    /// How many of them were answered with success.
    pub created: u64,
}

/// Everything that the push service has seen since its start.
#[derive(Debug, Default)]
pub struct SeenTraffic {
    /// The counts over all subscriptions.
    pub total: Counts,
    /// The messages kept (see [`super::Decryption`]), in order of arrival.
    pub messages: Vec<ReceivedMessage>,
    /// Requests that broke a rule: the first thousand.
    pub violations: Vec<Violation>,
    /// Requests that were no push to a known endpoint (`METHOD path`): the first thousand.
    pub unmatched: Vec<String>,
    /// Acks and nacks of browsers, in order.
    pub acks: Vec<Ack>,
    /// Hellos answered on the WebSocket side.
    pub hellos: u64,
    /// Subscriptions that browsers made on the WebSocket side.
    pub registrations: u64,
    /// Subscriptions that browsers gave up on the WebSocket side.
    pub unregistrations: u64,
    counts: HashMap<String, Counts>,
}

impl SeenTraffic {
    /// The counts of the subscription with this id.
    pub fn counts(&self, subscription: &str) -> Counts {
        self.counts.get(subscription).copied().unwrap_or_default()
    }

    /// How many subscriptions were served at least once.
    pub fn subscriptions_served(&self) -> usize {
        self.counts.values().filter(|it| it.created > 0).count()
    }

    pub(super) fn count(&mut self, subscription: &str, created: bool) {
        if !self.counts.contains_key(subscription) {
            self.counts
                .insert(subscription.to_owned(), Counts::default());
        }
        let own = self.counts.get_mut(subscription);
        for counts in own.into_iter().chain([&mut self.total]) {
            counts.requests += 1;
            counts.created += u64::from(created);
        }
    }

    pub(super) fn record_violation(&mut self, violation: Violation) {
        if self.violations.len() < MAX_RECORDED {
            self.violations.push(violation);
        }
    }

    pub(super) fn record_unmatched(&mut self, request: String) {
        if self.unmatched.len() < MAX_RECORDED {
            self.unmatched.push(request);
        }
    }
}
