//! What was sent, stopping it, and deliveries that finally failed (SPEC 4.11, CONTRACT 4).

use hato_domain::ErrorCode;
use hato_domain::wire::{Cancelled, DeadLetter, HistoryItem, Page};
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::OperationSpec;
use super::parameter;

/// The tag under which documents group the endpoints of the history of sends.
pub const TAG: &str = "history";

/// The endpoints of the history of sends, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let one = "/api/v1/apps/{appId}/notifications/{send_id}";
    vec![
        list("/api/v1/apps/{appId}/notifications", "listNotifications")
            .summary(
                "The sends of the app, newest first",
                "送信履歴を新しい順に取得する",
            )
            .response::<Page<HistoryItem>>(200, "A page of them.", page(&item())),
        OperationSpec::new(Method::GET, one, "getNotification", TAG)
            .summary("One send", "一件の送信を取得する")
            .auth(EndpointAuth::SessionOrFullKey)
            .response::<HistoryItem>(200, "Its history item.", item())
            .errors([ErrorCode::NotFound]),
        OperationSpec::new(Method::DELETE, one, "cancelNotification", TAG)
            .summary(
                "Stop what of a send is not yet being delivered",
                "未配信の分を取り消す",
            )
            .auth(EndpointAuth::SessionOrFullKey)
            .response::<Cancelled>(
                200,
                "How many recipients were spared.",
                json!({"ok": true, "cancelled": 80}),
            )
            .errors([ErrorCode::NotFound]),
        list("/api/v1/apps/{appId}/dead-letters", "listDeadLetters")
            .summary(
                "Deliveries that finally failed, newest first",
                "最終的に失敗した配信を新しい順に取得する",
            )
            .response::<Page<DeadLetter>>(200, "A page of them.", page(&letter())),
    ]
}

fn list(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(Method::GET, path, id, TAG)
        .auth(EndpointAuth::SessionOrFullKey)
        .parameters(parameter::paging())
        .errors([ErrorCode::InvalidInput])
}

/// The last page, with one entry.
pub fn page(item: &Value) -> Value {
    json!({"items": [item], "next_before": null, "next_before_id": null})
}

fn item() -> Value {
    json!({
        "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "title": "Hello", "body": "It works.", "url": null,
        "created_at": 1_790_000_000_000_i64, "status": "done", "recipients": 120, "sent_count": 117,
        "failed_count": 2, "failed_expired": 1, "failed_other": 1, "skipped_count": 1, "cancelled_count": 0,
        "actor": {"type": "api_key", "id": "key_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "backend"},
    })
}

fn letter() -> Value {
    json!({
        "id": "dl_17", "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
        "subscription_id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "endpoint": "https://push.example.com/abc",
        "reason": "unavailable", "http_status": 503, "attempts": 4, "created_at": 1_790_000_000_000_i64,
    })
}
