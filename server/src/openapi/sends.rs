//! The three ways to send (SPEC 4.8 to 4.10).

use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted};
use hato_domain::{ErrorCode, Scope};
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::OperationSpec;
use super::parameter;

/// The tag under which documents group the endpoints of sending.
pub const TAG: &str = "sending";

/// The endpoints of sending, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let sends = [
        send("/api/v1/notify", "notify")
            .summary(
                "Send to all subscribers, or to one",
                "全員または一人に送信する",
            )
            .about("A send to nobody is 202 with `queued` 0.")
            .auth(EndpointAuth::Key(Scope::Notify))
            .body::<Notify>(message())
            .response::<SendAccepted>(202, "It is stored and will be delivered.", accepted())
            .errors([ErrorCode::InvalidEndpoint, ErrorCode::NotFound]),
        send("/api/v1/notify/batch", "notifyBatch")
            .summary(
                "Send to up to 100 endpoints",
                "最大 100 件の endpoint に送信する",
            )
            .about(
                "Endpoints that are no active subscription are skipped, and duplicates count once.",
            )
            .auth(EndpointAuth::Key(Scope::Notify))
            .body::<NotifyBatch>(json!({
                "endpoints": ["https://push.example.com/abc", "https://push.example.com/def"],
                "payload": {"title": "Hello", "body": "You two."},
            }))
            .response::<BatchAccepted>(202, "It is stored and will be delivered.", batch_accepted())
            .errors([ErrorCode::InvalidEndpoint, ErrorCode::TooManyEndpoints]),
        send("/api/v1/apps/{appId}/notify", "broadcast")
            .summary(
                "Send to all subscribers of the app",
                "アプリの全員に送信する",
            )
            .about(
                "A member `endpoint` is refused, so that nothing becomes a broadcast by mistake.",
            )
            .auth(EndpointAuth::SessionOrFullKey)
            .body::<Notify>(message())
            .response::<SendAccepted>(202, "It is stored and will be delivered.", accepted()),
    ];
    sends.map(OperationSpec::replayable).into()
}

fn send(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(Method::POST, path, id, TAG)
        .parameters(parameter::idempotency_key())
        .errors([
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
