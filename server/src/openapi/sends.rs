//! The three ways to send (SPEC 4.8 to 4.10).

use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted};
use hato_domain::{ErrorCode as E, Scope};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, post};
use super::parameter;

pub const TAG: &str = "sending";
pub const ABOUT: &str = "A send is stored, answered 202, and delivered in the background.";

/// The endpoints of sending, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let key = EndpointAuth::Key(Scope::Notify);
    vec![
        send::<Notify>("/api/v1/notify", "notify", message())
            .summary(
                "Send to all subscribers, or to one",
                "全員または一人に送信する",
            )
            .about("A send to nobody is 202 with `queued` 0.")
            .auth(key)
            .replayable_response::<SendAccepted>(STORED, accepted())
            .errors([E::InvalidEndpoint, E::NotFound]),
        send::<NotifyBatch>("/api/v1/notify/batch", "notifyBatch", batch())
            .summary(
                "Send to up to 100 endpoints",
                "最大 100 件の endpoint に送信する",
            )
            .about(
                "Endpoints that are no active subscription are skipped, and duplicates count once.",
            )
            .auth(key)
            .replayable_response::<BatchAccepted>(STORED, batch_accepted())
            .errors([E::InvalidEndpoint, E::TooManyEndpoints]),
        send::<Notify>("/api/v1/apps/{appId}/notify", "broadcast", message())
            .summary(
                "Send to all subscribers of the app",
                "アプリの全員に送信する",
            )
            .about(
                "A member `endpoint` is refused, so that nothing becomes a broadcast by mistake.",
            )
            .replayable_response::<SendAccepted>(STORED, accepted()),
    ]
}

const STORED: &str = "It is stored and will be delivered.";

fn send<T: ToSchema>(path: &'static str, id: &'static str, example: Value) -> OperationSpec {
    post(path, id)
        .parameters([parameter::idempotency_key()])
        .body::<T>(example)
        .errors([E::MissingFields, E::InvalidUrl, E::IdempotencyConflict])
        .errors([E::MonthlyLimitExceeded, E::ConfigError])
}

fn message() -> Value {
    json!({"title": "Hello", "body": "It works.", "url": "https://example.com/", "ttl": 3600})
}

fn batch() -> Value {
    json!({
        "endpoints": ["https://push.example.com/abc", "https://push.example.com/def"],
        "payload": {"title": "Hello", "body": "You two."},
    })
}

fn accepted() -> Value {
    json!({"ok": true, "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "queued": 120})
}

fn batch_accepted() -> Value {
    json!({"queued": 2, "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"})
}
