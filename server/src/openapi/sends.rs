//! SPEC 4.8 to 4.10.

use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted};
use hato_domain::{ErrorCode, Scope};
use http::Method;
use serde_json::{Value, json};

use super::operation::Operation;
use super::parameter;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "sending";

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    let sends = [
        send("/api/v1/notify", "notify")
            .says(
                "Send to all subscribers, or to one",
                "全員または一人に送信する",
            )
            .about("A send to nobody is 202 with `queued` 0.")
            .takes(Takes::Key(Scope::Notify))
            .body::<Notify>(message())
            .answers::<SendAccepted>(202, "It is stored and will be delivered.", accepted())
            .refuses([ErrorCode::InvalidEndpoint, ErrorCode::NotFound]),
        send("/api/v1/notify/batch", "notifyBatch")
            .says(
                "Send to up to 100 endpoints",
                "最大 100 件の endpoint に送信する",
            )
            .about(
                "Endpoints that are no active subscription are skipped, and duplicates count once.",
            )
            .takes(Takes::Key(Scope::Notify))
            .body::<NotifyBatch>(json!({
                "endpoints": ["https://push.example.com/abc", "https://push.example.com/def"],
                "payload": {"title": "Hello", "body": "You two."},
            }))
            .answers::<BatchAccepted>(202, "It is stored and will be delivered.", batch_accepted())
            .refuses([ErrorCode::InvalidEndpoint, ErrorCode::TooManyEndpoints]),
        send("/api/v1/apps/{appId}/notify", "broadcast")
            .says(
                "Send to all subscribers of the app",
                "アプリの全員に送信する",
            )
            .about(
                "A member `endpoint` is refused, so that nothing becomes a broadcast by mistake.",
            )
            .takes(Takes::SessionOrFullKey)
            .body::<Notify>(message())
            .answers::<SendAccepted>(202, "It is stored and will be delivered.", accepted()),
    ];
    sends.map(Operation::replays).into()
}

fn send(path: &'static str, id: &'static str) -> Operation {
    Operation::new(Method::POST, path, id, TAG)
        .with(parameter::idempotency_key())
        .refuses([
            ErrorCode::MissingFields,
            ErrorCode::InvalidUrl,
            ErrorCode::IdempotencyConflict,
            ErrorCode::MonthlyLimitExceeded,
            ErrorCode::ConfigError,
        ])
}

fn message() -> Value {
    json!({"title": "Hello", "body": "It works.", "url": "https://example.com/", "ttl": 3600})
}

fn accepted() -> Value {
    json!({"ok": true, "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "queued": 120})
}

fn batch_accepted() -> Value {
    json!({"queued": 2, "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"})
}
