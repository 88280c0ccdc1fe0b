//! SPEC 4.11, CONTRACT 4.

use hato_domain::ErrorCode;
use hato_domain::wire::{Cancelled, DeadLetter, HistoryItem, Page};
use http::Method;
use serde_json::{Value, json};

use super::operation::Operation;
use super::parameter;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "history";

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    let one = "/api/v1/apps/{appId}/notifications/{send_id}";
    vec![
        list("/api/v1/apps/{appId}/notifications", "listNotifications")
            .says(
                "The sends of the app, newest first",
                "送信履歴を新しい順に取得する",
            )
            .answers::<Page<HistoryItem>>(200, "A page of them.", page(&item())),
        Operation::new(Method::GET, one, "getNotification", TAG)
            .says("One send", "一件の送信を取得する")
            .takes(Takes::SessionOrFullKey)
            .answers::<HistoryItem>(200, "Its history item.", item())
            .refuses([ErrorCode::NotFound]),
        Operation::new(Method::DELETE, one, "cancelNotification", TAG)
            .says(
                "Stop what of a send is not yet being delivered",
                "未配信の分を取り消す",
            )
            .takes(Takes::SessionOrFullKey)
            .answers::<Cancelled>(
                200,
                "How many recipients were spared.",
                json!({"ok": true, "cancelled": 80}),
            )
            .refuses([ErrorCode::NotFound]),
        list("/api/v1/apps/{appId}/dead-letters", "listDeadLetters")
            .says(
                "Deliveries that finally failed, newest first",
                "最終的に失敗した配信を新しい順に取得する",
            )
            .answers::<Page<DeadLetter>>(200, "A page of them.", page(&letter())),
    ]
}

fn list(path: &'static str, id: &'static str) -> Operation {
    Operation::new(Method::GET, path, id, TAG)
        .takes(Takes::SessionOrFullKey)
        .with(parameter::paging())
        .refuses([ErrorCode::InvalidInput])
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
